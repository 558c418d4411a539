"""Drawing problems: unique keys, disjoint splits, repeatable, honest about running out."""

import os
import random
import subprocess
import sys

import pytest

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.params import Phase
from stages.base.records import Problem
from stages.problems.answers import TAGS, compose
from stages.problems.corpus import family_rows, mean_words, words_in
from stages.problems.registry import (
    FAMILIES,
    compact_vocabulary,
    generate,
    held_out,
    instance_of,
    require_known,
)


@pytest.mark.field_bug("D12")
def test_train_and_held_out_keys_never_meet():
    for name in FAMILIES:
        train = generate(name, 60, 0, "compact", heldout=False, modulus=10)
        held = generate(name, 12, 0, "compact", heldout=True, modulus=10, split="heldout")
        keys = [problem.key for problem in train + held]
        assert len(set(keys)) == len(keys)
        assert not any(held_out(problem.key, 10) for problem in train)
        assert all(held_out(problem.key, 10) for problem in held)
        assert len({problem.id for problem in train + held}) == len(keys)


def test_a_larger_count_begins_with_the_same_problems():
    few = generate("chain", 5, 3, "compact", heldout=False, modulus=10)
    assert generate("chain", 50, 3, "compact", heldout=False, modulus=10)[:5] == few


def test_seed_and_split_change_the_draw():
    first = generate("chain", 5, 3, "compact", heldout=False, modulus=10)
    assert generate("chain", 5, 4, "compact", heldout=False, modulus=10) != first
    other = generate("chain", 5, 3, "compact", heldout=False, modulus=10, split="rl")
    assert [problem.key for problem in other] != [problem.key for problem in first]


def test_running_out_of_keys_is_an_error_that_says_so():
    with pytest.raises(DataError, match=r"knights.*no fresh held-out key.*Ask for fewer"):
        generate("knights", 100, 0, "compact", heldout=True, modulus=5_000)


def test_repeat_lets_keys_come_again():
    problems = generate("countdown", 200, 0, "compact", False, 10, repeat=True)
    assert len({problem.key for problem in problems}) < 200
    assert len({problem.id for problem in problems}) == 200


def test_unknown_families_are_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"unknown family 'chess'. Known: chain"):
        require_known(["chain", "chess"], "build_benchmarks.problems")


@pytest.mark.parametrize(
    "meta", [{}, {"notation": "compact"}, {"notation": "compact", "instance": {"begin": 1}}]
)
def test_a_problem_without_a_usable_instance_is_a_verifier_error(meta):
    problem = Problem("x", "chain", "maths", "?", "1", "k", meta=meta)
    with pytest.raises(VerifierError):
        instance_of(problem)


def test_new_words_leave_the_ids_of_older_words_as_they_were():
    older = ("chain", "countdown", "charge", "lists", "knights")
    first = sorted({*TAGS, *(word for name in older for word in FAMILIES[name].words)})
    assert sorted(compact_vocabulary())[: len(first)] == first


@pytest.mark.parametrize("name", ["sudoku", "maze", "game24", "pattern"])
def test_compact_problems_fit_a_small_context(name):
    rng = random.Random(0)
    for drawn in generate(name, 60, 0, "compact", False, 10):
        kind, instance, notation = instance_of(drawn)
        trace, answer = kind.worked(instance, notation, rng)
        response = compose(trace, answer, careful=True, closing=True, notation=notation).split()
        assert len(response) + 1 <= 96  # and the end of the turn
        assert len(drawn.prompt.split()) + len(response) <= 180


def test_rows_of_a_family_follow_the_shares_of_their_phase():
    phases = (Phase(0.5, careful=1.0, closing=0.0), Phase(0.5, careful=0.0, closing=1.0))
    rows = family_rows("lists", [30, 20], phases, 0, "compact", 10)
    first, second = rows[:30], rows[30:]
    assert all(row["style"] == "careful" and not row["closing"] for row in first)
    assert all(row["response"].startswith("<think> </think>") for row in second)
    assert all(row["response"].endswith(" done") for row in second)
    assert {row["phase"] for row in second} == {1}


def test_expected_length_is_close_to_the_length_of_the_rows():
    phases = (Phase(1.0, careful=0.5, closing=0.5),)
    (expected,) = mean_words("charge", 500, phases, 0, "compact", 10)
    rows = family_rows("charge", [500], phases, 0, "compact", 10)
    assert expected == pytest.approx(sum(map(words_in, rows)) / len(rows), rel=0.08)


@pytest.mark.slow
@pytest.mark.field_bug("D35")
def test_the_same_problems_whatever_the_hash_seed():
    script = (
        "from stages.problems.registry import *\n"
        "for name in FAMILIES:\n"
        "    print([p.to_row() for p in generate(name, 5, 0, 'text', False, 10)])\n"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(shown) == 1
