"""Aider's exercises: two tries, tests that the program cannot reach, the prompt between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import ResourceError, VerifierError
from stages.base.params import SandboxSettings
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.lm_harness import Response
from stages.evals.published import aider, exercise_runs
from stages.evals.published.benchmark import Sample, load
from stages.evals.published.score import benchmark_named, judged
from stages.sandbox.backends import open_sandbox
from tests.evals.published.minis import MINI, items, scored, write
from tests.problems.runs import Broken

FOLDER = MINI / "aider"
AIDER = benchmark_named("aider")
CPP = shutil.which("g++", path="/usr/bin") is not None
PROBLEMS = {problem.id: problem for problem in load(AIDER, FOLDER, None).problems}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox(SandboxSettings(workers=1)) as opened:
        yield opened


def responses(name: str, folder: Path) -> Path:
    """The mini set's, without C++ where there is no compiler."""
    rows = map(json.loads, (FOLDER / name).read_text().splitlines())
    runs = [row for row in rows if CPP or row["id"] != "cpp/coin-jar" or "right" not in name]
    return write(folder / name, runs)


def test_the_mini_set(tmp_path: Path, sandbox: Sandbox) -> None:
    right = scored("aider", responses("right.jsonl", tmp_path), tmp_path, sandbox)
    assert (right["score"], right["counts"]["pass"]) == (1.0, 7 + CPP)
    found = scored("aider", responses("mixed.jsonl", tmp_path), tmp_path, sandbox)
    counts = {verdict: n for verdict, n in found["counts"].items() if n}
    assert counts == {"pass": 4, "wrong": 5, "unparsed": 3, "truncated": 1}
    assert found["measures"] == {
        "pass_rate_1": 2 / 8,
        "pass_rate_2": 4 / 8,
        "well_formed": 5 / 8,
        "without_second_try": 1,
        "cpp": 0.0,
        "python": pytest.approx(4 / 7, abs=1e-6),
    }
    assert found["score"] == 4 / 8
    assert (found["k"], found["pass_at"], found["rerun_low"]) == (1, {}, None)
    assert items(tmp_path)["python/tool-box"]["verdicts"] == ["wrong", "pass"]


FORGED = [
    "import os\nos._exit(0)",
    "raise SystemExit(0)",
    "import unittest\nunittest.TestCase.run = lambda *_: None\ndef odd_price(cents): ...",
    "def odd_price(cents):\n    raise __import__('unittest').SkipTest('no')",
    "def odd_price(cents):\n    raise AssertionError",
    "class Any:\n    def __eq__(self, other): return True\ndef odd_price(cents): return Any()",
    "import __main__\n__main__.serve = lambda message: ('value', ('plain', True))\n"
    "def odd_price(cents): return True",
    "def odd_price(cents): return float(cents // 10 * 10 + 9) + 0.5",
]


def test_no_program_passes_without_being_right(sandbox: Sandbox) -> None:
    problem = PROBLEMS["python/odd-price"]
    answers = [(problem, f"odd_price.py\n```\n{text}\n```", "stop") for text in FORGED]
    found = aider.judge(answers, sandbox)
    assert [one.verdict for one in found] == [Verdict.WRONG] * len(FORGED)


def test_the_second_try_starts_from_the_files_of_the_first() -> None:
    class Asked:
        def __init__(self) -> None:
            self.programs: list[str] = []

        def check(self, rows: list[Any]) -> list[Judgement]:
            self.programs += [row["program"] for row in rows]
            return [Judgement(Verdict.PASS, 1.0) for _ in rows]

    jar, other = PROBLEMS["cpp/coin-jar"], PROBLEMS["python/odd-price"]
    asked = Asked()
    answers = [
        (jar, "coin_jar.h\n```\n// mark one\n```", "stop"),
        (jar, "coin_jar.cpp\n```\n// mark two\n```", "stop"),
        (other, "```\nx = 1\n```", "stop"),
        (jar, "coin_jar.cpp\n```\n// mark three\n```", "stop"),
    ]
    aider.judge(answers, asked)  # type: ignore[arg-type]
    frame, first, second, _, third = asked.programs
    marks = [
        [f"mark {n}" in text for n in ("one", "two", "three")] for text in (first, second, third)
    ]
    assert marks == [[True, False, False], [True, True, False], [False, False, True]]
    assert "mark" not in frame
    assert first.index("less than none") < second.index("mark two")  # tests before the program


@pytest.mark.parametrize("fault", ["none", "slow"])
def test_without_a_compiler_no_program_in_cpp_is_wrong(fault: str) -> None:
    class Without:
        def check(self, rows: list[Any]) -> list[Judgement]:
            if any(row.get("language") == "cpp" for row in rows):
                if fault == "none":
                    raise ResourceError("install g++")
                return [Judgement(Verdict.WRONG, 0.0, "compile_error") for _ in rows]
            return [Judgement(Verdict.PASS, 1.0) for _ in rows]

    answers = [
        (PROBLEMS["cpp/coin-jar"], "coin_jar.h\n```\n1\n```", "stop"),
        (PROBLEMS["python/odd-price"], "```\nx = 1\n```", "stop"),
    ]
    found = aider.judge(answers, Without())  # type: ignore[arg-type]
    assert [one.verdict for one in found] == [Verdict.ERROR, Verdict.PASS]
    assert found[0].reason.startswith("no toolchain: ")


SECTIONS = """
TEST_CASE("paths") {
    static int runs = 0;
    ++runs;
    SECTION("a") {
        SECTION("b") { CHECK(runs == 1); }
        SECTION("c") { CHECK(runs == 2); }
    }
    SECTION("d") { REQUIRE(runs == 3); }
    INFO("run " << runs);
}
TEST_CASE("values", "[tag]") {
    REQUIRE_THROWS_AS(throw 1, int);
    CHECK_THROWS(throw 1);
    REQUIRE_NOTHROW(1 + 1);
    CHECK_FALSE(1 > 2);
    REQUIRE_THAT(1.0, Catch::Matchers::WithinAbs(1.001, 0.01));
    REQUIRE(1.0 == Catch::Approx(1.000001));
}
"""
BROKEN = (
    "REQUIRE(1 > 2)",
    "CHECK(1 > 2)",
    "REQUIRE_THROWS_AS(throw 'c', int)",
    "throw 1",
    "FAIL()",
)


@pytest.mark.skipif(not CPP, reason="there is no g++ in /usr/bin")
def test_the_words_of_tests_in_cpp(sandbox: Sandbox) -> None:
    row = exercise_runs.probing()
    cases = {"sections": SECTIONS, "none": "", "no question": 'TEST_CASE("a") {}'}
    cases |= {text: f'TEST_CASE("a") {{ {text}; }}' for text in BROKEN}
    # one text that says after each case what it has come to, as each costs a compilation
    tests = "".join(
        f"namespace n{number} {{\n{text}\nstatic const int end = (marks().push_back("
        f"everystep::state().cases.size()), 0);\n}}\n"
        for number, text in enumerate(cases.values())
    )
    source = row["program"].partition('TEST_CASE("a")')[0]
    source += (
        "\n#include <cstdio>\nstd::vector<std::size_t>& marks() {\n"
        "    static std::vector<std::size_t> all;\n    return all;\n}\n" + tests + "int main() {\n"
        "    std::size_t at = 0;\n    for (std::size_t end : marks()) {\n"
        "        auto& all = everystep::state();\n        all.failed = all.asked = 0;\n"
        "        for (; at < end; ++at) everystep::run_case(all.cases[at]);\n"
        '        printf("%d ", all.asked && !all.failed);\n    }\n}\n'
    )
    (ran,) = sandbox.run([{"program": source, "language": "cpp", "input": ""}])
    assert ran.output is not None, ran.why
    assert ran.output.split() == ["1", "0", "0"] + ["0"] * len(BROKEN)


def test_the_next_prompt_shows_what_the_tests_say(sandbox: Sandbox) -> None:
    problem = PROBLEMS["python/odd-price"]
    wrong = "odd_price.py\n```\ndef odd_price(cents):\n    return object()\n```"
    said = aider.follow_up(problem, [wrong], sandbox)
    assert said is not None
    assert "assertEqual(odd_price(cents), wanted)" in said  # the line of the test
    assert "AssertionError: <object object at 0x...> != 9" in said
    assert said.rstrip().endswith("Correct odd_price.py so that they pass.")
    assert said == aider.follow_up(problem, [wrong], sandbox)
    assert aider.follow_up(problem, [wrong, wrong], sandbox) is None
    right = "```python\ndef odd_price(cents):\n    return cents // 10 * 10 + 9\n```"
    assert aider.follow_up(problem, [right], sandbox) is None
    none = aider.follow_up(problem, ["<think>so</think>I would divide."], sandbox)
    assert none is not None
    assert none.startswith("No file was found in the answer")
    gone = aider.follow_up(problem, ["```python\nimport os\nos._exit(1)\n```"], sandbox)
    assert gone is not None
    assert gone.startswith("The tests did not end: runtime_error.")


def test_a_sandbox_that_fails_makes_no_prompt() -> None:
    problem = PROBLEMS["python/odd-price"]
    with pytest.raises(VerifierError, match="python/odd-price"):
        aider.follow_up(problem, ["```python\nx = 1\n```"], Broken())


def test_a_long_output_is_cut_in_the_middle() -> None:
    assert aider._fit('File "/opt/lib/python3.11/a.py"') == 'File "lib/python3.11/a.py"'
    shown = aider._fit(f"first{'x' * 50_000}last\nRan 3 tests in 0.012s")
    assert len(shown) < aider.SHOWN + 20
    assert shown.startswith("firstx")
    assert shown.endswith("last\nRan 3 tests")


def tried(problem: Problem, *verdicts: str) -> list[Sample]:
    class Told:
        def check(self, rows: list[Any]) -> list[Judgement]:
            found = [Verdict(row["program"].rpartition("# ")[2].split("\\n")[0]) for row in rows]
            rewards = {Verdict.PASS: 1.0, Verdict.ERROR: None}
            return [Judgement(one, rewards.get(one, 0.0)) for one in found]

    given = [
        Response(problem.id, place, f"```python\nx = 1  # {word}\n```", "stop", 0)
        for place, word in enumerate(verdicts)
    ]
    return judged(AIDER, load(AIDER, FOLDER, None), given, Told())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "score", "missing"),
    [
        (("pass",), 1.0, 0),
        (("pass", "wrong"), 1.0, 0),
        (("wrong", "pass"), 1.0, 0),
        (("wrong", "wrong"), 0.0, 0),
        (("wrong",), 0.0, 1),
        (("error", "pass"), 1.0, 0),
        (("error", "wrong"), None, 0),
    ],
)
def test_an_exercise_is_solved_by_either_try(
    verdicts: tuple[str, ...], score: float | None, missing: int
) -> None:
    samples = tried(PROBLEMS["python/odd-price"], *verdicts)
    (unit,) = aider.by_exercise(samples)
    assert unit.score == score
    assert aider.measures(samples)["without_second_try"] == missing
