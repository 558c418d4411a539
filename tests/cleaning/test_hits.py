"""Hits: both texts as they are written, in JSON and in Markdown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.cleaning.decontamination import Index, Item, decontaminate
from stages.cleaning.folding import fold
from stages.cleaning.hits import hits_markdown, hits_table
from stages.cleaning.wording import words_of

QUESTION = r"Compute $\frac{17}{25} \cdot x^2$ | for x = 3 & <b>all</b> red foxes"
ITEMS = [
    Item("q|1", "exam", QUESTION),
    Item("k", "keyed", "some other text that stands here", "key"),
]
OWLS = "seven owls saw nine foxes near the mill"
FOUND = Index([Item("1", "b", OWLS)], 13)


def row(row_id, prompt, **more):
    return {"id": row_id, "domain": "maths", "prompt": prompt, "response": "r", **more}


@pytest.fixture
def dropped():
    rows = [
        row("b", f"Before,\nthis: {QUESTION} After."),
        row("a", QUESTION.replace("frac", "dfrac").upper()),
        row("c", "whatever", key="key"),
    ]
    return decontaminate(rows, Index(ITEMS, 13)).dropped


@pytest.mark.parametrize(
    "text",
    [
        "Compute 17 + 25 - 3 now, dear owl",
        r"Ｃompute $\left(17 + 25\right) - 3$ now, dear owl",
        "com\u200bpute 17 + 25 \u2212 3 now, dear\nowl",
    ],
)
def test_the_stretch_is_shown_as_it_is_written_with_what_stands_around_it(text):
    index = Index([Item("1", "b", "Compute 17+25-3 now, dear owl")], 13)
    found = index.find(f"So: {text}; done. {'x ' * 80}", "prompt")
    shown = found.evidence()["row_text"]
    assert shown["before"] == "So: "
    assert shown["text"] == f"{text};"
    assert shown["after"].startswith(" done. x x")
    assert shown["after"].endswith("…")


@pytest.mark.field_bug("D7")
@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["a", r"\frac12", "x^2", "１，０００", "é–", "2,000", "**b**"])))
def test_the_shown_stretch_has_the_words_that_were_found(pieces):
    text = " ".join([*pieces, OWLS.title(), *pieces])
    found = FOUND.find(text, "response")
    assert words_of(fold(found.evidence()["row_text"]["text"])) == words_of(OWLS)


@pytest.mark.field_bug("D8")
def test_the_table_is_sorted_and_has_both_texts(dropped):
    table = hits_table(dropped)
    assert [(hit["benchmark"], hit["item"], hit["row"]) for hit in table] == [
        ("exam", "q|1", "a"),
        ("exam", "q|1", "b"),
        ("keyed", "k", "c"),
    ]
    assert table[0]["item_text"]["text"] == QUESTION
    assert table[0]["rule"] == "same_question"
    assert (table[2]["rule"], table[2]["row_text"]["text"]) == ("same_key", "key")


def test_the_page_is_the_same_whatever_the_order_and_its_cells_hold_no_markup(dropped):
    page = hits_markdown(dropped)
    assert page == hits_markdown(list(reversed(dropped)))
    assert "exam/q&#124;1 | 2 |" in page
    assert "Before, this: <b>Compute" in page
    assert "&#60;b&#62;all" in page
    widths = {line.count("|") for line in page.splitlines() if line.startswith(("| a", "| b |"))}
    assert widths == {6}


def test_hits_beyond_the_limit_are_counted(dropped):
    assert "2 more hits" in hits_markdown(dropped, most=1)
    assert "more hits" not in hits_markdown(dropped)


def test_a_long_stretch_is_cut_in_the_middle():
    text = " ".join(f"word{number}" for number in range(300))
    dropped = decontaminate([row("a", text)], Index([Item("1", "b", text)], 13)).dropped
    line = next(line for line in hits_markdown(dropped).splitlines() if line.startswith("| a |"))
    assert "word0 " in line
    assert "word299" in line
    assert "word150 " not in line
