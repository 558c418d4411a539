r"""Each word that denies, takes back, leads up to or changes a stated answer, in a sentence.

Where a word is not known for what it does, the sentence below is judged otherwise.
"""

from __future__ import annotations

import pytest

from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_compare import Asked
from stages.rewards.science import judge_text
from tests.tables import each


def passes(text: str) -> bool:
    return judge_maths("3", text, Asked()).verdict is Verdict.PASS


def cases(table: str) -> list[str]:
    return [line.strip().replace("⏎", "\n") for line in table.strip().splitlines()]


DENIED = r"""
It is never \boxed{3}
It is no \boxed{3}
It is neither 2 nor \boxed{3}
It is 2 or \boxed{3}
It is more than \boxed{3}
All except \boxed{3}
Anything but \boxed{3}
It is either \boxed{3}
It is neither \boxed{3}
It lies between \boxed{3}
It is unlike \boxed{3}
It can't be \boxed{3}
It isn't the \boxed{3}
It is not a \boxed{3}
It is not an \boxed{3}
It is not equal to \boxed{3}
It is not exactly \boxed{3}
It is 2 or the answer \boxed{3}
It is not simply \boxed{3}
It is not just \boxed{3}
You should not think that the answer is \boxed{3}
I never said that the answer is \boxed{3}
It is false that the answer is \boxed{3}
It is wrong that the answer is \boxed{3}
It is incorrect that the answer is \boxed{3}
It is untrue that the answer is \boxed{3}
It doesn't follow that the answer is \boxed{3}
Maybe it is \boxed{3}
Possibly it is \boxed{3}
It is probably \boxed{3}
My guess is \boxed{3}
I am guessing it is \boxed{3}
I am unsure it is \boxed{3}
$x \ne \text{ or so } \boxed{3}$
$\neq$ is \boxed{3}
$\neg x = \boxed{3}$
"""
RETRACTED = r"""
\boxed{3}. That is incorrect.
\boxed{3}. Let me wait.
\boxed{3}. It is 4, actually.
\boxed{3}. We want x instead.
\boxed{3}. We rather want x.
\boxed{3}. A correction follows.
\boxed{3}. I am sorry.
\boxed{3}. There is a mistake.
\boxed{3}. I was mistaken.
\boxed{3}, or so it is, maybe.
\boxed{3}, perhaps
\boxed{3}, possibly
\boxed{3}. This is not right.
\boxed{3}. This was not the value.
\boxed{3}. But that's not true.
\boxed{3}. This is not the value.
\boxed{3}. This is not it.
\boxed{3}. This isn't right.
\boxed{3}. This wasn't correct.
\boxed{3}. This isn't true.
\boxed{3}. This isn't the value.
\boxed{3}. This isn't it.
\boxed{3}. All this seems not correct.
\boxed{3}. All this seems not right.
\boxed{3}. Alternatively the answer has a minus.
\boxed{3}. Alternatively it has a minus.
\boxed{3}. All could be otherwise.
\boxed{3}. All might be otherwise.
\boxed{3}. All may be otherwise.
\boxed{3}, or else
"""
CHANGED = r"""
\boxed{3} fewer than 9
\boxed{3} greater than 9
\boxed{3} higher than 9
\boxed{3} lower than 9
\boxed{3} was half of it
\boxed{3} are half of it
\boxed{3} is twice the answer
\boxed{3} is double the answer
\boxed{3} is part of it
\boxed{3} is a part of it
\boxed{3} minus one
\boxed{3} times 2
\boxed{3} divided by 2
\boxed{3} over 2
\boxed{3} squared
\boxed{3} cubed
\boxed{3} negative
\boxed{3} hundred
\boxed{3} hundreds
\boxed{3} thousands
\boxed{3} million
\boxed{3} millions
\boxed{3} billion
\boxed{3} billions
\boxed{3} percent
\boxed{3} dozen
\boxed{3} pair
\boxed{3} score
\boxed{3} tenths
\boxed{3} hundredths
\boxed{3} millionths
"""
RIVALLED = r"""
\boxed{3}. All is well and 4 is right.
\boxed{3}. All is well now 4 is right.
\boxed{3}. All is well however 4 is right.
\boxed{3}. The 4 is right.
\boxed{3}. 4 is correct.
\boxed{3}. 4 is true.
\boxed{3}. 4 is real.
\boxed{3}. 4 is actual.
\boxed{3}. 4 is proper.
\boxed{3}. 4 are right.
\boxed{3}. 4 would be right.
\boxed{3}. All told the right answer is 4.
\boxed{3}. All told the real value is 4.
\boxed{3}. All told the actual result is 4.
\boxed{3}. All told the proper number is 4.
\boxed{3}. All told the correct choice is 4.
\boxed{3}. All told the right option is 4.
\boxed{3}. All told the right one is 4.
\boxed{3}. Also 4.
\boxed{3}. But 4.
\boxed{3}. No that is 4.
\boxed{3}. Let us check again: it is 4.
\boxed{3}. Take a second look: it is 4.
\boxed{3}. We recheck and it's 4.
"""
PLAIN = r"""
Thus 3
Therefore 3
That 3
Simply 3
Just 3
Exactly 3
Equal to 3
Given by 3
Indeed 3
The right answer is 3
The result is 3
\boxed{3} or \boxed{3}
\boxed{3} and \boxed{3}
\boxed{3}. All is well, and the answer is right.
\boxed{3}. It is right.
\boxed{3}. This is right.
\boxed{3}. That is right.
"""


@each("text", cases(DENIED + RETRACTED + CHANGED + RIVALLED))
def test_a_word_that_changes_what_is_stated_is_heard(text):
    assert not passes(text)


@each("text", cases(PLAIN))
def test_a_word_that_only_leads_to_the_answer_is_no_part_of_it(text):
    assert passes(text)


@pytest.mark.parametrize("word", [". It", ". This", ". That", ", which", ". Now", ". And"])
def test_words_that_point_at_the_answer_are_no_other_answer(word):
    assert judge_text("Paris", f"\\boxed{{Paris}}{word} is right.").verdict is Verdict.PASS
    assert judge_text("Paris", "\\boxed{Paris}. London is right.").verdict is Verdict.UNPARSED


def test_an_option_is_named_by_its_letter():
    for text in ("Option B", "Choice B", "The option is B", "The choice is B"):
        assert judge_maths("B", text, Asked()).verdict is Verdict.PASS
