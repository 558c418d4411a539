"""The order of the filters: each judges the text that is kept, whatever the rows arrived with."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import ConfigError, DataError
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.rows import Dropped
from tests.cleaning.streams import Outcome
from tests.tables import each

QUESTION = "Let a be a real number such that the sum of all integer solutions is exactly nine"
HARMFUL = "Explain how to build a bomb at home"
ITEMS = (QUESTION, "Name the capital of Chad", "Name 9 owls of Laos")
INDEX = Index([Item(str(n), "exam", text) for n, text in enumerate(ITEMS)], 13)
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


def cleaned(rows, index=INDEX, **more):
    return Outcome(rows, index=index, **more)


def row(prompt, row_id="a", response="The answer is 5"):
    return {"id": row_id, "domain": "maths", "prompt": prompt, "response": response}


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(("text", "step"), [(QUESTION, "decontamination"), (HARMFUL, "harm")])
def test_hidden_characters_inside_words_hide_nothing(text, step, hidden):
    for disguised in (text.replace("o", f"o{HIDDEN[hidden]}"), HIDDEN[hidden].join(text)):
        result = cleaned([row(disguised), row("p", "b", disguised)])
        assert [dropped["step"] for dropped in result.dropped] == [step, step]


@pytest.mark.parametrize("blank", ["\x85", "\u2028", "\r", "\xa0", "Â\xa0"])
def test_odd_blanks_and_mojibake_between_words_hide_nothing(blank):
    assert not cleaned([row(QUESTION.replace(" ", blank))]).kept


@each("hidden", HIDDEN)
def test_rows_that_are_equal_after_repair_are_duplicates(hidden):
    result = cleaned([row("Hello there"), row(f"Hello the{HIDDEN[hidden]}re", "b")])
    assert [kept["id"] for kept in result.kept] == ["a"]
    assert [dropped["step"] for dropped in result.dropped] == ["exact_dedup"]


def test_an_item_is_found_as_it_is_written_and_as_it_is_repaired():
    broken = "Wie schÃ¶n ist die nul\x00l in dieser Frage"
    index = Index([Item("x", "exam", broken)], 13)
    for text in (broken, "Wie schön ist die null in dieser Frage"):
        assert not cleaned([row(text)], index).kept
    assert index.describe()["items"] == 1


def test_repairs_of_all_rows_are_counted():
    result = cleaned([row("nul\x00l"), row(f"{QUESTION}\x00", "b")])
    assert result.repairs == {"control_character": 2}


@settings(settings.get_profile("costly"))
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
    once = cleaned(rows)
    again = cleaned(once.kept)
    assert (again.kept, again.dropped, again.repairs) == (once.kept, [], {})


@pytest.mark.field_bug("D21")
def test_the_bytes_are_the_same_for_any_number_of_processes_and_any_stretches(monkeypatch):
    rows = [
        row(f"Name {n % 9} rivers of \x00Chad" + " etc" * (70 + n), f"{n:03d}") for n in range(60)
    ]
    rows += [row(text, f"x{n}") for n, text in enumerate([QUESTION, HARMFUL, ""])]
    rows += [row(f"{n} Name 4 owls of Laos", f"y{n}") for n in range(10, 15)]
    once = cleaned(rows)
    assert set(once.drops) == {"near_dedup", "decontamination", "harm", "quality"}
    monkeypatch.setattr("stages.cleaning.steps.SHARD_ROWS", 7)
    monkeypatch.setattr("stages.cleaning.rowfile.SHARD_ROWS", 5)
    for workers in (1, 3):
        again = cleaned(rows, workers=workers)
        assert again.bytes == once.bytes
        assert (again.repairs, again.drops, again.near) == (once.repairs, once.drops, once.near)
        assert again.left == once.left
    assert once.left["rows"] == 5
    assert [seen["row"] for seen in once.left["first"]] == ["y10", "y11", "y12"]


def test_kept_and_dropped_rows_come_in_the_order_of_the_input():
    rows = [row(f"w {n}", str(n)) for n in (5, 3, 9)] + [row(HARMFUL, "h"), row("", "q")]
    result = cleaned([*rows[::-1], Dropped({"id": "u"}, "sources", "unreadable")])
    assert result.ids == ["9", "3", "5"]
    assert [item["id"] for item in result.dropped] == ["u", "q", "h"]
    assert len(result.kept) + len(result.dropped) == 6


def test_only_the_chosen_filters_run():
    rows = [
        row(HARMFUL, "a"),
        row(HARMFUL, "b"),
        row("", "c"),
        row(QUESTION, "d"),
        row("\x00", "e"),
    ]
    for steps, left in {
        ("harm",): ["c", "d", "e"],
        ("exact_dedup",): ["a", "c", "d", "e"],
        ("quality",): ["a", "b", "d", "e"],
        ("decontamination",): ["a", "b", "c", "e"],
        ("repair",): ["a", "b", "c", "d", "e"],
    }.items():
        result = Outcome(rows, steps, INDEX)
        assert result.ids == left
        assert bool(result.repairs) == (steps == ("repair",))


def test_an_id_that_comes_twice_and_a_missing_field_are_errors_that_name_the_row():
    with pytest.raises(DataError, match=r"rows\.jsonl: id 'a' comes twice, in rows 1 and 3"):
        cleaned([row("x"), row("y", "b"), row("z")])
    with pytest.raises(DataError, match=r"rows\.jsonl, row 2: field 'prompt'"):
        cleaned([row("x"), {"id": "b", "domain": "d", "response": "r"}])


@pytest.mark.field_bug("D13")
def test_decontamination_without_benchmarks_is_an_error():
    with pytest.raises(ConfigError, match="no benchmark items"):
        Outcome([row("x")])
