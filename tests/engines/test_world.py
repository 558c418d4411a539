"""The same step on one rank and on two (gloo): the gradient is that of all responses together."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from tests.engines.samples import lively

pytestmark = pytest.mark.slow


def step_together(ranks: int, folder) -> None:
    """One step of as many processes."""
    command = [sys.executable, "-m", "tests.engines.world"]
    running = [
        subprocess.Popen([*command, str(rank), str(ranks), str(folder)], stderr=subprocess.PIPE)
        for rank in range(ranks)
    ]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors.decode()[-2000:]


def left(ranks: int, folder) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    """Weights after one step, and what was reported."""
    return load_file(folder / f"{ranks}.safetensors"), json.loads(
        (folder / f"{ranks}.json").read_text()
    )


@pytest.mark.field_bug(2)
def test_the_number_of_ranks_leaves_the_gradient(tmp_path):
    before = dict(lively(4).state_dict())
    for ranks in (1, 2):
        step_together(ranks, tmp_path)
    (one, said_one), (two, said_two) = (left(ranks, tmp_path) for ranks in (1, 2))
    moved = torch.cat([(one[name] - before[name]).flatten().double() for name in before])
    apart = torch.cat([(one[name] - two[name]).flatten().double() for name in before])
    assert moved.norm() > 100
    assert apart.norm() <= 1e-6 * moved.norm()
    assert said_one == pytest.approx(said_two, rel=1e-5)
