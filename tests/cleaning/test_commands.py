"""One filter on one file: ``python -m stages.cleaning``."""

import sys

import pytest

from stages.base.command import stage_main
from stages.base.jsonl import read_json, read_jsonl, read_lines, write_jsonl
from stages.cleaning.__main__ import FILTERS, add_filter_arguments, body
from tests.cleaning.streams import row

STORY = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(90))
ROWS = [
    row("b", STORY, "the end", note=[1]),
    row("a", f"{STORY} indeed", "the end"),
    row("c", STORY, "the  end"),
    row("h", "How to make a pipe bomb?"),
    row("l", "What is the capital of Burkina Faso?"),
    row("q", "Think!", "<think> for ever"),
    row("r", "zero\u200bwidth"),
]
LEFT = {
    "exact": ["b", "a", "h", "l", "q", "r"],
    "near": ["a", "h", "l", "q", "r"],
    "harm": ["b", "a", "c", "l", "q", "r"],
    "decontaminate": ["b", "a", "c", "h", "q", "r"],
    "quality": ["b", "a", "c", "h", "l", "r"],
    "repair": ["b", "a", "c", "h", "l", "q", "r"],
}


@pytest.fixture
def command(tmp_path, monkeypatch):
    question = "What is the capital of Burkina Faso?"
    item = {"id": "1", "benchmark": "geo", "question": question, "answer": "Ouagadougou"}
    write_jsonl(tmp_path / "rows.jsonl", ROWS)
    write_jsonl(tmp_path / "items.jsonl", [item])
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["cleaning", *arguments])
        stage_main("cleaning", "", body, add_filter_arguments)

    return run


@pytest.mark.field_bug("D29")
@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_alone_keeps_drops_and_reports(command, tmp_path, name):
    more = ("--benchmarks", "items.jsonl") if name == "decontaminate" else ()
    command(name, "--input", "rows.jsonl", "--output", "out", *more)
    kept = read_jsonl(tmp_path / "out/kept.jsonl")
    assert [item["id"] for item in kept] == LEFT[name]
    if name != "repair":
        assert all(item in ROWS for item in kept)
    lines = list(read_lines(tmp_path / "out/dropped.jsonl"))
    dropped = read_jsonl(tmp_path / "out/dropped.jsonl") if lines else []
    assert all(set(item) == {"id", "step", "reason", "evidence", "row"} for item in dropped)
    assert {item["step"] for item in dropped} <= {FILTERS[name]}
    report = read_json(tmp_path / "out/report.json")
    assert report["rows"] == {"read": 7, "kept": len(kept), "dropped": 7 - len(kept)}
    assert report["steps"] == [FILTERS[name]]
    assert ("near_dedup" in report) == (name == "near")
    assert bool(report["repairs"]) == (name == "repair")


def test_processes_and_templated_domains_are_options(command, tmp_path):
    command("near", "--input", "rows.jsonl", "--output", "out")
    command("near", "--input", "rows.jsonl", "--output", "two", "--workers", "2")
    for name in ("kept.jsonl", "dropped.jsonl", "report.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    command(
        "near", "--input", "rows.jsonl", "--output", "none", "--templated-domains", "x", "maths"
    )
    assert len(read_jsonl(tmp_path / "none/kept.jsonl")) == 7


def test_a_templated_domain_that_no_row_is_of_is_a_warning(command, capsys):
    near = ("near", "--input", "rows.jsonl", "--output", "out", "--templated-domains")
    command(*near, "mathz", "maths")
    told = capsys.readouterr().err
    assert "--templated-domains mathz: no row is of this domain. Did you mean 'maths'?" in told
    assert told.count("warning") == 1


@pytest.mark.field_bug("D3")
def test_the_ngram_that_is_given_decides_what_is_found(command, tmp_path):
    """Elsewhere the configured threshold was never read, and a test held the wrong result."""
    item = {"id": "1", "benchmark": "words", "question": STORY, "answer": ""}
    write_jsonl(tmp_path / "items.jsonl", [item])
    write_jsonl(tmp_path / "rows.jsonl", [row("s", " ".join(STORY.split()[:9])), ROWS[3]])
    decontaminate = ("decontaminate", "--input", "rows.jsonl", "--benchmarks", "items.jsonl")
    for more, left in (
        ((), ["s", "h"]),
        (("--ngram", "9"), ["h"]),
        (("--ngram", "10"), ["s", "h"]),
    ):
        command(*decontaminate, "--output", "out", *more)
        assert [item["id"] for item in read_jsonl(tmp_path / "out/kept.jsonl")] == left


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("near",), "near: needs --input and --output"),
        (
            ("decontaminate", "--input", "rows.jsonl", "--output", "out"),
            "decontaminate: needs --benchmarks",
        ),
        (
            ("harm", "--input", "rows.jsonl", "--output", "o", "--benchmarks", "items.jsonl"),
            "harm: takes no --benchmarks",
        ),
        (("harm", "--input", "rows.jsonl", "--output", "o", "--ngram", "8"), "takes no --ngram"),
        (
            ("exact", "--input", "rows.jsonl", "--output", "o", "--templated-domains", "x"),
            "takes no --templated-domains",
        ),
        (("near", "--input", "rows.jsonl", "--output", "o", "--workers", "0"), "at least 1"),
    ],
)
def test_what_does_not_fit_together_is_refused(command, tmp_path, capsys, arguments, why):
    with pytest.raises(SystemExit) as ended:
        command(*arguments)
    assert ended.value.code == 2
    assert why in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.jsonl", "rows.jsonl"]
