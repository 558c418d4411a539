"""The gate: it passes where the search works and names what is missed or wrongly hit."""

import gzip
import json
import random
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.cleaning import alignment, decontamination, recall
from stages.cleaning.decontamination import Index, Item, decontaminate
from stages.cleaning.disguises import LOOKALIKES, PARTS, WHOLE, slashed
from stages.cleaning.recall import recall_gate

PUBLIC = Path("../shared/data")
ITEMS = [
    Item("capital", "geo", "What is the capital of Burkina Faso?"),
    Item("sum", "maths", "Compute 17 + 25 - 3 * 4"),
    Item(
        "polar",
        "maths",
        r"Convert the point $(0,3)$ to polar coordinates $(r,\theta)$ with $r > 0$.",
    ),
    Item(
        "trains",
        "maths",
        "A train leaves Brussels at 9:15 travelling at 84 km per hour while a second train leaves "
        "Paris at 9:40 at 120 km per hour; how far from Brussels do they meet?",
        "trains|84|120",
    ),
    Item("cook", "maths", "A cook burns 3 of 12 eggs; which share is left?"),
    Item("dots", "maths", "..."),
]
BANDS = [band for band, _, _ in recall.BANDS]
ROWS = [
    {"id": "1", "domain": "d", "prompt": "Hello.", "response": "A row of no importance at all."}
]


@pytest.fixture
def index():
    return Index(ITEMS, 13)


@pytest.mark.field_bug("D2")
def test_every_disguise_and_band_is_measured_and_nothing_is_missed(index):
    report = recall_gate(index, ITEMS, ROWS, 0)
    assert list(report.recall) == [*BANDS, "with a key"]
    for band in BANDS:
        cells = report.recall[band]
        assert list(cells) == [*WHOLE, recall.EMBEDDED, *PARTS]
        assert all(cells[name].found == cells[name].injected > 0 for name in WHOLE)
    assert report.recall["over 25 words"]["first half"].found == 1
    assert report.recall["with a key"][recall.KEYED].found == 1
    assert list(report.lookalikes) == [*LOOKALIKES, "commonplaces", "phrases"]
    assert all(kind.tried for kind in report.lookalikes.values())
    assert report.as_json()["false_hits"] == []


def test_the_report_is_the_same_for_a_seed_and_any_order_of_items(index):
    pages = {
        recall_gate(Index(items, 13), items, ROWS, 3).markdown()
        for items in (ITEMS, ITEMS[::-1], ITEMS[2:] + ITEMS[:2])
    }
    assert len(pages) == 1
    assert "| verbatim | 2/2 | 1/1 | 1/1 | 1/1 | - |" in pages.pop()


@pytest.mark.field_bug("D2")
def test_a_search_that_misses_a_disguise_fails_the_gate(index, monkeypatch):
    """Nearly half of all items were once missed, the short ones, and nothing measured it."""
    monkeypatch.setattr(decontamination, "fold", str.lower)
    with pytest.raises(DataError, match=r"copies were not found: .*\(.* words, full width\)"):
        recall_gate(index, ITEMS, ROWS, 0)


@pytest.mark.field_bug("D2", "D5")
@pytest.mark.parametrize(("number", "band"), [(0, "under 8 words"), (3, "over 25 words")])
def test_a_search_blind_to_a_length_fails_the_gate(index, monkeypatch, number, band):
    find, length = index.find, len(ITEMS[number].question.split())
    blind = lambda text, field: None if len(text.split()) == length else find(text, field)  # noqa: E731
    monkeypatch.setattr(index, "find", blind)
    with pytest.raises(DataError, match=rf"{ITEMS[number].id} \({band}, verbatim"):
        recall_gate(index, ITEMS, (), 0)


def test_a_sieve_that_holds_copies_back_fails_the_gate(index, monkeypatch):
    monkeypatch.setattr(index, "suspects", lambda texts: [False] * len(texts))
    with pytest.raises(DataError, match="injected copies were not found"):
        recall_gate(index, ITEMS, ROWS, 0)


@pytest.mark.parametrize(
    ("question", "disguise"),
    [
        ("If $x+y=10$ and $xy=21$, find $x^2+y^2$.", "tokenised LaTeX"),
        ("The capital of Mali is\n(A) Bamako\n(B) Accra\n(C) Niamey", "shuffled options"),
    ],
)
def test_a_search_of_texts_only_as_they_are_written_fails_the_gate(monkeypatch, question, disguise):
    """The gate once left products and options alone, and told of success."""
    items = [Item("1", "b", question)]
    assert recall_gate(Index(items, 13), items, ROWS, 0).faults() == []
    monkeypatch.setattr(decontamination, "readings", lambda text: (text,))
    with pytest.raises(DataError, match=disguise):
        recall_gate(Index(items, 13), items, ROWS, 0)


def test_a_number_behind_an_ngram_makes_another_short_item(monkeypatch):
    """Look-alikes with thirteen equal words were once not tried."""
    items = [
        Item("1", "b", "What is the smallest whole n such that n! is divisible by the number 1000?")
    ]
    index = Index(items, 13)
    report = recall_gate(index, items, ROWS, 0)
    assert report.lookalikes["one other number"].tried == 1
    monkeypatch.setattr(alignment.Alignment, "other_numbers", lambda _: False)
    with pytest.raises(DataError, match="taken for copies"):
        recall_gate(index, items, ROWS, 0)


def test_a_fraction_before_a_letter_is_not_written_on_a_line():
    """Half of x in one notation is one over 2x in another, so it is no disguise of the same."""
    assert slashed(r"\frac{1}{2}x + \frac{3}{4} of \frac{5}{6}") == r"\frac{1}{2}x + 3/4 of 5/6"


@pytest.mark.field_bug("D5")
def test_a_search_blind_to_operators_fails_the_gate(index, monkeypatch):
    monkeypatch.setattr(alignment, "same_between", lambda *_: True)
    with pytest.raises(DataError, match=r"taken for copies: maths/sum.*operator"):
        recall_gate(index, ITEMS, ROWS, 0)


@pytest.mark.field_bug("D5")
def test_a_search_that_masks_numbers_fails_the_gate(monkeypatch):
    monkeypatch.setattr(
        decontamination,
        "fold",
        lambda text: "".join("0" if c.isdigit() else c for c in text.lower()),
    )
    masked = [Item(item.id, item.benchmark, item.question.replace("9", "0")) for item in ITEMS]
    index = Index(masked, 13)
    monkeypatch.setattr(recall, "_recall", lambda *_: {})
    with pytest.raises(DataError, match="look-alikes were taken for copies"):
        recall_gate(index, masked, ROWS, 0)


@pytest.mark.field_bug("D13")
def test_items_of_which_none_can_be_searched_fail_the_gate():
    """All steps were followed, nothing was decontaminated, and no error said so."""
    items = [Item("1", "b", "..."), Item("2", "b", "A."), Item("3", "b", "How many are there?")]
    with pytest.raises(DataError, match="no benchmark item can be searched"):
        recall_gate(Index(items, 13), items, ROWS, 0)


def test_rows_that_hold_an_item_carry_no_other(index):
    dirty = [{**ROWS[0], "response": ITEMS[3].question}]
    assert recall._carriers(index, dirty, random.Random(0)) == [recall.CARRIER]
    assert recall._carriers(index, ROWS, random.Random(0)) == [ROWS[0]["response"]]


def test_items_in_any_script_and_notation_pass_the_gate():
    questions = [
        "一个农夫有三只鸡和五只兔子，请问一共有多少条腿？",
        "농부에게 닭 세 마리와 토끼 다섯 마리가 있다. 다리는 모두 몇 개인가?",
        "कितने फल हैं यदि राम के पास 3 आम और श्याम के पास 5 सेब हैं?",
        "كم عدد الأرجل إذا كان لدى المزارع 3 دجاجات و5 أرانب؟",
        "Πόσα πόδια έχουν 3 κότες και 5 κουνέλια στο αγρόκτημα του Αλέξανδρος;",
        "Wie viele Füße haben 3 Hühner und 5 Hasen auf der Straße vor Weiß's Haus?",
        "Kaç ayak vardır: 3 tavuk, 5 tavşan ve İSTANBUL'da ışık?",
        "Evaluate ∫₀^∞ e^{-x²} dx and ∑_{n=1}^∞ 1/n² with Γ(½)",
        "If f(x)=3x²−2x+1 and g(x)=√(x+4), find (f∘g)(12)−10⁻³",
        r"Find $\lim_{x\to0}\frac{\sin 3x}{\tan5x}$ and $\dbinom{10}{3}^2$",
        r"What does print('a\n' * 2**10, end='\t') write to `stdout` in Python 3.11?",
        "x\u200by zero\u00adwidth item\ufeff that is dirty itself, with 17 ﬁne marks",
    ]
    items = [Item(str(n), "scripts", question) for n, question in enumerate(questions)]
    index = Index(items, 13)
    assert index.describe()["items_too_short_to_search"] == []
    report = recall_gate(index, items, (), 0)
    assert sum(cells["together"].found for cells in report.recall.values()) == len(items)


@pytest.fixture(scope="module")
def public():
    if not PUBLIC.is_dir():
        pytest.skip(f"{PUBLIC} is not there")
    maths, prompts = lines("math500.jsonl"), lines("ifeval_input_data.jsonl")
    items = [
        *(
            Item(f"m{n}", "maths", row["problem"], "", row["solution"])
            for n, row in enumerate(maths)
        ),
        *(Item(f"i{n}", "instructions", row["prompt"]) for n, row in enumerate(prompts)),
    ]
    return items, Index(items, 13)


def lines(name):
    opened = gzip.open if name.endswith(".gz") else open
    with opened(PUBLIC / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.field_bug("D5")
def test_public_benchmarks_pass_the_gate(public):
    items, index = public
    report = recall_gate(index, items, ROWS, 1)
    assert [cells["verbatim"].found for cells in report.recall.values()] == [18, 32, 32, 32]


@pytest.mark.field_bug("D5", "D16")
def test_one_public_benchmark_does_not_hit_another(public):
    """Boilerplate and common phrases gave most of the hits of other searches."""
    pairs = [
        *((row["question"], row["answer"]) for row in lines("gsm8k_test.jsonl")[:400]),
        *((row["prompt"], row["canonical_solution"]) for row in lines("HumanEval.jsonl.gz")),
    ]
    rows = [
        {"id": str(n), "domain": "d", "prompt": question, "response": answer}
        for n, (question, answer) in enumerate(pairs)
    ]
    assert decontaminate(rows, public[1]).dropped == []
