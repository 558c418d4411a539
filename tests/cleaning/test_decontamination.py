"""Decontamination: copies are found in disguise, templates and look-alikes are not copies."""

import random

import pytest

from stages.base.errors import ConfigError, DataError
from stages.cleaning.decontamination import Index, Item, decontaminate

LONG = (
    "A train leaves Brussels at 9:15 travelling at 84 km per hour while a second train leaves "
    "Paris at 9:40 at 120 km per hour; how far from Brussels do they meet?"
)
SHORT = "What is the capital of Burkina Faso?"
FORMULA = "Compute 17 + 25 - 3"


def wide(text):
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


DISGUISES = {
    "verbatim": lambda text: text,
    "full width": wide,
    "upper case": str.upper,
    "zero width": "\u200b".join,
    "selectors": "\ufe0f".join,
    "grapheme joiners": "\u034f".join,
    "supplementary selectors": "\U000e0100".join,
    "other lines": lambda text: text.replace(" ", "\n", 7),
    "punctuation": lambda text: text.replace(";", " -").replace("?", " ..."),
    "bold": lambda text: text.replace("Brussels", "**Brussels**").replace("84", "**84**"),
    "inside": lambda text: f"Solve this one. {text} Think first.",
}


def row(prompt, response="r", **more):
    return {"id": "1", "domain": "maths", "prompt": prompt, "response": response, **more}


def index(*questions, n=13, benchmark="b"):
    return Index([Item(str(i), benchmark, q) for i, q in enumerate(questions)], n)


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("question", [LONG, SHORT])
def test_copies_are_found_in_disguise(disguise, question):
    text = DISGUISES[disguise](question)
    for copy in (row(text), row("p", text)):
        result = decontaminate([copy], index(LONG, SHORT))
        assert not result.kept
        assert result.dropped[0].evidence["item"] == str([LONG, SHORT].index(question))


def test_the_report_shows_both_texts():
    text = f"Before it. {wide(SHORT)} After it."
    evidence = decontaminate([row(text)], index(SHORT)).dropped[0].evidence
    assert evidence["row_text"] == {
        "before": "Before it. ",
        "text": wide(SHORT),
        "after": " After it.",
    }
    assert evidence["item_text"] == {"before": "", "text": SHORT, "after": ""}
    assert (evidence["field"], evidence["rule"]) == ("prompt", "whole_item")


@pytest.mark.parametrize(
    "text",
    [
        "Compute 17 - 25 + 3",
        "Compute 17 + 25 + 3",
        "What is the capital of Mali?",
        "A train leaves Brussels at 9:15 travelling at 84 km.",
        "capital of Burkina Faso",
    ],
)
def test_look_alikes_stay(text):
    assert decontaminate([row(text)], index(LONG, SHORT, FORMULA)).kept


def test_the_same_formula_in_other_spacing_is_found():
    assert not decontaminate([row("compute: 17+25-3")], index(FORMULA)).kept


OPERATORS = {
    "What is 12 * 13 + 4 ?": [
        "What is 12 × 13 + 4?",
        "What is 12 · 13 + 4?",
        "What is 12 ∗ 13 + 4?",
        "What is 12 ⋅ 13 + 4?",
        r"What is $12 \times 13 + 4$?",
        r"What is $12 \cdot13 + 4$?",
        "What is **12** * 13 + 4?",
    ],
    "Evaluate 7 - 3 / 2 now": [
        *(f"Evaluate 7 {dash} 3 / 2 now" for dash in "–—‐‑−‒"),
        *(f"Evaluate 7 - 3 {slash} 2 now" for slash in "÷∕⁄"),
        r"Evaluate $7 - 3 \div 2$ now",
    ],
    "Solve x^2 = 9 for x please": [
        "Solve x² = 9 for x please",
        "Solve x**2 = 9 for x please",
        "Solve x ** 2 = 9 for x please",
        "Solve $x^{2}=9$ for x please",
        "**Solve** x**2 = **9** for x please",
    ],
    "Compute (a+1)^2 for 3^4 + 10^-3": [
        "Compute (a+1)² for 3⁴ + 10⁻³",
        "Compute (a+1)**2 for 3**4 + 10**-3",
        "Compute $(a+1)^{2}$ for $3^{4} + 10^{-3}$",
    ],
    "Find all x <= 7 and y >= 3": [
        "Find all x ≤ 7 and y ≥ 3",
        r"Find all $x \le 7$ and $y \geq 3$",
    ],
}


@pytest.mark.parametrize(
    ("question", "copy"), [(item, copy) for item, copies in OPERATORS.items() for copy in copies]
)
def test_operators_in_another_notation_are_the_same_operators(question, copy):
    assert not decontaminate([row(copy)], index(question)).kept
    assert not decontaminate([row(question)], index(copy)).kept


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is 12 * 13 + 4 ?", "What is 12 ÷ 13 + 4 ?"),
        ("What is 12 * 13 + 4 ?", "What is 12 – 13 + 4 ?"),
        ("Compute 3^4 + 1 by hand", "Compute 34 + 1 by hand"),
        ("Compute 3⁴ + 1 by hand", "Compute 34 + 1 by hand"),
        ("Compute 3⁴ + 1 by hand", "Compute 3*4 + 1 by hand"),
        ("Solve x^2 = 9 for x please", "Solve x*2 = 9 for x please"),
        ("Find all x <= 7 and y", "Find all x > 7 and y"),
    ],
)
def test_other_operators_are_other_questions(question, text):
    assert decontaminate([row(text)], index(question)).kept


def test_dashes_and_dots_between_numbers_may_be_mere_punctuation():
    question = "Which number fits best: 4, 5, or 9 of them"
    for mark in "–—·":
        copy = question.replace(",", f" {mark}")
        assert not decontaminate([row(copy)], index(question)).kept


def test_hyphens_are_no_operators():
    question = "Find the smallest 3-digit number whose digits add up to its well-known half"
    copy = question.replace("-", " ")
    assert not decontaminate([row(copy)], index(question)).kept


def test_n_decides_how_long_a_shared_stretch_must_be():
    stretch = row(" ".join(LONG.split()[:8]))
    assert decontaminate([stretch], index(LONG, n=13)).kept
    assert not decontaminate([stretch], index(LONG, n=8)).kept


def test_template_ngrams_are_no_evidence_but_whole_items_still_are():
    def question(number):
        return (
            f"Farmer {number} keeps chickens and rabbits on a very large farm near the river and "
            "counts all heads and legs every single morning before breakfast without fail"
        )

    searched = index(*(question(number) for number in range(30)))
    result = decontaminate([row(question(99)), row(question(7))], searched)
    assert [kept["prompt"] for kept in result.kept] == [question(99)]
    assert searched.describe()["template_ngrams_left_out"] > 0


def test_items_too_short_to_mean_anything_are_reported_not_matched():
    searched = index("...", "A.", "Is it?", LONG)
    assert searched.describe()["items_too_short_to_search"] == ["0", "1", "2"]
    assert decontaminate([row("A. Is it? ...")], searched).kept


def test_an_empty_index_is_an_error():
    with pytest.raises(DataError, match="no benchmark items"):
        Index([], 13)


@pytest.mark.parametrize("n", [1, 0, -1])
def test_an_ngram_that_finds_nothing_or_everything_is_refused(n):
    with pytest.raises(ConfigError, match=rf"n-gram of {n} words \(--ngram.*decontamination_ngram"):
        index(LONG, n=n)


@pytest.mark.parametrize("key", [["l"], {"a": 1}, 5, None])
def test_a_key_of_another_type_matches_nothing(key):
    items = [Item("1", "b", LONG, "k")]
    assert decontaminate([row("p", key=key, source=["s"])], Index(items, 13)).kept


def test_generated_rows_are_compared_by_key_alone():
    items = [Item("1", "chain", "calc a + 4 b + 1 . 8", "chain|8|+4|+1")]
    rows = [
        row("other words", source="generated", key="chain|8|+4|+1"),
        row("calc a + 4 b + 1 . 8", source="generated", key="chain|8|-4|+1"),
        row("calc a + 4 b + 1 . 8 please", source="outside", key="chain|8|-4|+1"),
    ]
    result = decontaminate(rows, Index(items, 13))
    assert [kept["key"] for kept in result.kept] == ["chain|8|-4|+1"]
    assert [dropped.reason for dropped in result.dropped] == ["same_key", "benchmark_text"]


def test_chinese_text_is_compared_by_character():
    question = "一个农夫有三只鸡和五只兔子请问一共有多少条腿"
    assert not decontaminate([row(f"请回答：{question}？")], index(question)).kept
    assert decontaminate(
        [row("一个农夫有九只猫和八只狗请问一共有多少条尾巴")], index(question)
    ).kept


def test_every_injected_item_is_found_and_nothing_else():
    rng = random.Random(0)
    words = [
        f"{a}{b}" for a in ("ka", "lo", "mi", "ru", "te") for b in ("ben", "dor", "fis", "gal")
    ]
    items = [" ".join(rng.choices(words, k=rng.randint(4, 40))) for _ in range(60)]
    clean = [row(" ".join(rng.choices(words, k=60))) for _ in range(60)]
    dirty = [row(f"{' '.join(rng.choices(words, k=9))} {item} end") for item in items]
    result = decontaminate(clean + dirty, index(*items))
    assert result.kept == clean
    assert len(result.dropped) == len(items)
