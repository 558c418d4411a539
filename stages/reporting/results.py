"""Chapters on what came out: the four checkpoints, what changed between them, what they wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting.evidence import Comparison, Evidence
from stages.reporting.figures import CHECKPOINT_COLOURS, Estimate, forest_chart
from stages.reporting.page import Card, Chapter, Part, Picture, Table
from stages.reporting.wording import (
    CHECKPOINTS,
    NOTHING,
    band,
    percent,
    points,
    signed_band,
)

SHARE = "share"  # scale of a score in [0, 1]
TONES = {"better": "good", "worse": "bad"}
LISTED = 5  # ids that are named; the rest is counted


def overview(evidence: Evidence, comparisons: Sequence[Comparison]) -> Chapter:
    """The four scores at a glance."""
    cards = []
    for name, scores in evidence.scores.items():
        pooled = scores["reasoning"]
        found = next((c for c in comparisons if c.after == name and c.scope == "reasoning"), None)
        change = found.verdict if found else ""
        if found and not found.why:
            change += f": {points(found.delta)} points {signed_band(found.low, found.high)}"
        cards.append(
            Card(
                name,
                CHECKPOINTS[name],
                percent(pooled["score"]),
                band(pooled["low"], pooled["high"]),
                change,
                TONES.get(found.verdict, "neutral") if found else "neutral",
            )
        )
    return Chapter("overview", "The road in four numbers", cards=cards)


def summary(evidence: Evidence) -> str:
    """One sentence: the share of right answers along the road."""
    pooled = {name: scores["reasoning"] for name, scores in evidence.scores.items()}
    steps = [f"{percent(found['score'])} ({CHECKPOINTS[name]})" for name, found in pooled.items()]
    some = next(iter(pooled.values()))
    return (
        f"Share of right answers on {some['questions']} held-out problems, {some['k']} samples "
        f"each: {' → '.join(steps)}."
    )


def scores(evidence: Evidence) -> Chapter:
    """Every benchmark of every checkpoint with its interval."""
    names = by_domain(evidence)
    table = Table(
        (
            "domain",
            "benchmark",
            "problems",
            *(CHECKPOINTS[name] for name in evidence.scores),
            "paper",
        ),
        (
            _pooled_row(evidence, "reasoning", "all reasoning"),
            *(_score_row(evidence, name) for name in names),
        ),
        "Score with 95% question interval, percent, by domain",
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
                forest_chart(f"scores of the four checkpoints, part {place}", half),
            )
            for place, half in enumerate(_halves(_forest(evidence, names)), start=1)
        ],
        tables=[table, repeats(evidence, names), rerun, styles(evidence)],
        notes=[
            "paper: what Ring-1T reached there (percent, or a rating), for reference only; nothing "
            "is computed with it. "
            "detectable: the smallest true difference that another run of the same size would show "
            "four times out of five, from the spread of samples; –: nothing to tell it from. "
            "maj@k: the most frequent answer, ties shared.",
            "cut: reached the token limit or never ended its thinking (counted wrong); unread: no "
            "answer found (counted wrong); failed: the checker itself failed (left out); tokens: "
            "mean length of a response.",
        ],
    )


def by_domain(evidence: Evidence) -> list[str]:
    """Names of the benchmarks, those of a domain together."""
    found = next(iter(evidence.scores.values()))["benchmarks"]
    return sorted(found, key=lambda name: (found[name]["domain"], name))


def _score_row(evidence: Evidence, name: str) -> tuple[str, ...]:
    entries = [scores["benchmarks"][name] for scores in evidence.scores.values()]
    first = entries[0]
    reference = NOTHING if first["reference"] is None else f"{first['reference']:g}"
    return (first["domain"], name, str(first["questions"]), *map(_estimate, entries), reference)


def _estimate(entry: Mapping[str, Any]) -> str:
    """A score with its interval, in percent, or as it is if it is no share."""
    if entry["scale"] == SHARE:
        return f"{percent(entry['score'])} {band(entry['low'], entry['high'])}"
    bounds = [entry["low"], entry["high"]]
    between = NOTHING if None in bounds else f"[{bounds[0]:.0f}, {bounds[1]:.0f}]"
    return f"{entry['score']:.0f} {between}"


def _pooled_row(evidence: Evidence, scope: str, title: str) -> tuple[str, ...]:
    entries = [scores[scope] for scores in evidence.scores.values()]
    cells = (f"{percent(e['score'])} {band(e['low'], e['high'])}" for e in entries)
    return ("", title, str(entries[0]["questions"]), *cells, NOTHING)


def repeats(evidence: Evidence, names: Sequence[str]) -> Table:
    """What the last checkpoint's samples are worth together, and what they let one see."""
    last, found = list(evidence.scores.items())[-1]
    rows = []
    for name in names:
        entry = found["benchmarks"][name]
        rows.append(
            (
                name,
                entry["metric"],
                _estimate(entry).split()[0],
                percent(_pass_at_k(entry)),
                percent(entry["maj_at_k"]),
                str(entry["questions"]),
                str(entry["k"]),
                _points_of(entry["detectable"]),
            )
        )
    return Table(
        ("benchmark", "metric", "score", "pass@k", "maj@k", "problems", "k", "detectable"),
        tuple(rows),
        f"{CHECKPOINTS[last]}: all samples together, and what they can show",
        words=2,
    )


def _pass_at_k(entry: Mapping[str, Any]) -> float | None:
    """pass@k for the largest k there is."""
    known: Mapping[str, float] = entry["pass_at"]
    return known[max(known, key=int)] if known else None


def _points_of(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}"


def _quality_row(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    entry = found["reasoning"]
    return (
        CHECKPOINTS[name],
        percent(entry["score"]),
        band(entry["low"], entry["high"]),
        band(entry["rerun_low"], entry["rerun_high"]),
        percent(_pass_at_k(entry)),
        *(
            percent(entry["counts"][what] / entry["samples"])
            for what in ("truncated", "unparsed", "error")
        ),
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
    some = next(iter(evidence.scores.values()))["benchmarks"]
    for name in (one for one in names if some[one]["scale"] == SHARE):
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
    """Each step of the road against the one before, item by item; then by benchmark."""
    head = ("score", "step", "verdict", "change", "interval", "p", "problems", "detectable")
    return Chapter(
        "differences",
        "Did it get better?",
        "Both checkpoints answer the same problems from the same seeds, so the change is taken "
        f"problem by problem; the interval is a {percent(confidence, 0)} bootstrap over problems.",
        tables=[
            Table(head, _rows(comparisons), "Paired differences, percentage points", words=3),
            Table(head, _rows(single), "The same by benchmark", words=3),
        ],
        parts=[_flips(single)],
        points=[
            f"{c.scope}, {_step(c)}: not comparable: {c.why}."
            for c in (*comparisons, *single)
            if c.why
        ],
        notes=[
            "A tie is a difference inside the noise: its interval holds 0, or its p value "
            "(McNemar's test for one sample a problem, else a paired t test), adjusted by Holm "
            "over the benchmarks of a step, is too large. It does not say that there is none. "
            "detectable: the smallest true change such a comparison finds four times out of five."
        ],
    )


def _step(c: Comparison) -> str:
    return f"{CHECKPOINTS[c.before]} → {CHECKPOINTS[c.after]}"


def _rows(comparisons: Sequence[Comparison]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            c.scope,
            _step(c),
            c.verdict,
            points(c.delta),
            signed_band(c.low, c.high),
            NOTHING if c.p is None else f"{c.p:.2g}",
            str(c.questions) if c.questions else NOTHING,
            _points_of(c.detectable),
        )
        for c in comparisons
    )


def _flips(single: Sequence[Comparison]) -> Part:
    """What a step lost although it may have gained on the whole."""
    moved = [c for c in single if c.lost or c.gained]
    rows = tuple(
        (c.scope, _step(c), str(len(c.lost)), str(len(c.gained)), _listed(c.lost)) for c in moved
    )
    head = ("benchmark", "step", "right → wrong", "wrong → right", "lost")
    tables = [Table(head, rows, words=2)] if rows else []
    return Part(
        "Flipped problems",
        "Right is more than half of a problem's samples, wrong less than half."
        if rows
        else "No problem went from mostly right to mostly wrong, or back.",
        tables=tables,
    )


def _listed(ids: Sequence[str]) -> str:
    more = f", and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return ", ".join(ids[:LISTED]) + more


def limits(evidence: Evidence) -> Chapter:
    """What the scores do not say."""
    pooled = next(iter(evidence.scores.values()))["reasoning"]
    share = {name: found["reasoning"]["styles"] for name, found in evidence.scores.items()}
    said = [
        f"All reasoning is {pooled['questions']} generated problems of the families that are "
        "trained on, held out by canonical key. They show that a skill was learned, not that it "
        "carries over to anything else.",
        _style_point(share),
        "One seed of training stands behind each checkpoint. The intervals cover the choice of "
        "problems and of samples; another training seed would move the scores by more.",
        "The intervals are not widened for the number of comparisons made; the verdicts allow for "
        "it, step by step of the road.",
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
    keep = ("score", "low", "high", "rerun_low", "rerun_high", "questions", "k")
    checkpoints = {
        name: {
            scope: {key: found[scope][key] for key in keep} if found[scope] else None
            for scope in ("reasoning", "preference")
        }
        for name, found in evidence.scores.items()
    }
    changes: dict[str, dict[str, Any]] = {}
    for c in comparisons:
        figures = {"delta": c.delta, "low": c.low, "high": c.high, "detectable": c.detectable}
        changes.setdefault(f"{c.after}-{c.before}", {})[c.scope] = {
            **{name: None if value is None else round(value, 6) for name, value in figures.items()},
            "questions": c.questions,
            "verdict": c.verdict,
        }
    return {
        "profile": evidence.resolved.get("profile", NOTHING),
        "checkpoints": checkpoints,
        "differences": changes,
    }
