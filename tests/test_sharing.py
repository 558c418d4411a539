"""How several workers share the tests: no two engines at once, and no long file at the end."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import GREEDY, FileByFile, is_greedy, place

TESTS = Path(__file__).parent
FILES = sorted(path.relative_to(TESTS).as_posix() for path in TESTS.glob("**/test_*.py"))
STARTS = re.compile(r"vllm_sampler|DeepSpeedTrainer|\"dvc\", \"repro\"|real_engines\"")


def test_each_of_the_greedy_is_there_and_whatever_starts_an_engine_is_one_of_them():
    assert all(any(file.startswith(start) for file in FILES) for start in GREEDY)
    starting = [file for file in FILES if STARTS.search((TESTS / file).read_text())]
    assert "rl/test_real_engines.py" in starting
    assert [file for file in starting if not is_greedy(file) and file != Path(__file__).name] == []


def test_a_file_is_one_piece_of_work_and_the_greedy_are_one_together():
    split = FileByFile._split_scope
    assert split(None, "tests/base/test_jsonl.py::test_a[b::c]") == "tests/base/test_jsonl.py"
    kept = {split(None, f"tests/{file}::test_a") for file in FILES if is_greedy(file)}
    assert kept == {"greedy"}


def test_the_greedy_come_first_and_what_has_no_slow_test_last():
    order = [place(TESTS / file) for file in ("test_road.py", "flows/test_serve.py")]
    assert [*order, place(TESTS / "base/test_jsonl.py")] == [0, 1, 2]
