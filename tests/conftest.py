"""Shared by all tests: the process settings of the package come first; no test needs a network.

`make test-fast` draws fewer examples for a property, and does not even import a module that is slow
as a whole. Several workers (`-n`) share the tests file by file, the longest first.
"""

from __future__ import annotations

import gc
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

import stages  # noqa: F401  (sets thread counts and offline switches before torch is imported)

gc.set_threshold(50_000)  # what the libraries leave lives for ever: seldom look through it

TESTS = Path(__file__).parent
# Each starts an engine or wants all cores: one worker runs them, one after another.
GREEDY = (
    "engines/",
    "evals/test_vllm_",
    "rl/test_real_",
    "sandbox/test_busy",
    "test_make_",
    "test_road",
    "test_train_",
)
SLOW = re.compile(r"\bmark\.slow\b")
SLOW_MODULE = re.compile(r"^pytestmark = .*\bslow\b", re.MULTILINE)


def is_fast(config: pytest.Config) -> bool:
    """Whether this is the run of `make test-fast`."""
    return config.getoption("markexpr") == "not slow"


def pytest_configure(config: pytest.Config) -> None:
    """Profiles "default", and "costly" for properties whose examples take a while."""
    fast = is_fast(config)
    settings.register_profile("costly", deadline=None, max_examples=5 if fast else 60)
    settings.register_profile("tests", deadline=None, max_examples=10 if fast else 100)
    settings.load_profile("tests")


class FileByFile(LoadScopeScheduling):
    """A worker is given a whole file, for its fixtures; one worker, all that are greedy."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "greedy" if is_greedy(file) else file


def is_greedy(file: str) -> bool:
    """Whether a test file is among ``GREEDY``."""
    return file.removeprefix("tests/").startswith(GREEDY)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FileByFile | None:
    """Unless `--dist` says otherwise. Files are handed out in the order of their collection."""
    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return FileByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of several workers none shall be left with a long file at the end."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: place(item.path))


@cache
def place(path: Path) -> int:
    """The greedy first, then files with slow tests, then the others."""
    if is_greedy(path.relative_to(TESTS).as_posix()):
        return 0
    return 1 if SLOW.search(path.read_text(encoding="utf-8")) else 2


def pytest_collection_finish() -> None:
    """What the test files have imported lives for ever: no collection need look through it."""
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules all of whose tests are slow are left out of the fast run before they are imported."""
    if is_fast(config) and collection_path.suffix == ".py":
        return bool(SLOW_MODULE.search(collection_path.read_text(encoding="utf-8"))) or None
    return None
