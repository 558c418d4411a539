from __future__ import annotations

import contextlib
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from flows import compare
from stages.base.errors import ConfigError, DataError

BEFORE = {"1": 0.5, "2": 0.25, "3": 1.0, "4": 0.75, "5": 0.0}
AFTER = {"1": 0.75, "2": 0.5, "3": 1.0, "4": 0.5, "5": 0.5}


def git(*arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t.invalid", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def put_items(checkpoint: str, means: dict[str, float], samples: int = 4, **keys: str) -> None:
    rows = [
        {
            "id": f"{benchmark}/{name}",
            "benchmark": benchmark,
            "domain": "maths",
            "mean": mean,
            "samples": samples,
            "key_hash": keys.get(f"key_{name}", "k"),
        }
        for benchmark in ("chain", "taste")
        for name, mean in means.items()
    ]
    table = {"chain": {"scorer": "verify"}, "taste": {"scorer": "preference"}}
    folder = f"reports/run_benchmarks/{checkpoint}"
    put(f"{folder}/items.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    put(f"{folder}/metrics.json", json.dumps({"checkpoint": checkpoint, "benchmarks": table}))


def put_project(means: dict[str, float], objective: str = "icepop", reward: float = 0.5) -> None:
    resolved = {
        "run": {"seed": 0},
        "train_reasoning_rl": {"objective": objective, "steps": 3, "betas": [0.9, 0.99]},
    }
    put("resolved.yaml", yaml.safe_dump(resolved))
    model = {"path": "data/models/sft", "hash": "md5", "md5": "aa11bb22cc.dir"}
    trained = {"path": "data/models/rl", "hash": "md5", "md5": f"{objective}0000.dir"}
    stages = {
        "train_sft": {"cmd": "x", "outs": [model]},
        "train_reasoning_rl": {"cmd": "y", "deps": [model], "outs": [trained]},
    }
    put("dvc.lock", yaml.safe_dump({"schema": "2.0", "stages": stages}))
    put("reports/train_reasoning_rl/metrics.json", json.dumps({"reward": reward, "steps": 3}))
    put_items("sft", BEFORE)
    put_items("reasoning_rl", means)


def commit(branch: str) -> str:
    git("checkout", "-q", "-B", branch)
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", branch)
    return git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A repository with the branches `old` and `new`."""
    folder = tmp_path_factory.mktemp("template")
    with contextlib.chdir(folder):
        git("init", "-q")
        put_project(BEFORE)
        commit("old")
        put_project(AFTER, objective="grpo", reward=0.625)
        commit("new")
    return folder


@pytest.fixture
def project(template, tmp_path, monkeypatch):
    """A copy of the repository to work in."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text(a: str = "old", b: str = "new") -> str:
    return compare.as_text(compare.compare(compare.resolve(a), compare.resolve(b)))


def test_verdict_parameters_scores_figures_and_contents_are_shown(project):
    shown = " ".join(text().split())
    assert "sft: reasoning identical, 0.500 on 5 problems" in shown
    gain = "within noise, +0.150 [-0.204, +0.504] on 5 problems (0.500 -> 0.650)"
    assert f"reasoning_rl: reasoning {gain}" in shown
    assert f"reasoning_rl: preference {gain}" in shown
    assert "train_reasoning_rl objective icepop grpo" in shown
    assert "chain 0.500 0.650 +0.150 [-0.204, +0.504] 5 within noise" in shown
    assert "all reasoning 0.500 0.650 +0.150 [-0.204, +0.504] 5 within noise" in shown
    assert "train_reasoning_rl reward 0.5 0.625" in shown
    assert "output data/models/rl icepop00 grpo0000" in shown


def test_what_did_not_change_is_not_shown(project):
    shown = text()
    assert "seed" not in shown
    assert "betas" not in shown
    assert "data/models/sft" not in shown
    changed = [line for line in text("old", "old").splitlines() if line.strip() == "none"]
    assert len(changed) == 3


def test_an_experiment_is_found_by_its_name(project):
    base, tip = git("rev-parse", "old"), git("rev-parse", "new")
    git("update-ref", f"refs/exps/{base[:2]}/{base[2:]}/try", tip)
    git("update-ref", "refs/exps/exec/EXEC_HEAD", base)
    assert compare.resolve("try").commit == tip
    with pytest.raises(ConfigError, match="'EXEC_HEAD' is no branch"):
        compare.resolve("EXEC_HEAD")


def test_a_name_of_several_experiments_is_refused_with_their_full_names(project):
    base, tip = git("rev-parse", "old"), git("rev-parse", "new")
    refs = [f"refs/exps/{rev[:2]}/{rev[2:]}/try" for rev in (base, tip)]
    for ref in refs:
        git("update-ref", ref, tip)
    with pytest.raises(ConfigError, match="names 2 experiments") as refused:
        compare.resolve("try")
    assert all(ref in str(refused.value) for ref in refs)
    assert compare.resolve(refs[0]).commit == tip


@pytest.mark.parametrize("name", ["nowhere", "--all", "", "old:resolved.yaml"])
def test_an_unknown_revision_is_one_plain_message(project, name, capfd):
    arguments = [name, "new"] if name != "--all" else ["--", name, "new"]
    assert compare.main(arguments) == 2
    message = capfd.readouterr().err
    assert f"'{name}' is no branch, tag, commit or experiment" in message
    assert "Traceback" not in message


def test_a_folder_without_git_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ConfigError, match="not in a git repository"):
        compare.resolve("main")


def test_missing_reports_name_the_revision_and_the_way_out(project):
    git("rm", "-rq", "reports/run_benchmarks")
    commit("bare")
    with pytest.raises(DataError, match=r"bare has no reports/run_benchmarks.*dvc repro"):
        text("old", "bare")


def test_a_report_without_its_items_is_refused(project):
    git("rm", "-q", "reports/run_benchmarks/sft/items.jsonl")
    commit("torn")
    with pytest.raises(DataError, match=r"torn has no reports/run_benchmarks/sft/items.jsonl"):
        text("old", "torn")


def test_a_missing_resolved_file_is_refused(project):
    git("rm", "-q", "resolved.yaml")
    commit("unresolved")
    with pytest.raises(DataError, match=r"unresolved has no resolved.yaml"):
        text("old", "unresolved")


def test_different_numbers_of_samples_are_not_compared(project):
    put_items("reasoning_rl", AFTER, samples=8)
    commit("more")
    with pytest.raises(DataError, match=r"4 samples a problem in old and 8 in more.*samples"):
        text("old", "more")


def test_a_checkpoint_of_one_side_only_is_said_so(project):
    put_items("general_rl", AFTER)
    commit("further")
    assert "general_rl: only in further" in text("new", "further")
    assert "general_rl: only in further" in text("further", "new")


def test_problems_without_a_partner_are_listed_and_left_out(project):
    fewer = {name: mean for name, mean in AFTER.items() if name != "5"} | {"6": 1.0}
    put_items("reasoning_rl", fewer, key_4="other")
    commit("fewer")
    shown = text("old", "fewer")
    assert "2 problems only in old: chain/5, taste/5" in shown
    assert "2 problems only in fewer: chain/6, taste/6" in shown
    assert "2 problems changed, so not compared: chain/4, taste/4" in shown
    assert "on 3 problems (0.583 -> 0.750)" in shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", r"bad:reports/run_benchmarks/sft/items.jsonl:1: not JSON"),
        ('{"id": "1", "benchmark": "chain"}', r"row 1: bad or missing 'mean'"),
    ],
)
def test_a_malformed_row_is_named(project, line, message):
    put("reports/run_benchmarks/sft/items.jsonl", line)
    commit("bad")
    with pytest.raises(DataError, match=message):
        text("old", "bad")


def test_files_are_read_below_the_folder_it_is_run_from(project, monkeypatch):
    below = project / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    put_project(BEFORE)
    first = commit("nested")
    put_project(AFTER)
    commit("nested")
    assert "(0.500 -> 0.650)" in text(first, "nested")


def test_markdown_is_written_on_request_and_the_same_each_time(project, capsys):
    for name in ("one.md", "two.md"):
        assert compare.main(["old", "new", "--markdown", name]) == 0
    assert "Verdict" in capsys.readouterr().out
    assert Path("one.md").read_bytes() == Path("two.md").read_bytes()
    assert "| train_reasoning_rl | objective | icepop | grpo |" in Path("one.md").read_text()


def test_a_terminal_gets_tables(project):
    sections = compare.compare(compare.resolve("old"), compare.resolve("new"))
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    compare.show(sections, console)
    assert "all reasoning" in console.file.getvalue()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"mean": float("nan")}, "NaN is no JSON number"),
        ({"mean": 7.0}, "mean 7.0 is no share"),
        ({"mean": "x"}, "bad or missing"),
        ({}, "stands there twice"),
    ],
)
def test_scores_that_cannot_be_are_refused(project, row, message):
    path = Path("reports/run_benchmarks/sft/items.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [*rows, rows[0] | row]
    put(str(path), "".join(json.dumps(line) + "\n" for line in rows))
    commit("odd")
    with pytest.raises(DataError, match=message):
        text("old", "odd")


@pytest.mark.parametrize("benchmarks", [None, [1], {"chain": [1]}])
def test_metrics_of_another_shape_are_refused(project, benchmarks):
    put("reports/run_benchmarks/sft/metrics.json", json.dumps({"benchmarks": benchmarks}))
    commit("odd")
    with pytest.raises(DataError, match="expected a mapping"):
        text("old", "odd")


def test_a_folder_below_the_project_is_told_so(project, monkeypatch):
    put("dvc.yaml", "stages: {}")
    (project / "docs").mkdir()
    monkeypatch.chdir("docs")
    with pytest.raises(ConfigError, match="the project's top folder"):
        compare.resolve("old")


def test_a_markdown_file_that_cannot_be_written_is_named(project, capsys):
    assert compare.main(["old", "new", "--markdown", "nowhere/x.md"]) == 2
    assert "nowhere/x.md: No such file" in capsys.readouterr().err


def test_equal_results_are_called_identical_in_verdict_and_table(project):
    shown = text("old", "old")
    assert "within noise" not in shown
    assert "identical" in shown.split("Scores: sft")[1]


def test_scores_are_rounded_as_they_are_written():
    assert [compare._score(value) for value in (0.8875, 0.9525, 0.0, 1.0)] == [
        "0.888",
        "0.952",
        "0.000",
        "1.000",
    ]
