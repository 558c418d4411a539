"""The page of a data stage: its histograms lose nothing, its samples are drawn by id alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.jsonl import write_jsonl
from stages.base.records import Problem
from stages.reporting.data_page import (
    SHOWN,
    Looked,
    draw,
    drop_table,
    label_histogram,
    length_histogram,
    look,
    removed_rows,
    rl_histograms,
    rl_page,
    sample_removed,
    sft_page,
    share_table,
    table,
)

LENGTHS = st.dictionaries(
    st.sampled_from("abc"),
    st.dictionaries(st.integers(1, 100_000), st.integers(1, 9), max_size=40),
    min_size=1,
)


@given(LENGTHS)
def test_a_histogram_counts_every_value(values: dict[str, dict[int, int]]) -> None:
    found = length_histogram("lengths", "words", values)
    assert {name: sum(own) for name, own in found.counts.items()} == {
        name: sum(own.values()) for name, own in values.items()
    }
    assert all(len(own) == len(found.labels) for own in found.counts.values())


@given(st.integers(1, 100_000))
def test_a_value_lies_in_the_bin_that_names_it(value: int) -> None:
    found = length_histogram("lengths", "words", {"a": {value: 1}})
    low, _, high = found.labels[found.counts["a"].index(1)].partition("–")
    assert int(low) <= value <= int(high or low)


def test_bins_widen_with_the_values() -> None:
    found = length_histogram("lengths", "words", {"a": dict.fromkeys([1, 2, 3, 5, 7, 9, 14], 1)})
    assert list(found.labels) == ["1", "2", "3", "4–5", "6–7", "8–11", "12–15"]


def test_the_same_histograms_give_the_same_bytes(tmp_path: Path) -> None:
    histograms = [
        length_histogram("lengths", "words", {"maths": {3: 1, 9: 2}, "code": {40: 1}}),
        label_histogram("difficulty", "label", ["easy", "hard"], {"maths": {"hard": 2}}),
    ]
    for folder in ("one", "two"):
        draw(histograms, tmp_path / folder / "histograms.svg")
    first, second = (tmp_path / name / "histograms.svg" for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    assert "difficulty" in first.read_text(encoding="utf-8")


def dropped(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"r{number}",
            "step": "quality",
            "reason": "repetition",
            "evidence": {"evidence": "la | la"},
            "row": {"prompt": "say\nla", "response": "`la` " * 200},
        }
        for number in range(count)
    ]


def test_the_rows_shown_do_not_depend_on_their_order() -> None:
    rows = dropped(40)
    shown = sample_removed(rows, seed=1)
    assert len(shown) == SHOWN
    assert shown == sample_removed(rows[::-1], seed=1)
    assert shown != sample_removed(rows, seed=2)


def test_evidence_is_shown_as_text_and_what_says_nothing_is_not() -> None:
    text = {"before": "", "text": "the item", "after": "and more"}
    evidence = {"also": [], "words": ["one", "two"], "row_text": text, "count": 0}
    removed = {"id": None, "step": "s", "reason": "r", "evidence": evidence, "row": {}}
    assert removed_rows([removed]) == [
        "**s, r**: –",
        "",
        "- words: `one, two`",
        "- row_text: `the item and more`",
        "- count: `0`",
        "",
    ]


def test_a_removed_row_is_shown_on_one_line_and_its_markup_is_not_read() -> None:
    lines = removed_rows(dropped(1))
    assert lines[0] == "**quality, repetition**: `r0`"
    assert "- prompt: `say la`" in lines
    assert all("\n" not in line and len(line) < 300 for line in lines)
    assert next(line for line in lines if "response" in line).startswith("- response: `` `la`")


def test_tables_escape_their_bars_and_name_what_is_missing() -> None:
    assert table(("a", "b"), [("x|y", 1234)])[2] == "| x\\|y | 1,234 |"
    assert drop_table({}) == ["Nothing was left out.", ""]
    assert "| quality: repetition | 3 |" in drop_table({"quality": {"repetition": 3}})
    shares = share_table({"maths": 0.5}, {"tokens": {"maths": 0.25, "code": 0.75}, "rows": {}})
    assert "| code | 0.00% | 75.00% | 0.00% |" in shares


SFT_FIGURES: dict[str, Any] = {
    "rows": 3,
    "tokens": 90,
    "mixture": {
        "target": {"maths": 1.0},
        "realised": {"rows": {"maths": 1.0}, "tokens": {"maths": 1.0}},
    },
    "dropped": {"quality": {"repetition": 1}},
    "repairs": {"mojibake": 2},
    "harm": {
        "categories": ["fraud", "hate"],
        "languages": ["English"],
        "refused": 1234,
        "out_of_reach": "codes",
    },
    "near_dedup": {"pairs_compared": 7, "parameters": {"bands": 24}},
    "decontamination": {"items": 5, "ngram": 13, "out_of_reach": "paraphrases"},
}


def test_rows_are_counted_by_origin_and_some_of_each_domain_are_shown(tmp_path: Path) -> None:
    kept = [{"id": f"k{n}", "domain": "ab"[n % 2], "source": "mine"} for n in range(9)]
    gone = [{**row, "row": {**row["row"], "source": "mine"}} for row in dropped(2)]
    lost = {**dropped(1)[0], "id": None, "step": "sources", "row": {"line": "{"}}
    write_jsonl(tmp_path / "kept.jsonl", kept)
    write_jsonl(tmp_path / "dropped.jsonl", [*gone, lost])
    looked = look(tmp_path, "source", 0)
    assert looked.counts == {"mine": {"kept": 9, "quality": 2}, "–": {"sources": 1}}
    assert [row["domain"] for row in looked.kept] == ["a", "a", "b", "b"]
    assert "- line: `{`" in removed_rows(looked.removed)
    write_jsonl(tmp_path / "kept.jsonl", kept[::-1])
    assert look(tmp_path, "source", 0).kept == looked.kept


@pytest.mark.field_bug("D17")
def test_the_page_of_the_corpus_shows_shares_drops_and_what_was_tried() -> None:
    counts = {"mine": {"kept": 1, "quality": 2}, "generated": {"kept": 2}}
    kept = [{"id": "k0", "domain": "maths", "prompt": "Add.", "response": "3"}]
    looked = Looked(kept, sample_removed(dropped(2), 0), counts)
    page = sft_page(SFT_FIGURES, "| the gate |", "| a hit |", looked)
    for shown in (
        "| maths | 100.00% | 100.00% | 100.00% |",
        "| quality: repetition | 1 |",
        "| mojibake | 2 |",
        "| pairs_compared | 7 |",
        "| the gate |",
        "| a hit |",
        "Out of reach: paraphrases.",
        "**quality, repetition**: `r0`",
        "| source | read | kept | quality |",
        "| mine | 3 | 1 | 2 |",
        "| generated | 2 | 2 | 0 |",
        "**`maths`**: `k0`\n\n- prompt: `Add.`",
    ):
        assert shown in page
    clean = {**SFT_FIGURES, "dropped": {}, "repairs": {}, "near_dedup": None}
    bare = sft_page(clean, "", "", Looked([], [], {}))
    assert "Nothing was left out." in bare
    assert "No row held a benchmark item." in bare
    assert "Nothing had to be mended." in bare


def problem(number: int, difficulty: str) -> Problem:
    return Problem(f"p{number}", "chain", "maths", "How much?", "3", f"k{number}", difficulty)


RL_FIGURES: dict[str, Any] = {
    "problems": 3,
    "samples": 12,
    "kept": 2,
    "wanted_by_family": {"chain": 3},
    "made_by_family": {"chain": 3},
    "kept_by_family": {"chain": 2},
    "pass_rate_by_family": {"chain": 0.5},
    "verdicts": {"pass": 6, "wrong": 6},
    "set_aside": {"a copy": 1},
}


def test_the_page_of_the_problems_shows_families_reasons_and_outside_rows() -> None:
    aside = [{"reason": "a copy (p0)", **problem(2, "hard").to_row(), "pass_rate": 0.25}]
    page = rl_page(RL_FIGURES, [problem(1, "easy").to_row()], aside, 0)
    assert "| chain | 3 | 3 | 2 | 100.0% | 50.0% |" in page
    assert "| a copy | 1 |" in page
    assert "**set aside, a copy**: `p2`\n\n- detail: `p0`\n- pass_rate: `0.25`" in page
    assert "**`maths`**: `p1`\n\n- prompt: `How much?`\n- answer: `3`" in page
    assert "Outside rows" not in page
    counts = {"problems": 2, "preferences": 0, "unreadable": 1, "kept": 1}
    outside = {"sources": {"dapo": counts}, "set_aside": {"a copy": 1}, "left_out": {"a tie": 4}}
    page = rl_page({**RL_FIGURES, "outside": outside}, [], [], 0)
    assert "| dapo | 2 | 0 | 1 | 1 |" in page
    assert "| a tie | 4 |" in page
    assert "None was." in page


def test_problems_are_counted_by_difficulty_and_responses_by_length() -> None:
    samples = [{"verdict": "pass", "tokens": [1, 2]}, {"verdict": "wrong", "tokens": []}]
    difficulty, length = rl_histograms(
        [problem(0, "hard"), problem(1, "hard")], samples, ["easy", "hard"]
    )
    assert difficulty.counts == {"maths": [0, 2]}
    assert list(length.labels) == ["1", "2"]
    assert length.counts == {"pass": [0, 1], "wrong": [1, 0]}
