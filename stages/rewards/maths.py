"""The verifier of mathematics: a gold, as it is written in a data set, against a final answer.

Nothing of a response is ever executed, and everything is bounded. A gold that cannot be read is the
checker's failure, never a wrong answer.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from stages.base.errors import VerifierError
from stages.base.records import Judgement
from stages.rewards.choices import read_choice
from stages.rewards.extraction import boxes
from stages.rewards.maths_boxes import boxes_joined
from stages.rewards.maths_compare import difference, words_of
from stages.rewards.maths_nodes import InexactError, UnreadableError, exact, symbols
from stages.rewards.maths_quantities import Asked
from stages.rewards.maths_reading import read
from stages.rewards.maths_unknowns import in_order
from stages.rewards.maths_values import Relation, Scalar, Sequence, Text, Union, Value
from stages.rewards.maths_work import unworked
from stages.rewards.stated import SHOWN, compared, judge_stated


def judge_maths(gold: str, text: str, asked: Asked) -> Judgement:
    """Judge the text after the thinking. VerifierError if the gold is not to be read.

    >>> judge_maths("1/2", "So the answer is 0.5.", Asked()).verdict
    <Verdict.PASS: 'pass'>
    """
    expected = read_gold(gold)
    measures = isinstance(expected, Scalar) and expected.unit is not None
    if isinstance(expected, Sequence | Union | Relation):
        text = boxes_joined(text, named=not isinstance(expected, Union))
    return judge_stated(text, lambda said: _judged(expected, (gold, said), asked), measures)


@lru_cache(maxsize=4096)
def read_gold(gold: str) -> Value:
    """The value of a gold; VerifierError with what to do if it has none."""
    inner = boxes(gold)
    if len(inner) == 1 and gold.strip().strip("$ ").startswith(r"\boxed"):
        gold = inner[0][1]
    try:
        value = read(gold)
        _computed(value)
    except UnreadableError as error:
        raise VerifierError(
            f"the gold {gold[:SHOWN]!r} cannot be read ({error}). Rewrite it or drop the row."
        ) from error
    return value


def _computed(value: Value) -> None:
    """UnreadableError where a number has no value, or one too big: no answer could meet it."""
    if isinstance(value, Sequence):
        for item in value.items:
            _computed(item)
    elif isinstance(value, Relation):
        for side in value.sides:
            _computed(side)
    elif isinstance(value, Scalar) and not symbols(value.node):
        with suppress(InexactError):
            exact(value.node, {})


@lru_cache(maxsize=16384)
def _judged(expected: Value, written: tuple[str, str], asked: Asked) -> Judgement:
    """Judge a written answer beside its gold; the same pair is judged once in a process."""
    return compared(written[1], lambda: _why(expected, written, asked))


def _why(expected: Value, written: tuple[str, str], asked: Asked) -> str | None:
    said = _read(written[1], expected)
    said = in_order(expected, said, asked.prompt)
    why = difference(expected, said, asked) or unworked(expected, said, written, asked.prompt)
    if why is not None and isinstance(said, Text) and not isinstance(expected, Text):
        raise UnreadableError("it is words, and the gold is none")
    return why


def _read(answer: str, expected: Value) -> Value:
    """An answer, with lone letters as variables where the gold has some, or as choices."""
    chosen = words_of(expected)
    if chosen is not None and chosen.isupper():
        letter = read_choice(answer)
        if letter is not None:
            return Text(letter)
    has_variables = isinstance(expected, Scalar) and bool(symbols(expected.node))
    return read(answer, units=not has_variables)
