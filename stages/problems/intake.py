"""Outside problems on their way into RL: parsed, curated, kept apart from what must not be met.

What lies in other rooms comes in as functions: reading files, the verifier, the search for
benchmark texts, the tokenizer's count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stages.base import paths
from stages.base.params import RlSource
from stages.base.protocols import Sandbox
from stages.base.records import Problem
from stages.problems.curation import DETAIL, Curated, GoldFault, Verify, curate
from stages.problems.outside import Left, Outside, Preference, Raw, parse_rows, text_key
from stages.problems.registry import FAMILIES, held_out
from stages.problems.schemas import SCHEMAS

GENERAL = "general"
Texts = tuple[str, str, str]
"""(canonical key, prompt, answer), the prompt empty where only the key is to be compared."""


@dataclass(frozen=True)
class Doors:
    """What :func:`take_in` needs of other rooms.

    ``read`` gives a source's rows; ``refuse`` raises if, beside so many readable ones, there are
    too many unreadable ones.
    ``fault_of`` says why a gold cannot be used (``stages.rewards.golds.problem_fault``).
    ``contaminated`` gives, for each of some texts, the benchmark item found in it, or nothing.
    ``fits`` says whether a prompt leaves room for a whole response.
    """

    read: Callable[[RlSource], Iterable[Raw]]
    refuse: Callable[[RlSource, int, Sequence[tuple[Path, int, str]]], None]
    verify: Verify
    fault_of: GoldFault
    contaminated: Callable[[Sequence[Texts]], list[str]]
    fits: Callable[[str], bool]
    sandbox: Sandbox


@dataclass
class Intake:
    """Problems to grade, open prompts, preferences, and everything that went with its reason."""

    problems: list[Problem] = field(default_factory=list)
    open: list[Problem] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    set_aside: list[tuple[Problem, str]] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)


def sft_keys(rows: Sequence[Mapping[str, Any]], of_texts: bool) -> set[str]:
    """Canonical keys of the problems the SFT corpus holds; those of its texts too, if asked for."""
    texts = {text_key(row["prompt"]) for row in rows} if of_texts else set[str]()
    return texts | {row["key"] for row in rows if row.get("key")}


def take_in(
    sources: Sequence[RlSource],
    doors: Doors,
    taken: Collection[str],
    seen: Collection[str],
    modulus: int,
    seed: int,
) -> Intake:
    """All sources, curated together.

    ``taken`` are the keys of problems that RL has already, ``seen`` those of the SFT corpus: the
    former are copies, the latter only marked. One key in ``modulus`` of the families is held out.
    """
    found = {source.name: _parsed(source, doors) for source in sources}
    curated = curate(
        [problem for outside in found.values() for problem in outside.problems],
        list(found),
        doors.verify,
        doors.fault_of,
        doors.sandbox,
        seed,
    )
    kept = _without(curated, taken, modulus, doors)
    kept = [
        replace(problem, meta={**problem.meta, "seen_in_sft": problem.key in seen})
        for problem in kept
    ]
    intake = Intake(
        problems=[problem for problem in kept if not problem.open],
        open=[problem for problem in kept if problem.open],
        set_aside=curated.set_aside,
        left=[left for name, outside in found.items() for left in _left(name, outside)],
    )
    _take_preferences(found.values(), intake, doors)
    intake.figures = _figures(found, curated, intake)
    return intake


def output_rows(
    kept: Sequence[Problem], set_aside: Sequence[tuple[Problem, str]], intake: Intake
) -> dict[str, list[dict[str, Any]]]:
    """Rows by file: graded problems, what outside rows gave, and what was set aside of both.

    Prompts of the domain ``general`` are for general RL alone and stand in a file of their own; the
    files of outside rows are left out where they would be empty.
    """
    general = [*(problem for problem in kept if problem.domain == GENERAL), *intake.open]
    away = [*set_aside, *intake.set_aside]
    others = {
        paths.GENERAL: [problem.to_row() for problem in general],
        "preferences.jsonl": [pair.to_row() for pair in intake.preferences],
        "left_out.jsonl": [left.to_row() for left in intake.left],
    }
    return {
        "problems.jsonl": [problem.to_row() for problem in kept if problem.domain != GENERAL],
        "set_aside.jsonl": [{"reason": reason, **problem.to_row()} for problem, reason in away],
        **{name: rows for name, rows in others.items() if rows},
    }


def _parsed(source: RlSource, doors: Doors) -> Outside:
    outside = parse_rows(source, SCHEMAS[source.schema], doors.read(source))
    doors.refuse(source, outside.readable, outside.unreadable)
    return outside


def _left(name: str, outside: Outside) -> list[Left]:
    """Rows that gave nothing: those of another schema, then those of no use."""
    bad = [
        Left(f"{name}:{file.name}:{number}", name, f"unreadable ({reason})")
        for file, number, reason in outside.unreadable
    ]
    return [*bad, *outside.unfit]


def _without(curated: Curated, taken: Collection[str], modulus: int, doors: Doors) -> list[Problem]:
    """The kept problems without copies, held-out and benchmark ones, and those too long."""
    texts = [_texts(problem) for problem in curated.kept]
    kept = []
    for problem, item in zip(curated.kept, doors.contaminated(texts), strict=True):
        if problem.key in taken:
            reason = "a copy (of a generated problem)"
        elif problem.family in FAMILIES and held_out(problem.key, modulus):
            reason = "held out for benchmarks"
        elif item:
            reason = f"stands in a benchmark ({item})"
        elif not doors.fits(problem.prompt):
            reason = "no room for a response beside the prompt"
        else:
            kept.append(problem)
            continue
        curated.set_aside.append((problem, reason))
    return kept


def _texts(problem: Problem) -> Texts:
    """Puzzles of a family share their template with benchmarks: their key alone says it."""
    if problem.family in FAMILIES:
        return problem.key, "", ""
    return problem.key, problem.prompt, problem.answer


def _take_preferences(found: Iterable[Outside], intake: Intake, doors: Doors) -> None:
    """Each preference once, none on a benchmark's text."""
    given = [pair for outside in found for pair in outside.preferences]
    single = list({pair.id: pair for pair in given}.values())
    texts = [(pair.key, pair.prompt, pair.chosen) for pair in single]
    for pair, item in zip(single, doors.contaminated(texts), strict=True):
        if item:
            source = str(pair.meta["source"])
            intake.left.append(Left(pair.id, source, f"stands in a benchmark ({item})"))
        else:
            intake.preferences.append(pair)
    intake.figures["preference_copies"] = len(given) - len(single)


def _figures(found: Mapping[str, Outside], curated: Curated, intake: Intake) -> dict[str, Any]:
    """Rows by source and outcome, reasons, and what curation did."""
    kept = Counter(problem.meta["source"] for problem in (*intake.problems, *intake.open))
    return {
        **intake.figures,
        "sources": {
            name: {
                "problems": len(outside.problems),
                "preferences": len(outside.preferences),
                "unreadable": len(outside.unreadable),
                "kept": kept[name],
            }
            for name, outside in found.items()
        },
        "left_out": _counted(left.reason for left in intake.left),
        "set_aside": curated.reasons(),
        "curation": dict(sorted(curated.counts.items())),
        "to_grade": len(intake.problems),
        "open_prompts": len(intake.open),
        "preferences": len(intake.preferences),
    }


def _counted(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(reason.partition(DETAIL)[0] for reason in reasons).items()))
