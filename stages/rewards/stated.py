"""The judgement of what a response states, the same for all verifiers of outside problems."""

from __future__ import annotations

from collections.abc import Callable

from stages.base.records import Judgement, Verdict
from stages.rewards.asides import without_asides
from stages.rewards.conclusions import conclusion
from stages.rewards.maths_nodes import UnreadableError
from stages.rewards.maths_pool import TimeLimitError

SHOWN = 80  # characters of an answer quoted in a reason
PASS = Judgement(Verdict.PASS, 1.0)

TICKS = dict.fromkeys(map(ord, "✓✔✅☑∎"))  # beside an answer they say that it is one

Judge = Callable[[str], Judgement]
"""The judgement of one answer by itself."""


def judge_stated(text: str, judge: Judge, with_unit: bool = False) -> Judgement:
    """Judge the one answer that a text states; what else can be read as an answer must pass too.

    ``with_unit``: a unit in the prose after a box belongs to the answer.
    """
    stated = conclusion(without_asides(text.translate(TICKS)))
    if stated is None:
        return unparsed(f"no one answer is stated in {text[-SHOWN:]!r}")
    said = f"{stated.answer} {stated.unit}" if with_unit and stated.unit else stated.answer
    found = judge(said)
    if found.verdict is not Verdict.PASS:
        return found
    for other in stated.others:
        if judge(other).verdict is Verdict.WRONG:
            return unparsed(f"two answers: {stated.answer[:SHOWN]!r} and {other[:SHOWN]!r}")
    return found


def compared(answer: str, compare: Callable[[], str | None]) -> Judgement:
    """The judgement that follows from what keeps an answer from being the gold, None if nothing."""
    try:
        why = compare()
    except TimeLimitError as error:
        return Judgement(Verdict.TIMEOUT, 0.0, f"{error}: {answer[:SHOWN]!r}")
    except (UnreadableError, RecursionError) as error:
        return unparsed(f"{answer[:SHOWN]!r}: {error}")
    return PASS if why is None else wrong(f"{why}: {answer[:SHOWN]!r}")


def wrong(reason: str) -> Judgement:
    """An answer that was read, and is another one."""
    return Judgement(Verdict.WRONG, 0.0, reason)


def unparsed(reason: str) -> Judgement:
    """No answer, several, or one that cannot be read."""
    return Judgement(Verdict.UNPARSED, 0.0, reason)
