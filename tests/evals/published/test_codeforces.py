"""Codeforces contests: tries in order, what wrong ones cost, places, a rating with its ceiling."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError, VerifierError
from stages.base.params import SandboxSettings
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.lm_harness import Response
from stages.evals.published import codeforces
from stages.evals.published.benchmark import Sample, load
from stages.evals.published.score import benchmark_named, judged
from stages.evals.published.totals import table, totals
from stages.evals.ratings import contest_rating, expected_place
from stages.sandbox.backends import open_sandbox
from tests.evals.published.minis import MINI, items, scored, write

FOLDER = MINI / "codeforces"
CODEFORCES = benchmark_named("codeforces")
POINTS, ICPC = map(json.loads, (FOLDER / "contests.jsonl").read_text().splitlines())


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox(SandboxSettings(workers=1)) as opened:
        yield opened


class Said:
    """Judges a program by the word that it is."""

    def check(self, rows: list[Any]) -> list[Judgement]:
        rewards = {"pass": 1.0, "wrong": 0.0, "error": None}
        words = [row["program"].strip() for row in rows]
        return [Judgement(Verdict(word), rewards[word]) for word in words]


def samples(tries: dict[str, list[str]], data: Path = FOLDER) -> list[Sample]:
    loaded = load(CODEFORCES, data, None)
    given = [
        Response(name, place, f"```\n{word}\n```" if word else "", "stop", 0)
        for name, words in tries.items()
        for place, word in enumerate(words)
    ]
    return judged(CODEFORCES, loaded, given, Said())  # type: ignore[arg-type]


WON = {f"m101/{index}": ["pass"] for index in "ABCD"}
SECOND = {f"m102/{index}": ["pass"] for index in "ABCD"}


def test_the_mini_set(tmp_path: Path, sandbox: Sandbox) -> None:
    right = scored("codeforces", FOLDER / "right.jsonl", tmp_path, sandbox)
    assert (right["counts"]["pass"], right["measures"]["solved"]) == (8, 1.0)
    assert (right["measures"]["contests_at_cap"], right["measures"]["ceiling"]) == (1, 2085)
    found = scored("codeforces", FOLDER / "mixed.jsonl", tmp_path, sandbox)
    counts = {verdict: n for verdict, n in found["counts"].items() if n}
    assert counts == {"pass": 5, "wrong": 11, "unparsed": 3, "truncated": 2}
    # 500, 1000 - 2 * 50: behind four, level with two of twelve. Three of four, one try wrong:
    # 10, behind two of eleven
    ratings = [
        contest_rating(place, [one[0] for one in contest["standings"]]).rating
        for place, contest in ((6, POINTS), (3, ICPC))
    ]
    assert found["score"] == pytest.approx(sum(ratings) / 2, abs=1e-5)
    assert found["measures"]["solved"] == 5 / 8
    assert (found["metric"], found["scale"], found["pass_at"]) == ("rating", "rating", {})
    assert found["low"] < found["score"] < found["high"]
    assert items(tmp_path)["m101/B"]["verdicts"] == ["wrong", "truncated", "pass"]
    assert f"rating                  {found['score']:.0f}\n" in table(found)


@pytest.mark.parametrize(
    ("kind", "problems", "wanted"),
    [
        ("points", [(500, 0), (1000, 2), (1500, -1)], (1400, 0)),
        ("points", [(100, 7)], (0, 0)),  # never below nothing
        ("points", [], (0, 0)),
        ("icpc", [(1, 3), (1, -1), (1, 0)], (2, 30)),
        ("icpc", [(1, -1)], (0, 0)),
    ],
)
def test_what_earlier_wrong_tries_cost(
    kind: str, problems: list[tuple[float, int]], wanted: tuple[float, float]
) -> None:
    assert codeforces.result(kind, problems) == wanted


@pytest.mark.parametrize(
    ("words", "score"),
    [
        (["pass"], 1.0),
        (["wrong", "", "pass", "error"], 1.0),
        (["wrong"] * 8, 0.0),
        (["error", "pass"], None),  # the first may have been right: then no points were lost
    ],
)
def test_a_problem_is_solved_by_its_first_right_try(words: list[str], score: float | None) -> None:
    (unit,) = codeforces.by_problem(samples({"m101/A": words}))
    assert unit.score == score


@pytest.mark.parametrize(
    ("more", "incomplete"),
    [
        ({}, 0),
        ({"m102/A": ["pass"]}, 1),
        ({**SECOND, "m102/D": ["error"]}, 1),
        ({**SECOND, "m102/D": ["wrong"]}, 0),
    ],
)
def test_a_contest_without_all_its_verdicts_gives_no_rating(
    more: dict[str, list[str]], incomplete: int
) -> None:
    found = codeforces.rated(samples({**WON, **more}))
    assert found.incomplete == incomplete
    assert len(found.contests) == 1 + (bool(more) and not incomplete)


def test_without_a_whole_contest_there_is_no_score() -> None:
    with pytest.raises(VerifierError, match="Answer whole contests"):
        codeforces.overall(samples({"m101/A": ["pass"]}))


@pytest.mark.field_bug("E25")
def test_a_win_gives_the_cap_and_an_interactive_problem_is_told_of(tmp_path: Path) -> None:
    found = codeforces.measures(samples(SECOND))
    assert (found["contests_at_cap"], found["ceiling"]) == (1, 2180)
    assert "best rating of the field + 100" in found["note"]
    assert codeforces.measures(samples(WON))["interactive_unsolved"] == 1
    loaded = load(CODEFORCES, FOLDER, None)
    whole = totals(CODEFORCES, loaded, samples(SECOND))
    assert (whole["score"], whole["low"], whole["interval"]) == (2180, None, "t over contests")
    assert "95% for other problems  none\n" in table(whole)


def test_the_percentile_names_its_list_which_is_part_of_the_data(tmp_path: Path) -> None:
    contests, population = (FOLDER / name for name in ("contests.jsonl", "sorted_ratings.json"))
    (tmp_path / "contests.jsonl").write_bytes(contests.read_bytes())
    alone = load(CODEFORCES, tmp_path, None)
    assert codeforces.measures(samples(SECOND, tmp_path))["percentile"] is None
    (tmp_path / "sorted_ratings.json").write_bytes(population.read_bytes())
    found = codeforces.measures(samples(SECOND, tmp_path))
    assert found["percentile"] == pytest.approx(21 / 22, abs=1e-6)
    assert found["population_sha256"] == hashlib.sha256(population.read_bytes()).hexdigest()
    assert load(CODEFORCES, tmp_path, None).sha256 != alone.sha256
    (tmp_path / "sorted_ratings.json").write_text('["high"]')
    with pytest.raises(DataError, match="a list of ratings is expected"):
        codeforces.measures(samples(SECOND, tmp_path))


def test_the_rating_is_that_which_expects_the_place() -> None:
    found = codeforces.rated(samples(WON)).contests[0]
    field = [one[0] for one in POINTS["standings"]]
    assert expected_place(found.rating, field) == pytest.approx(2)  # 4750 points, behind one


@pytest.mark.field_bug("E24")
@pytest.mark.parametrize(
    ("response", "language"),
    [
        ("```cpp\nint main() {}\n```", "cpp"),
        ("```\n#include <cstdio>\nint main() {}\n```", "cpp"),
        ("```python\n# int main() is C\nprint(1)\n```", "python"),
        ("```\nprint(1)\n```", "python"),
    ],
)
def test_the_language_is_the_blocks_or_what_it_looks_like(response: str, language: str) -> None:
    asked: list[Any] = []

    class Asked:
        def check(self, rows: list[Any]) -> list[Judgement]:
            asked.extend(rows)
            return [Judgement(Verdict.PASS, 1.0) for _ in rows]

    problem: Problem = load(CODEFORCES, FOLDER, None).problems[2]
    codeforces.judge([(problem, response, "stop")], Asked())  # type: ignore[arg-type]
    assert (asked[0]["language"], asked[0]["checker"]) == (language, "custom")
    assert asked[0]["limits"] == {"time_s": 2, "mem_mb": 256}


def changed(problem: dict[str, Any]) -> dict[str, Any]:
    return {**POINTS, "problems": [{**POINTS["problems"][0], **problem}]}


@pytest.mark.parametrize(
    ("contest", "said"),
    [
        ({**POINTS, "kind": "ioi"}, "kind 'ioi': there are"),
        ({**POINTS, "problems": []}, "'problems' must be"),
        ({**POINTS, "standings": []}, "'standings' must be"),
        ({**POINTS, "standings": [[1500, 3]]}, "'standings' must be"),
        ({**POINTS, "standings": [[True, 3, 0]]}, "'standings' must be"),
        (changed({"tests": []}), "problem 'A': 'tests' must be"),
        (changed({"tests": [["1", 2]]}), "problem 'A': 'tests' must be"),
        (changed({"points": None}), "problem 'A': 'points' must be"),
        (changed({"time_limit": "2 s"}), "problem 'A': 'time_limit'"),
        (changed({"checker": "yes"}), "problem 'A': checker 'yes'"),
        (changed({"checker_program": " "}), "problem 'A': 'checker_program'"),
    ],
)
def test_a_contest_that_cannot_be_rated_is_refused(
    contest: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=said):
        load(CODEFORCES, write(tmp_path / "contests.jsonl", [contest]), None)


def test_more_tries_than_there_are_is_refused(tmp_path: Path) -> None:
    rows = [{"id": "m101/A", "response": ["no"] * 9}]
    with pytest.raises(DataError, match=r"r\.jsonl:1: 9 responses; this benchmark has 8 tries"):
        scored("codeforces", write(tmp_path / "r.jsonl", rows), tmp_path)
