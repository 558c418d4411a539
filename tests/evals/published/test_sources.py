"""Where a published file is taken from: pinned to its bytes, from the hub only when allowed."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from stages.base.benchmark_params import PublishedData
from stages.base.errors import ConfigError, DataError
from stages.evals.published.sources import fetch, limited, require_runnable
from stages.evals.published.table import TABLE
from tests.evals.published.minis import MINI

FILE = MINI / "gsm8k/test.jsonl"
SHA256 = hashlib.sha256(FILE.read_bytes()).hexdigest()


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder with the file of GSM8K, not the published bytes."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data/raw/benchmarks/gsm8k"
    folder.mkdir(parents=True)
    shutil.copy(FILE, folder)
    return folder


def test_the_made_up_problems_need_no_pin(raw: Path) -> None:
    loaded = fetch("gsm8k", PublishedData("mini"), 0)
    assert (len(loaded.problems), loaded.sha256, loaded.known) == (10, SHA256, False)


def test_a_pinned_file_is_read(raw: Path) -> None:
    assert len(fetch("gsm8k", PublishedData("raw", SHA256), 0).problems) == 10


@pytest.mark.parametrize("pin", ["", "0" * 64])
def test_bytes_that_nobody_pinned_are_refused_with_their_hash(raw: Path, pin: str) -> None:
    with pytest.raises(DataError, match=rf"published\.gsm8k\.sha256.*{SHA256}"):
        fetch("gsm8k", PublishedData("raw", pin), 0)


def test_the_published_bytes_need_no_pin(raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stages.evals.published import sources

    known = replace(sources.TABLE["gsm8k"], known=frozenset({SHA256}))
    monkeypatch.setattr(sources, "TABLE", {"gsm8k": known})
    assert fetch("gsm8k", PublishedData("raw"), 0).known


@pytest.mark.field_bug("E12")
def test_a_missing_file_is_named(raw: Path) -> None:
    (raw / "test.jsonl").unlink()
    with pytest.raises(DataError, match=r"data/raw/benchmarks/gsm8k.*docs/benchmarks\.md"):
        fetch("gsm8k", PublishedData("raw"), 0)


def test_a_limit_draws_by_seed_in_the_order_of_the_file_what_belongs_together() -> None:
    """ARC's tasks have several test inputs, and a score needs all of a task's."""
    whole = fetch("arc_agi1", PublishedData("mini"), 0)
    some = PublishedData("mini", limit=4)
    drawn = [fetch("arc_agi1", some, seed) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    for loaded in drawn:
        names = [problem.id for problem in loaded.problems]
        tasks = {name.partition("/")[0] for name in names}
        assert len(tasks) == 4
        assert names == [one.id for one in whole.problems if one.id.partition("/")[0] in tasks]
    assert fetch("arc_agi1", PublishedData("mini", limit=999), 0).problems == whole.problems


def test_a_cluster_is_one_and_a_subject_is_none() -> None:
    """MMLU-Pro's group is a subject, of which a draw takes some; a passage's questions stay."""
    plain = TABLE["mmlu_pro"]
    passages = [
        replace(problem, meta={**problem.meta, "cluster": f"passage {n // 4}"})
        for n, problem in enumerate(fetch("mmlu_pro", PublishedData("mini"), 0).problems)
    ]
    loaded = fetch("mmlu_pro", PublishedData("mini"), 0)
    assert len(limited(plain, loaded, 3, 0).problems) == 3
    (first, *_, last) = limited(plain, replace(loaded, problems=passages), 1, 0).problems
    assert len({first.meta["cluster"], last.meta["cluster"]}) == 1


def test_options_keep_the_order_of_the_profiles_seed() -> None:
    orders = {
        tuple(fetch("gpqa", PublishedData("mini", shuffle=seed), 0).problems[0].prompt)
        for seed in range(4)
    }
    assert len(orders) > 1


def test_the_hub_is_asked_for_the_files_alone(raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def snapshot_download(dataset: str, **options: object) -> str:
        asked.append((dataset, options))
        return str(MINI / "math500")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    pin = hashlib.sha256((MINI / "math500/test.jsonl").read_bytes()).hexdigest()
    loaded = fetch("math500", PublishedData("hub", pin), 0)
    assert len(loaded.problems) == 10
    options = {"repo_type": "dataset", "allow_patterns": ["test.jsonl"]}
    assert asked == [("HuggingFaceH4/MATH-500", options)]


@pytest.mark.field_bug("E12")
def test_without_the_networks_leave_the_hub_says_how_to_give_it(
    raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> str:
        raise LocalEntryNotFoundError("not in the cache")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refused)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match="HF_HUB_OFFLINE=0"):
        fetch("math500", PublishedData("hub"), 0)
    with pytest.raises(DataError, match="Ask its authors"):
        fetch("gpqa", PublishedData("hub"), 0)


@pytest.mark.field_bug("E12")
def test_the_hub_as_it_is_without_network(raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(raw))
    with pytest.raises(DataError, match=r"cannot be fetched.*HF_HUB_OFFLINE=0"):
        fetch("gsm8k", PublishedData("hub"), 0)


def test_a_benchmark_the_hub_has_no_copy_of_names_its_source(raw: Path) -> None:
    with pytest.raises(ConfigError, match="fchollet/ARC-AGI"):
        fetch("arc_agi1", PublishedData("hub"), 0)


@pytest.mark.parametrize(("name", "why"), [("gsm9k", "Did you mean 'gsm8k'"), ("", "no such")])
def test_an_unknown_name_is_refused(name: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        require_runnable({name: None}, "build_benchmarks.published")


def test_what_one_response_cannot_score_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from stages.evals.published import sources

    monkeypatch.setattr(sources, "TABLE", {**sources.TABLE, "hle": sources.TABLE["gsm8k"]})
    with pytest.raises(ConfigError, match=r"published\.hle: one response a prompt"):
        require_runnable({"gsm8k": None, "hle": None}, "build_benchmarks.published")
