"""Chapters of responses to read: what each checkpoint writes, and what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting.evidence import Evidence
from stages.reporting.page import Chapter, Exhibit, Specimen
from stages.reporting.wording import CHECKPOINTS, number

SHOWN = 800  # characters of a text
FEW = 2  # examples of each kind of failure
CLOSE = "</think>"


def exhibits(evidence: Evidence, count: int) -> Chapter:
    """The first problem of each benchmark, with the first sample of every checkpoint."""
    firsts = next(iter(evidence.written.values())).firsts
    shown = [_exhibit(row, evidence) for row in list(firsts.values())[:count]]
    return Chapter(
        "responses",
        "What they write",
        "The first problem of a benchmark and the first sample of each checkpoint: chosen by "
        "place, not by result.",
        exhibits=shown,
    )


def _exhibit(first: Mapping[str, Any], evidence: Evidence) -> Exhibit:
    rows = {name: of.firsts.get(first["benchmark"]) for name, of in evidence.written.items()}
    specimens = [
        _specimen(name, row) for name, row in rows.items() if row and row["id"] == first["id"]
    ]
    return _shown(first, specimens)


def failures(evidence: Evidence) -> Chapter:
    """A few samples of the last checkpoint that were not right, to read: each kind of failure."""
    last, written = list(evidence.written.items())[-1]
    counts = evidence.scores[last]["benchmarks"].values()
    shown, said = [], []
    for verdict, rows in written.failures.items():
        total = sum(entry["counts"][verdict] for entry in counts)
        if total:
            said.append(f"{number(total)} {verdict}")
        shown += [_shown(row, [_specimen(last, row)]) for row in rows[:FEW]]
    return Chapter(
        "failures",
        "Failures to read",
        f"{CHECKPOINTS[last]}: {', '.join(said) or 'nothing failed'}. Of each kind the first "
        f"sample of a benchmark that has one, at most {FEW}.",
        exhibits=shown,
    )


def _shown(row: Mapping[str, Any], specimens: Sequence[Specimen]) -> Exhibit:
    title = f"{row['benchmark']}: {row['problem']}"
    return Exhibit(title, _clip(row["prompt"]), _clip(row["answer"]), tuple(specimens))


def _specimen(name: str, row: Mapping[str, Any]) -> Specimen:
    thinking, closed, answer = row["response"].partition(CLOSE)
    reason = f" ({_clip(row['reason'])})" if row["reason"] else ""
    return Specimen(
        name,
        CHECKPOINTS[name],
        _clip(thinking + closed) or "(nothing)",
        _clip(answer),
        row["verdict"],
        reason,
    )


def _clip(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} … ({len(text) - SHOWN} more characters)"
