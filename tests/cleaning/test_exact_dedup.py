"""Exact deduplication: equal texts go, different numbers stay, order does not matter."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.cleaning.exact_dedup import as_array, digest, digest_texts, first_of_equal
from tests.cleaning.streams import Outcome, row
from tests.tables import each


def exact(rows):
    return Outcome(rows, steps=("exact_dedup",))


def test_blanks_and_unicode_form_do_not_make_a_difference():
    result = exact([row("b", "Caf\u00e9  at \t5? \r\n"), row("a", "Cafe\u0301 at 5?")])
    assert result.ids == ["a"]
    assert result.dropped[0]["evidence"] == {"same_as": "a"}


def test_numbers_case_and_responses_make_a_difference():
    rows = [row("a", "1 + 2"), row("b", "1 + 3"), row("c", "x"), row("d", "X"), row("e", "x", "s")]
    assert len(exact(rows).kept) == 5


def test_words_do_not_move_between_prompt_and_response():
    assert len(exact([row("a", "one two", "three"), row("b", "one", "two three")]).kept) == 2


@pytest.mark.field_bug("D37")
def test_a_prompt_published_a_hundred_times_stays_once():
    result = exact([row(f"{number:03d}", f"Prompt {number % 7}") for number in range(700)])
    assert result.ids == [f"{number:03d}" for number in range(7)]
    assert result.drops == {"exact_dedup": {"same_text": 693}}


def test_another_indentation_or_line_break_is_another_program():
    body = "def f(n):\n    for i in range(n):\n        s += i\n"
    rows = [row("a", f"{body}    return s"), row("b", f"{body}        return s")]
    rows += [row("c", "a\n\nb"), row("d", "a\nb"), row("e", "a b")]
    assert len(exact(rows).kept) == 5


@each("end", ["\n", "\r\n", "\r", "  \n", "\t\r\n", "\u2028"])
def test_the_kind_of_line_end_and_blanks_before_it_make_no_difference(end):
    lines = ["def f():", "  return 1", "", "f()"]
    assert digest_texts("\n".join(lines)) == digest_texts(end + end.join([*lines, "", ""]))


@given(text=st.text() | st.text(" \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0ab"))
def test_the_digest_is_that_of_the_lines_with_single_blanks(text):
    plain = unicodedata.normalize("NFC", re.sub("\r\n?|[\x85\u2028\u2029]", "\n", text))
    lines = list[str]()
    for line in plain.split("\n"):
        begin = line[: len(line) - len(line.lstrip())] if line.strip() else ""
        lines.append(begin + " ".join(line.split()))
    assert digest_texts(text) == digest_texts("\n".join(lines).strip())
    assert digest_texts(text) != digest_texts(f"{text.strip()}x")


@pytest.mark.field_bug("D21", "D24", "D30")
@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.sampled_from("abcd"), max_size=12), data=st.data())
def test_survivors_are_the_smallest_ids_whatever_the_order(texts, data):
    rows = [row(f"{i:02d}", text) for i, text in enumerate(texts)]
    shuffled = data.draw(st.permutations(rows))
    ranks = np.array([int(item["id"]) for item in shuffled], dtype=np.int64)
    same_as = first_of_equal(as_array([digest(item) for item in shuffled]), ranks)
    kept = [item for item, other in zip(shuffled, same_as, strict=True) if other < 0]
    assert {item["id"] for item in kept} == {
        min(item["id"] for item in rows if item["prompt"] == text) for text in texts
    }
    for item, other in zip(shuffled, same_as.tolist(), strict=True):
        assert other < 0 or (
            shuffled[other] in kept and shuffled[other]["prompt"] == item["prompt"]
        )
