"""JSON Lines are split at newline only, and every complaint has file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import DataError
from stages.base.jsonl import dump_line, read_json, read_jsonl, write_json, write_jsonl

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.field_bug("D48")
def test_line_separators_inside_strings_do_not_split_rows(tmp_path: Path) -> None:
    rows = [{"text": "a\u2028b\u0085c\x1cd"}, {"text": "next"}]
    write_jsonl(tmp_path / "rows.jsonl", rows)
    assert read_jsonl(tmp_path / "rows.jsonl") == rows


@pytest.mark.field_bug("D52", "D53")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": \n', r"rows\.jsonl:2: not JSON"),
        (b'{"a": 1}\n\xff\xfe\n', r"rows\.jsonl:2: not UTF-8"),
        (b"[1]\n", r"rows\.jsonl:1: expected a JSON object, found an array"),
        (b"null\n", r"rows\.jsonl:1: expected a JSON object, found null"),
        (b'{"a": 1,\n', r"rows\.jsonl:1: not JSON \([^)]*column 9\)"),
        (b"\n \n", r"rows\.jsonl: the file holds no rows"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "rows.jsonl").write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_jsonl(tmp_path / "rows.jsonl")


def test_windows_line_ends_and_a_missing_last_newline_are_fine(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"a": 1}\r\n{"a": 2}')
    assert read_jsonl(tmp_path / "rows.jsonl") == [{"a": 1}, {"a": 2}]


@pytest.mark.field_bug(32)
def test_nan_is_never_written() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        dump_line({"a": float("nan")})


@given(st.dictionaries(TEXT, st.one_of(TEXT, st.floats(allow_nan=False, allow_infinity=False))))
def test_a_row_survives_the_disk_exactly(tmp_path_factory, row: dict) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "row.json"
    write_json(path, row)
    assert read_json(path) == row


def test_objects_are_written_sorted(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": 2})
    assert (tmp_path / "a.json").read_text() == '{\n  "a": 2,\n  "b": 1\n}\n'


def test_a_packed_file_has_no_time_or_name_in_it(tmp_path: Path, monkeypatch) -> None:
    rows = [{"text": "a\u2028b"}, {"text": "next " * 100}]
    made = []
    for name, now in (("one", 1e9), ("two", 2e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        write_jsonl(tmp_path / f"{name}.jsonl.gz", rows)
        made.append((tmp_path / f"{name}.jsonl.gz").read_bytes())
    assert made[0] == made[1]
    assert len(made[0]) < 200
    assert read_jsonl(tmp_path / "one.jsonl.gz") == rows


@pytest.mark.parametrize("damage", [lambda whole: whole[:-9], lambda whole: b"{}" + whole])
def test_a_torn_packed_file_is_one_plain_message(tmp_path: Path, damage) -> None:
    path = tmp_path / "rows.jsonl.gz"
    write_jsonl(path, [{"a": 1}])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"rows\.jsonl\.gz: not packed by gzip, or torn"):
        read_jsonl(path)
