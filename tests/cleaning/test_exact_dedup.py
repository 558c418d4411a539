"""Exact deduplication: equal texts go, different numbers stay, order does not matter."""

from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.exact_dedup import exact_dedup


def row(row_id, prompt, response="r"):
    return {"id": row_id, "domain": "maths", "prompt": prompt, "response": response}


def test_blanks_and_unicode_form_do_not_make_a_difference():
    rows = [row("b", "Caf\u00e9  at\n5?"), row("a", "Cafe\u0301 at 5?")]
    result = exact_dedup(rows)
    assert [kept["id"] for kept in result.kept] == ["a"]
    assert result.dropped[0].evidence == {"same_as": "a"}


def test_numbers_case_and_responses_make_a_difference():
    rows = [row("a", "1 + 2"), row("b", "1 + 3"), row("c", "x"), row("d", "X"), row("e", "x", "s")]
    assert len(exact_dedup(rows).kept) == 5


def test_words_do_not_move_between_prompt_and_response():
    assert len(exact_dedup([row("a", "one two", "three"), row("b", "one", "two three")]).kept) == 2


@given(texts=st.lists(st.sampled_from("abcd"), max_size=12), data=st.data())
def test_survivors_do_not_depend_on_the_order(texts, data):
    rows = [row(f"{i:02d}", text) for i, text in enumerate(texts)]
    shuffled = data.draw(st.permutations(rows))
    first, second = exact_dedup(rows), exact_dedup(shuffled)
    assert {r["id"] for r in first.kept} == {r["id"] for r in second.kept}
    assert len(first.kept) == len(set(texts))
    assert len(first.kept) + len(first.dropped) == len(rows)
