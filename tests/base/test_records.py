"""Records survive JSON exactly."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from stages.base.errors import DataError
from stages.base.records import PackedBatch, Problem, Trajectory


@pytest.mark.field_bug(25)
def test_a_trajectory_survives_json_to_the_last_bit() -> None:
    before = Trajectory(
        "p#0.1", "p", "p#0", [1, 2], 8, [7, 9], [-0.1, -1 / 3], [3, 4], partitions=1
    )
    after = Trajectory.from_row(json.loads(json.dumps(before.to_row())))
    assert after == before
    assert len(after) == 2
    assert not after.finished


def test_what_an_engine_failed_to_give_survives_strict_json() -> None:
    before = Trajectory("a", "p", "g", [1], 8, [7, 9], [-0.1, math.nan], [3, 4], [math.nan])
    text = json.dumps(before.to_row(), allow_nan=False)
    after = Trajectory.from_row(json.loads(text))
    assert after.logprobs == pytest.approx(before.logprobs, nan_ok=True)
    assert after.old_logprobs == pytest.approx(before.old_logprobs, nan_ok=True)


def test_a_problem_survives_json_and_refuses_unknown_fields() -> None:
    problem = Problem("chain-1", "chain", "maths", "calc", "3", "chain|3")
    assert Problem.from_row(json.loads(json.dumps(problem.to_row()))) == problem
    with pytest.raises(DataError, match=r"problem chain-1: wrong fields .*colour"):
        Problem.from_row(problem.to_row() | {"colour": "red"})


def test_a_packed_batch_knows_its_shape() -> None:
    zeros = np.zeros((2, 5), np.int64)
    assert PackedBatch(zeros, zeros, zeros, zeros.astype(np.float32)).shape == (2, 5)
