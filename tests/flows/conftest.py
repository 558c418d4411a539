from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psutil
import pytest

from flows.pipeline import TREES

ROOT = Path(__file__).parents[2]

DVC_YAML = """
stages:
  first:
    cmd: echo working on one; echo one > one.txt
    outs: [one.txt]
  each:
    matrix: {letter: [a, b]}
    cmd: cat one.txt > ${item.letter}.txt && echo ${item.letter} >> ${item.letter}.txt
    deps: [one.txt]
    outs: ["${item.letter}.txt"]
  last:
    cmd: sleep ${seconds} && cat a.txt b.txt > last.txt
    deps: [a.txt, b.txt]
    params: [seconds]
    outs: [last.txt]
"""
BROKEN = """
  broken:
    cmd: echo going wrong >&2; exit 3
    deps: [a.txt]
    outs: [never.txt]
  after:
    cmd: cp never.txt after.txt
    deps: [never.txt]
    outs: [after.txt]
"""


def clean_environment(**extra: str) -> dict[str, str]:
    """The environment without the Prefect settings of this process."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    return {**kept, "PYTHONPATH": str(ROOT), **extra}


class Marked:
    """Processes that carry a mark of their own in their environment, however they were started."""

    def __init__(self) -> None:
        self.environment = {"EVERYSTEP_TEST": uuid.uuid4().hex}

    def running(self, command: str = "") -> list[psutil.Process]:
        """Those alive now whose command line holds some text."""
        return [process for process in psutil.process_iter() if self._is_one(process, command)]

    def _is_one(self, process: psutil.Process, command: str) -> bool:
        try:
            marked = process.environ().items() >= self.environment.items()
            alive = process.status() != psutil.STATUS_ZOMBIE
            return marked and alive and command in " ".join(process.cmdline())
        except psutil.Error:
            return False

    def wait_for(self, command: str, seconds: float = 120) -> None:
        """Until such a process runs."""
        wait_until(lambda: self.running(command), seconds)

    def all_gone(self, seconds: float = 30) -> bool:
        """Whether all of them end in time."""
        return wait_until(lambda: not self.running(), seconds, strict=False)


def wait_until(condition, seconds: float, strict: bool = True) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            assert not strict, f"not within {seconds} s: {condition}"
            return False
        time.sleep(0.2)
    return True


@pytest.fixture
def marked():
    found = Marked()
    yield found
    for process in found.running():
        process.kill()


def shell(script: str) -> list[str]:
    return ["sh", "-c", script]


@pytest.fixture
def trees():
    """The run's process trees, open."""
    with TREES.scope():
        yield TREES


@pytest.fixture(scope="session")
def toy_template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    command = [sys.executable, "-m", "dvc", "init", "-q", "--no-scm"]
    subprocess.run(command, check=True, cwd=folder, env=clean_environment())
    (folder / "dvc.yaml").write_text(DVC_YAML)
    (folder / "params.yaml").write_text("seconds: 0\n")
    return folder


@pytest.fixture
def toy(toy_template, tmp_path, monkeypatch):
    """A DVC project of four small stages; the working folder."""
    folder = tmp_path / "project"
    shutil.copytree(toy_template, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def prefect_home(tmp_path_factory):
    """Where Prefect processes of the tests keep their database, made only once."""
    return tmp_path_factory.mktemp("prefect")


@pytest.fixture(scope="session")
def prefect():
    """One Prefect API with an empty database for all tests that run flows in this process."""
    from prefect.testing.utilities import prefect_test_harness  # brings the whole server

    with prefect_test_harness(server_startup_timeout=180):
        yield
