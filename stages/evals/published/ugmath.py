"""UGMathBench: three variants of each problem, with other numbers, to be right in all of them.

A response answers every blank of its variant, in order, each of a type of its own. The score is the
effective accuracy: the chance that a response to each variant, drawn from those there are, is
right in all of them, mean over problems. Intervals are over problems.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from stages.base.errors import DataError, VerifierError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.answer_lists import answers, boxed, parts, stated, unbracketed
from stages.evals.published.benchmark import Sample, mean_score, problem_of
from stages.evals.published.clusters import mean_of, one_each
from stages.evals.published.entries import Entry
from stages.evals.published.letters import judge_letters
from stages.evals.published.nearness import near
from stages.evals.scoring import Scored, grouped, rounded
from stages.rewards.choices import read_choice
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.science import Measured, judge_choice, judge_number, judge_text
from stages.rewards.stated import PASS, unparsed, wrong

VARIANTS = (1, 2, 3)
TOLERANCE = Fraction(1, 1000)  # of a number, relative: the published evaluation's
YES, NO = ("true", "t", "yes", "y"), ("false", "f", "no", "n")
UNION = " U "  # as golds write it
DERIVATIVE = re.compile(r"(?<![A-Za-z])(d[A-Za-z])/(d[a-z])(?![A-Za-z])")
APPLIED = re.compile(r"(?<![A-Za-z\\])([A-Za-z])\([a-z]\)")  # R(t), which may be written R
DECIMAL = re.compile(r"[0-9]\.[0-9]{3}|[0-9]{5}")
INDEXED = re.compile(r"(?<![A-Za-z0-9\\_])(?<!_\{)([A-Za-z])([0-9])(?![0-9.])")  # c1, m0
LABEL = re.compile(
    r"(?<=\\boxed\{)\s*(?:\\displaystyle\s*)?[A-Za-z](?:_\{?\w{1,4}\}?)?'{0,2}"
    r"\(\s*[a-z0-9](?:\s*,\s*[a-z0-9]){0,3}\s*\)\s*=\s*"
)
"""The name of a function before its value: u(x, t) = ..."""

DRESSED = re.compile(r"\\(?:text|mathrm|textbf)\s*\{([^{}]*)\}")
KINDS = {
    "NV": "a number", "EX": "an expression", "EQ": "an equation", "INT": "an interval",
    "TF": "True or False", "MCS": "one option", "MCM": "one or more options, as letters in a row",
    "OE": "words", "OL": "an ordered list in parentheses",
    "UOL": "a list in parentheses, in any order",
}  # fmt: skip
"""The types of answers, and what the prompt calls them."""


@dataclass(frozen=True)
class Blank:
    """One blank: the type of its answer, the gold, and the options if it has some."""

    kind: str
    gold: str
    options: tuple[str, ...] = ()


def ugmath(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``id``, ``subject``; for each variant ``problem_v1``, ``answer_v1``, ``answer_type_v1``...

    A variant is a problem of its own, ``id/1`` to ``id/3``; two were published without answers, and
    are an error for every response.
    """
    del shuffle
    name, subject = entry.text("id"), entry.text("subject")
    for variant in VARIANTS:
        kinds, golds = (entry.texts(f"{field}_v{variant}") for field in ("answer_type", "answer"))
        options = _options(entry, variant, len(golds))
        unknown = sorted(set(kinds) - KINDS.keys())
        if len(kinds) != len(golds) or unknown:
            raise DataError(
                f"{entry.where}: variant {variant} has {len(golds)} answers and {len(kinds)} "
                f"types{f', of them {unknown[0]!r}' if unknown else ''}. Each blank needs both."
            )
        blanks = [list(blank) for blank in zip(kinds, golds, options, strict=True)]
        prompt = _prompt(entry.text(f"problem_v{variant}"), kinds, options)
        meta = {"verifier": "blanks", "group": name, "subject": subject, "blanks": blanks}
        yield problem_of(f"{name}/{variant}", prompt, ", ".join(golds), "maths", meta)


def _options(entry: Entry, variant: int, count: int) -> list[list[str]]:
    field = f"options_v{variant}"
    given = entry.row.get(field) or [[]] * count
    if not isinstance(given, list) or len(given) != count:
        raise DataError(f"{entry.where}: {field!r} must be a list with one for each answer.")
    return [[str(option) for option in options or ()] for options in given]


def _prompt(problem: str, kinds: Sequence[str], options: Sequence[Sequence[str]]) -> str:
    asked = [
        KINDS[kind] + (f" of {', '.join(given)}" if given else "")
        for kind, given in zip(kinds, options, strict=True)
    ]
    return (
        f"{problem}\n\nFill in every [ANS], in order: {'; '.join(asked)}. Write mathematics in "
        "LaTeX, and close with all answers in one \\boxed{...}, separated by commas."
    )


def check(problem: Problem, text: str) -> Judgement:
    """Whether every blank is right."""
    blanks = [Blank(kind, gold, tuple(of)) for kind, gold, of in problem.meta["blanks"]]
    if not blanks:
        raise VerifierError(f"{problem.id}: the variant was published without answers.")
    if len(blanks) == 1 and blanks[0].kind not in LISTS:
        return _judged(blanks[0], text)
    said = answers(text, len(blanks))
    if said is None:
        return unparsed(f"{len(blanks)} answers are asked for, and {len(stated(text))} boxes given")
    found = [_judged(blank, boxed(one)) for blank, one in zip(blanks, said, strict=True)]
    return next((one for one in found if one.verdict is not Verdict.PASS), PASS)


def _judged(blank: Blank, text: str) -> Judgement:
    return JUDGES[blank.kind](blank, text)


def _maths(blank: Blank, text: str) -> Judgement:
    """An equation, interval or expression; decimals of a gold stand for what is near them."""
    gold = INDEXED.sub(r"\1_\2", blank.gold.replace(UNION, r" \cup "))
    text = INDEXED.sub(r"\1_\2", text)
    gold, text = (DERIVATIVE.sub(r"\\frac{\1}{\2}", one) for one in (gold, text))
    if "=" not in gold:
        text = LABEL.sub("", text)
    if not APPLIED.search(gold):
        text = APPLIED.sub(r"\1", text)
    found = judge_maths(gold, text, Asked())
    said = stated(text)
    if found.verdict is Verdict.PASS or not said or not DECIMAL.search(gold):
        return found
    return PASS if near(gold, said[-1], TOLERANCE) else found


def _value(blank: Blank, text: str) -> Judgement:
    """A number within the tolerance; an expression of the same value; or the same words."""
    found: Judgement | None = None
    with suppress(VerifierError):  # the gold is no number
        found = judge_number(blank.gold, text, Measured(Asked(), TOLERANCE))
    if found is not None and found.verdict is Verdict.PASS:
        return found
    try:
        exact = _maths(blank, text)
    except VerifierError:
        exact = judge_text(blank.gold, text)
    unread = found is None or found.verdict is Verdict.UNPARSED
    return exact if found is None or unread or exact.verdict is Verdict.PASS else found


def _truth(blank: Blank, text: str) -> Judgement:
    for words, name in ((YES, "True"), (NO, "False")):
        if blank.gold.strip().casefold() in words:
            return judge_text(name, text, words)
    raise VerifierError(f"the gold {blank.gold!r} is neither true nor false. Correct the row.")


def _option(blank: Blank, text: str) -> Judgement:
    """The letter of an option, or its words where options have none."""
    if read_choice(blank.gold) and len(blank.gold.strip(" ().")) == 1:
        return judge_choice(blank.gold, text)
    return _words(blank, text)


def _options_of(blank: Blank, text: str) -> Judgement:
    return judge_letters(blank.gold, text)


def _words(blank: Blank, text: str) -> Judgement:
    """The same words in any case."""
    said = stated(text)
    if said and _folded(said[-1]) == _folded(blank.gold):
        return PASS
    return judge_text(blank.gold, text)


def _folded(words: str) -> str:
    return " ".join(DRESSED.sub(r"\1", words).strip(" $.").casefold().split())


def _elements(blank: Blank, text: str) -> tuple[list[str], list[str]] | None:
    """The elements of a gold and of the list a response states; None if they are not as many."""
    said = stated(text)
    if not said:
        return None
    gold, given = (parts(unbracketed(whole), ",;") for whole in (blank.gold, said[-1]))
    return (gold, given) if len(gold) == len(given) else None


def _ordered(blank: Blank, text: str) -> Judgement:
    found = _elements(blank, text)
    if found is None:
        return wrong("another number of elements") if stated(text) else unparsed("no list")
    same = all(_alike(gold, said) for gold, said in zip(*found, strict=True))
    return PASS if same else wrong(f"another element in {stated(text)[-1][:80]!r}")


def _unordered(blank: Blank, text: str) -> Judgement:
    found = _elements(blank, text)
    if found is None:
        return wrong("another number of elements") if stated(text) else unparsed("no list")
    alike = csr_matrix([[_alike(gold, one) for one in found[1]] for gold in found[0]])
    same = bool((maximum_bipartite_matching(alike) >= 0).all())
    return PASS if same else wrong(f"other elements: {stated(text)[-1][:80]!r}")


def _alike(gold: str, said: str) -> bool:
    """Whether an element of a list, of any type, is the gold's."""
    return _value(Blank("NV", gold), boxed(said)).verdict is Verdict.PASS


LISTS = ("OL", "UOL")
JUDGES: Mapping[str, Callable[[Blank, str], Judgement]] = {
    "NV": _value, "EX": _value, "EQ": _maths, "INT": _maths, "TF": _truth, "MCS": _option,
    "MCM": _options_of, "OE": _words, "OL": _ordered, "UOL": _unordered,
}  # fmt: skip


def by_problem(samples: Sequence[Sample]) -> list[Scored]:
    """One unit a problem: the chance that its variants are all right; not scored if one lacks."""
    return one_each(samples, "group", effective)


def effective(variants: Sequence[Sequence[Scored]]) -> float | None:
    """The product of the variants' means: responses to them are drawn by themselves."""
    means = [mean for variant in variants if (mean := mean_score(variant)) is not None]
    return math.prod(means) if len(means) == len(VARIANTS) else None


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``average`` over variants, ``gap`` from it to the effective accuracy, ``gap_per_effective``.

    The last is the published robustness, the gap as a share of the effective accuracy.
    ``subjects``: effective accuracy of each. All over problems whose variants were all checked.
    """
    units = [unit for unit in by_problem(samples) if unit.score is not None]
    whole = {unit.problem.id for unit in units}
    known = [one.scored for one in samples if one.scored.problem.meta["group"] in whole]
    average = mean_of(
        mean for of in grouped(known).values() if (mean := mean_score(of)) is not None
    )
    score = mean_of(unit.score for unit in units if unit.score is not None)
    gap = None if average is None or score is None else average - score
    subjects: dict[str, list[float]] = {}
    for unit in units:
        subjects.setdefault(unit.problem.meta["subject"], []).append(unit.score or 0.0)
    return {
        "average": rounded(average),
        "gap": rounded(gap),
        "gap_per_effective": rounded(gap / score) if gap is not None and score else None,
        "subjects": {name: rounded(mean_of(of)) for name, of in sorted(subjects.items())},
    }
