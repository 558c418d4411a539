"""The whole road on reduced settings with the real engines: run, rerun, killed, resumed.

One project in a folder of its own is taken down the road by ``dvc repro``; then everything is
deleted and the road is taken again, killed twice with SIGKILL in the middle of a training stage.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from stages.base.artifacts import content_hash

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
ROOT = Path(__file__).resolve().parents[1]
TRACKED = ("dvc.lock", "resolved.yaml", "reports")

REDUCED = {
    "build_benchmarks": {
        "problems": {"chain": 12, "charge": 12, "lists": 6, "knights": 6, "countdown": 2},
        "preference_prompts": 12,
    },
    "build_sft_data": {"rows": 3000, "phases": [{"share": 1.0, "careful": 0.1, "closing": 0.4}]},
    "pack_sft": {"min_fill": 0.9},
    "train_sft": {"checkpoint_every": 20},
    "build_rl_data": {"problems": 40, "samples": 4, "max_tokens": 32, "keep_unsolved": 1.0},
    "train_reasoning_rl": {
        "steps": 4,
        "capacity": 64,
        "token_budget": 250,
        "max_tokens": 32,
        "prompts_per_step": 6,
        "checkpoint_every": 1,
    },
    "train_reward_model": {"pairs": 40},
    "train_general_rl": {"steps": 2, "prompts_per_step": 6, "max_tokens": 32},
    "run_benchmarks": {"samples": 2, "max_tokens": 32},
}


class Project:
    """A copy of the project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.check_output(listed, cwd=ROOT, text=True).splitlines():
            if (ROOT / name).is_file() and not name.startswith(("reports/", "dvc.lock")):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        params = {"profile": "tiny", "overrides": REDUCED}
        (folder / "params.yaml").write_text(yaml.safe_dump(params))
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "DVC_NO_ANALYTICS": "1",
        }
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=folder, check=True)
        identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
        subprocess.run(["git", *identity, "commit", "-qm", "start"], cwd=folder, check=True)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start dvc in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "dvc", *arguments],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def dvc(self, *arguments: str) -> str:
        """Run dvc to its end; returns what it printed."""
        process = self.start(*arguments)
        output, _ = process.communicate()
        assert process.returncode == 0, output[-4000:]
        return output

    def kill_when(self, moment: Callable[[], bool]) -> None:
        """Start ``dvc repro`` and SIGKILL its whole process group at a given moment."""
        process = self.start("repro")
        while not moment():
            assert process.poll() is None, process.communicate()[0][-4000:]
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def checkpoints(self, stage: str) -> list[str]:
        """Names of the complete checkpoints in the scratch space of a running stage."""
        found = self.folder.glob(f".scratch/{stage}/*/checkpoints/*")
        return sorted(path.name for path in found if path.suffix != ".tmp")

    def record(self, stage: str) -> dict:
        """The run record of a stage."""
        return json.loads((self.folder / "reports" / stage / "provenance.json").read_text())

    def fingerprints(self) -> dict[str, str]:
        """Hashes of everything git tracks of a run."""
        for name in ("provenance.json", "timings.jsonl"):  # true for one machine and run only
            for record in self.folder.glob(f"reports/**/{name}"):
                record.unlink()
        return {name: content_hash([self.folder / name]) for name in TRACKED}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("road"))
    made.dvc("repro")
    return made


def test_the_road_ends_in_a_report_made_by_the_real_engines(project: Project) -> None:
    assert project.record("train_reasoning_rl")["versions"].keys() >= {"vllm", "deepspeed"}
    headline = json.loads((project.folder / "reports/metrics.json").read_text())
    assert json.dumps(headline).count("general_rl") > 0
    page = (project.folder / "reports/report.html").read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert str(project.folder) not in page


def test_reasoning_rl_trained_on_something(project: Project) -> None:
    lines = (project.folder / "reports/train_reasoning_rl/steps.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    assert len(steps) == REDUCED["train_reasoning_rl"]["steps"]
    assert sum(step["updates"] for step in steps) > 0
    assert len({step["weights"] for step in steps}) > 1


def test_a_second_repro_runs_nothing(project: Project) -> None:
    assert "Running stage" not in project.dvc("repro")


def test_a_changed_override_runs_its_stages_only(project: Project) -> None:
    params = project.folder / "params.yaml"
    before = params.read_text()
    changed = REDUCED | {"run_benchmarks": REDUCED["run_benchmarks"] | {"max_error_share": 0.5}}
    params.write_text(yaml.safe_dump({"profile": "tiny", "overrides": changed}))
    output = project.dvc("repro", "--dry")
    assert "resolve_config" in output
    params.write_text(before)
    assert "Running stage" not in project.dvc("repro")


def test_killed_twice_and_resumed_it_ends_in_the_same_bytes(project: Project) -> None:
    undisturbed = project.fingerprints()
    for name in ("data/processed", "data/models", ".scratch", ".dvc/cache", *TRACKED):
        path = project.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    project.kill_when(lambda: project.checkpoints("train_sft") >= ["00000040"])
    project.kill_when(lambda: project.checkpoints("train_reasoning_rl") >= ["00000002"])
    assert project.record("train_sft")["measured"]["resumed_at_step"] >= 40
    project.dvc("repro")
    assert project.record("train_reasoning_rl")["measured"]["resumed_at_step"] >= 2
    assert project.fingerprints() == undisturbed
