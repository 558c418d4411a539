"""What keeps alike rows apart: numbers, signs, names, negations, code; and what does not."""

import re

import pytest

from stages.cleaning.statement import statement
from tests.tables import each

FILLER = " and the water of the river ran on to the sea as it had done" * 5
ANSWER = "So we are done with the whole of it and can go on to the rest of the day" + FILLER


CLOSE = ". Go on and tell of it."


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
@each(("one", "other"), DIFFERENT)
def test_what_changes_the_problem_changes_the_statement(one, other):
    assert states(one + FILLER + CLOSE) != states(other + FILLER + CLOSE)
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
    assert states(one + FILLER + CLOSE) == states(other + FILLER + CLOSE)
    said = [f"Well.\n{text}{FILLER}{CLOSE}" for text in (one, other)]
    assert states("Go on", said[0]) == states("Go on", said[1])


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("area", "perimeter"),
        ("mean", "median"),
        ("anode", "cathode"),
        ("row", "column"),
        ("abdfec", "abdfce"),
    ],
)
def test_every_word_of_what_is_asked_counts(one, other):
    for ask in ("Find the {} of it", "What is the {} of it? Go on" + FILLER + CLOSE):
        asked = [f"Well{FILLER}. {ask.format(word)}" for word in (one, other)]
        assert states(asked[0]) != states(asked[1])


@pytest.mark.parametrize("end", ["So he lives in the {} house.", "The answer is {}. And" + FILLER])
def test_every_word_of_a_final_answer_counts_however_long_the_text_before_it(end):
    long = f"<think>Well{FILLER}</think>Well{FILLER}{FILLER}{CLOSE}"
    said = [f"{long} {end.format(word)}" for word in ("red", "blue")]
    assert states("q", said[0]) != states("q", said[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("#.#..\n..#..", "#.#..\n.#..."),
        ("xoxo\nxxoo", "xoox\nxxoo"),
        ("x o x\no o x", "x o x\no x x"),
        ("** *\n *  ", "** *\n  * "),
        ("⬛⬜⬛\n⬛⬜⬜", "⬛⬜⬛\n⬛⬛⬜"),
        ("#$.@\n#..#", "#.$@\n#..#"),
        ("rnbq/PPPP", "rnbq/PPpP"),
        ("up, up, left, down", "up, up, right, down"),
        ('Ann says: "Ben is a knight"', 'Ann says: "Ben is a knave"'),
        ("for x in y:\n    go on\n    go off", "for x in y:\n    go on\ngo off"),
    ],
)
def test_what_is_no_prose_counts_symbol_by_symbol(one, other):
    texts = [f"Look at this{FILLER}:\n\n{part}\n\nGo on{CLOSE}" for part in (one, other)]
    assert states(texts[0]) != states(texts[1])
    assert states("q", f"<think>{texts[0]}</think>") != states("q", f"<think>{texts[1]}</think>")


@pytest.mark.parametrize(
    ("one", "other"),
    [("fifth", "sixth"), ("thrice", "once"), ("both", "most"), ("one", "ten"), ("couple", "dozen")],
)
def test_number_words_count_everywhere(one, other):
    assert states(f"Take {one} of it{FILLER}{CLOSE}") != states(
        f"Take {other} of it{FILLER}{CLOSE}"
    )


PROBLEM = (
    rf"Let $a$ and $x_1 = \frac{{a}}{{2}}$ be such that $a \cdot x < 1,000${FILLER}. "
    r"What is $2a$ if the area is $\text{half of } \pi$?"
)


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: text.replace("$", ""),
        lambda text: re.sub(r"\$([^$]+)\$", r"\\(\1\\)", text),
        lambda text: text.replace(r"\frac", r"\dfrac").replace(" = ", "="),
        lambda text: text.replace("1,000", "1000").replace(r"\cdot", "×"),
        lambda text: f"{text}\nPut your final answer within \\boxed{{}}.",
        lambda text: f"{text} Reason step by step, and put your final answer in \\boxed{{}}.",
        lambda text: f"{text} Let's think step by step.",
        lambda text: f"Please solve: {text}",
        lambda text: f"**Question:** {text}",
    ],
)
def test_dress_leaves_the_statement_as_it_is(dress):
    assert states(dress(PROBLEM)) == states(PROBLEM)
    answer = f"Well{FILLER}{CLOSE} So it is 5."
    assert states(PROBLEM, answer.replace("5", r"$\boxed{5}$")) == states(PROBLEM, answer)


@pytest.mark.parametrize(
    ("one", "other"), [("$x=2a$", "$x=2$"), ("$x^2$", "$x_2$"), (r"$\pm x$", r"$\mp x$")]
)
def test_formulas_that_differ_do_not_lose_it_with_their_dress(one, other):
    assert states(f"Take {one}{FILLER}{CLOSE}") != states(f"Take {other}{FILLER}{CLOSE}")


def test_a_text_without_full_stops_is_prose_and_no_question():
    """A word may differ in it, as in a long sentence; a number may not."""
    told = " ".join(f"{first}{last}" for first in "bdfgk" for last in ("ai", "en", "ur") * 5)
    one, other = ({"prompt": f"{told} {word}", "response": "done"} for word in ("fast", "slow"))
    assert statement(one) == statement(other)
    assert statement(one) != statement({**one, "prompt": f"{told} 7 fast"})
