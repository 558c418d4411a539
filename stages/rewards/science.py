"""The verifiers of science: quantities with tolerance, molecules, letters of choices, words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Verdict
from stages.problems.wording import LATEX_TEXT, tidy
from stages.rewards.choices import read_choice
from stages.rewards.conclusions import Conclusion, conclusion
from stages.rewards.maths import PASS, SHOWN, read_gold
from stages.rewards.maths_compare import Asked, comparable
from stages.rewards.maths_nodes import InexactError, UnreadableError, exact, symbols
from stages.rewards.maths_pool import TimeLimitError, holds
from stages.rewards.maths_reading import read
from stages.rewards.maths_shapes import as_value
from stages.rewards.maths_values import Scalar, Value
from stages.rewards.maths_work import unworked

TOLERANCE = Fraction(1, 100)
TIMES = re.compile(r"(?<=[0-9])\s*[xX]\s*(?=10\s*\^|10\*\*|10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻])")
ATTACHED = re.compile(r"(?<![A-Za-z_{^])([0-9])(?=(?![eE][-+0-9])[A-Za-zµμΩÅ])")
ABOUT = re.compile(r"(?i)^\s*(?:(?:about|approximately|roughly)\b|\\approx(?![a-z])|[≈~])\s*")
FORMULA = ((re.compile(r"\\ce\s*\{([^{}]*)\}"), r"\1"), (re.compile(r"_\{?([0-9]+)\}?"), r"\1"))
PUNCTUATION = re.compile(r"[\s\"'`*_.,;:!()$-]+")


@dataclass(frozen=True)
class Measured:
    """What counts as equal: ``tolerance`` relative to the gold, in the unit of the gold."""

    asked: Asked
    tolerance: Fraction = TOLERANCE


def judge_number(gold: str, text: str, measured: Measured) -> Judgement:
    """A quantity within a relative tolerance, units converted; VerifierError for other golds.

    The answer may leave out the unit, not give another. A gold of zero is met by zero alone.
    Temperatures are compared as they are on the gold's scale: 25 degC is 298.15 K.
    """
    expected = read_quantity(gold)
    stated = conclusion(text)
    if stated is None:
        return Judgement(Verdict.UNPARSED, 0.0, f"no one answer is stated in {text[-SHOWN:]!r}")
    measures = expected.unit is not None or measured.asked.unit is not None
    said = f"{stated.answer} {stated.unit}" if measures else stated.answer
    found = _quantity(expected, said, measured)
    if found.verdict is not Verdict.PASS:
        return found
    for other in stated.others:
        if _quantity(expected, other, measured).verdict is Verdict.WRONG:
            return _two(stated, other)
    return found


def read_quantity(gold: str) -> Scalar:
    """The quantity of a gold; VerifierError if it is none."""
    value = as_value(read_gold(_separated(gold)))
    if not isinstance(value, Scalar) or symbols(value.node) or value.base is not None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no quantity. Name another verifier.")
    return value


def _separated(text: str) -> str:
    """A quantity with its unit apart: ``5m`` is a length, ``3x10^8`` a number."""
    return ATTACHED.sub(r"\1 ", TIMES.sub("*", text))


def _quantity(expected: Scalar, answer: str, measured: Measured) -> Judgement:
    try:
        said: Value = as_value(read(_separated(ABOUT.sub("", answer))))
        if not isinstance(said, Scalar) or symbols(said.node):
            return Judgement(Verdict.UNPARSED, 0.0, f"{answer[:SHOWN]!r} is no quantity")
        pairs = comparable(expected, said, measured.asked)
        if isinstance(pairs, str):
            return Judgement(Verdict.WRONG, 0.0, f"{pairs}: {answer[:SHOWN]!r}")
        if any(_near(one, other, measured.tolerance) for one, other in pairs):
            why = unworked(expected, said, ("", answer), measured.asked.prompt)
            return Judgement(Verdict.WRONG, 0.0, f"{why}: {answer[:SHOWN]!r}") if why else PASS
    except TimeLimitError as error:
        return Judgement(Verdict.TIMEOUT, 0.0, f"{error}: {answer[:SHOWN]!r}")
    except (UnreadableError, RecursionError) as error:
        return Judgement(Verdict.UNPARSED, 0.0, f"{answer[:SHOWN]!r}: {error}")
    return Judgement(Verdict.WRONG, 0.0, f"out of tolerance: {answer[:SHOWN]!r}")


def _near(gold: Scalar, said: Scalar, tolerance: Fraction) -> bool:
    try:
        one, other = exact(gold.node, {}), exact(said.node, {})
    except InexactError:
        return holds("relative", gold.node, said.node, tolerance)
    return abs(one - other) <= tolerance * abs(one)


def _two(stated: Conclusion, other: str) -> Judgement:
    reason = f"two answers: {stated.answer[:SHOWN]!r} and {other[:SHOWN]!r}"
    return Judgement(Verdict.UNPARSED, 0.0, reason)


def judge_choice(gold: str, text: str) -> Judgement:
    """The letter of a choice, alone or before the words of the option."""
    letter = read_choice(gold)
    if letter is None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no letter. Name another verifier.")
    stated = conclusion(text)
    said = None if stated is None else read_choice(stated.answer)
    if stated is None or said is None:
        return Judgement(Verdict.UNPARSED, 0.0, f"no one letter is stated in {text[-SHOWN:]!r}")
    for other in stated.others:
        if read_choice(other) not in (None, said):
            return _two(stated, other)
    if said == letter:
        return PASS
    return Judgement(Verdict.WRONG, 0.0, f"another choice: {said}")


def judge_text(gold: str, text: str, aliases: tuple[str, ...] = ()) -> Judgement:
    """Words, the same after folding case, articles and punctuation, or those of an alias."""
    accepted = {folded(words) for words in (gold, *aliases)}
    if "" in accepted:
        raise VerifierError("the gold or an alias has no words. Rewrite it or drop the row.")
    stated = conclusion(text)
    if stated is None:
        return Judgement(Verdict.UNPARSED, 0.0, f"no one answer is stated in {text[-SHOWN:]!r}")
    if folded(stated.answer) not in accepted:
        return Judgement(Verdict.WRONG, 0.0, f"other words: {stated.answer[:SHOWN]!r}")
    for other in stated.others:
        if folded(other) not in accepted and re.search(r"[^\W\d_]", other):
            return _two(stated, other)
    return PASS


def folded(text: str) -> str:
    """Words in one form: no case, no punctuation around them, no article before them.

    >>> folded("The *Golgi* apparatus.")
    'golgi apparatus'
    """
    for pattern, kept in FORMULA:
        text = pattern.sub(kept, text)
    plain = PUNCTUATION.sub(" ", LATEX_TEXT.sub(r" \1 ", tidy(text))).casefold().split()
    return " ".join(plain[len(plain) > 1 and plain[0] in ("the", "a", "an") :])
