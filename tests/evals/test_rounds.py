"""Rounds: planned from what is asked alone, filled, none left out, one engine at a time."""

from pathlib import Path

import pytest

from stages.base.errors import EngineError
from stages.base.jsonl import read_json, write_json
from stages.base.records import Problem
from stages.evals.asking import Asking
from stages.evals.lm_harness import Assignment, Sampling
from stages.evals.rounds import Rounds, plan
from stages.evals.suite import Benchmark
from stages.evals.windows import Positions
from tests.evals.scripted import scripted

NATIVE, LONG = Positions(512), Positions(1024, {"rope_type": "yarn"})


def of(count: int, samples: int = 1, positions: Positions = NATIVE, name: str = "") -> Asking:
    title = name or f"of{count}"
    problems = [Problem(f"{title}-{n}", "", "maths", f"{n} +", "", f"{n}") for n in range(count)]
    benchmark = Benchmark(title, "maths", title, "verify", Path(f"{title}.jsonl"), count, "")
    return Asking(benchmark, Assignment(title, problems, Sampling(samples, 8, 1.0)), positions)


@pytest.mark.parametrize(
    ("asked", "full", "planned"),
    [
        ([of(3), of(4), of(1), of(2)], 6, [[3, 4], [1, 2]]),
        ([of(3), of(4)], 100, [[3, 4]]),
        ([of(9)], 4, [[4], [4], [1]]),  # a large one is parted
        ([of(2), of(9)], 4, [[2, 4], [4], [1]]),
        ([of(3, samples=4)], 2, [[4], [4], [4]]),  # never between the samples of a problem
        ([of(8, samples=3), of(2, samples=3)], 16, [[18], [6, 6]]),
    ],
)
def test_rounds_fill_the_engine(asked: list[Asking], full: int, planned: list[list[int]]) -> None:
    rounds = plan(asked, full)
    assert [[len(part) for part in one.assignments] for one in rounds] == planned
    everything = [
        problem for one in rounds for part in one.assignments for problem in part.problems
    ]
    assert everything == [problem for one in asked for problem in one.assignment.problems]


def test_rounds_of_one_engine_stand_together() -> None:
    rounds = plan([of(2), of(3, positions=LONG), of(4)], 1)
    assert [one.positions for one in rounds] == [NATIVE] * 6 + [LONG] * 3


def test_engines_take_turns_and_a_resumed_run_starts_only_what_it_needs(tmp_path: Path) -> None:
    started: list[Positions] = []
    writing = scripted(lambda prompt, seed: (f"{prompt}{seed}", "stop"))

    def start(positions: Positions):
        started.append(positions)
        return writing

    planned = plan([of(2, samples=2), of(3, positions=LONG)], 2)
    found = Rounds(start, tmp_path, 0, "test").responses(planned)
    assert started == [NATIVE, LONG]
    assert [len(found[name]) for name in ("of2", "of3")] == [4, 3]
    (tmp_path / "round-0002.json").unlink()
    again = Rounds(start, tmp_path, 0, "test")
    assert again.responses(planned) == found
    assert started[2:] == [LONG]
    assert [fact["positions"]["tokens"] for fact in again.facts] == [512, 1024]


@pytest.mark.field_bug("E14")
def test_a_lost_sample_is_an_error(tmp_path: Path) -> None:
    """A missing sample that went unnoticed would be counted as wrong, or not at all."""
    planned = plan([of(2, samples=2)], 8)
    rounds = Rounds(lambda _: scripted(lambda *_: ("x", "stop")), tmp_path, 0, "test")
    rounds.responses(planned)
    kept = read_json(tmp_path / "round-0000.json")
    kept["responses"]["of2"].pop()
    write_json(tmp_path / "round-0000.json", kept)
    with pytest.raises(EngineError, match=r"3 responses for 4 requests.*of2-1/1"):
        Rounds(lambda _: None, tmp_path, 0, "test").responses(planned)
