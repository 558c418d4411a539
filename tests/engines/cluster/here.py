"""A cluster on this machine for the time of a test, or of a module of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import ray

from stages.base.cluster_params import Cluster
from stages.engines.cluster.placing import connect

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def cluster_here(settings: Cluster) -> Iterator[Cluster]:
    """Started and ended with the block; its processes find the project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        patch.delenv("RAY_ADDRESS", raising=False)
        connect(settings)
        try:
            yield settings
        finally:
            ray.shutdown()
