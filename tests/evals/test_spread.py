"""Copies of a model answer as one does: the same responses in the same order, each asked once."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.evals.lm_harness import Assignment, Sampling, request_rows, respond
from stages.evals.spread import SpreadModel, dealt
from stages.problems.registry import generate
from tests.evals.scripted import scripted

CHAIN, LISTS = (
    generate(family, 5, 0, "compact", heldout=True, modulus=10) for family in ("chain", "lists")
)
ASKED = [
    Assignment("chain", CHAIN, Sampling(3, 8, 1.0)),
    Assignment("lists", LISTS[:2], Sampling(2, 8, 0.5)),
]


class Side:
    """Copies in this process."""

    def __init__(self, many: int) -> None:
        self.models = [
            scripted(lambda prompt, seed: (f"{prompt} {seed}", "stop")) for _ in range(many)
        ]
        self.turns: list[int] = []
        self.closed = False

    def __len__(self) -> int:
        return len(self.models)

    def call(self, work, arguments, turns=1):
        self.turns.append(turns)
        return [work(model, *given) for model, given in zip(self.models, arguments, strict=False)]

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("many", [1, 2, 3, 9])
def test_copies_answer_as_one_does(tmp_path: Path, many: int) -> None:
    one = scripted(lambda prompt, seed: (f"{prompt} {seed}", "stop"))
    copies = Side(many)
    model = SpreadModel(copies, turns=16)
    assert model.respond(tmp_path / "many", ASKED, 0) == respond(one, tmp_path / "one", ASKED, 0)
    asked = [row["seed"] for copy in copies.models for row in copy.asked]
    assert sorted(asked) == sorted(row["seed"] for each in ASKED for row in request_rows(each, 0))
    assert copies.turns == [16]
    rows = request_rows(ASKED[0], 0)
    assert model.check(rows) == one.check(rows)
    assert model.record() == one.record()
    model.close()
    assert copies.closed


def test_problems_are_dealt_out_evenly_over_benchmarks() -> None:
    shares = dealt(ASKED, 3)
    assert [sum(len(one.problems) for one in share) for share in shares] == [3, 2, 2]
    given = [problem for share in shares for one in share for problem in one.problems]
    assert {problem.id for problem in given} == {one.id for one in [*CHAIN, *LISTS[:2]]}
