from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from flows import compare
from flows.revisions import resolve
from stages.base.errors import DataError
from stages.evals.items import Item, as_csv
from tests.flows.repository import commit, git

BEFORE = {"1": 0.5, "2": 0.25, "3": 1.0, "4": 0.75, "5": 0.0}
AFTER = {"1": 0.75, "2": 0.5, "3": 1.0, "4": 0.5, "5": 0.5}


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def put_items(checkpoint: str, means: dict[str, float], samples: int = 4, **asked: Any) -> None:
    items = [
        Item(name, benchmark, "maths", asked.get(f"key_{name}", "k"), mean, 0, samples, 0, 0, 0)
        for benchmark in ("chain", "taste")
        for name, mean in means.items()
    ]
    score = sum(means.values()) / len(means)
    figures = {"score": score, "low": score - 0.1, "high": score + 0.1}
    fields = {
        "domain": "maths", "metric": f"avg@{samples}", "k": samples, "scorer": "verify 1",
        "window": asked.get("window", 96), "scale": "share", **figures,
    }  # fmt: skip
    scopes = {"chain": "reasoning", "taste": "preference"}
    table = {name: {**fields, "scope": scope} for name, scope in scopes.items()}
    table["taste"]["scorer"] = asked.get("scorer", "verify 1")
    scores = {"checkpoint": checkpoint, "benchmarks": table}
    folder = Path(f"reports/run_benchmarks/{checkpoint}")
    put(f"{folder}/scores.json", json.dumps(scores | dict.fromkeys(scopes.values(), figures)))
    (folder / "items.csv").write_bytes(as_csv(items))


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
    return compare.as_text(compare.compare(resolve(a), resolve(b)).sections)


def status(b: str) -> int:
    return compare.main(["old", b])


def test_verdict_parameters_scores_figures_and_contents_are_shown(project):
    shown = " ".join(text().split())
    assert "sft: of 2 benchmarks 0 better, 0 worse, 2 tie, 0 not comparable" in shown
    assert "sft: reasoning tie, +0.000 (no change) on 5 problems (0.500 -> 0.500)" in shown
    assert re.search(r"reasoning_rl: preference tie, \+0.150 \[-0.\d+, \+0.\d+\] on 5", shown)
    scores = r"chain 0.500 \[0.400, 0.600\] 0.650 \[0.550, 0.750\] \+0.150 \[\S+ \S+\] 5 0.61 "
    assert re.search(scores + r"0.474 tie", shown)
    assert "train_reasoning_rl objective icepop grpo" in shown
    assert "train_reasoning_rl reward 0.5 0.625" in shown
    assert "output data/models/rl icepop00 grpo0000" in shown


def test_what_did_not_change_is_not_shown(project):
    shown = text()
    assert "seed" not in shown
    assert "betas" not in shown
    assert "data/models/sft" not in shown
    changed = [line for line in text("old", "old").splitlines() if line.strip() == "none"]
    assert len(changed) == 3 + 2  # the items of two checkpoints that flipped


@pytest.mark.parametrize("name", ["nowhere", "--all", "", "old:resolved.yaml"])
def test_an_unknown_revision_is_one_plain_message(project, name, capfd):
    arguments = [name, "new"] if name != "--all" else ["--", name, "new"]
    assert compare.main(arguments) == 2
    message = capfd.readouterr().err
    assert f"'{name}' is no branch, tag, commit or experiment" in message
    assert "Traceback" not in message


def test_missing_reports_name_the_revision_and_the_way_out(project):
    git("rm", "-rq", "reports/run_benchmarks")
    commit("bare")
    with pytest.raises(DataError, match=r"bare has no reports/run_benchmarks.*dvc repro"):
        text("old", "bare")


@pytest.mark.parametrize("name", ["items.csv", "scores.json"])
def test_a_report_of_another_version_is_refused_with_the_way_out(project, name):
    git("rm", "-q", f"reports/run_benchmarks/sft/{name}")
    put("reports/run_benchmarks/sft/metrics.json", "{}")
    commit("torn")
    with pytest.raises(DataError, match=rf"torn has no reports/.*/sft/{name}. Run `dvc repro"):
        text("old", "torn")


def test_a_missing_resolved_file_is_refused(project):
    git("rm", "-q", "resolved.yaml")
    commit("unresolved")
    with pytest.raises(DataError, match=r"unresolved has no resolved.yaml"):
        text("old", "unresolved")


@pytest.mark.field_bug("E17")
@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"samples": 8}, "chain: not comparable: k is 4 and 8"),
        ({"window": 128}, "chain: not comparable: window is 96 and 128 tokens"),
        ({"window": None}, "chain: not comparable: window is 96 and unknown tokens"),
        ({"scorer": "verify 2"}, "taste: not comparable: scorer is verify 1 and verify 2"),
        (
            {"key_4": "other"},
            "chain: not comparable: other items (0 only before, 0 only after, 1 changed); "
            "changed: 4",
        ),
    ],
)
def test_what_was_asked_otherwise_is_not_compared(project, asked, why, capsys):
    put_items("reasoning_rl", AFTER, **asked)
    commit("other")
    assert status("other") == compare.PARTLY
    shown = capsys.readouterr().out
    assert why in shown
    assert "cannot be compared" in shown


def test_a_checkpoint_of_one_side_only_is_said_so(project):
    put_items("general_rl", AFTER)
    commit("further")
    assert "general_rl: only in further" in text("new", "further")
    assert "general_rl: only in further" in text("further", "new")


def test_problems_without_a_partner_are_listed(project):
    fewer = {name: mean for name, mean in AFTER.items() if name != "5"} | {"6": 1.0}
    put_items("reasoning_rl", fewer)
    commit("fewer")
    assert "(1 only before, 1 only after, 0 changed); only in old: 5; only in fewer: 6" in text(
        "old", "fewer"
    )


def test_a_loss_is_worse_ends_with_1_and_names_what_flipped(project, capsys):
    many = {f"{n:02d}": 1.0 for n in range(40)}
    put_items("sft", many)
    commit("right")
    put_items("sft", {name: 0.25 * (n % 3) for n, name in enumerate(many)})
    commit("wrong")
    assert compare.main(["right", "wrong"]) == compare.WORSE
    shown = capsys.readouterr().out
    assert "sft: of 2 benchmarks 0 better, 2 worse, 0 tie" in shown
    assert "chain: 27 right -> wrong: 00, 03, 06, 09, 12, 15, 18, 21, 24, 27, and 17 more" in shown
    assert compare.main(["wrong", "right"]) == 0
    assert "chain: 27 wrong -> right: 00, 03" in capsys.readouterr().out


def test_json_says_the_same_to_programs(project, capsys):
    assert compare.main(["old", "new", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    chain = found["checkpoints"]["reasoning_rl"]["benchmarks"]["chain"]
    assert (chain["verdict"], chain["a"]["score"], chain["b"]["k"]) == ("tie", 0.5, 4)
    assert chain["difference"]["low"] < 0.15 < chain["difference"]["high"]
    assert chain["p"] <= chain["p_adjusted"]
    assert found["parameters"] == {"train_reasoning_rl.objective": ["icepop", "grpo"]}
    assert (found["status"], found["a"]["commit"]) == (0, git("rev-parse", "old"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id,benchmark", "name,benchmark", r"bad:.*items.csv: its columns are not id, benchmark"),
        ("1,chain,maths,k,0.5", "1,chain,maths,k,nan", r"items.csv:2: mean nan is no score"),
        ("1,chain,maths,k,0.5", "1,chain,maths,k,x", r"items.csv:2: could not convert"),
        ("1,chain,maths,k,0.5", "2,chain,maths,k,0.5", r"item 2 of chain stands there 2 times"),
        ("1,chain,maths", "1,lists,maths", r"items.csv: lists is not in scores.json"),
        ("1,chain,maths,k,0.5,0,4", "1,chain,maths,k,0.5,4", r"items.csv:2: 10 cells, not 11"),
    ],
)
def test_items_that_cannot_be_are_refused(project, old, new, message):
    path = Path("reports/run_benchmarks/sft/items.csv")
    assert old in path.read_text()
    put(str(path), path.read_text().replace(old, new))
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
    sections = compare.compare(resolve("old"), resolve("new")).sections
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    compare.show(sections, console)
    assert "all reasoning" in console.file.getvalue()


@pytest.mark.field_bug("E33")
@pytest.mark.parametrize(
    ("benchmarks", "message"),
    [(None, "expected sections"), ({"chain": [1]}, "expected sections"),
     ({"chain": {}, "taste": {}}, "chain: bad or missing 'window'")],
)  # fmt: skip
def test_scores_of_another_shape_are_refused(project, benchmarks, message):
    put("reports/run_benchmarks/sft/scores.json", json.dumps({"benchmarks": benchmarks}))
    commit("odd")
    with pytest.raises(DataError, match=message):
        text("old", "odd")


def test_a_markdown_file_that_cannot_be_written_is_named(project, capsys):
    assert compare.main(["old", "new", "--markdown", "nowhere/x.md"]) == 2
    assert "nowhere/x.md: No such file" in capsys.readouterr().err


def test_equal_results_are_ties_without_a_change(project):
    shown = text("old", "old").split("Scores: sft")[1]
    assert "(no change)" in shown
    assert "better" not in shown


def test_scores_are_rounded_as_they_are_written():
    assert [compare._score(value) for value in (0.8875, 0.9525, 0.0, 1.0)] == [
        "0.888",
        "0.952",
        "0.000",
        "1.000",
    ]
