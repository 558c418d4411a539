"""Arena-Hard v2: whose answer a judge prefers, ours or a baseline's, asked in both orders.

A verdict of >> counts three times, a tie is half a win. The score is the share of wins, which for
one model against one baseline is the win rate of Bradley-Terry; ``measures`` has that with style
held equal (length, headers, lists, bold), by category, and what the order of the answers did. A
response that was cut off, or says nothing, has lost both games by far.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.judging import Judged, Question, Readings
from stages.evals.judges.prompts import Template
from stages.evals.pairwise import (
    VERDICTS,
    Game,
    Standing,
    both_orders,
    bradley_terry,
    position_bias,
    relative_length,
)
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.entries import Entry
from stages.evals.scoring import rounded
from stages.evals.statistics import wilson

MODEL, BASELINE = "model", "baseline"
BASELINES = {
    "hard_prompt": "o3-mini-2025-01-31",
    "coding": "o3-mini-2025-01-31",
    "math": "o3-mini-2025-01-31",
    "creative_writing": "gemini-2.0-flash-001",
}
"""The published baseline of each category."""
SEED, DRAWS = 0, 300
LOST = "B>>A"
LEADS = {lead: verdict for verdict, lead in VERDICTS.items()}
ORDERS = ("ours first", "ours second")
CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
MARKDOWN = (
    re.compile(r"(?m)^#{1,6}\s"),
    re.compile(r"(?m)^[ \t]{0,40}(?:[-*+]|\d{1,3}\.)[ \t]"),
    re.compile(r"\*\*[^*\n]{1,400}\*\*|__[^_\n]{1,400}__"),
)
"""Headers, list items, bold passages."""
WORD = re.compile(r"\w+|[^\w\s]")
TEMPLATE = Template(
    "arena_hard",
    1,
    "Two assistants, A and B, answered the same user. Decide whose answer is better.\n\n"
    "{request}\n\n{answer_a}\n\n{answer_b}\n\n"
    "Where the task has a right result, first work it out yourself and check both answers against "
    "it. Look for mistakes. Then weigh whether an answer does what was asked, whether all of it "
    "matters, whether it is no longer than it need be, what it leaves out, and, where the task "
    "asks for it, how original it is. Asking back is good where the request is ambiguous. Which "
    "answer stands first, and how long it is, says nothing by itself.\n\n"
    "A>>B: A is much better. A>B: A is slightly better. A=B: about equal. B>A: B is slightly "
    "better. B>>A: B is much better.",
    tuple(VERDICTS),
)


def arena_hard(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``uid``, ``category``, ``prompt``; the baseline's answer comes from a file of its own."""
    del shuffle
    category = entry.text("category")
    if category not in BASELINES:
        raise DataError(
            f"{entry.where}: category {category!r} has no baseline. Is this question.jsonl of "
            "Arena-Hard v2.0?"
        )
    meta = {"verifier": "judge", "group": category}
    yield problem_of(entry.text("uid"), entry.text("prompt"), "", "alignment", meta)


def with_baseline(problems: Sequence[Problem], rows: Sequence[Entry]) -> list[Problem]:
    """The problems with the baseline's answer as theirs; DataError if one has none.

    Rows are those of ``model_answer``: ``uid``, ``model``, ``messages``. Answers of other models
    than the category's published baseline do not count; rows that name no model are a baseline of
    your own, ``uid`` and ``answer``.
    """
    found = {(entry.text("uid", "id"), str(entry.row.get("model") or "")): entry for entry in rows}
    filled = []
    for problem in problems:
        wanted = BASELINES[problem.meta["group"]]
        entry = found.get((problem.id, wanted)) or found.get((problem.id, ""))
        if entry is None:
            raise DataError(
                f"{problem.id}: the baseline {wanted} has no answer to it in the files of answers. "
                "docs/benchmarks.md says where to get them."
            )
        said = _said(entry)
        filled.append(replace(problem, answer=said, key=f"{problem.key}{said}"))
    return filled


def _said(entry: Entry) -> str:
    """The text of an answer: the last message's, under ``answer`` in newer files."""
    if "messages" not in entry.row:
        return entry.text("answer", "response")
    messages = entry.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    text = content.get("answer") if isinstance(content, dict) else content
    if not isinstance(text, str):
        raise DataError(f"{entry.where}: the last of 'messages' has no text of an answer.")
    return text


def questions(problem: Problem, text: str) -> list[Question]:
    """Both orders."""
    asked, other = problem.prompt, problem.answer
    fills = (
        TEMPLATE.fill(request=asked, answer_a=text, answer_b=other),
        TEMPLATE.fill(request=asked, answer_a=other, answer_b=text),
    )
    return [Question(order, TEMPLATE, filled) for order, filled in zip(ORDERS, fills, strict=True)]


def judgement(problem: Problem, text: str, readings: Readings) -> Judgement:
    """What both games come to: the share of their weight that ours won."""
    verdicts = (readings[ORDERS[0]].verdict, readings[ORDERS[1]].verdict)
    return _judgement(problem, text, verdicts, Verdict.WRONG, "")


def compared(problem: Problem, text: str, lead: float) -> Judgement:
    """What a reward model's scores come to: the higher one wins both games, by a little."""
    side = (lead > 0) - (lead < 0)
    return _judgement(problem, text, (LEADS[side], LEADS[-side]), Verdict.WRONG, "")


def unanswered(problem: Problem, found: Judgement) -> Judgement:
    """Both games lost by far, and not for their style."""
    same = problem.answer
    return _judgement(problem, same, (LOST, "A>>B"), found.verdict, found.reason)


def _judgement(
    problem: Problem, text: str, verdicts: tuple[str, str], short: Verdict, reason: str
) -> Judgement:
    won = _won(both_orders(problem.id, MODEL, BASELINE, verdicts))
    parts = {order: float(VERDICTS[one]) for order, one in zip(ORDERS, verdicts, strict=True)}
    style = style_difference(text, problem.answer)
    parts |= {f"style {n}": value for n, value in enumerate(style)}
    why = reason or f"{ORDERS[0]}: {verdicts[0]}; {ORDERS[1]}: {verdicts[1]}"
    return Judgement(Verdict.PASS if won > 0.5 else short, won, why, parts)


def _won(games: Sequence[Game]) -> float:
    weight = math.fsum(game.weight for game in games)
    return math.fsum(game.weight * game.outcome for game in games) / weight


def style_difference(ours: str, other: str) -> tuple[float, ...]:
    """Relative length, and how much denser headers, lists and bold type are, each in [-1, 1]."""
    counts = [_style(text) for text in (ours, other)]
    lengths = [length for length, _ in counts]
    densities = [[count / max(1, length) for count in markdown] for length, markdown in counts]
    return (
        relative_length(lengths[0], lengths[1]),
        *((one - two) / (one + two + 1) for one, two in zip(*densities, strict=True)),
    )


def _style(text: str) -> tuple[int, list[int]]:
    plain = CODE.sub("", text)
    return len(WORD.findall(text)), [len(kind.findall(plain)) for kind in MARKDOWN]


def _verdicts(sample: Sample) -> tuple[str, str]:
    first, second = (LEADS[int(sample.judgement.parts[order])] for order in ORDERS)
    return first, second


def _games(samples: Sequence[Sample], styled: bool) -> list[Game]:
    """All games of the samples that were judged, styles in units of their spread."""
    known = [one for one in samples if one.judgement.reward is not None]
    styles = np.array([[one.judgement.parts[f"style {n}"] for n in range(4)] for one in known])
    spread = styles.std(axis=0) if styled else np.zeros(4)
    used = [n for n in range(4) if spread[n] > 0]
    scaled = styles[:, used] / spread[used]
    return [
        game
        for one, style in zip(known, scaled, strict=True)
        for game in both_orders(
            one.scored.item, MODEL, BASELINE, _verdicts(one), tuple(map(float, style))
        )
    ]


def overall(samples: Sequence[Sample]) -> dict[str, Any]:
    """The share of wins, with the percentile interval of drawing questions anew."""
    games = _games(samples, styled=False)
    names = sorted({game.question for game in games})
    place = {name: n for n, name in enumerate(names)}
    won, played = np.zeros(len(names)), np.zeros(len(names))
    for game in games:
        won[place[game.question]] += game.weight * game.outcome
        played[place[game.question]] += game.weight
    score = float(won.sum() / played.sum())
    random = np.random.default_rng(SEED)
    at = random.integers(len(names), size=(DRAWS, len(names)))
    shares = won[at].sum(axis=1) / played[at].sum(axis=1)
    low, high = (float(one) for one in np.quantile(shares, (0.025, 0.975)))
    kind = "bootstrap"
    if low == high:
        plain = wilson(score, len(names), 0.95)
        low, high, kind = plain.low, plain.high, plain.kind
    return {
        "score": rounded(score), "low": rounded(low), "high": rounded(high), "interval": kind,
        "rerun_low": None, "rerun_high": None,
    }  # fmt: skip


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """Bradley-Terry win rates, plain and at equal style, with bounds; by category; the order."""
    known = [one for one in samples if one.judgement.reward is not None]
    pairs = [_verdicts(one) for one in known]
    agree = [np.sign(VERDICTS[one]) == -np.sign(VERDICTS[two]) for one, two in pairs]
    groups = sorted({str(one.scored.problem.meta["group"]) for one in known})
    return {
        "bradley_terry": _standing(_games(samples, styled=False)),
        "equal_style": _standing(_games(samples, styled=True)),
        "position_bias": rounded(position_bias(pairs)),
        "same_in_both_orders": rounded(float(np.mean(agree))),
        **{name: _category(known, name) for name in groups},
    }


def _category(known: Sequence[Sample], name: str) -> float | None:
    return rounded(
        _won(_games([one for one in known if one.scored.problem.meta["group"] == name], False))
    )


def _standing(games: Sequence[Game]) -> dict[str, float | None]:
    found: Standing = bradley_terry(games, BASELINE, SEED, draws=DRAWS).models[MODEL]
    return {
        "win_rate": rounded(found.win_rate), "low": rounded(found.low), "high": rounded(found.high)
    }  # fmt: skip


JUDGED = Judged((TEMPLATE,), questions, judgement, unanswered, compared)
