"""The loop on the real engines: they agree, they learn, and SIGKILL leaves no trace."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stages.base.jsonl import read_jsonl

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 400


def launch(folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.rl.real_engines", str(folder)]
    return subprocess.Popen(command, cwd=ROOT)


def finish(folder: Path) -> tuple[bytes, str]:
    assert launch(folder).wait(PATIENCE) == 0
    return (folder / "journal.jsonl").read_bytes(), (folder / "weights.txt").read_text()


def kill_after_checkpoint(folder: Path, name: str) -> None:
    process = launch(folder)
    for _ in range(PATIENCE * 20):
        if (folder / "checkpoints" / name).exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    assert process.poll() is None, "it ended before it could be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.field_bug(16, 41, 43)
def test_a_killed_run_ends_with_the_bytes_of_an_undisturbed_one(tmp_path):
    expected = finish(tmp_path / "straight")
    kill_after_checkpoint(tmp_path / "killed", "00000002")
    assert not (tmp_path / "killed" / "journal.jsonl").exists()
    assert finish(tmp_path / "killed") == expected

    journal = read_jsonl(tmp_path / "straight" / "journal.jsonl")
    assert sum(row["updates"] for row in journal) > 0
    assert any(int(lag) > 0 for row in journal for lag in row["version_lag"])
    assert len({row["weights"] for row in journal}) > 1
    assert all(row["by_lag"]["0"]["log_k_abs_mean"] < 0.1 for row in journal)

    # The expert bias: float32, and the same bits on both sides before and after every step.
    notes = read_jsonl(tmp_path / "straight" / "bias.jsonl")
    assert [row["version"] for row in notes] == list(range(len(journal) + 1))
    first = notes[0]["trainer"]
    assert len(first) == 2
    assert all(held.startswith("torch.float32 ") for held in first.values())
    assert all(row["trainer"] == row["sampler"] == first for row in notes)
    assert sum(row["updates"] > 0 for row in journal) >= 2
