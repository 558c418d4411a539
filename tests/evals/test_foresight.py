"""What is said before a run: at worst, or as an earlier run lets one expect."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stages.base.errors import ConfigError, DataError
from stages.evals.foresight import foreseen, spread_of
from stages.evals.items import Item, as_csv
from stages.evals.statistics import Plan, foretell


def item(name: str, right: int, benchmark: str = "a") -> Item:
    return Item(name, benchmark, "d", "h", right / 4, right, 4, 0, 0, 0)


def test_without_items_the_worst_is_assumed():
    assert foreseen(None, 30, 64, 0.0) == {"": Plan(30, 64)}


def test_items_say_how_samples_spread(tmp_path):
    path = tmp_path / "items.csv"
    path.write_bytes(as_csv([item("1", 1), item("2", 0), item("1", 4, "b"), item("2", 0, "b")]))
    assert foreseen(path, None, None, 0.0) == {"a": Plan(2, 4, 0.125), "b": Plan(2, 4)}
    assert foreseen(path, 30, 64, 0.1)["a"] == Plan(30, 64, 0.125, 0.1)
    assert spread_of([item("1", 2)]) == 0.25  # unbiased it is 1/3: more than there can be


@pytest.mark.parametrize(
    ("questions", "k", "message"),
    [(None, 4, "give --questions and --k"), (1, 4, "two questions"), (30, 0, "1 question|two")],
)
def test_what_cannot_be_planned_is_refused(questions, k, message):
    with pytest.raises(ConfigError, match=message):
        foreseen(None, questions, k, 0.0)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere: no such file"):
        foreseen(tmp_path / "nowhere", None, None, 0.0)


def test_a_run_is_told_what_it_can_show():
    assert foretell("aime", 30, 64).startswith("aime: With 30 questions and k = 64 you can see 4.7")
    assert "one question" in foretell("x", 1, 4)


def test_the_command_says_it():
    command = [sys.executable, "-m", "stages.evals", "power", "--questions", "30", "--k", "64"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == Plan(30, 64).sentence + "\n"
