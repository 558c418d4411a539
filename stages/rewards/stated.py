"""The judgement of what a response states, the same for all verifiers of outside problems."""

from __future__ import annotations

import re
from collections.abc import Callable

from stages.base.records import Judgement, Verdict
from stages.rewards.asides import without_asides
from stages.rewards.chinese import in_english
from stages.rewards.conclusions import CHANGES, SCALED, Conclusion, conclusion
from stages.rewards.maths_compare import difference
from stages.rewards.maths_nodes import UnreadableError
from stages.rewards.maths_pool import TimeLimitError
from stages.rewards.maths_quantities import Asked
from stages.rewards.maths_reading import read
from stages.rewards.maths_values import Scalar

SHOWN = 80  # characters of an answer quoted in a reason
PASS = Judgement(Verdict.PASS, 1.0)
FORMS = (
    r"Write it as \boxed{...}, as 'Answer: ...', or as a last line that is the answer alone or a "
    "plain sentence ('The total is 72.')"
)
"""What is read as an answer; docs/algorithms/rl_data.md says it at length."""

CHEERS = "✓✔✅☑∎🎉🎊🎯🏆🚀💡📌📝🔑👉👍✨⭐🌟"
TICKS = dict.fromkeys(map(ord, CHEERS))  # beside an answer they say that it is one

LABEL = re.compile(r"[\s*$]*\(?[A-J]\)?[\s*$.]*")
FIGURE = re.compile(r"[0-9]")
CHANGING = CHANGES | SCALED | {"and", "to", "more", "less", "fewer", "not"}
NOUNS = 3  # words that an answer may be said again with: 12 red apples

Judge = Callable[[str], Judgement]
"""The judgement of one answer by itself."""


def judge_stated(text: str, judge: Judge, with_unit: bool = False, prose: bool = True) -> Judgement:
    """Judge the one answer that a text states; what else can be read as an answer must pass too.

    ``with_unit``: a unit in the prose after a box belongs to the answer. ``prose``: a last sentence
    may state it too.
    """
    stated = conclusion(without_asides(in_english(text.translate(TICKS))))
    if stated is None:
        return unparsed(f"no one answer is stated at the end, {text[-SHOWN:]!r}. {FORMS}")
    said = f"{stated.answer} {stated.unit}" if with_unit and stated.unit else stated.answer
    found = _first_pass(judge, said, stated, prose)
    if found.verdict is not Verdict.PASS:
        return found
    for other in stated.others:
        if _same_again(said, other) or judge(other).verdict is not Verdict.WRONG:
            continue
        if not _converted(f"{stated.answer} {stated.unit}", other):
            return unparsed(f"two answers: {stated.answer[:SHOWN]!r} and {other[:SHOWN]!r}")
    return found


def _same_again(said: str, other: str) -> bool:
    """Whether another answer is the first with its noun, or the letter of its option beside it."""
    if LABEL.fullmatch(other) and FIGURE.search(said):
        return True
    said = said.rstrip(" .")
    nouns = other.rstrip(" .").removeprefix(said).split() if other.startswith(f"{said} ") else []
    return 0 < len(nouns) <= NOUNS and all(
        word.isalpha() and word.casefold() not in CHANGING for word in nouns
    )


def _converted(said: str, other: str) -> bool:
    """Whether another answer is the first one in another unit: 2 hours are 120 minutes."""
    try:
        one, two = read(said), read(other)
        if not isinstance(one, Scalar) or not isinstance(two, Scalar):
            return False
        return None not in (one.unit, two.unit) and difference(one, two, Asked()) is None
    except (UnreadableError, TimeLimitError, RecursionError):
        return False


def _first_pass(judge: Judge, said: str, stated: Conclusion, prose: bool) -> Judgement:
    """The judgement of an answer, or of the value in it where it is a plain sentence."""
    found = judge(said)
    if found.verdict is Verdict.PASS or not stated.unmarked:
        return found
    judged = sorted(map(judge, stated.within if prose else ()), key=_refused)
    within = judged[0] if judged else found
    if within.verdict is Verdict.UNPARSED:
        return unparsed(f"the last line states no answer: {said[:SHOWN]!r}. {FORMS}")
    return within


def _refused(found: Judgement) -> tuple[bool, bool]:
    """A pass before a wrong answer, and that before none."""
    return found.verdict is not Verdict.PASS, found.verdict is Verdict.UNPARSED


def compared(answer: str, compare: Callable[[], str | None]) -> Judgement:
    """The judgement that follows from what keeps an answer from being the gold, None if nothing."""
    try:
        why = compare()
    except TimeLimitError as error:
        return Judgement(Verdict.TIMEOUT, 0.0, f"{error}: {answer[:SHOWN]!r}")
    except (UnreadableError, RecursionError) as error:
        return unparsed(f"the answer {answer[:SHOWN]!r} cannot be read: {error}")
    return PASS if why is None else wrong(f"{why}: {answer[:SHOWN]!r}")


def wrong(reason: str) -> Judgement:
    """An answer that was read, and is another one."""
    return Judgement(Verdict.WRONG, 0.0, reason)


def unparsed(reason: str) -> Judgement:
    """No answer, several, or one that cannot be read."""
    return Judgement(Verdict.UNPARSED, 0.0, reason)
