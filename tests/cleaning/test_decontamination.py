"""Decontamination: copies are found in disguise, templates and look-alikes are not copies."""

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import ConfigError, DataError
from stages.cleaning.decontamination import Index, Item, contamination, decontaminate
from tests.tables import each

LONG = (
    "A train leaves Brussels at 9:15 travelling at 84 km per hour while a second train leaves "
    "Paris at 9:40 at 120 km per hour; how far from Brussels do they meet?"
)
SHORT = "What is the capital of Burkina Faso?"
MIXED = (
    r"Of two rectangular garden plots \frac{3}{20} are sold to 3 eager farmers; how much is left?"
)
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


def row(prompt, response="r", id="1", **more):
    return {"id": id, "domain": "maths", "prompt": prompt, "response": response, **more}


def index(*questions, n=13, benchmark="b"):
    return Index([Item(str(i), benchmark, q) for i, q in enumerate(questions)], n)


@pytest.mark.field_bug("D2", "D10")
@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("question", [LONG, SHORT])
def test_copies_are_found_in_disguise(disguise, question):
    text = DISGUISES[disguise](question)
    for copy in (row(text), row("p", text)):
        result = decontaminate([copy], index(LONG, SHORT))
        assert not result.kept
        assert result.dropped[0].evidence["item"] == str([LONG, SHORT].index(question))


@pytest.mark.field_bug("D8", "D16")
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


@pytest.mark.field_bug("D5")
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


DISGUISED = [
    MIXED.replace(" ", "&nbsp;"),
    MIXED.replace("two", "2").replace("3", "three"),
    MIXED.replace(r"\frac{3}{20}", "3/20"),
    MIXED.replace("rectangular", "rec-\ntangular").replace("garden", "gar-\n  den"),
    "\n".join(f"    // {line}" for line in MIXED.replace("how", "\nhow").split("\n")),
    "\n".join(f"> {word}" for word in MIXED.split()),
    MIXED.replace(r"\frac{3}{20}", r"\ frac { 3 } { 20 }"),
    MIXED.replace("a", "а").replace("e", "é"),
]


@pytest.mark.parametrize("text", DISGUISED)
def test_copies_in_mark_up_and_other_spelling_are_found(text):
    """Entities, escapes, comments, cut words, look-alikes and spelled numbers once hid copies."""
    evidence = decontaminate([row(f"Now: {text}")], index(MIXED)).dropped[0].evidence
    assert evidence["words"] >= 14


@pytest.mark.parametrize("text", ["The well-\nknown garden", "The well-known garden"])
def test_a_hyphen_at_the_end_of_a_line_may_belong_to_the_word(text):
    searched = index("What grew in the well-known garden of Babylon long ago")
    copy = row(f"What grew in {text.lower()} of Babylon long ago")
    assert not decontaminate([copy], searched).kept


def test_the_mark_of_a_single_line_is_an_operator():
    searched = index("Find all y with 7 * y + x > 3 and nothing else")
    assert not decontaminate(
        [row("Find all y with 7 * y + x\n> 3 and nothing else")], searched
    ).kept


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


@each(
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


@pytest.mark.field_bug("D3")
def test_n_decides_how_long_a_shared_stretch_must_be():
    stretch = row(" ".join(LONG.split()[:8]))
    assert decontaminate([stretch], index(LONG, n=13)).kept
    assert not decontaminate([stretch], index(LONG, n=8)).kept


@pytest.mark.field_bug("D5")
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


@pytest.mark.field_bug("D6")
def test_items_too_short_to_mean_anything_are_reported_not_matched():
    searched = index("...", "A.", "Is it?", LONG)
    assert searched.describe()["items_too_short_to_search"] == ["0", "1", "2"]
    assert decontaminate([row("A. Is it? ...")], searched).kept


@pytest.mark.field_bug("D13")
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


@pytest.mark.field_bug("D12")
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


@pytest.mark.field_bug("D2")
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


PASSAGE = (
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, "
    "conceived in Liberty, and dedicated to the proposition that all men are created equal."
)
MIDDLING = (
    "A rectangular garden is 14 metres long and has a perimeter of 46 metres. How wide is it?"
)
SOLUTION = (
    "Both trains close the gap of 49 km left after twenty-five minutes at a relative speed of 36 "
    "km per hour, so the second one needs eighty-two minutes, which puts the meeting far beyond "
    "the border and close to the old mill by the canal"
)


@pytest.mark.field_bug("D1")
@pytest.mark.parametrize("question", [LONG, MIDDLING, SHORT])
def test_the_verdict_does_not_depend_on_line_breaks(question):
    """Lines of 8 words, or paragraphs below 13 words, once hid copies from a search by line."""
    words = question.split()
    for size in (1, 3, 8, 12):
        lines = (" ".join(words[at : at + size]) for at in range(0, len(words), size))
        assert not decontaminate([row("\n\n".join(lines))], index(LONG, MIDDLING, SHORT)).kept


@pytest.mark.field_bug("D2")
@pytest.mark.parametrize("share", [0.5, 0.6, 0.8])
@pytest.mark.parametrize(
    "question",
    [
        LONG,
        MIDDLING,
        "Which river flows through Vienna, Bratislava, Budapest and Belgrade?",
        "Convert the point (0, 3) from rectangular to polar coordinates with r > 0",
        "Evaluate the definite integral of x squared times cosine x from zero to pi",
    ],
)
def test_halves_are_found_in_every_length(question, share):
    words = question.split()
    count = -int(-share * len(words) // 1)
    for part in (words[:count], words[-count:]):
        found = decontaminate([row(" ".join(part))], index(LONG, question, SHORT)).dropped
        assert [hit.evidence["item"] for hit in found][:1] in (["1"], ["0"])


@each(
    "text",
    [
        MIDDLING.replace("14", "15").replace("46", "48"),
        MIDDLING.replace("46", "54"),
        f"{MIDDLING.replace('46', '64')} Explain.",
        "A rectangular garden is 14 metres longer than it is wide.",
        "The hall has a perimeter of 46 metres and is high.",
        "Convert the point (0, 4) from rectangular to polar coordinates with r > 0",
        "Evaluate the definite integral of the velocity to find the distance.",
    ],
)
def test_a_short_item_with_other_numbers_or_a_few_of_its_words_is_no_copy(text):
    items = index(
        MIDDLING,
        "Convert the point (0, 3) from rectangular to polar coordinates with r > 0",
        "Evaluate the definite integral of x squared times cosine x from zero to pi",
    )
    assert decontaminate([row(text)], items).kept


@pytest.mark.field_bug("D11")
def test_a_long_item_with_other_numbers_is_told_apart_from_a_copy():
    """Other edge lengths in a competition problem: a person decides, so the rule is named."""
    question = f"{LONG} Assume that neither stops, and give the distance as a fraction of 7 km."
    for text, rule in (
        (question.replace("7 km", "9 km"), "other_numbers"),
        (f"{LONG} Draw it.", "ngram"),
        (question, "same_question"),
        (f"Well: {question}", "whole_item"),
    ):
        (dropped,) = decontaminate([row(text)], index(question)).dropped
        assert dropped.evidence["rule"] == rule
        other = rule == "other_numbers"
        assert dropped.reason == ("benchmark_other_numbers" if other else "benchmark_text")


DIVISIBLE = r"What is the smallest positive integer $n$ such that $n!$ is divisible by 1000?"
LINES = (
    r"Find the distance of $l_1: 2\cdot x+3y=7$ from the line through the points $P$ and $Q$ of "
    "the plane."
)


@pytest.mark.parametrize("question", [DIVISIBLE, LINES])
def test_a_short_item_with_another_number_behind_an_ngram_is_left(question):
    """Thirteen equal words once dropped another problem, and no table said so."""
    searched = index(question)
    other = row(question.replace("1000", "700").replace("=7", "=9"))
    result = decontaminate([other, row(f"Well: {question}")], searched)
    assert result.kept == [other]
    assert [seen["rule"] for seen in result.left] == ["template"]
    assert result.dropped[0].reason == "benchmark_text"


PRODUCTS = {
    "If $x+y=10$ and $xy=21$, find $x^2+y^2$.": [
        "If $x+y=10$ and $x y=21$, find $x^2+y^2$.",
        r"If $x+y=10$ and $x\cdot y=21$, find $x^2+y^2$.",
        r"If \(x+y=10\) and \(x\, y=21\) , find \(x ^ { 2 } + y ^ { 2 }\), or $a b$.",
    ],
    "Triangle $ABC$ has $AB=13$, $BC=14$, $CA=15$. Find its inradius.": [
        "Triangle $A B C$ has $A B = 13$ , $B C = 14$ , $C A = 15$ . Find its inradius.",
        "It costs $5. Triangle $A B C$ has $A B=13$, $B C=14$, $C A=15$. Find its inradius.",
    ],
    "If $2ab+3a=7$ and $a-b=1$, find all $x^2y$.": [
        "If $2 a b + 3 a = 7$ and $a - b = 1$ , find all $x^{2} y$ .",
    ],
}


@pytest.mark.parametrize(
    ("question", "copy"), [(item, copy) for item, copies in PRODUCTS.items() for copy in copies]
)
def test_products_that_a_tokeniser_cuts_are_found(question, copy):
    """A letter by itself was once another word, and such copies were kept."""
    assert not decontaminate([row(copy)], index(question)).kept
    assert not decontaminate([row("p", f"Now. {copy}")], index(question)).kept
    assert not decontaminate([row(question)], index(copy)).kept


OPTIONS = "The capital of Burkina Faso is\n(A) Bamako\n(B) Ouagadougou\n(C) Niamey\n(D) Accra"


def test_a_question_with_its_options_in_another_order_is_found():
    """A stem too short for evidence once hid the item behind shuffled options."""
    swapped = OPTIONS.replace("Bamako", "?").replace("Accra", "Bamako").replace("?", "Accra")
    listed = "the capital of Burkina Faso is A) Niamey B) Accra C) Bamako D) Ouagadougou\nThink."
    for copy in (swapped, listed, f"Hello there.\n{swapped}\nAnswer: B"):
        assert not decontaminate([row(copy)], index(OPTIONS)).kept
    others = (
        swapped.replace("Burkina Faso", "Mali"),
        swapped.replace("Niamey", "Lagos"),
        "The capital of Burkina Faso is old.",
    )
    rows = [row(text) for text in others]
    assert decontaminate(rows, index(OPTIONS)).kept == rows


@pytest.mark.field_bug("D4", "D16")
def test_quotations_and_boilerplate_are_no_evidence():
    """A famous address, a truth-table instruction and a sum formula were flagged in every row."""
    table = (
        "Construct a complete truth table for the following argument. Then, using the truth table, "
        "determine whether the argument is valid or invalid."
    )
    code = (
        "The first line of the input contains a single integer t, the number of test cases. The "
        "description of the test cases follows."
    )
    items = index(
        f"Who said this and when? {PASSAGE}",
        f"{table} P and Q, therefore not R.",
        f"{code} A frog hops over puddles of slime; print how often it lands in one of them.",
        "Prove that the sum of the first n natural numbers is n(n+1)/2 by weak induction on n.",
    )
    rows = [
        row(f"Lincoln began: {PASSAGE}"),
        row(f"{table} If A then B; A; hence B."),
        row(f"{code} Alice deletes the largest number until none is left."),
        row("As the sum of the first n natural numbers is n(n+1)/2, the mean is (n+1)/2."),
    ]
    assert decontaminate(rows, items).kept == rows
    assert not decontaminate(
        [row("a frog hops over puddles of slime, print how often it lands in one")], items
    ).kept


@pytest.mark.field_bug("D6")
@pytest.mark.parametrize("text", ["...", "A.", "##", "A. ...", "", "\n", "?!", "1"])
def test_next_to_nothing_is_never_a_copy(text):
    """Whole paragraphs such as "...", "A." and "##" once gave a fifth of all hits."""
    assert decontaminate([row(text, text)], index("...", "A.", "##", "", "1", LONG)).kept


@pytest.mark.field_bug("D10")
def test_a_question_too_short_to_be_looked_for_is_still_the_same_question():
    """Rows equal to benchmark rows must go, however short they are."""
    items = index("1 + 1 = ?", "Is it?", LONG)
    result = decontaminate([row("1+1"), row("Is it"), row("1-1"), row("Is it 1 + 1 ?")], items)
    assert [kept["prompt"] for kept in result.kept] == ["1-1", "Is it 1 + 1 ?"]
    assert {dropped.evidence["rule"] for dropped in result.dropped} == {"same_question"}
    assert items.describe()["items_too_short_to_search"] == ["0", "1"]


@pytest.mark.field_bug("D9")
def test_an_item_known_under_two_names_is_reported_under_both():
    """A competition problem stayed because it stood in another benchmark under another name."""
    items = [Item("a", "math", LONG), Item("b", "olympiad", LONG.upper()), Item("c", "math", SHORT)]
    evidence = decontaminate([row(LONG)], Index(items, 13)).dropped[0].evidence
    assert (evidence["benchmark"], evidence["item"]) == ("math", "a")
    assert evidence["also"] == ["olympiad/b"]
    assert Index(items, 13).describe()["items_too_short_to_search"] == []


def test_a_shared_seed_alone_is_no_hit():
    """A filter that only says "perhaps" overstates contamination: every hit is verified."""
    words = LONG.split()
    pieces = [" ".join(words[at : at + 7]) for at in range(0, len(words), 7)]
    assert decontaminate([row(" and so on ".join(reversed(pieces)))], index(LONG)).kept


def test_solutions_are_found_and_short_answers_are_not():
    items = Index([Item("1", "b", LONG, "", SOLUTION), Item("2", "b", MIDDLING, "", "42")], 13)
    words = SOLUTION.split()
    found = [row("p", f"<think> {SOLUTION} </think>"), row(" ".join(words[:30]).upper(), "x")]
    kept = [row("p", "42"), row("p", "The answer is 42."), row("p", " ".join(words[:16]))]
    result = decontaminate(found + kept, items)
    assert result.kept == kept
    assert [hit.evidence["rule"] for hit in result.dropped] == ["answer", "answer"]
    assert items.describe()["answers_searched"] == 1


@pytest.mark.field_bug("D17")
def test_what_is_out_of_reach_is_said():
    """Paraphrases and translations are not found, which a report must not pass over in silence."""
    assert index(LONG).describe()["out_of_reach"] == (
        "translations and paraphrases; products cut outside of formulas"
    )


def test_the_decision_is_the_same_in_another_process():
    rows = [row(LONG), row(SHORT), row("something else")]
    again = pickle.loads(pickle.dumps(index(LONG, SHORT)))
    for other in rows:
        assert contamination(other, again) == contamination(other, index(LONG, SHORT))


@settings(max_examples=10, deadline=None)
@given(st.permutations([LONG, MIDDLING, SHORT, SOLUTION]), st.integers(0, 30), st.integers(0, 60))
def test_what_is_found_does_not_depend_on_the_order_of_the_items(order, begin, length):
    words = f"{SOLUTION} {LONG} {MIDDLING}".split()
    text = " ".join(words[begin : begin + length])
    found, again = (index(*items).find(text, "prompt") for items in (sorted(order), order))
    assert (found and found.evidence()["row_text"]) == (again and again.evidence()["row_text"])


def test_items_that_differ_in_operators_alone_are_two_items():
    items = index("Compute 17 + 25 - 3", "Compute 17 - 25 + 3", "1 + 1 =", "1 - 1 =")
    for number, text in enumerate(("17+25-3", "17-25+3")):
        evidence = decontaminate([row(f"Compute {text}")], items).dropped[0].evidence
        assert (evidence["item"], evidence["also"]) == (str(number), [])
    assert not decontaminate([row("1+1="), row("1-1=")], items).kept


def test_sums_repeated_in_brackets_hide_no_solution():
    solution = SOLUTION.replace("49 km", "<<60-11=49>>49 km").replace("36", "<<120-84=36>>36")
    items = Index([Item("1", "b", LONG, "", solution)], 13)
    for text in (solution, SOLUTION):
        assert decontaminate([row("p", text)], items).dropped[0].evidence["rule"] == "answer"


ANIMALS = ("owl fox hen elk ant", "bee cow dog eel owl fox", "hen ant cow eel bee dog elk owl")
PIECES = [" ".join(item.split()[at:end]) for item in ANIMALS for at in (0, 2) for end in (4, 5, 8)]


@pytest.mark.field_bug("D7")
@given(st.lists(st.sampled_from(["owl", "dog", "yak", *PIECES]), max_size=6))
def test_every_hit_has_the_words_of_its_item(pieces):
    """A hit by hashes alone may be none: here both texts are read again."""
    text = " ".join(pieces)
    hit = index(*ANIMALS, n=4).find(text, "prompt")
    assert hit or not any(f" {item} " in f" {text} " for item in ANIMALS)
    if hit:
        evidence = hit.evidence()
        mine, theirs = (evidence[side]["text"].split() for side in ("row_text", "item_text"))
        assert mine == theirs
        assert len(mine) >= 4


@pytest.mark.field_bug("D1")
@settings(settings.get_profile("costly"))
@given(
    st.lists(st.sampled_from([MIDDLING, MIDDLING[:70], SHORT, "x ^ 2", "of", "2", ".", "**"])),
    st.lists(st.sampled_from([" ", "\n", "\n\n", "\t"]), min_size=1),
)
def test_the_verdict_is_the_same_on_any_lines(pieces, blanks):
    words = " ".join(pieces).split()
    searched = index(MIDDLING, SHORT, "Find x ^ 2 for x = 2 and a garden of 14 metres")
    other = "".join(word + blanks[at % len(blanks)] for at, word in enumerate(words))
    flat, wrapped = searched.find(" ".join(words), "prompt"), searched.find(other, "prompt")
    assert (flat and (flat.rule, flat.start)) == (wrapped and (wrapped.rule, wrapped.start))


INSTRUCTION = (
    "Read the input from standard input and print the answer to standard output on a line."
)


@pytest.mark.field_bug("D4", "D16")
def test_an_instruction_with_a_word_before_it_by_chance_is_no_copy():
    """Rows that shared an instruction with many items went if one item ended in the same word."""
    names = ("ravens", "stoats", "newts", "been")
    questions = [
        f"Of {n} {name} that nest in hollow elms how many have rings? The {name}. {INSTRUCTION}"
        for n, name in enumerate(names, start=31)
    ]
    searched = index(*questions)
    rows = [row(f"Elsewhere it has been. {INSTRUCTION}"), row(f"So there are newts. {INSTRUCTION}")]
    assert decontaminate(rows, searched).kept == rows
    for question in questions:
        assert not decontaminate([row(question), row(f"Hi. {question}")], searched).kept


@pytest.mark.parametrize(
    ("words", "found"), [(4, False), (5, True)], ids=["four words", "five words"]
)
def test_a_half_has_five_words_at_least_and_the_report_says_so(words, found):
    question = "Ermine badgers dig burrows under lonely willow roots quickly"
    part = " ".join(question.split()[:words])
    searched = index(question)
    assert (searched.find(part, "prompt") is not None) is found
    said = searched.describe()
    assert said["halves"].startswith(
        "of items of 8 to 25 words: half of the words, at least 5, of which 3 tell"
    )
    assert said["items_searched_by_half"] == 1


@pytest.mark.field_bug("D11")
def test_a_short_item_with_other_numbers_is_counted_and_left():
    """What a template matches was once neither dropped nor told of."""
    searched = index(MIDDLING, MIDDLING.replace("14", "27"), "Add 17 + 25 to 3", SHORT)
    rows = [
        row(MIDDLING.replace("14", "15").replace("46", "48"), id="a"),
        row("p", f"Well: {MIDDLING.replace('46', 'twelve')} Nine of it.", id="b"),
        row("A rectangular garden is long.", id="c"),
        row(MIDDLING, id="d"),
    ]
    result = decontaminate(rows, searched)
    assert [kept["id"] for kept in result.kept] == ["a", "b", "c"]
    assert [(seen["row"], seen["rule"], seen["field"], seen["item"]) for seen in result.left] == [
        ("a", "template", "prompt", "0"),
        ("b", "template", "response", "0"),
    ]
    assert result.left[1]["row_text"]["text"].endswith(
        "perimeter of twelve metres. How wide is it?"
    )
    assert searched.describe()["items_searched_with_other_numbers"] == 1


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                [*"中2→a", "Füße", "of", "1 + 1", MIDDLING, MIDDLING[:50], SHORT, wide(SHORT)]
            )
            | st.sampled_from(
                [SHORT.replace("Burkina", "Bur-\nkina"), MIDDLING.replace("14", "15")]
            ),
            max_size=3,
        ).map(" ".join),
        min_size=1,
        max_size=6,
    )
)
def test_searching_many_rows_at_once_finds_what_searching_each_does(texts):
    searched = index(MIDDLING, SHORT, "1 + 1", "Füße 中 of 2 Füße 中 of")
    rows = [row(text, texts[0]) for text in texts]
    result = decontaminate(rows, searched)
    each = [contamination(other, searched) for other in rows]
    assert result.dropped == [found for found in each if found]
    assert result.kept == [other for other, found in zip(rows, each, strict=True) if not found]
