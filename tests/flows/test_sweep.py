"""Sweeps on a pipeline that writes its figures in a moment, with real git worktrees and DVC."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from flows import sweep
from stages.base.errors import ConfigError
from tests.flows.conftest import ROOT

SCRIPT = """
import json, pathlib, sys, yaml
p = yaml.safe_load(open("params.yaml"))["overrides"]
seed, objective = p["run"]["seed"], p["train_reasoning_rl"]["objective"]
if pathlib.Path("fail").exists():
    sys.exit("no luck today")
gain = {"grpo": 0.0, "icepop": 0.25}[objective]
rows = [{"step": n, "reward_mean": n / 10 + gain, "grad_norm": 1.0, "log_k_abs_max": 2.0,
         "k3": 0.001, "entropy": 0.5, "entropy_masked": None} for n in range(3)]
if pathlib.Path("diverge").exists() and (seed, objective) == (1, "icepop"):
    kept = pathlib.Path(".scratch/train_reasoning_rl/0123/diverged"); kept.mkdir(parents=True)
    (kept / "reason.json").write_text(json.dumps({"step": 2, "reason": "loss is nan."}))
    (kept / "journal.jsonl").write_text("".join(json.dumps(r) + "\\n" for r in rows[:2]))
    sys.exit(2)
out = pathlib.Path("reports/train_reasoning_rl"); out.mkdir(parents=True, exist_ok=True)
(out / "steps.jsonl").write_text("".join(json.dumps(r) + "\\n" for r in rows))
(out / "metrics.json").write_text(json.dumps({"grad_norm_max": 1.0, "log_k_abs_max": 2.0}))
out = pathlib.Path("reports/run_benchmarks/reasoning_rl"); out.mkdir(parents=True, exist_ok=True)
(out / "scores.json").write_text(json.dumps({"reasoning": {"score": 0.5 + gain + 0.01 * seed}}))
"""
DVC_YAML = {
    "stages": {
        "all": {
            "cmd": "python stages/all.py",
            "deps": ["stages/all.py", "params.yaml"],
            "metrics": [
                {"reports/train_reasoning_rl/metrics.json": {"cache": False}},
                {"reports/run_benchmarks/reasoning_rl/scores.json": {"cache": False}},
            ],
            "plots": [{"reports/train_reasoning_rl/steps.jsonl": {"cache": False}}],
        }
    }
}
SWEEP = {
    "two": {
        "description": "Two objectives.",
        "seeds": [0, 1, 2],
        "targets": ["all"],
        "common": {},
        "arms": {
            "grpo": {"train_reasoning_rl": {"objective": "grpo"}},
            "icepop": {"train_reasoning_rl": {"objective": "icepop"}},
        },
    }
}


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def author(monkeypatch):
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "a")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@b")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A project that git and DVC know, nothing committed."""
    folder = tmp_path_factory.mktemp("template")
    with contextlib.chdir(folder):
        git("init", "-q")
        subprocess.run([*sweep.DVC, "init", "-q"], check=True)
        for name in ("stages", "flows", "profiles"):
            Path(name).mkdir()
        Path("stages/all.py").write_text(SCRIPT)
        Path("profiles/tiny.yaml").write_text((ROOT / "profiles/tiny.yaml").read_text())
        Path("params.yaml").write_text("profile: tiny\noverrides: {}\n")
        Path("dvc.yaml").write_text(yaml.safe_dump(DVC_YAML))
        Path("flows/sweeps.yaml").write_text(yaml.safe_dump(SWEEP, sort_keys=False))
        Path(".gitignore").write_text(".scratch/\n")
    return folder


@pytest.fixture
def project(template, tmp_path, monkeypatch):
    """A copy of the project to work in, committed."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    git("add", "-A")
    git("commit", "-qm", "start")
    return tmp_path


@pytest.mark.slow
def test_a_sweep_runs_resumes_and_reports(project, capfd):
    (project / "flows/sweeps.yaml").write_text(yaml.safe_dump(SWEEP, sort_keys=False))
    assert sweep.main(["two"]) == 0
    branches = git("branch", "--list", "sweep/*", "--format=%(refname:short)").split()
    assert branches == [
        f"sweep/two/{arm}-s{seed}" for arm in ("grpo", "icepop") for seed in range(3)
    ]
    assert git("worktree", "list").count("\n") == 0
    summary = json.loads(Path("reports/sweeps/two/metrics.json").read_text())
    score = summary["figures"]["score"]
    assert score["grpo"]["values"] == [0.5, 0.51, 0.52]
    assert score["icepop"]["mean"] - score["grpo"]["mean"] == pytest.approx(0.25)
    assert score["icepop"]["difference"] is None  # every seed moved alike: no spread to judge by
    text = Path("reports/sweeps/two/report.md").read_text()
    assert "| icepop | 0.76 | 0.75 to 0.77 |  | 0.75, 0.76, 0.77 |" in text
    tips = git("for-each-ref", "refs/heads/sweep")
    assert sweep.main(["two"]) == 0
    assert git("for-each-ref", "refs/heads/sweep") == tips  # nothing ran again
    capfd.readouterr()
    assert sweep.main(["two", "--list"]) == 0
    assert capfd.readouterr().out.count(": done") == 6


@pytest.mark.slow
def test_a_cell_that_fails_says_why_and_is_run_again(project, capfd):
    (project / "fail").touch()
    git("add", "-A")
    git("commit", "-qm", "fail")
    assert sweep.main(["two"]) == 2
    assert "no luck today" in capfd.readouterr().err
    git("rm", "-q", "fail")
    git("commit", "-qm", "mended")
    table = sweep.cells("two", sweep.load_sweep("two"))
    (project / table[0].folder / "fail").unlink()
    assert sweep.main(["two"]) == 0


@pytest.mark.slow
def test_a_cell_that_diverges_is_a_result(project, capfd):
    Path("diverge").touch()
    stale = Path("reports/run_benchmarks/reasoning_rl/scores.json")
    stale.parent.mkdir(parents=True)
    stale.write_text('{"reasoning": {"score": 0.9}}')
    git("add", "-A")
    git("commit", "-qm", "with results of an earlier run")
    assert sweep.main(["two"]) == 0
    assert "sweep/two/icepop-s1: train_reasoning_rl diverged" in capfd.readouterr().err
    summary = json.loads(Path("reports/sweeps/two/metrics.json").read_text())
    assert summary["figures"]["score"]["icepop"]["values"] == [0.75, None, 0.77]
    (run,) = summary["diverged"]
    assert (run["arm"], run["seed"], run["step"]) == ("icepop", 1, 2)
    text = Path("reports/sweeps/two/report.md").read_text()
    assert "| icepop | 1 | train_reasoning_rl | 2 | loss is nan. |" in text
    kept = git("ls-tree", "-r", "--name-only", "sweep/two/icepop-s1", "reports").split()
    assert kept == ["reports/diverged.json", "reports/train_reasoning_rl/steps.jsonl"]
    assert (sweep.PLACES / "two" / "icepop-s1-diverged" / "journal.jsonl").is_file()
    tips = git("for-each-ref", "refs/heads/sweep")
    assert sweep.main(["two"]) == 0
    assert git("for-each-ref", "refs/heads/sweep") == tips  # it has ended: not run again


@pytest.mark.slow
def test_a_cell_may_diverge_where_no_report_stands_yet(project):
    Path("diverge").touch()
    git("add", "-A")
    git("commit", "-qm", "no reports")
    assert sweep.main(["two"]) == 0
    (run,) = json.loads(Path("reports/sweeps/two/metrics.json").read_text())["diverged"]
    assert (run["arm"], run["seed"]) == ("icepop", 1)


@pytest.mark.slow
def test_targets_that_do_not_make_the_figures_are_refused(project, capfd):
    """Else the report would show those of the commit the worktrees start from."""
    stages = {
        "all": DVC_YAML["stages"]["all"],
        "part": {"cmd": "true", "deps": ["params.yaml"], "outs": ["part.txt"]},
    }
    Path("dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    Path("flows/sweeps.yaml").write_text(
        yaml.safe_dump({"two": {**SWEEP["two"], "targets": ["part"]}})
    )
    git("add", "-A")
    git("commit", "-qm", "part")
    assert sweep.main(["two"]) == 2
    assert "do not make reports/train_reasoning_rl/steps.jsonl" in capfd.readouterr().err


def test_other_data_makes_a_cell_stale(project):
    table, found = sweep.cells("two", sweep.load_sweep("two")), sweep.load_sweep("two")
    before = sweep.digest(table[0], found)
    Path("data").mkdir()
    Path("data/raw.dvc").write_text("md5: 1")
    with pytest.raises(ConfigError, match="commit these first"):
        sweep.refuse_uncommitted()
    git("add", "-A")
    git("commit", "-qm", "data")
    assert sweep.digest(table[0], found) != before


def test_what_is_wrong_is_named_before_anything_runs(project):
    with pytest.raises(ConfigError, match="no sweep is called 'three'"):
        sweep.load_sweep("three")
    wrong = {"two": {**SWEEP["two"], "arms": {"x": {"train_reasoning_rl": {"objective": "magic"}}}}}
    Path("flows/sweeps.yaml").write_text(yaml.safe_dump(wrong))
    with pytest.raises(ConfigError, match="'magic' is not one of"):
        sweep.cells("two", sweep.load_sweep("two"))
    Path("flows/sweeps.yaml").write_text(yaml.safe_dump({"two": {**SWEEP["two"], "seeds": []}}))
    with pytest.raises(ConfigError, match="may not be empty"):
        sweep.load_sweep("two")


def test_uncommitted_code_is_not_swept(project):
    Path("stages/all.py").write_text("changed")
    with pytest.raises(ConfigError, match=r"commit these first[\s\S]*stages/all.py"):
        sweep.refuse_uncommitted()


def test_the_projects_own_sweeps_are_valid(monkeypatch):
    monkeypatch.chdir(ROOT)
    found = sweep.load_sweep("stability")
    assert len(sweep.cells("stability", found)) == len(found.seeds) * len(found.arms) >= 15
