"""What keeps alike rows apart: numbers, signs, names, negations, code; and what does not."""

import pytest

from stages.cleaning.statement import statement

FILLER = " and the water of the river ran on to the sea as it had done" * 5
ANSWER = "So we are done with the whole of it and can go on to the rest of the day" + FILLER


def states(prompt, response=ANSWER):
    return statement({"prompt": prompt, "response": response})


DIFFERENT = [
    ("Tom has 5 apples", "Tom has 6 apples"),
    ("Take 1.5 of it", "Take 1,5 of it"),
    ("Take two of it", "Take three of it"),
    ("So x + y is", "So x - y is"),
    ("So x + y is", "So x + z is"),
    ("So (a+b)*c is", "So a+(b*c) is"),
    ("Now 2x+3 is", "Now 2+3x is"),
    ("So 5 < 7 is", "So 5 > 7 is"),
    ("So x ≤ y is", "So x ≥ y is"),
    ("Then n! is", "Then n is"),
    ("Then f'(x) is", "Then f(x) is"),
    ("It is not red", "It is red"),
    ("It isn't red", "It is red"),
    ("Don't go there", "Do go there"),
    ("Who has more of it", "Who has less of it"),
    ("The sum of all", "The product of all"),
    ("this and that", "this or that"),
    ("The capital of France", "The capital of Spain"),
    ("Alice has a hat", "Bob has a hat"),
    ("Take \\sin of it", "Take \\cos of it"),
    ("Take $x^{2}$ of it", "Take $x^{3}$ of it"),
    ("Use `first(x)` here", "Use `second(x)` here"),
    ("```\nreturn max\n```", "```\nreturn min\n```"),
    ("It costs 5 $", "It costs 5 €"),
    ("这是不好的", "这是好的"),
]


@pytest.mark.field_bug("D20")
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_changes_the_problem_changes_the_statement(one, other):
    assert states(one + FILLER) != states(other + FILLER)
    assert states("Well." + FILLER, f"{ANSWER} {one}") != states(
        "Well." + FILLER, f"{ANSWER} {other}"
    ) or one.startswith("Alice")  # in a response a name that begins a sentence is a mere word


SAME = [
    ("the **big** deal", "the big deal"),
    ("a well-known fact", "a well known fact"),
    ("- first item", "* first item"),
    ("He said: “go”", 'He said: "go"'),
    ("Solve it. We go", "Solve it, we go"),
    ("the large house", "the huge house"),
    ("the   house\n\nhere", "the house here"),
    ("Find the house", "find the house"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_type_and_words_in_a_long_text_leave_it_as_it_is(one, other):
    assert states(one + FILLER) == states(other + FILLER)


def test_every_word_of_a_short_row_counts():
    assert states("which is heavier, lead or iron", "lead") != states(
        "which is heavier, lead or gold", "lead"
    )
    assert states("Which is  heavier", "Lead.") == states("which is heavier", "lead")


def test_every_word_of_a_short_answer_counts_however_long_the_thoughts_are():
    thoughts = f"<think>{ANSWER}</think> "
    assert states("q" + FILLER, f"{thoughts}the red one") != states(
        "q" + FILLER, f"{thoughts}the blue one"
    )
    assert states("q" + FILLER, f"{thoughts}the red one") == states(
        "q" + FILLER, f"{thoughts}The red one."
    )


def test_what_is_boxed_counts_word_by_word():
    assert states("q", rf"{ANSWER} \boxed{{red}}") != states("q", rf"{ANSWER} \boxed{{blue}}")


def test_a_response_that_lost_the_end_of_its_thoughts_is_another():
    whole = f"<think>{ANSWER}</think> {ANSWER}"
    assert states("q", whole) != states("q", whole.replace("</think>", ""))


def test_nothing_moves_between_prompt_and_response():
    assert states("add 5" + FILLER, "6" + FILLER) != states("add" + FILLER, "5 6" + FILLER)


def test_a_long_stretch_of_blanks_takes_no_time():
    assert states(" " * 50_000 + "x" + "`" * 2_000 + "$" * 2_000 + "\\(" * 2_000)
