"""Rows that become problems: texts repaired, too many bad ones refused, benchmark items found."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from stages.base.errors import DataError
from stages.base.params import RlSource
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.problem_rows import items_found, refuse_unreadable, repaired_rows


def origin(path, kind="jsonl") -> RlSource:
    return RlSource(name="s", kind=kind, path=str(path), domain="maths", schema="math")


@pytest.mark.field_bug("D49")
def test_all_fields_come_with_their_texts_repaired(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "x \\ud83d", "b": [{"c": "\\ud83d"}], "d": NaN}\nnonsense\n')
    first, second = repaired_rows(origin(path))
    assert first == (path, 1, {"a": "x \ufffd", "b": [{"c": "\ufffd"}], "d": None}, "")
    assert second[2] is None
    assert "not JSON" in second[3]


def test_a_row_too_deep_to_be_written_again_is_unreadable(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a": json.loads("[" * 300 + "]" * 300)}) + "\n")
    ((_, number, fields, reason),) = repaired_rows(origin(path))
    assert (number, fields) == (1, None)
    assert "levels deep" in reason


def test_all_columns_of_a_parquet_file_are_read_nested_ones_too(tmp_path):
    rows = [{"prompt": [{"role": "user", "content": "q"}], "reward_model": {"ground_truth": "1"}}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    ((_, number, fields, _),) = repaired_rows(origin(tmp_path / "a.parquet", "parquet"))
    assert (number, fields) == (1, rows[0])


def test_too_many_unreadable_rows_are_refused_with_the_first_place(tmp_path):
    bad = [(Path("a.jsonl"), 4, "not JSON")]
    refuse_unreadable(origin(tmp_path), 99, bad, 0.01)
    with pytest.raises(DataError, match=r"source s .*1 of 99 rows.*the first: a\.jsonl:4"):
        refuse_unreadable(origin(tmp_path), 98, bad, 0.01)


@pytest.mark.field_bug("D15")
def test_items_are_found_by_key_and_by_words_and_templates_by_key_alone():
    question = (
        "How many apples does Ann have left after she gives seven of her twelve to Bob today?"
    )
    index = Index([Item("i1", "b", question), Item("i2", "b", "chain puzzle text", "chain|1")], 8)
    texts = [
        ("k", f"Here: {question.upper()}", ""),
        ("k", "What is 1 + 1?", f"see {question}"),
        ("k", "What is 1 + 1?", "2"),
        ("chain|1", "", ""),
        ("chain|2", "", ""),
    ]
    found = items_found(texts, index)
    assert found[:3] == ["i1", "i1", ""]
    assert [bool(one) for one in found[3:]] == [True, False]
    assert items_found([], index) == []
