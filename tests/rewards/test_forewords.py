r"""What may stand before a box, and what makes another value, or none, of what is in it."""

from __future__ import annotations

from stages.rewards.forewords import stands_free
from tests.tables import each

FREE = [
    "", "So x = ", "The answer is ", "She can have at most ", "We need at least ", "It would take ",
    "If x = 4, then the answer is ", "One might think it is 10, but it is ",
    "Assume x > 0. Then x = ",
    "We reject x = -2. So x = ", "The number of wrong answers is ", "The least upper bound is ",
    "It is not hard to see that the answer is ", "The value of the answer is ", "We can write x = ",
    "The square of the hypotenuse is ", "If Tom had 3 bags, there would be ",
    "The number of students who said yes is ", "Many students find this hard. The answer is ",
]  # fmt: skip
BOUND = [
    "not ", "at least ", "The answer is at most ", "up to ", "x is below ", "The upper bound is ",
    "One might think the answer is ", "A student answered ", "Suppose the answer is ",
    "Assume x = ", "If x were even, the answer would be ",
    "Without it, the answer would have been ",
    "We reject x = ",
    "The naive answer is ", "An incorrect approach gives ", "Half of the answer is ", "Say ",
    "The answer plus one is ", "Twice the answer is ", "The answer to part (a) is ", "almost ",
    "At first glance it is ", "The answer is a multiple of ", "The answer could be ",
    "If we forget the ends, we get ", "Had x been even, we would get ", "The answer differs from ",
]  # fmt: skip


@each("before", FREE)
def test_words_that_lead_to_a_box(before: str) -> None:
    assert stands_free(before, revised=False)


@each("before", BOUND)
def test_words_that_bind_it(before: str) -> None:
    assert not stands_free(before, revised=False)


def test_a_word_of_revision_is_no_denial_where_the_box_replaces_another() -> None:
    assert stands_free(", no, it is ", revised=True)
    assert not stands_free(" or ", revised=True)
