"""Published files: every kind gives the same rows, and a broken one is named with its line."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import Published, load
from stages.evals.published.entries import read_entries
from stages.evals.published.maths_sets import aime, gsm8k

ROWS = [{"question": "1 + 1?", "answer": "#### 2"}, {"question": "a\u2028b", "answer": "#### 3"}]
TEXT = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)


def files(folder: Path) -> list[Path]:
    named = {
        "a.jsonl": TEXT.encode(),
        "a.jsonl.gz": gzip.compress(TEXT.encode()),
        "a.json": json.dumps(ROWS).encode(),
        "b.json": json.dumps({"examples": ROWS, "canary": "x"}).encode(),
        "a.csv": "question,answer\n1 + 1?,#### 2\na\u2028b,#### 3\n".encode(),
    }
    for name, data in named.items():
        (folder / name).write_bytes(data)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), folder / "a.parquet")
    return [*(folder / name for name in named), folder / "a.parquet"]


def test_every_kind_of_file_gives_the_same_rows(tmp_path: Path) -> None:
    for path in files(tmp_path):
        found = list(read_entries(path))
        assert [(entry.name, entry.row) for entry in found] == [("0", ROWS[0]), ("1", ROWS[1])]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jsonl", b'{"answer": "#### 1"}\n', r"a\.jsonl:1: no field 'question'"),
        ("a.jsonl", b'{"question": "?", "answer": "1"}\n', r"a\.jsonl:1: no answer after ####"),
        ("a.jsonl", b'\n{"question"\n', r"a\.jsonl:2: not JSON"),
        ("a.jsonl", b"", "no problem of gsm8k"),
        ("a.json", b"[1]", r"row 0: expected an object"),
        ("a.json", b"{", "not JSON"),
        ("a.jsonl.gz", b"x", "cannot be unpacked"),
        ("a.parquet", b"x", "not Parquet"),
        ("a.txt", b"x", "another kind"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataError, match=said):
        load(Published("gsm8k", "maths", ("*",), gsm8k), path, None)


def test_known_bytes_are_told_from_others(tmp_path: Path) -> None:
    path = files(tmp_path)[0]
    known = frozenset({hashlib.sha256(path.read_bytes()).hexdigest()})
    benchmark = Published("gsm8k", "maths", ("*",), gsm8k, known=known)
    assert load(benchmark, path, None).known
    path.write_text(TEXT + "\n")
    assert not load(benchmark, path, None).known


def test_an_id_that_stands_twice_and_no_aime_answer_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = json.dumps({"id": 7, "problem": "?", "answer": "012"}) + "\n"
    path.write_text(row)
    (problem,) = load(Published("aime25", "maths", ("*",), aime(2025)), path, None).problems
    assert (problem.id, problem.answer) == ("7", "12")
    path.write_text(row * 2)
    with pytest.raises(DataError, match=r"a\.jsonl:2: id '7' stands at .*a\.jsonl:1 too"):
        load(Published("aime25", "maths", ("*",), aime(2025)), path, None)
    path.write_text(row.replace("012", "1200"))
    with pytest.raises(DataError, match="no AIME answer"):
        load(Published("aime25", "maths", ("*",), aime(2025)), path, None)
