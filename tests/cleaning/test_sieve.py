"""The sieve: no text that holds a run is held back, and few others pass."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.cleaning import sieve
from stages.cleaning.sieve import Sieve
from stages.cleaning.wording import words_of

WORDS = ["a", "owl", "owls", "7", "burrowing", "burrowingly", "incomprehensible", "é", "中"]
RUNS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), max_size=4)
TEXTS = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", "\n", ", ", " → ", "_"]))).map(
        lambda pairs: "".join(word + blank for word, blank in pairs)
    ),
    max_size=6,
)


def holds(text, run):
    words = words_of(text)
    return any(words[at : at + len(run)] == run for at in range(len(words)))


@settings(max_examples=60, deadline=None)
@given(RUNS, TEXTS, st.integers(0, 3), st.sampled_from([1, 7, 1 << 16]))
def test_a_text_passes_if_it_holds_a_run_has_few_words_or_is_not_ascii(runs, texts, few, stretch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieve, "STRETCH", stretch)
        passing = Sieve(runs).passes(texts, few)
    for text, passes in zip(texts, passing.tolist(), strict=True):
        plain = " ".join(words_of(text)).isascii()
        must = not plain or any(holds(text, run) for run in runs)
        must |= few > 0 and len(words_of(text)) <= few
        assert passes or not must
        assert must or not passes  # hashes of 64 bits: none of these words meet by chance


def test_runs_do_not_reach_from_a_text_into_the_next():
    found = Sieve([["red", "owl", "sings"]]).passes(["a red owl", "sings", "the red owl sings"])
    assert found.tolist() == [False, False, True]


def test_long_words_are_told_apart_by_their_ends_and_length():
    """Not by a middle beyond eight bytes from either end: such a text is looked at in vain."""
    texts = ["incomprehensibilitiess", "xncomprehensibilities", "incomprehensibilitiez"]
    assert Sieve([["incomprehensibilities"]]).passes(texts).tolist() == [False] * 3
    assert Sieve([["incomprehensibilities"]]).passes(["incomprexxxxxbilities"]).tolist() == [True]


def test_among_many_runs_next_to_no_other_text_passes():
    draw = random.Random(0)
    names = [f"{a}{b}" for a in "bdfghklmnprst" for b in ("ala", "ero", "ibi", "ondu", "ul")]
    runs = [draw.choices(names, k=draw.choice((3, 5))) for _ in range(2000)]
    texts = [" ".join(draw.choices(names, k=60)) for _ in range(200)]
    held = [any(" ".join(run) in text for run in runs) for text in texts]
    assert 0 < sum(held) < 150
    assert Sieve(runs).passes(texts).tolist() == held
    assert Sieve([]).passes(texts).tolist() == [False] * len(texts)
    assert Sieve(runs).passes([]).tolist() == []
