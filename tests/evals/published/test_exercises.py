"""Exercises in folders: what is asked, what is set aside, which files a response gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import load
from stages.evals.published.exercises import files_in
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import MINI

AIDER = benchmark_named("aider")
TALLY = "python/exercises/practice/tally-marks"
TWO = ["coin_jar.cpp", "coin_jar.h"]


def copied(folder: Path, language: str = "python") -> Path:
    """One exercise by itself."""
    target = folder / language / "exercises/practice/tally-marks"
    shutil.copytree(MINI / "aider" / TALLY, target)
    return target


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("a.py\n```\n1\n```", ["a.py"], {"a.py": "1\n"}),
        ("**`a.py`**:\n\n```python\n1\n```", ["a.py"], {"a.py": "1\n"}),
        ("### src/a.py\n~~~\n1\n~~~", ["a.py"], {"a.py": "1\n"}),
        ("```python a.py\n1\n```", ["a.py"], {"a.py": "1\n"}),
        ("```py:A.py\n1\n```", ["a.py"], {"a.py": "1\n"}),
        ("```\n# a.py\n1\n```", ["a.py"], {"a.py": "# a.py\n1\n"}),
        ("a.py\n```\n1\n```\nno:\na.py\n```\n2\n```", ["a.py"], {"a.py": "2\n"}),
        (
            "```\n1\n```\nso:\n```python\nx = 2\n```\nsee\n```text\n3\n```",
            ["a.py"],
            {"a.py": "x = 2\n"},
        ),
        ("a.py\n```\n1\n```\ntry:\n```python\nx = 2\n```", ["a.py"], {"a.py": "1\n"}),
        ("a.py\n```\n1", ["a.py"], {}),
        ("a.py\n1", ["a.py"], {}),
        ("", ["a.py"], {}),
        ("aa.py\n```text\n1\n```", ["a.py"], {"a.py": "1\n"}),  # the only block there is
        ("coin_jar.cpp\n```\n1\n```\ncoin_jar.h\n```\n2\n```", TWO, {TWO[0]: "1\n", TWO[1]: "2\n"}),
        ("in `coin_jar.h`:\n```\n2\n```", TWO, {TWO[1]: "2\n"}),
        ("```cpp\n// coin_jar.h\n2\n```", TWO, {TWO[1]: "// coin_jar.h\n2\n"}),
        ("coin_jar.h and coin_jar.cpp\n```\n1\n```", TWO, {}),  # which?
        ("```cpp\nint x;\n```", TWO, {}),
        ('```cpp\n#include "coin_jar.h"\n```', TWO, {}),
        ("my_coin_jar.h, coin_jar.hpp, coin_jar.h.old\n```\n1\n```", TWO, {}),
        ("coin_jar.h.\n```\n1\n```", TWO, {TWO[1]: "1\n"}),
    ],
)
def test_the_files_of_a_response(text: str, names: list[str], found: dict[str, str]) -> None:
    assert files_in(text, names) == found


def test_the_prompt_has_all_that_is_told_and_the_files_as_they_are() -> None:
    loaded = load(AIDER, MINI / "aider", None)
    prompt = next(one.prompt for one in loaded.problems if one.id == "python/odd-price")
    assert prompt.startswith("# Instructions\n\nRound a price")
    assert "## Note" in prompt
    assert "odd_price.py\n```\ndef odd_price(cents):\n    pass\n```" in prompt
    assert "assertEqual" not in prompt
    assert loaded.reasons == {"no toolchain: java": 1}
    assert loaded.problems[0].id == "cpp/coin-jar"
    inside = load(AIDER, MINI / "aider/python", None)
    assert len(inside.problems) == 7


def test_any_file_of_an_exercise_is_part_of_the_data(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    before = load(AIDER, tmp_path, None).sha256
    test = folder / "tally_marks_test.py"
    test.write_text(test.read_text().replace("12", "13"))
    assert load(AIDER, tmp_path, None).sha256 != before


@pytest.mark.parametrize(
    ("language", "test", "reason"),
    [
        ("rust", "", "no toolchain: rust"),
        ("cpp", '#include "boost/x.hpp"\nTEST_CASE("a") {}', "no toolchain: cpp with Boost"),
        (
            "python",
            "import inspect\nclass A:\n    def test_a(self): inspect.currentframe()",
            "its tests look into the process of the program",
        ),
    ],
)
def test_what_cannot_run_here_is_set_aside_by_its_reason(
    language: str, test: str, reason: str, tmp_path: Path
) -> None:
    (copied(tmp_path, language) / "tally_marks_test.py").write_text(test)
    shutil.copytree(
        MINI / "aider/python/exercises/practice/odd-price",
        tmp_path / "python/exercises/practice/odd-price",
    )
    loaded = load(AIDER, tmp_path, None)
    assert (len(loaded.problems), loaded.reasons, loaded.set_aside) == (1, {reason: 1}, 1)


@pytest.mark.field_bug("E27")
@pytest.mark.parametrize(
    ("language", "test", "said"),
    [
        ("python", "import unittest\ndef test_a(): ...", "no test in tally_marks_test"),
        ("python", "class A:\n    def tests_nothing: ...", "no Python"),
        ("cpp", "int main() {}", "no test in tally_marks_test"),
    ],
)
def test_an_exercise_that_any_program_would_pass_is_refused(
    language: str, test: str, said: str, tmp_path: Path
) -> None:
    (copied(tmp_path, language) / "tally_marks_test.py").write_text(test)
    with pytest.raises(DataError, match=said):
        load(AIDER, tmp_path, None)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "tally_marks.py").unlink()
    with pytest.raises(DataError, match=r"tally_marks\.py: No such file"):
        load(AIDER, tmp_path, None)
    (folder / ".meta/config.json").write_text(
        json.dumps({"authors": [], "files": {"solution": []}})
    )
    with pytest.raises(DataError, match=r"config\.json: files\.solution must be"):
        load(AIDER, tmp_path, None)
