"""Cleaning one file by itself: what comes out adds up, whatever goes in."""

import json

import pytest

from stages.base.errors import DataError
from stages.base.jsonl import read_json, read_jsonl, read_lines, write_jsonl
from stages.cleaning.files import clean_file

ITEM = {"id": "q1", "benchmark": "geo", "question": "What is the capital of Burkina Faso?"}


def row(row_id, prompt, response="<think> a </think> b", **more):
    return {"id": row_id, "domain": "other", "prompt": prompt, "response": response, **more}


@pytest.fixture
def cleaned(tmp_path):
    rows = [
        row("good", "Name a river in Mali.", note={"kept": float("nan"), "tags": ["a\ud83d"]}),
        row("copy", "Name a  river in Mali."),
        row("bad", "How to make a pipe bomb?"),
        row(
            "leak", "Ｗｈａｔ is the capital of Burkina\u200b Faso?", key="mine", source="generated"
        ),
        row("open", "Think!", "<think> for ever"),
        row("zero", "zero\u200bwidth"),
    ]
    text = "\n".join(json.dumps(item) for item in rows) + '\n{"id": "cut\n'
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    write_jsonl(tmp_path / "items.jsonl", [{**ITEM, "answer": "Ouagadougou"}])
    clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13, 1.0)
    return tmp_path / "out"


def test_every_row_is_kept_or_dropped_with_its_step(cleaned):
    kept, dropped = read_jsonl(cleaned / "kept.jsonl"), read_jsonl(cleaned / "dropped.jsonl")
    assert [item["id"] for item in kept] == ["copy", "zero"]
    assert {item["id"]: item["step"] for item in dropped} == {
        "good": "exact_dedup",
        "bad": "harm",
        "leak": "decontamination",
        "open": "quality",
        None: "sources",
    }
    assert kept[1]["prompt"] == "zerowidth"


def test_further_fields_are_passed_on_in_writable_form(cleaned):
    rows = {item["id"]: item["row"] for item in read_jsonl(cleaned / "dropped.jsonl")}
    assert rows["good"]["note"] == {"kept": None, "tags": ["a\ufffd"]}


def test_the_report_adds_up(cleaned):
    report = read_json(cleaned / "report.json")
    assert report["rows"] == {"read": 7, "kept": 2, "dropped": 5}
    assert sum(sum(reasons.values()) for reasons in report["dropped"].values()) == 5
    assert report["repairs"] == {"format_character": 1}
    assert report["decontamination"]["items"] == 1


def test_a_clean_run_over_its_own_output_changes_nothing(cleaned, tmp_path):
    clean_file(cleaned / "kept.jsonl", tmp_path / "items.jsonl", tmp_path / "again", 13, 1.0)
    assert (tmp_path / "again/kept.jsonl").read_bytes() == (cleaned / "kept.jsonl").read_bytes()
    assert list(read_lines(tmp_path / "again/dropped.jsonl")) == []


def test_no_benchmark_items_is_an_error(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b")])
    (tmp_path / "items.jsonl").write_text("")
    with pytest.raises(DataError, match="holds no rows"):
        clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13, 1.0)


def test_an_item_without_a_question_is_an_error_that_names_it(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b")])
    write_jsonl(tmp_path / "items.jsonl", [ITEM, {"id": "2", "benchmark": "b", "question": " "}])
    with pytest.raises(DataError, match=r"items\.jsonl, item 2"):
        clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13, 1.0)


def test_an_id_that_comes_twice_is_an_error(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b"), row("a", "c")])
    write_jsonl(tmp_path / "items.jsonl", [ITEM])
    with pytest.raises(DataError, match="'a' comes twice"):
        clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13, 1.0)
