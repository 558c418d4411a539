import argparse
import contextlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.base.jsonl import read_json, write_json
from stages.reporting.results import _style_point
from stages.write_report import body, masks_all
from tests.reporting import made_up
from tests.rl.small import small_config

OUTPUTS = [Path("reports") / name for name in ("report.html", "report.md", "metrics.json")]
VOID = {"meta", "br", "hr", "img", "link", "input"}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made_up.make(tmp_path)
    return tmp_path


def write() -> None:
    body(argparse.Namespace())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, dict, Path]:
    """Page, text, metrics and folder of one report."""
    folder = tmp_path_factory.mktemp("report")
    made_up.make(folder)
    with contextlib.chdir(folder):
        write()
        return OUTPUTS[0].read_text(), OUTPUTS[1].read_text(), read_json(OUTPUTS[2]), folder


class Balance(HTMLParser):
    """Checks that every tag is closed in order, and collects ids and tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.ids += [value for key, value in attrs if key == "id"]

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes(inputs, written) -> None:
    write()
    for path in OUTPUTS:
        assert path.read_bytes() == (written[3] / path).read_bytes()


def test_the_page_stands_alone(written) -> None:
    page, _, _, folder = written
    assert not re.search(r"<script|<link|<img|@import|url\((?!#)|\son[a-z]+=", page)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert addresses <= {"http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"}
    for secret in (str(folder), "2026-", "T00:00"):
        assert secret not in page


def test_the_page_is_well_formed(written) -> None:
    parser = Balance()
    parser.feed(written[0])
    assert parser.open == []
    drawn_twice = {name for name in parser.ids if parser.ids.count(name) > 1}
    assert not {name for name in drawn_twice if not re.fullmatch(r"[mp][0-9a-f]{10}", name)}


def test_what_a_model_wrote_is_text_not_markup(written) -> None:
    page, text, _, _ = written
    assert "&lt;script&gt;alert(1)" in page
    assert "calc &lt;b&gt;a&lt;/b&gt;" in page
    start = text.index("alert(1)")
    fence = re.findall(r"^`{3,}", text[:start], flags=re.MULTILINE)[-1]
    assert len(fence) > 3


def test_scores_intervals_and_verdicts_are_in_page_text_and_metrics(written) -> None:
    page, text, metrics, _ = written
    change = metrics["differences"]["reasoning_rl-sft"]["reasoning"]
    assert change["verdict"] == "better"
    assert change["low"] > 0
    assert metrics["differences"]["general_rl-reasoning_rl"]["reasoning"]["verdict"] in (
        "tie",
        "better",
        "worse",
    )
    assert metrics["checkpoints"]["sft"]["reasoning"]["score"] == 0.35
    for shown in ("35.0%", "[30.0, 40.0]", "tie", "93.4", "Reasoning RL", "exact dedup"):
        assert shown in page
        assert shown in text


def test_every_chapter_has_its_figures(written) -> None:
    page = written[0]
    for key, count in {
        "scores": 2,
        "sft": 4,
        "reasoning_rl": 5 + 6 + 4 + 9,
        "reward_model": 2,
        "general_rl": 6 + 5 + 4 + 9,
    }.items():
        chapter = page[page.index(f'<section id="{key}">') :].split("</section>")[0]
        assert chapter.count("<svg ") == count


def test_a_growing_mismatch_is_an_alarm_and_too_few_steps_are_said(written) -> None:
    page, text, _, _ = written
    reasoning, general = text.split("## Reasoning RL")[1].split("## Reward model")
    general = general.split("## General RL")[1]
    assert "> **Warning.** The mismatch of the two engines grows" in reasoning
    assert "Warning" not in general
    assert "Too few steps" in general
    assert page.count('class="alarm"') == 1


@pytest.mark.slow
def test_the_band_of_a_preset_is_the_one_shown(inputs) -> None:
    path = Path("resolved.yaml")
    path.write_text(path.read_text().replace("objective: icepop\n", "objective: icepop-wide\n"))
    write()
    reasoning, general = OUTPUTS[1].read_text().split("## General RL")
    reasoning = reasoning.split("## Reasoning RL")[1]
    assert "Tokens with k outside [0.4, 5] are masked." in reasoning
    assert "counted, not masked" not in reasoning
    assert "Tokens outside the IcePop band, per mille (counted, not masked)" in general


@pytest.mark.slow
def test_without_a_preference_benchmark_there_is_still_a_report(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    made_up.make(tmp_path, preference=False)
    write()
    metrics = read_json(OUTPUTS[2])
    assert metrics["checkpoints"]["base"]["preference"] is None
    assert list(metrics["differences"]["sft-base"]) == ["reasoning"]


@pytest.mark.parametrize(
    "missing",
    [
        "reports/train_sft/history.jsonl",
        "reports/run_benchmarks/sft/scores.json",
        "reports/run_benchmarks/sft/items.csv",
        "data/processed/responses/base/responses.jsonl.gz",
        "resolved.yaml",
    ],
)
def test_a_missing_input_is_named_and_nothing_is_written(inputs, missing: str) -> None:
    Path(missing).unlink()
    with (
        pytest.raises(DataError, match=missing)
        if "resolved" not in missing
        else pytest.raises(DataError, match="resolved")
    ):
        write()
    assert not any(path.exists() for path in OUTPUTS)


def test_other_problems_under_the_same_id_are_refused(inputs) -> None:
    path = Path("reports/run_benchmarks/sft/items.csv")
    path.write_text(path.read_text().replace(",chain3,", ",other,"))
    with pytest.raises(DataError, match=r"base and sft were asked other problems of chain"):
        write()


def test_what_cannot_be_compared_is_said_with_its_reason(inputs) -> None:
    path = Path("reports/run_benchmarks/sft/scores.json")
    scores = read_json(path)
    scores["benchmarks"]["lists"]["window"] = 128
    write_json(path, scores)
    write()
    text = OUTPUTS[1].read_text()
    assert "| lists | Base → SFT | not comparable | – | – | – | – | – |" in text
    assert "- lists, Base → SFT: not comparable: window is 96 and 128 tokens." in text
    assert read_json(OUTPUTS[2])["differences"]["sft-base"]["reasoning"]["delta"] is None


def test_failures_and_flips_are_there_to_read(written) -> None:
    page, text, _, _ = written
    failed = text.split("## Failures to read")[1].split("\n## ")[0]
    assert "General RL: 21 wrong, 3 truncated, 6 unparsed." in failed
    assert "General RL: wrong (no &lt;i&gt;box&lt;/i&gt;)" in failed
    assert "no &lt;i&gt;box" in page
    flipped = text.split("### Flipped problems")[1].split("\n## ")[0]
    lost = {
        row.split(" | ")[1]: row.split(" | ")[2:4] for row in flipped.splitlines() if "→" in row
    }
    assert int(lost["SFT → Reasoning RL"][1]) > int(lost["SFT → Reasoning RL"][0])


@pytest.mark.parametrize(
    ("objective", "theta_old", "masked"),
    [
        ("icepop", "latest", True),
        ("icepop-wide", "per_segment", True),
        ("dis", "latest", True),
        ("dis", "per_segment", False),
        ("grpo", "latest", False),
        ("tis", "latest", False),
    ],
)
def test_the_report_calls_masked_what_the_objective_masks(objective, theta_old, masked) -> None:
    assert masks_all(small_config(objective=objective, theta_old=theta_old)) is masked


def test_the_part_of_style_adds_up_even_where_accuracies_fell() -> None:
    before = {"a": {"share": 0.5, "score": 0.9}, "b": {"share": 0.5, "score": 0.1}}
    after = {"a": {"share": 1.0, "score": 0.88}, "b": {"share": 0.0, "score": None}}
    text = _style_point({"sft": before, "reasoning_rl": after})
    assert "moved by +38.0 points" in text
    assert "moved it by +40.0, to 90.0%" in text
    assert "the accuracies did −2.0" in text
