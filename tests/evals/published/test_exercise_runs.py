"""What the sandbox is asked of an exercise: sources in one text, lines where they were."""

from __future__ import annotations

import re
import subprocess
import sys

from stages.evals.published.benchmark import load
from stages.evals.published.exercise_runs import judging, showing
from stages.evals.published.exercises import Exercise
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import MINI

LOADED = load(benchmark_named("aider"), MINI / "aider", None)
EXERCISES = {problem.id: Exercise.of(problem) for problem in LOADED.problems}
JAR, PRICE = EXERCISES["cpp/coin-jar"], EXERCISES["python/odd-price"]


def test_lines_of_a_test_stay_those_of_its_file() -> None:
    text = showing(JAR, JAR.stubs())["program"]
    file, line, found = "", 0, {}
    for shown in text.split("\n"):
        marked = re.fullmatch(r'#line (\d+) "(.+)"', shown)
        if marked:
            line, file = int(marked[1]) - 1, marked[2]
        else:
            line += 1
            found[file, line] = shown
    test = JAR.text("coin_jar_test.cpp").split("\n")
    kept = [number for number, shown in enumerate(test, 1) if not re.match(r'#include "', shown)]
    assert [found.get(("coin_jar_test.cpp", number)) for number in kept[:-1]] == [
        test[number - 1] for number in kept[:-1]
    ]


def test_the_published_frame_shows_and_its_words_judge() -> None:
    shown, judged = (row["program"] for row in (showing(JAR, {}), judging(JAR, {}, "a")))
    assert "A small test frame" in shown
    assert "CATCH_CONFIG_RUNNER" in shown
    assert "A small test frame" not in judged
    assert "namespace everystep" in judged


def test_the_word_is_another_for_another_program() -> None:
    words = [
        judging(JAR, {"coin_jar.cpp": text}, "a")["tests"][0][1]
        for text in ("1", "2", "1", "\ud800")
    ]
    assert words[0] == words[2]
    assert len(set(words)) == 3


def test_what_runs_beside_a_program_stands_alone() -> None:
    """In a cell there is none of our packages."""
    row = judging(PRICE, {"odd_price.py": "def odd_price(cents): return cents // 10 * 10 + 9"}, "a")
    both = f"{row['program']}\nprogram = serve\n" + row["test"].replace(
        "from __future__ import annotations", ""
    )
    ended = f"{both}\ncheck(program)\nprint('passed')"
    command = [sys.executable, "-I", "-S", "-c", ended]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert found.stdout == "passed\n", found.stderr
