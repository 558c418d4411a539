"""Outside rows: every oddity of JSON Lines, Parquet, data set folders; nothing lost silently."""

import json
import os
from array import array
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from stages.base.errors import ConfigError, DataError
from stages.base.jsonl import read_jsonl, write_jsonl
from stages.base.params import Source
from stages.cleaning.inputs import require_usable, source_files
from tests.cleaning.streams import Loaded
from tests.tables import each


def source(path, kind="jsonl", **more):
    return Source(name="s", kind=kind, path=str(path), domain="maths", **more)


def line(prompt, response="r"):
    return json.dumps({"prompt": prompt, "response": response}, ensure_ascii=False).encode()


@pytest.mark.field_bug("D48")
def test_line_separators_inside_a_text_do_not_cut_the_row(tmp_path):
    path = tmp_path / "a.jsonl"
    text = "one\u2028two\u2029three\u0085four\x1cfive".replace("\x1c", "")
    path.write_bytes(line(text) + b"\n" + line("next") + b"\n")
    assert [row["prompt"] for row in Loaded(source(path), 0).rows] == [text, "next"]


def test_bom_crlf_blank_lines_and_a_missing_last_newline_are_no_fault(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line("1") + b"\r\n\r\n" + line("2") + b"\r\n" + line("3"))
    loaded = Loaded(source(path), 0)
    assert [row["prompt"] for row in loaded.rows] == ["1", "2", "3"]
    assert [row["id"] for row in loaded.rows] == ["s:a.jsonl:1", "s:a.jsonl:3", "s:a.jsonl:4"]


@pytest.mark.field_bug("D49", "D50", "D51")
def test_a_lone_surrogate_is_repaired_counted_and_can_be_written(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"prompt": "bad \\ud83d end", "response": "\\ud83d\\ude00"}\n' + line("good") + b"\n"
    )
    loaded = Loaded(source(path), 0)
    assert loaded.rows[0]["prompt"] == "bad \ufffd end"
    assert loaded.rows[0]["response"] == "\U0001f600"
    assert loaded.repairs == {"lone_surrogate": 1}
    write_jsonl(tmp_path / "out.jsonl", loaded.rows)
    assert read_jsonl(tmp_path / "out.jsonl") == loaded.rows


@pytest.mark.field_bug("D51", "D52", "D53")
@pytest.mark.parametrize(
    ("bad", "detail"),
    [
        (b'{"prompt": "cut', "not JSON"),
        (b"[1, 2]", "expected a JSON object"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"prompt": "no response"}', "'response' is missing (`response_field` of the source"),
        (b'{"prompt": 5, "response": "r"}', "field 'prompt' is a number, not a text"),
        (b"[" * 100_000, ""),
        (b'{"n": ' + b"9" * 5000 + b"}", ""),
    ],
)
def test_bad_lines_go_to_quarantine_with_file_line_and_reason(tmp_path, bad, detail):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("1") + b"\n" + bad + b"\n" + line("3") + b"\n")
    loaded = Loaded(source(path), 0.5)
    (dropped,) = loaded.quarantined
    assert dropped.evidence["where"] == f"{path}:2"
    assert detail in dropped.evidence["detail"]
    assert len(loaded.rows) == 2


def test_the_line_of_a_row_put_aside_is_kept_cut_and_with_its_length(tmp_path):
    path = tmp_path / "a.jsonl"
    long = b'{"prompt": "' + b"x" * 9000
    path.write_bytes(line("1") + b'\n{"a": "\xff"}\r\n' + long + b'\n{"instruction": "who?"}\n')
    latin, cut, other = (dropped.row for dropped in Loaded(source(path), 1.0).quarantined)
    assert (latin["line"], latin["bytes"]) == ('{"a": "\\xff"}', 10)
    assert (len(cut["line"]), cut["bytes"]) == (4096, 9012)
    assert (other["line"], other["id"]) == ('{"instruction": "who?"}', "s:a.jsonl:4")


def chat(*said):
    return {"messages": [{"role": role, "content": text} for role, text in said]}


def test_messages_of_one_question_and_one_answer_are_read(tmp_path):
    path = tmp_path / "a.jsonl"
    asked, answer = ("user", "Name a tree."), ("assistant", "Oak.")
    rows = [
        chat(asked, answer),
        chat(("system", "Be short."), asked, answer),
        chat(asked, answer, asked, answer),
        chat(asked),
        {"prompt": "Name a tree.", "response": "Oak."},
        {"messages": [{"role": "user", "content": None}]},
    ]
    write_jsonl(path, rows)
    loaded = Loaded(source(path, format="messages"), 1.0)
    assert [(row["prompt"], row["response"]) for row in loaded.rows] == [
        ("Name a tree.", "Oak."),
        ("Be short.\n\nName a tree.", "Oak."),
    ]
    reasons = [dropped.evidence["detail"] for dropped in loaded.quarantined]
    assert "the roles are user, assistant, user, assistant" in reasons[0]
    assert "not one user and one assistant turn (the roles are user)" in reasons[1]
    assert reasons[2] == "field 'messages' is missing or no list of messages"
    assert "without role or text" in reasons[3]
    with pytest.raises(DataError, match=r"'prompt' is missing.*`format: messages`"):
        Loaded(source(path), 0.0)


def test_messages_of_a_parquet_file_are_read(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(
        pyarrow.Table.from_pylist([chat(("user", "Name a tree."), ("assistant", "Oak."))]), path
    )
    (row,) = Loaded(source(path, "parquet", format="messages"), 0.0).rows
    assert (row["prompt"], row["response"]) == ("Name a tree.", "Oak.")


@pytest.mark.field_bug("D53")
def test_too_many_bad_lines_are_an_error_that_shows_the_first(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("1") + b"\nnonsense\n")
    with pytest.raises(DataError, match=r"1 of 2 rows.*max_bad_share=0.1.*a.jsonl:2"):
        Loaded(source(path), 0.1)


def test_no_readable_row_at_all_is_an_error(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"nonsense\n")
    with pytest.raises(DataError, match="no readable rows"):
        Loaded(source(path), 1.0)


LINES = line("one") + b"\n" + line("two") + b"\n"


@pytest.mark.field_bug("D52")
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (LINES.decode().encode("utf-16"), "not UTF-8.*iconv -f UTF-16"),
        (LINES.decode().encode("utf-16-le"), "not JSON.*iconv -f UTF-16"),
        (
            b"[" + line("one") + b"]",
            r"1 expected a JSON object, found an array.*:1:.*jq -c '\.\[\]'",
        ),
        (b"[\n" + line("one") + b",\n" + line("two") + b",\n{}]", "4: 4 not JSON.*JSON array"),
        (LINES.replace(b"\n", b"\r"), "not JSON.*CR alone"),
        (b"PAR1\x15\x04\n", "Parquet"),
        (b"\x1f\x8b\x08\x00\n", "gunzip"),
        (
            b'{"prompt": 1}\nnonsense\n{}\n',
            "among 3: 1 field 'prompt' is a number, .*, 1 not JSON, .*; the first:.*:1",
        ),
        (b"", "holds no rows"),
    ],
)
def test_a_file_without_a_readable_row_says_why_and_how_to_convert_it(tmp_path, content, why):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"(?s){why}"):
        Loaded(source(path), 1.0)


def test_pipes_folders_and_odd_paths_are_refused_in_plain_words(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "inner/x.jsonl").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    for path, why in {
        tmp_path / "pipe.jsonl": "is a pipe",
        tmp_path / "inner": "x.jsonl is a folder",
        tmp_path / "empty": r"holds no file \*\.jsonl",
        "/dev/null": "is a pipe, socket or device",
        "a\0b": "null byte",
        "n" * 5000: "too long",
    }.items():
        with pytest.raises(DataError, match=why):
            Loaded(source(path), 1.0)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "datasets"])
@pytest.mark.parametrize("method", ["stat", "open"])
def test_a_path_that_may_not_be_read_is_an_error_that_names_it(tmp_path, monkeypatch, kind, method):
    def refuse(self, *arguments, **options):
        raise PermissionError(13, "Permission denied", str(self))

    path = tmp_path / "a"
    path.write_bytes(LINES)
    monkeypatch.setattr(Path, method, refuse)
    with pytest.raises(DataError, match=r"source s: .*/a: Permission denied\. Check"):
        Loaded(source(path, kind), 1.0)


@pytest.mark.parametrize("path", ["data/raw/gone", "/gone", "../gone", "a/b/c"])
def test_a_folder_that_is_not_there_is_not_taken_for_a_hub_id(path):
    with pytest.raises(DataError, match=rf"source s: {path}: No such file or folder"):
        source_files(source(path, "datasets"))
    assert source_files(source("someone/some-set", "datasets")) == []


@each("kind", ["jsonl", "parquet", "datasets"])
@each("path", ["", " "])
def test_an_empty_path_is_refused(kind, path):
    with pytest.raises(ConfigError, match="source s has an empty path"):
        require_usable([source(path, kind)], {"maths": 1.0})


@pytest.mark.parametrize("mixture", [{"code": 1.0}, {"code": 1.0, "maths": 0.0}])
def test_a_source_whose_domain_has_no_share_is_refused(mixture):
    with pytest.raises(ConfigError, match=r"'maths' of source s has no share.*one of code"):
        require_usable([source("a.jsonl")], mixture)


def test_a_missing_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(DataError, match=r"gone\.jsonl"):
        Loaded(source(tmp_path / "gone.jsonl"), 0)


def test_files_of_a_folder_are_read_in_order_and_ids_differ(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.jsonl").write_bytes(line(name) + b"\n")
    rows = Loaded(source(tmp_path), 0).rows
    assert [row["id"] for row in rows] == ["s:a.jsonl:1", "s:b.jsonl:1"]


def test_reading_stops_at_the_wanted_number_of_rows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(line(str(i)) for i in range(9)))
    assert len(Loaded(source(path, rows=4), 0).rows) == 4


def test_parquet_rows_are_read_and_nulls_quarantined(tmp_path):
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"q": ["one", None, "three"], "a": ["1", "2", "3"], "x": [1, 2, 3]})
    parquet.write_table(table, path)
    loaded = Loaded(source(path, "parquet", prompt_field="q", response_field="a"), 0.5)
    assert [(row["prompt"], row["response"]) for row in loaded.rows] == [
        ("one", "1"),
        ("three", "3"),
    ]
    assert loaded.quarantined[0].evidence["where"] == f"{path}:2"


@pytest.mark.field_bug("D52")
def test_texts_of_parquet_that_are_not_utf8_go_to_quarantine_with_row_and_column(tmp_path):
    data, offsets = b"oka\xff\xfeend", (0, 2, 5, 8)
    buffers = [None, *map(pyarrow.py_buffer, (array("i", offsets).tobytes(), data))]
    broken = pyarrow.Array.from_buffers(pyarrow.string(), 3, buffers)
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"prompt": broken, "response": ["1", "2", "3"]}), path)
    loaded = Loaded(source(path, "parquet"), 0.5)
    assert [row["prompt"] for row in loaded.rows] == ["ok", "end"]
    (dropped,) = loaded.quarantined
    assert dropped.evidence["where"] == f"{path}:2"
    assert "column 'prompt' is not UTF-8 (byte 1)" in dropped.evidence["detail"]
    with pytest.raises(DataError, match=r"a\.parquet:2: column 'prompt'.*Repair the file"):
        Loaded(source(path, "parquet"), 0.1)


def test_a_file_that_is_no_parquet_is_an_error(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"nonsense")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        Loaded(source(tmp_path / "a.parquet", "parquet"), 0)


def test_a_missing_column_is_an_error(tmp_path):
    parquet.write_table(pyarrow.table({"q": ["one"]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="readable"):
        Loaded(source(tmp_path / "a.parquet", "parquet"), 0)


@pytest.mark.slow
def test_a_saved_data_set_folder_is_read(tmp_path):
    import datasets

    table = datasets.Dataset.from_dict({"prompt": ["one", "two"], "response": ["1", "2"]})
    table.save_to_disk(str(tmp_path / "set"))
    loaded = Loaded(source(tmp_path / "set", "datasets"), 0)
    assert [row["prompt"] for row in loaded.rows] == ["one", "two"]
    datasets.DatasetDict({"train": table}).save_to_disk(str(tmp_path / "sets"))
    assert len(Loaded(source(tmp_path / "sets", "datasets"), 0).rows) == 2
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/dataset_info.json").write_text("{")
    with pytest.raises(DataError, match=r"source s: .*bad, split train: "):
        Loaded(source(tmp_path / "bad", "datasets"), 0)
    with pytest.raises(DataError, match="has no split 'other', only train"):
        Loaded(source(tmp_path / "sets", "datasets", split="other"), 0)
