"""Words and shingles: the fast way over many texts sees the same as the plain way over one."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.shingles import folded, jaccard, shingle_hashes, shingles_of, words

TEXTS = st.text() | st.text("ab 1_.\n\u0301é中の한A\U0001f600") | st.text("ab ")


def plain_words(text):
    """Character by character, as the docstring of the module says it."""
    found, run = [], ""
    for character in text:
        part = unicodedata.category(character)[0] in "LNM"
        unspaced = part and re.match(
            r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]", character
        )
        if part and not unspaced:
            run += character
            continue
        found += [run] * bool(run) + [character] * bool(unspaced)
        run = ""
    return found + [run] * bool(run)


@given(text=TEXTS)
def test_words_are_runs_of_letters_digits_and_marks(text):
    assert words(folded(text)) == plain_words(folded(text))


@given(texts=st.lists(TEXTS.map(folded), max_size=6), length=st.integers(1, 3))
def test_equal_shingles_and_no_others_get_equal_hashes(texts, length):
    hashes, counts = shingle_hashes(texts, length)
    plain = []
    for text in texts:
        parts = words(text)
        plain += list(zip(*(parts[shift:] for shift in range(length)), strict=False))
        assert shingles_of(parts, length) == {
            tuple(parts[at : at + length]) for at in range(len(parts) - length + 1)
        }
    assert counts.tolist() == [max(0, len(words(text)) - length + 1) for text in texts]
    assert len(hashes) == len(plain)
    assert len(set(zip(plain, hashes.tolist(), strict=True))) == len(set(plain))
    assert len(set(hashes.tolist())) == len(set(plain))


def test_a_text_hashes_the_same_alone_and_in_company_and_whatever_the_alphabet_of_its_neighbours():
    text = "one two three four five six"
    alone, _ = shingle_hashes([text], 5)
    for company in (["seven eight", text], ["naïve café 中文", text], ["", "x" * 5000, text]):
        hashes, counts = shingle_hashes(company, 5)
        assert np.array_equal(hashes[-2:], alone)
        assert counts[-1] == 2


def test_case_and_width_do_not_count_and_numbers_do():
    assert words(folded("Ａｄｄ ３ to X!")) == ["add", "3", "to", "x"]
    assert shingles_of(words("a 1 b"), 3) != shingles_of(words("a 2 b"), 3)


@pytest.mark.field_bug("D28")
def test_two_empty_sets_are_not_alike_unless_it_is_said():
    empty = frozenset()
    assert (jaccard(empty, empty), jaccard(empty, empty, empty=1.0)) == (0.0, 1.0)
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
