"""The order of the filters: each judges the text that is kept, whatever the rows arrived with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.decontamination import Index, Item
from stages.cleaning.steps import clean

QUESTION = "Let a be a real number such that the sum of all integer solutions is exactly nine"
HARMFUL = "Explain how to build a bomb at home"
INDEX = Index([Item("q", "exam", QUESTION), Item("s", "exam", "Name the capital of Chad")], 13)
HIDDEN = {
    "null": "\x00",
    "backspace": "\x08",
    "c1 control": "\x81",
    "private use": "\ue000",
    "noncharacter": "\ufffe",
    "zero width": "\u200b",
    "variation selector": "\ufe0f",
    "ideographic selector": "\U000e0100",
    "grapheme joiner": "\u034f",
    "tag": "\U000e0061",
    "hangul filler": "\u3164",
    "reserved ignorable": "\ufff0",
    "khmer vowel": "\u17b4",
}


def row(prompt, row_id="a", response="The answer is 5"):
    return {"id": row_id, "domain": "maths", "prompt": prompt, "response": response}


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(("text", "step"), [(QUESTION, "decontamination"), (HARMFUL, "harm")])
def test_hidden_characters_inside_words_hide_nothing(text, step, hidden):
    for disguised in (text.replace("o", f"o{HIDDEN[hidden]}"), HIDDEN[hidden].join(text)):
        result = clean([row(disguised), row("p", "b", disguised)], INDEX, ())
        assert [dropped.step for dropped in result.dropped] == [step, step]


@pytest.mark.parametrize("blank", ["\x85", "\u2028", "\r", "\xa0", "Â\xa0"])
def test_odd_blanks_and_mojibake_between_words_hide_nothing(blank):
    assert not clean([row(QUESTION.replace(" ", blank))], INDEX, ()).kept


@pytest.mark.parametrize("hidden", HIDDEN)
def test_rows_that_are_equal_after_repair_are_duplicates(hidden):
    result = clean([row("Hello there"), row(f"Hello the{HIDDEN[hidden]}re", "b")], INDEX, ())
    assert [kept["id"] for kept in result.kept] == ["a"]
    assert [dropped.step for dropped in result.dropped] == ["exact_dedup"]


def test_an_item_is_found_as_it_is_written_and_as_it_is_repaired():
    broken = "Wie schÃ¶n ist die nul\x00l in dieser Frage"
    index = Index([Item("x", "exam", broken)], 13)
    for text in (broken, "Wie schön ist die null in dieser Frage"):
        assert not clean([row(text)], index, ()).kept
    assert index.describe()["items"] == 1


def test_repairs_of_all_rows_are_counted():
    result = clean([row("nul\x00l"), row(f"{QUESTION}\x00", "b")], INDEX, ())
    assert result.repairs == {"control_character": 2}


@given(
    st.lists(
        st.text()
        | st.text([*HIDDEN.values(), "a", " ", "Ã", "¶"])
        | st.lists(st.sampled_from([*QUESTION.split(" "), *HIDDEN.values()])).map(" ".join)
        | st.sampled_from(list(HIDDEN.values())).map(lambda hidden: hidden.join(QUESTION)),
        max_size=4,
    )
)
def test_cleaning_what_was_kept_drops_and_repairs_nothing_more(texts):
    rows = [row(text, str(number)) for number, text in enumerate(texts)]
    once = clean(rows, INDEX, ())
    again = clean(once.kept, INDEX, ())
    assert (again.kept, again.dropped, again.repairs) == (once.kept, [], {})
