"""Shared by all tests: the process settings of the package come first; no test needs a network.

`make test-fast` draws fewer examples for a property, and does not even import a module that is slow
as a whole.
"""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest
from hypothesis import settings

import stages  # noqa: F401  (sets thread counts and offline switches before torch is imported)

gc.set_threshold(50_000)  # what the libraries leave lives for ever: seldom look through it

SLOW_MODULE = re.compile(r"^pytestmark = .*\bslow\b", re.MULTILINE)


def is_fast(config: pytest.Config) -> bool:
    """Whether this is the run of `make test-fast`."""
    return config.getoption("markexpr") == "not slow"


def pytest_configure(config: pytest.Config) -> None:
    """Profiles "default", and "costly" for properties whose examples take a while."""
    fast = is_fast(config)
    settings.register_profile("costly", deadline=None, max_examples=8 if fast else 60)
    settings.register_profile("tests", deadline=None, max_examples=20 if fast else 100)
    settings.load_profile("tests")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules all of whose tests are slow are left out of the fast run before they are imported."""
    if is_fast(config) and collection_path.suffix == ".py":
        return bool(SLOW_MODULE.search(collection_path.read_text(encoding="utf-8"))) or None
    return None
