"""Cleaning one file by itself: what comes out adds up, whatever goes in."""

import json
import os

import pytest

from stages.base.errors import ConfigError, DataError
from stages.base.jsonl import read_json, read_jsonl, read_lines, write_jsonl
from stages.cleaning import files
from stages.cleaning.files import NEAR, clean_file
from stages.row_file import page_of_file

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
    clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13)
    return tmp_path / "out"


@pytest.mark.field_bug("D51", "D53")
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


@pytest.mark.field_bug("D49", "D50")
def test_further_fields_are_passed_on_in_writable_form(cleaned):
    rows = {item["id"]: item["row"] for item in read_jsonl(cleaned / "dropped.jsonl")}
    assert rows["good"]["note"] == {"kept": None, "tags": ["a\ufffd"]}


def test_the_report_adds_up(cleaned):
    report = read_json(cleaned / "report.json")
    assert report["rows"] == {"read": 7, "kept": 2, "dropped": 5}
    near = report["near_dedup"]
    left = sum(near["rows_left_to_exact_dedup"].values())
    assert near["rows_compared_by_text"] + near["rows_compared_by_key"] + left == 6
    assert sum(sum(reasons.values()) for reasons in report["dropped"].values()) == 5
    assert report["repairs"] == {"format_character": 2}  # of "zero" and of "leak"
    assert report["decontamination"]["items"] == 1
    assert report["decontamination"]["left_with_other_numbers"] == {"rows": 0, "first": []}
    assert report["harm"]["refused"] == 0


def test_refusals_are_counted_in_the_report_whatever_the_number_of_workers(tmp_path):
    answers = ("I'm sorry, but I can't help with that.", "I will not.", "Mix it.", "4")
    rows = [
        row(f"r{at}", f"How to make a pipe bomb {at}?", text) for at, text in enumerate(answers)
    ]
    write_jsonl(tmp_path / "rows.jsonl", rows)
    for workers in (1, 2):
        clean_file(tmp_path / "rows.jsonl", None, tmp_path / "out", 13, ("harm",), NEAR, workers)
        report = read_json(tmp_path / "out/report.json")
        assert report["rows"]["kept"] == report["harm"]["refused"] == 2
        assert {"fraud", "hate", "weapon_instructions"} < set(report["harm"]["categories"])


def test_a_line_says_what_came_of_the_rows(cleaned, tmp_path, capsys):
    clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "more", 13)
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.endswith(
        "rows.jsonl: 7 rows read, 2 kept; left out: 1 unreadable, 1 exact_dedup, 1 harm, "
        "1 decontamination, 1 quality"
    )


def test_a_clean_run_over_its_own_output_changes_nothing(cleaned, tmp_path):
    clean_file(cleaned / "kept.jsonl", tmp_path / "items.jsonl", tmp_path / "again", 13)
    assert (tmp_path / "again/kept.jsonl").read_bytes() == (cleaned / "kept.jsonl").read_bytes()
    assert list(read_lines(tmp_path / "again/dropped.jsonl")) == []


@pytest.mark.field_bug("D13")
def test_no_benchmark_items_is_an_error(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b")])
    (tmp_path / "items.jsonl").write_text("")
    with pytest.raises(DataError, match="holds no rows"):
        clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13)


def test_an_item_without_a_question_is_an_error_that_names_it(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b")])
    write_jsonl(tmp_path / "items.jsonl", [ITEM, {"id": "2", "benchmark": "b", "question": " "}])
    with pytest.raises(DataError, match=r"items\.jsonl, item 2"):
        clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13)


def test_an_id_that_comes_twice_is_an_error(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b"), row("a", "c")])
    write_jsonl(tmp_path / "items.jsonl", [ITEM])
    with pytest.raises(DataError, match="'a' comes twice"):
        clean_file(tmp_path / "rows.jsonl", tmp_path / "items.jsonl", tmp_path / "out", 13)


@pytest.fixture
def folder(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("a", "b")])
    write_jsonl(tmp_path / "items.jsonl", [ITEM])
    return tmp_path


def clean_in(folder, rows="rows.jsonl", items="items.jsonl", output="out"):
    clean_file(folder / rows, folder / items, folder / output, 13)


def test_the_page_shows_domains_samples_and_what_was_left_out(folder):
    (folder / "rows.jsonl").write_text(
        "\n".join(
            [json.dumps(row("a", "Name a river.")), json.dumps(row("b", ITEM["question"])), "{"]
        )
    )
    paths = (folder / "rows.jsonl", folder / "items.jsonl", folder / "out")
    clean_file(*paths, 13, page=page_of_file)
    page = (folder / "out/report.md").read_text()
    for shown in (
        "# rows.jsonl, cleaned",
        "3 rows read, 1 kept, 2 left out.",
        "| other | 2 | 1 | 1 | 0 |",
        "**`other`**: `a`\n\n- prompt: `Name a river.`",
        "**decontamination, ",
        "- line: `{`",
        "| verbatim |",
    ):
        assert shown in page, shown
    clean_file(*paths, 13)
    assert not (folder / "out/report.md").exists()  # it would be on another run's rows


@pytest.mark.parametrize("name", ["kept.jsonl", "dropped.jsonl", "report.json"])
@pytest.mark.parametrize("kind", ["input", "benchmarks"])
@pytest.mark.parametrize("link", ["same", "symlink", "hardlink"])
def test_an_output_that_is_an_input_is_refused_and_nothing_is_written(folder, name, kind, link):
    first = folder / ("rows.jsonl" if kind == "input" else "items.jsonl")
    output = folder / "out"
    output.mkdir()
    if link == "symlink":
        (output / name).symlink_to(first)
    else:
        os.link(first, output / name)
    path = f"out/{name}" if link == "same" else first.name
    before = first.read_bytes()
    with pytest.raises(ConfigError, match=rf"{name} is .*would be overwritten"):
        clean_in(folder, **{"rows" if kind == "input" else "items": path})
    assert first.read_bytes() == before
    assert [entry.name for entry in output.iterdir()] == [name]


@pytest.mark.field_bug("D22")
def test_results_appear_whole_or_not_at_all(folder, monkeypatch):
    def fail(path, value):
        raise OSError(5, "Input/output error", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(files, "write_json", fail)
        for _ in ("a new folder", "an older one"):
            with pytest.raises(ConfigError, match=r"--output .*Input/output error"):
                clean_in(folder)
            (folder / "out").mkdir(exist_ok=True)
            assert list((folder / "out").iterdir()) == []
    (folder / "out/other.txt").write_text("mine")
    clean_in(folder)
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        "dropped.jsonl",
        "kept.jsonl",
        "other.txt",
        "report.json",
    ]
    assert sorted(p.name for p in folder.iterdir()) == ["items.jsonl", "out", "rows.jsonl"]


def test_a_failed_run_leaves_older_results_alone(folder, monkeypatch):
    clean_in(folder)
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    write_jsonl(folder / "rows.jsonl", [row("z", "other")])
    monkeypatch.setattr(files, "write_json", lambda path, value: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        clean_in(folder)
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == before


@pytest.mark.parametrize("output", ["rows.jsonl", "rows.jsonl/inner", "has_folder"])
def test_an_output_that_cannot_be_written_is_refused(folder, output):
    (folder / "has_folder/kept.jsonl").mkdir(parents=True)
    with pytest.raises(ConfigError, match=f"--output .*{output}"):
        clean_in(folder, output=output)


@pytest.mark.parametrize("which", ["rows", "items"])
def test_what_is_no_file_is_refused_in_plain_words(folder, which):
    os.mkfifo(folder / "pipe")
    flag = "--input" if which == "rows" else "--benchmarks"
    for name, why in {
        ".": "is a folder",
        "pipe": "is a pipe",
        "/dev/zero": "is a pipe, socket or device",
        "gone": "No such file",
    }.items():
        with pytest.raises(DataError, match=f"{flag}: .*{why}") as refused:
            clean_in(folder, **{which: name})
        assert "dvc repro" not in str(refused.value)


BAD_ROWS = {
    "field 'key' is an array, not a text": {"key": ["l"]},
    "field 'id' is a number, not a text (write it in quotes)": {"id": 1},
    "field 'domain' is an array, not a text": {"domain": ["maths"]},
    "field 'prompt' is an object, not a text": {"prompt": {"a": "x"}},
    "field 'response' is null, not a text": {"response": None},
    "nested more than": {"note": json.loads("[" * 300 + "]" * 300)},
}


@pytest.mark.parametrize("why", BAD_ROWS)
def test_a_field_of_the_wrong_type_puts_the_row_aside_with_its_line(folder, why):
    rows = [row("a", "b"), {**row("c", "d"), **BAD_ROWS[why]}, row("e", "f", key=None, source=[1])]
    write_jsonl(folder / "rows.jsonl", rows)
    clean_in(folder)
    (dropped,) = read_jsonl(folder / "out/dropped.jsonl")
    assert (dropped["step"], dropped["reason"]) == ("sources", "unreadable")
    assert dropped["evidence"]["where"].endswith("rows.jsonl:2")
    assert why in dropped["evidence"]["detail"]
    assert [kept["id"] for kept in read_jsonl(folder / "out/kept.jsonl")] == ["a", "e"]


def test_a_row_of_messages_says_which_fields_are_read(folder):
    messages = [{"role": "user", "content": "Name a tree."}]
    write_jsonl(folder / "rows.jsonl", [row("a", "b"), {"messages": messages}])
    clean_in(folder)
    (dropped,) = read_jsonl(folder / "out/dropped.jsonl")
    detail = dropped["evidence"]["detail"]
    assert "'id' is missing (a row needs id, domain, prompt, response; 'messages'" in detail


def test_the_text_of_a_line_that_cannot_be_read_is_kept(folder):
    good = json.dumps(row("a", "b")).encode()
    (folder / "rows.jsonl").write_bytes(good + b'\n{"id": "caf\xe9"}\n{"id": "cut\n')
    clean_in(folder)
    latin, cut = read_jsonl(folder / "out/dropped.jsonl")
    assert latin["row"] == {"line": '{"id": "caf\\xe9"}', "bytes": 14}
    assert cut["row"] == {"line": '{"id": "cut', "bytes": 11}
    assert cut["evidence"]["detail"].startswith("not JSON (Unterminated string starting at, column")


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"id": "2", "benchmark": "b"}, "field 'question' is missing"),
        ({"id": 2, "benchmark": "b", "question": "x"}, "field 'id' is a number, not a text"),
        ({"id": "2", "benchmark": " ", "question": "x"}, "field 'benchmark' is empty"),
    ],
)
def test_an_item_says_which_field_it_lacks(folder, item, why):
    write_jsonl(folder / "items.jsonl", [ITEM, item])
    with pytest.raises(DataError, match=rf"item 2 \(line 2\): {why}.*An item needs"):
        clean_in(folder)


def test_parquet_is_told_to_be_a_source(folder):
    (folder / "rows.jsonl").write_bytes(b"PAR1\x15\x04\n")
    with pytest.raises(DataError, match=r"is Parquet: only a source of a profile.*Write it as"):
        clean_in(folder)


def test_a_file_without_a_readable_row_says_why(folder):
    text = json.dumps([row("a", "b")])
    (folder / "rows.jsonl").write_text(text)
    with pytest.raises(DataError, match=r"no readable rows among 1: .*:1: .*JSON array"):
        clean_in(folder)
    (folder / "rows.jsonl").write_text("")
    with pytest.raises(DataError, match="holds no rows"):
        clean_in(folder)


@pytest.mark.parametrize("line", ["[1]", '{"id": ', "[" * 100_000, '{"n": ' + "9" * 5000 + "}"])
def test_an_item_that_cannot_be_read_is_an_error_with_its_line(folder, line):
    text = json.dumps(ITEM) + "\n\n" + line + "\n"
    (folder / "items.jsonl").write_text(text)
    with pytest.raises(DataError, match=r"items\.jsonl, item 2 \(line 3\)"):
        clean_in(folder)


def test_an_ngram_too_short_is_refused(folder):
    with pytest.raises(ConfigError, match="--ngram"):
        clean_file(folder / "rows.jsonl", folder / "items.jsonl", folder / "out", 0)
    assert not (folder / "out").exists()


def test_a_kept_row_is_the_line_that_was_read_unless_a_repair_changed_it(tmp_path):
    lines = [
        b'\xef\xbb\xbf{"id":"a","domain":"x" ,"prompt":"p","response":"r","more":1e5}\r\n',
        b'{"id":"b","domain":"x","prompt":"zero\\u200bwidth","response":"r"}\n',
        b'{"id":"c","domain":"x","prompt":"p","response":"s","more":NaN}\n',
        b'  {"id":"d","domain":"x","prompt":"\\u00e9","response":"t"}',
    ]
    (tmp_path / "rows.jsonl").write_bytes(b"".join(lines))
    clean_file(tmp_path / "rows.jsonl", None, tmp_path / "out", 13, ("repair",))
    kept = (tmp_path / "out/kept.jsonl").read_bytes().splitlines()
    assert kept[0] == lines[0].removeprefix(b"\xef\xbb\xbf").strip()
    assert kept[1] == b'{"id": "b", "domain": "x", "prompt": "zerowidth", "response": "r"}'
    assert kept[2].endswith(b'"more": null}')
    assert kept[3] == lines[3].strip()
