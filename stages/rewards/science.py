"""The verifiers of science: quantities with tolerance, molecules, letters of choices, words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from stages.base.errors import VerifierError
from stages.base.records import Judgement
from stages.rewards.asides import without_dismissals
from stages.rewards.chinese import in_english
from stages.rewards.choices import read_choice, stated_choice
from stages.rewards.formulas import folded, formula, same_words
from stages.rewards.maths import read_gold
from stages.rewards.maths_nodes import InexactError, UnreadableError, exact, symbols
from stages.rewards.maths_pool import holds
from stages.rewards.maths_quantities import Asked, comparable
from stages.rewards.maths_reading import read
from stages.rewards.maths_shapes import as_value, variable
from stages.rewards.maths_values import ABOUT, Relation, Scalar, Value
from stages.rewards.maths_work import unworked
from stages.rewards.stated import PASS, SHOWN, compared, judge_stated, unparsed, wrong
from stages.rewards.units import units_inline
from stages.rewards.yes_no import answered, is_yes_or_no

TOLERANCE = Fraction(1, 100)
FIGURES = re.compile(r"[0-9]{1,20}(?:\.([0-9]{1,20}))?")
NO_WHOLE = re.compile(r"\.[0-9]|[0-9]\s*[eE][-+]?[0-9]")
"""Figures of a gold that are no whole number written out, though its value may be one."""
TIMES = re.compile(r"(?<=[0-9])\s*[xX]\s*(?=10\s*\^|10\*\*|10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻])")
ATTACHED = re.compile(r"(?<![A-Za-z_{^])([0-9])(?=(?![eE][-+0-9])[A-Za-zµμΩÅ])")
ROUGHLY = re.compile(
    r"(?i)^\s*(?:(?:about|approximately|roughly)\b|\\(?:approx|simeq|sim)(?![a-z])|[≈~])\s*"
)
MICRO = re.compile(r"\\mu\s*(?=[A-Za-z]{1,3}(?![A-Za-z]))")
NAME = re.compile(
    r"^\s*(?:\\Delta\s*)?(?:[A-Za-z]|p[A-Z][a-z]?|\\(?!text|math|approx)[A-Za-z]{2,7}|"
    r"\\(?:text|mathrm)\s*\{(?:p[A-Z][a-z]?|[A-Za-z])\})\s*"
    r"(?:_(?:\w|\{(?:[^{}]|\{[^{}]*\}){1,20}\})|\^\{?\s*(?:\\circ|°|\\ominus|\*|\\prime)\s*\}?|'){0,3}"
    r"\s*(?==|≈|\\approx|\\simeq)"
)
"""What is measured, before the sign of equality: pH, K_a, the speed v_max."""

REFUSED = re.compile(
    r"(?:选项\s?)?\b([A-J])\s?(?:选?项)?\s?(?:是|为)?\s?(?:错误|不正确|不对|错)的?(?![\u4e00-\u9fff])"
)
"""An option that Chinese calls wrong."""


@dataclass(frozen=True)
class Measured:
    """What counts as equal: ``tolerance`` relative to the gold; None for the usual one."""

    asked: Asked
    tolerance: Fraction | None = None


def judge_number(gold: str, text: str, measured: Measured) -> Judgement:
    """A quantity within a relative tolerance, units converted; VerifierError for other golds.

    The answer may leave out the unit, not give another. A gold of zero is met by zero alone.
    Temperatures are compared as they are on the gold's scale: 25 degC is 298.15 K.
    """
    expected = read_quantity(gold)
    measures = expected.unit is not None or measured.asked.unit is not None
    usual = measured.tolerance is None
    if usual:
        measured = replace(measured, tolerance=_usual_tolerance(expected, gold, measured.asked))
    rounded = usual and Fraction(0) < _slack(measured) < TOLERANCE

    def judged(said: str) -> Judgement:
        slack = max(_slack(measured), _own_step(said)) if rounded else _slack(measured)
        more = replace(measured, tolerance=slack)
        return compared(said, lambda: _quantity(expected, said, more))

    return judge_stated(text, judged, measures)


def read_quantity(gold: str) -> Scalar:
    """The quantity of a gold; VerifierError if it is none."""
    value = as_value(read_gold(_separated(gold)))
    if not isinstance(value, Scalar) or symbols(value.node) or value.base is not None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no quantity. Name another verifier.")
    return value


def _usual_tolerance(expected: Scalar, gold: str, asked: Asked) -> Fraction:
    """The relative tolerance of a gold whose row gives none.

    A whole number that counts or names (a year, 12 eggs) is exact. One that measures may be
    rounded: half a step of its last figure that is not zero, and never more than the 1 % of others.
    """
    node = expected.node
    if node.op != "num" or node.value.denominator != 1 or NO_WHOLE.search(gold):
        return TOLERANCE
    unit = expected.unit or asked.unit
    if unit is None or unit.noun or not node.value:
        return Fraction(0)
    figures = str(abs(node.value.numerator))
    step = 10 ** (len(figures) - len(figures.rstrip("0")))
    return min(TOLERANCE, Fraction(step, 2 * abs(node.value.numerator)))


def _own_step(answer: str) -> Fraction:
    """Half a step of an answer's last figure, relative, if it has three figures or more."""
    found = FIGURES.search(answer)
    if found is None or not found[0].strip("0.") or len(found[0].replace(".", "").lstrip("0")) < 3:
        return Fraction(0)
    step = Fraction(1, 2 * 10 ** len(found[1] or ""))
    return min(TOLERANCE, step / Fraction(found[0]))


def _separated(text: str) -> str:
    """A quantity with its unit apart: ``5m`` is a length, ``3x10^8`` a number."""
    return ATTACHED.sub(r"\1 ", TIMES.sub("*", units_inline(MICRO.sub("u", text))))


def _quantity(expected: Scalar, answer: str, measured: Measured) -> str | None:
    """What keeps an answer from being a quantity; None if nothing does."""
    said = _last_side(read(_separated(NAME.sub("x", ROUGHLY.sub("", answer)))), measured)
    if not isinstance(said, Scalar) or symbols(said.node):
        raise UnreadableError("no quantity")
    pairs = comparable(expected, said, measured.asked)
    if isinstance(pairs, str):
        return pairs
    if any(_near(*pair, _slack(measured)) for pair in pairs):
        return unworked(expected, said, ("", answer), measured.asked.prompt)
    return "out of tolerance"


def _last_side(value: Value, measured: Measured) -> Value:
    """What an equation comes to; sides before it that are numbers must be near."""
    if not isinstance(value, Relation) or value.operator not in ("=", ABOUT):
        return value
    *before, last = value.sides
    last = _last_side(last, measured)
    for at, side in enumerate(before):
        if not isinstance(last, Scalar) or not isinstance(side, Scalar):
            return value
        if not at and symbols(side.node) and variable(side) is None:
            return value
        if symbols(last.node) or symbols(side.node):
            continue
        pairs = comparable(last, side, measured.asked)
        slack = _slack(measured)
        if value.operator == ABOUT and last.node.op == "num" and last.node.value:
            slack = max(slack, min(TOLERANCE, 1 / (2 * abs(last.node.value))))  # rounded to a whole
        if isinstance(pairs, str) or not any(_near(*pair, slack) for pair in pairs):
            raise UnreadableError("an equation that does not hold")
    return last


def _slack(measured: Measured) -> Fraction:
    return TOLERANCE if measured.tolerance is None else measured.tolerance


def _near(gold: Scalar, said: Scalar, tolerance: Fraction) -> bool:
    try:
        one, other = exact(gold.node, {}), exact(said.node, {})
    except InexactError:
        return holds("relative", gold.node, said.node, tolerance)
    return abs(one - other) <= tolerance * abs(one)


def judge_choice(gold: str, text: str) -> Judgement:
    """The letter of a choice, alone or before the words of the option."""
    letter = read_choice(gold)
    if letter is None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no letter. Name another verifier.")
    text, dismissed = without_dismissals(in_english(REFUSED.sub(r"\n\1 is wrong", text)))
    if letter in dismissed:
        return unparsed(f"{letter} is called wrong after the answer")
    return judge_stated(text, lambda said: _letter(letter, said), prose=False)


def _letter(letter: str, answer: str) -> Judgement:
    said = stated_choice(answer)
    if said is None:
        return unparsed(f"no one letter is stated in {answer[:SHOWN]!r}")
    return PASS if said == letter else wrong(f"another choice: {said}")


def judge_text(gold: str, text: str, aliases: tuple[str, ...] = ()) -> Judgement:
    """Words, the same after folding case, articles and punctuation, or those of an alias."""
    accepted = [(words, formula(words)) for words in (gold, *aliases)]
    if any(not folded(words) for words, _ in accepted):
        raise VerifierError("the gold or an alias has no words. Rewrite it or drop the row.")
    if is_yes_or_no(gold):  # of these no case carries a meaning
        text, accepted = answered(text).casefold(), [(w.casefold(), "") for w, _ in accepted]
    return judge_stated(text, lambda said: _words(accepted, said))


def _same(words: str, compound: str, answer: str) -> bool:
    """Whether an answer is these words; of a formula a long one may be all in small letters."""
    if not compound:
        return same_words(words, answer)
    named = formula(answer)
    small = not named and len(compound) > 2  # nacl; but co may be Co and CO
    return folded(words) == folded(answer) and (named == compound or small)


def _words(accepted: list[tuple[str, str]], answer: str) -> Judgement:
    if any(_same(words, compound, answer) for words, compound in accepted):
        return PASS
    if not re.search(r"[^\W\d_]", answer):
        return unparsed(f"no words: {answer[:SHOWN]!r}")
    return wrong(f"other words: {answer[:SHOWN]!r}")
