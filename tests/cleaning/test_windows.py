"""What is evidence, and that every stretch of it holds a seed."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.cleaning.folding import fold
from stages.cleaning.survey import Survey, Text, telling
from stages.cleaning.windows import ANSWER, QUESTION, Seeds, make_windows
from stages.cleaning.wording import words_of
from tests.tables import each

WORDS = ["owl", "fox", "hen", "elk", "the", "of", "x", "7", "12", "a"]


def texts(*written, part=QUESTION, benchmark="b"):
    return [
        Text((number,), number, (benchmark,), part, text, fold(text))
        for number, text in enumerate(written)
    ]


def stretches(form):
    length = len(form.words)
    return (
        (at, end)
        for at in range(length)
        for end in range(at + 1, length + 1)
        if form.rule(at, end - at)
    )


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=22).map(" ".join),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([2, 4, 7, 13]),
)
def test_every_stretch_that_is_evidence_holds_a_seed(written, n):
    windows = make_windows(texts(*written), n)
    for number, form in enumerate(windows.forms):
        for begin, end in stretches(form):
            held = windows.seeds.found_in(form.words[begin:end])
            assert number in {place[0] for _, places in held for place in places}


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS[:4]), max_size=9).map(" ".join), min_size=1, max_size=6)
)
def test_a_seed_is_rare_if_no_other_item_holds_it(written):
    survey = Survey(texts(*written))
    rare, _ = survey.rare(3)
    grams = [set(zip(w, w[1:], w[2:], strict=False)) for w in map(words_of, written)]
    counts = Counter(gram for own in grams for gram in own)
    for number, text in enumerate(written):
        words = words_of(text)
        expected = [counts[tuple(words[at : at + 3])] == 1 for at in range(len(words) - 2)]
        assert rare[survey.part(number)].tolist()[: len(expected)] == expected


@pytest.mark.field_bug("D4")
def test_an_ngram_of_three_items_of_a_benchmark_is_template_and_of_two_is_not():
    shared = "the owl counts seven apples below an old bridge at noon every single day"
    written = [f"{shared} {name}" for name in ("quietly", "loudly", "slowly")]
    assert [1 in form.evident for form in make_windows(texts(*written[:2]), 13).forms] == [True] * 2
    forms = make_windows(texts(*written), 13).forms
    assert [form.evident.count(1) for form in forms] == [0, 0, 0]  # not with the last word either
    apart = [
        Text((n,), n, (f"b{n}",), QUESTION, text, fold(text)) for n, text in enumerate(written)
    ]
    assert all(form.evident.count(1) == 3 for form in make_windows(apart, 13).forms)


def test_a_template_with_other_numbers_is_a_template():
    def question(number):
        return (
            f"farmer jones keeps {number} chickens and some rabbits on his large farm near the "
            "river and counts all legs"
        )

    forms = make_windows(texts(*(question(number) for number in range(11, 16))), 13).forms
    assert all(1 not in form.evident and form.whole for form in forms)


INSTRUCTION = "read the input from standard input and print the answer to standard output"


def test_words_beside_an_instruction_are_no_evidence_with_it():
    """One item alone ends in "been", and any row may say so before the same instruction."""
    asked = [f"how many {name} owls has each {name} nest then been" for name in ("fen", "elm")]
    written = [f"{text} ? {INSTRUCTION}" for text in (*asked, "hens", "goats", "minks")]
    forms = make_windows(texts(*written), 13).forms
    begin = len(asked[0].split())
    for before, evidence in ((0, False), (1, False), (2, False), (9, True)):
        length = before + len(INSTRUCTION.split())
        assert bool(forms[0].rule(begin - before, length)) is evidence


def test_half_of_an_item_tells_nothing_by_words_of_an_instruction():
    written = [
        f"{name} {name}s: round your final numerical result to two decimals"
        for name in ("owl", "hen", "fox")
    ]
    form = make_windows(texts(*written), 13).forms[0]
    assert form.whole
    assert form.rule(1, 9) == ""
    alone = make_windows(texts(written[0]), 13).forms[0]
    assert alone.rule(1, 9) == "half_item"


def test_the_first_short_item_of_a_template_has_a_seed_without_numbers():
    written = ("add 7 red owls to 12 hens", "add 8 red owls to 3 hens", "add 7 to 9", "red owls")
    windows = make_windows(texts(*written), 13)
    assert [form.loose for form in windows.forms] == [(2, 5), None, None, None]
    assert ("red", "owls", "to") in windows.seeds.places


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
    st.lists(st.sampled_from([*WORDS, "seven", "twelve"]), max_size=12),
)
def test_a_seed_is_found_wherever_it_stands_in_any_spelling(seed, text):
    seeds = Seeds()
    seeds.add([*seed, "owl"], (3, 4), pair=len(seed) - 1)
    names = {"seven": "7", "twelve": "12"}
    written = [names.get(word, word) for word in text]
    expected = [at for at in range(len(text)) if written[at : at + len(seed) + 1] == [*seed, "owl"]]
    assert list(seeds.found_in(text)) == [(at, [(3, 4)]) for at in expected]


@pytest.mark.parametrize("text", ["0 1 0 0 1 1 0 1 0 0 0 1 1 0 1", "a b c d e f g h i j k l m n"])
def test_repetition_and_commonplaces_are_no_evidence(text):
    assert 1 not in make_windows(texts(text), 13).forms[0].evident


@pytest.mark.field_bug("D6")
@each(
    ("text", "whole"),
    [
        ("What is the capital of Chad?", True),
        ("Compute 17 + 25 - 3", True),
        ("How many of them are there in all?", False),
        ("Let's think step by step.", False),
        ("1 + 1 = ?", False),
        ("...", False),
    ],
)
def test_a_whole_item_must_tell_something(text, whole):
    assert make_windows(texts(text), 13).forms[0].whole is whole


def test_words_that_tell_are_neither_common_nor_single_letters():
    assert telling(["find", "the", "x", "owl", "owl", "7", "中"]) == 3


def test_a_solution_counts_by_half_or_by_many_words():
    draw = random.Random(1)
    words = [f"w{draw.randrange(10**6)}" for _ in range(80)]
    short, long = (
        make_windows(texts(" ".join(words[:length]), part=ANSWER), 13).forms[0]
        for length in (40, 80)
    )
    assert (short.rule(0, 19), short.rule(0, 20)) == ("", "answer")
    assert (long.rule(5, 25), long.rule(5, 26)) == ("", "answer")
    tiny = make_windows(texts("42 owls of 42", part=ANSWER), 13).forms[0]
    assert not tiny.searchable
