"""What takes an answer back wherever it stands, what only straight after it, and what never."""

from __future__ import annotations

import pytest

from stages.rewards.retractions import doubted, taken_back
from tests.tables import each

ALWAYS = [
    "I made an error.", "This cannot be right.", "I am not sure; scrap that.", "Hold on.", "No.",
    "I doubt it.", "Let me reconsider.", "I don't think so.", "The answer is flawed.", "Not quite.",
    "The above is invalid.", "I have no idea.", "I might have slipped.", "Is that right?",
]  # fmt: skip
STRAIGHT_AFTER = [
    "This fails.", "But that does not satisfy the equation.", "It is too big.", "This is a guess.",
]  # fmt: skip
JOINED = [
    " is a common mistake.", " is tempting.", " is what most people say.", " at most", " or more",
    " if x is even", " can be ruled out.", " does not work.", ", I guess", ", but there is a catch",
    " would be the answer if x were even.",
]  # fmt: skip
NEVER = [
    "No other value works.", "No further steps are needed.", "The rounding error is 0.5.",
    "This cannot be simplified.", "There is no doubt.", "I am sure of this.", "It is correct.",
    "Would you like to see another way?", "It is a common trap to count twice.",
]  # fmt: skip


@each("said", ALWAYS)
def test_some_words_take_back_wherever_they_stand(said: str) -> None:
    assert taken_back(f". {said}")
    assert taken_back(f". The rest is plain. {said}")


@pytest.mark.parametrize("said", STRAIGHT_AFTER)
def test_some_take_back_only_what_stands_before_them(said: str) -> None:
    assert taken_back(f". {said}")
    assert not taken_back(f". Now try x = 5. {said}")


@pytest.mark.parametrize("said", JOINED)
def test_some_speak_of_the_answer_in_its_own_sentence(said: str) -> None:
    assert taken_back(said)


@pytest.mark.parametrize("said", NEVER)
def test_others_take_nothing_back(said: str) -> None:
    assert not taken_back(f". {said}")


def test_the_words_of_an_answer_are_no_retraction() -> None:
    assert not doubted("no")
    assert doubted("12, but I made a slip")
