"""Chapters on what came out: the four checkpoints, what changed between them, what they wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting.evidence import Comparison, Evidence
from stages.reporting.figures import CHECKPOINT_COLOURS, Estimate, forest_chart
from stages.reporting.page import Card, Chapter, Exhibit, Picture, Specimen, Table
from stages.reporting.wording import CHECKPOINTS, NOTHING, band, percent, points, signed_band

TONES = {"better": "good", "worse": "bad", "within noise": "neutral"}
SHOWN = 800  # characters of a response
CLOSE = "</think>"


def overview(evidence: Evidence, comparisons: Sequence[Comparison]) -> Chapter:
    """The four scores at a glance."""
    cards = []
    for name, scores in evidence.scores.items():
        pooled = scores["reasoning"]
        found = next((c for c in comparisons if c.after == name and c.scope == "reasoning"), None)
        change = f"{found.verdict}: {points(found.delta)} points" if found else ""
        if found:
            change += f" {signed_band(found.low, found.high)}"
        cards.append(
            Card(
                name,
                CHECKPOINTS[name],
                percent(pooled["score"]),
                band(pooled["low"], pooled["high"]),
                change,
                TONES[found.verdict] if found else "neutral",
            )
        )
    return Chapter("overview", "The road in four numbers", cards=cards)


def summary(evidence: Evidence) -> str:
    """One sentence: the share of right answers along the road."""
    pooled = {name: scores["reasoning"] for name, scores in evidence.scores.items()}
    steps = [f"{percent(found['score'])} ({CHECKPOINTS[name]})" for name, found in pooled.items()]
    some = next(iter(pooled.values()))
    return (
        f"Share of right answers on {some['problems']} held-out problems, {some['k']} samples "
        f"each: {' → '.join(steps)}."
    )


def scores(evidence: Evidence) -> Chapter:
    """Every benchmark of every checkpoint with its interval."""
    first = next(iter(evidence.scores.values()))
    names = list(first["benchmarks"])
    table = Table(
        ("benchmark", "domain", "problems", *(CHECKPOINTS[name] for name in evidence.scores)),
        (
            _pooled_row(evidence, "reasoning", "all reasoning"),
            *(_score_row(evidence, name) for name in names),
        ),
        "Score with 95% question interval, percent",
        words=2,
    )
    rerun = Table(
        (
            "checkpoint",
            "avg@k",
            "questions",
            "rerun",
            "pass@k",
            "cut",
            "unread",
            "failed",
            "tokens",
        ),
        tuple(_quality_row(name, found) for name, found in evidence.scores.items()),
        "All reasoning problems: two intervals, best of k, and what went wrong",
    )
    return Chapter(
        "scores",
        "Scores",
        "The question interval says where the score would lie on other problems of the kind; the "
        "rerun interval, on the same problems sampled again.",
        pictures=[
            Picture(
                "Scores with 95% question intervals, percent",
                forest_chart(f"scores of the four checkpoints, part {number}", half),
            )
            for number, half in enumerate(_halves(_forest(evidence, names)), start=1)
        ],
        tables=[table, rerun, styles(evidence)],
        notes=[
            "cut: reached the token limit or never ended its thinking (counted wrong); unread: no "
            "answer found (counted wrong); failed: the checker itself failed (left out); tokens: "
            "mean length of a response."
        ],
    )


def _score_row(evidence: Evidence, name: str) -> tuple[str, ...]:
    entries = [scores["benchmarks"][name] for scores in evidence.scores.values()]
    cells = (f"{percent(e['score'])} {band(e['low'], e['high'])}" for e in entries)
    return (name, entries[0]["domain"], str(entries[0]["problems"]), *cells)


def _pooled_row(evidence: Evidence, scope: str, title: str) -> tuple[str, ...]:
    entries = [scores[scope] for scores in evidence.scores.values()]
    cells = (f"{percent(e['score'])} {band(e['low'], e['high'])}" for e in entries)
    return (title, "", str(entries[0]["problems"]), *cells)


def _quality_row(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    entry = found["reasoning"]
    return (
        CHECKPOINTS[name],
        percent(entry["score"]),
        band(entry["low"], entry["high"]),
        band(entry["rerun_low"], entry["rerun_high"]),
        percent(entry["pass_at_k"]),
        *(percent(entry[what] / entry["samples"]) for what in ("truncated", "unparsed", "errors")),
        f"{entry['mean_tokens']:.1f}",
    )


def styles(evidence: Evidence) -> Table:
    """How responses are written, and how often each way is right."""
    rows = []
    for name, found in evidence.scores.items():
        entry = found["reasoning"]["styles"]
        cells = [
            percent(entry[style][what])
            for style in ("careful", "answer_only")
            for what in ("share", "score")
        ]
        rows.append((CHECKPOINTS[name], *cells, percent(entry["other"]["share"])))
    return Table(
        ("checkpoint", "careful", "of these right", "answer only", "of these right", "neither"),
        tuple(rows),
        "Ways of answering: with worked thinking, or with none",
    )


def _forest(evidence: Evidence, names: Sequence[str]) -> dict[str, list[Estimate]]:
    groups = {"all reasoning": _estimates(evidence, lambda found: found["reasoning"])}
    for name in names:
        groups[name] = _estimates(evidence, lambda found, name=name: found["benchmarks"][name])
    return groups


def _halves(groups: dict[str, list[Estimate]]) -> list[dict[str, list[Estimate]]]:
    """Two charts side by side instead of one tall one."""
    titles = list(groups)
    middle = (len(titles) + 1) // 2
    return [{title: groups[title] for title in half} for half in (titles[:middle], titles[middle:])]


def _estimates(evidence: Evidence, pick: Any) -> list[Estimate]:
    entries = {name: pick(found) for name, found in evidence.scores.items()}
    return [
        Estimate(CHECKPOINTS[name], e["score"], e["low"], e["high"], CHECKPOINT_COLOURS[name])
        for name, e in entries.items()
    ]


def differences(
    comparisons: Sequence[Comparison], single: Sequence[Comparison], confidence: float
) -> Chapter:
    """Each step of the road against the one before, question by question; then by benchmark."""
    head = ("score", "step", "verdict", "change", "interval", "problems", "detectable")
    return Chapter(
        "differences",
        "Did it get better?",
        "Both checkpoints answer the same problems from the same seeds, so the change is taken "
        f"problem by problem; the interval is a {percent(confidence, 0)} t interval over problems.",
        tables=[
            Table(head, _rows(comparisons), "Paired differences, percentage points", words=3),
            Table(head, _rows(single), "The same by benchmark", words=3),
        ],
        notes=[
            "detectable: the smallest true change such a comparison finds four times out of five. "
            "An interval that holds 0 is noise, whatever its middle says. Of many benchmarks one "
            "in twenty moves that far by chance."
        ],
    )


def _rows(comparisons: Sequence[Comparison]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            c.scope,
            f"{CHECKPOINTS[c.before]} → {CHECKPOINTS[c.after]}",
            c.verdict,
            points(c.delta),
            signed_band(c.low, c.high),
            str(c.questions),
            points(c.detectable).lstrip("+"),
        )
        for c in comparisons
    )


def exhibits(evidence: Evidence, count: int) -> Chapter:
    """The first problem of each benchmark, with the first sample of every checkpoint."""
    by_checkpoint = {
        name: {row["id"]: row for row in rows} for name, rows in evidence.responses.items()
    }
    firsts: dict[str, dict[str, Any]] = {}
    for row in next(iter(evidence.responses.values())):
        firsts.setdefault(row["benchmark"], row)
    shown = [_exhibit(row, by_checkpoint) for row in list(firsts.values())[:count]]
    return Chapter(
        "responses",
        "What they write",
        "The first problem of a benchmark and the first sample of each checkpoint: chosen by "
        "place, not by result.",
        exhibits=shown,
    )


def _exhibit(
    first: Mapping[str, Any], by_checkpoint: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> Exhibit:
    specimens = []
    for name, rows in by_checkpoint.items():
        row = rows.get(first["id"])
        if row is None:
            continue
        thinking, closed, answer = row["response"].partition(CLOSE)
        specimens.append(
            Specimen(
                name,
                CHECKPOINTS[name],
                _clip(thinking + closed) or "(nothing)",
                _clip(answer),
                row["verdict"],
            )
        )
    title = f"{first['benchmark']}: {first['problem']}"
    return Exhibit(title, first["prompt"], first["answer"], tuple(specimens))


def _clip(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} … ({len(text) - SHOWN} more characters)"


def limits(evidence: Evidence) -> Chapter:
    """What the scores do not say."""
    pooled = next(iter(evidence.scores.values()))["reasoning"]
    share = {name: found["reasoning"]["styles"] for name, found in evidence.scores.items()}
    said = [
        f"The benchmarks are {pooled['problems']} generated problems of the families that are "
        "trained on, held out by canonical key. They show that a skill was learned, not that it "
        "carries over to anything else.",
        _style_point(share),
        "One seed of training stands behind each checkpoint. The intervals cover the choice of "
        "problems and of samples; another training seed would move the scores by more.",
        "The intervals are not widened for the number of comparisons made.",
        "The preference is a rule that stands in for people's taste; a higher score means that the "
        "rule is met more often.",
    ]
    return Chapter(
        "limits", "What the score does not say", points=[point for point in said if point]
    )


def _style_point(share: Mapping[str, Mapping[str, Mapping[str, float | None]]]) -> str:
    """How much of the gain of reasoning RL is choosing the better style (accuracies frozen)."""
    if "sft" not in share or "reasoning_rl" not in share:
        return ""
    before, after = share["sft"], share["reasoning_rl"]
    frozen = sum((after[style]["share"] or 0) * (before[style]["score"] or 0) for style in before)
    old, new = _total(before), _total(after)
    return (
        f"From SFT to reasoning RL the score moved by {points(new - old)} points. The choice of "
        f"style alone would have moved it by {points(frozen - old)}, to {percent(frozen)}, the "
        f"accuracy of each style being that of SFT; the accuracies did {points(new - frozen)}."
    )


def _total(styles_of: Mapping[str, Mapping[str, float | None]]) -> float:
    return sum((s["share"] or 0) * (s["score"] or 0) for s in styles_of.values())


def headline(evidence: Evidence, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """What reports/metrics.json holds: scores with intervals, paired differences with verdicts."""
    keep = ("score", "low", "high", "rerun_low", "rerun_high", "pass_at_k", "problems", "k")
    checkpoints = {
        name: {
            scope: {key: found[scope][key] for key in keep} if found[scope] else None
            for scope in ("reasoning", "preference")
        }
        for name, found in evidence.scores.items()
    }
    changes: dict[str, dict[str, Any]] = {}
    for c in comparisons:
        changes.setdefault(f"{c.after}-{c.before}", {})[c.scope] = {
            "delta": round(c.delta, 6),
            "low": round(c.low, 6),
            "high": round(c.high, 6),
            "detectable": round(c.detectable, 6),
            "problems": c.questions,
            "verdict": c.verdict,
        }
    return {
        "profile": evidence.resolved.get("profile", NOTHING),
        "checkpoints": checkpoints,
        "differences": changes,
    }
