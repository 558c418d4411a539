"""Codeforces contests in CodeElo's manner: up to 8 tries a problem, a place, a rating.

The file has a contest a line: ``id``, ``kind``, ``problems``, ``standings``. ``kind`` is
``points``: a problem is worth its ``points``, less 50 for each earlier wrong try; or ``icpc``: a
problem is worth 1, and each earlier wrong try of a solved one adds 10 to the penalty.
``standings`` are the official rated contestants, ``[rating before, score, penalty]`` each.

A problem: ``index``, ``statement``, ``tests`` (pairs of input and output), ``points``,
``time_limit`` (s), ``memory_limit`` (MB), ``checker`` (a kind of ``stages.base.checkers``) or
``checker_program`` (``stages.sandbox.custom``), ``interactive``.

A contest counts when every problem of it has a response and a verdict: those without would be taken
for unsolved. Interactive problems cannot be judged here and stay unsolved; how many is told.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from stages.base.checkers import KINDS
from stages.base.errors import DataError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals import ratings
from stages.evals.published.benchmark import Sample, SetAsideError, problem_of
from stages.evals.published.entries import Entry
from stages.evals.scoring import Scored, grouped, rounded
from stages.rewards.programs import Answer, at_margin, checked, tagged_program_in
from stages.rewards.router import answered

TRIES = 8
WRONG_TRY = {"points": 50, "icpc": 10}
"""What an earlier wrong try costs, in points or in penalty."""

POPULATION = "sorted_ratings.json"
"""Ratings of all who are rated, a JSON list; beside the contests, for the percentile."""

CPP = frozenset(("cpp", "c++", "c", "cc"))
LOOKS_CPP = re.compile(r"(?m)^\s*#\s*include\b|\bint\s+main\s*\(")
TIME, MEMORY = 2.0, 256  # seconds and MB where a problem names none
ASKED = (
    "Solve this with a program in C++17 or Python 3 that reads standard input and prints the "
    "answer to standard output. Give the whole program in one code block, marked cpp or python, at "
    "the end."
)


def contest(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """The problems of a contest, ids ``contest/index``."""
    del shuffle
    name, kind = entry.text("id"), entry.text("kind")
    if kind not in WRONG_TRY:
        raise DataError(f"{entry.where}: kind {kind!r}: there are {', '.join(WRONG_TRY)}.")
    rows = entry.get("problems")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{entry.where}: 'problems' must be a list of objects, at least one.")
    asked = [row for row in rows if row.get("interactive") is not True]
    if not asked:
        raise SetAsideError("only interactive problems")
    shared = {
        "id": name,
        "kind": kind,
        "standings": _standings(entry),
        "problems": len(asked),
        "interactive": len(rows) - len(asked),
        "population": str(entry.path.parent / POPULATION),
    }
    for row in asked:
        yield _problem(Entry(entry.where, name, entry.path, row), kind, shared)


def population_of(path: Path) -> list[Path]:
    """The list of ratings beside a file of contests, if there is one."""
    beside = path.parent / POPULATION
    return [beside] if beside.is_file() else []


def _problem(entry: Entry, kind: str, shared: Mapping[str, Any]) -> Problem:
    where = f"{entry.where}: problem {entry.row.get('index')!r}"
    points = entry.row.get("points", 1 if kind == "icpc" else None)
    if type(points) not in (int, float) or not points > 0:
        raise DataError(f"{where}: 'points' must be a number above 0.")
    row: dict[str, Any] = {"mode": "stdin", "tests": _tests(where, entry.row.get("tests"))}
    limits = entry.row.get("time_limit", TIME), entry.row.get("memory_limit", MEMORY)
    if not all(type(one) in (int, float) and one > 0 for one in limits):
        raise DataError(f"{where}: 'time_limit' (s) and 'memory_limit' (MB) are numbers above 0.")
    row["limits"] = dict(zip(("time_s", "mem_mb"), limits, strict=True))
    row |= _checker(where, entry.row)
    title = f"{entry.row.get('index')}. {entry.row.get('title') or ''}".strip()
    told = f"Time limit: {limits[0]} s, memory limit: {limits[1]} MB"
    prompt = f"{title}\n{told}\n\n{entry.text('statement')}\n\n{ASKED}"
    digest = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()
    meta = {"verifier": "code", "group": shared["id"], "row": row, "points": points}
    name = f"{shared['id']}/{entry.text('index')}"
    return problem_of(name, prompt, digest, "code", meta | {"contest": shared})


def _checker(where: str, row: Mapping[str, Any]) -> dict[str, Any]:
    program, kind = row.get("checker_program"), row.get("checker", "decimals")
    if program is not None:
        if not isinstance(program, str) or not program.strip():
            raise DataError(f"{where}: 'checker_program' must be the source of a program.")
        return {"checker": "custom", "checker_program": program}
    if kind not in KINDS:
        raise DataError(f"{where}: checker {kind!r}: there are {', '.join(KINDS)}.")
    return {"checker": kind}


def _tests(where: str, tests: object) -> list[list[str]]:
    pairs = tests if isinstance(tests, list) else []
    whole = all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in pairs
    )
    if not pairs or not whole:
        raise DataError(f"{where}: 'tests' must be pairs of input and output, at least one.")
    return pairs


def _standings(entry: Entry) -> list[list[float]]:
    found = entry.get("standings")
    rows = found if isinstance(found, list) else []
    whole = all(isinstance(row, list) and len(row) == 3 and all(map(_known, row)) for row in rows)
    if not rows or not whole:
        raise DataError(
            f"{entry.where}: 'standings' must be [rating, score, penalty] of the official rated "
            "contestants, at least one."
        )
    return rows


def _known(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(float(str(value)))


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement a try; the programs run side by side."""
    found = [_row(number, *answer) for number, answer in enumerate(answers)]
    ran = iter(checked([row for row in found if isinstance(row, dict)], sandbox))
    return [next(ran) if isinstance(one, dict) else one for one in found]


def _row(number: int, problem: Problem, response: str, ended: str) -> dict[str, Any] | Judgement:
    text = answered(problem, response, ended)
    if isinstance(text, Judgement):
        return text
    found = tagged_program_in(text)
    if found is None or not found[1].strip():
        return Judgement(Verdict.UNPARSED, 0.0, "no program: no closed code block in the answer")
    tag, program = found
    cpp = tag in CPP or (not tag and LOOKS_CPP.search(program) is not None)
    language = "cpp" if cpp else "python"
    row = {**problem.meta["row"], "id": str(number), "language": language}
    return row | {"program": program if cpp else at_margin(program)}


def earlier_wrong(tries: Sequence[Scored]) -> int | None:
    """How many tries came before the first that is right; -1: none is. None: nobody knows.

    A try whose checker failed may have been right or not.
    """
    for place, one in enumerate(tries):
        if one.verdict is Verdict.ERROR:
            return None
        if one.verdict is Verdict.PASS:
            return place
    return -1


def by_problem(samples: Sequence[Sample]) -> list[Scored]:
    """One unit a problem: whether a try is right."""
    return [
        replace(tries[0], response=replace(tries[0].response, repeat=0), score=solved(tries))
        for tries in grouped(sample.scored for sample in samples).values()
    ]


def solved(tries: Sequence[Scored]) -> float | None:
    """1 if a try is right, 0 if none is; None if one before could not be checked."""
    before = earlier_wrong(tries)
    return None if before is None else float(before >= 0)


class Rated(NamedTuple):
    """The contests that count, rated, and how many do not."""

    contests: list[ratings.ContestRating]
    incomplete: int
    interactive: int


def rated(samples: Sequence[Sample]) -> Rated:
    """Each whole contest's rating, in order."""
    contests: dict[str, list[list[Scored]]] = {}
    for tries in grouped(sample.scored for sample in samples).values():
        contests.setdefault(tries[0].problem.meta["contest"]["id"], []).append(tries)
    found = [_rating(problems) for problems in contests.values()]
    kept = [one for one in found if one is not None]
    facts = [problems[0][0].problem.meta["contest"] for problems in contests.values()]
    counted = zip(facts, found, strict=True)
    interactive = sum(fact["interactive"] for fact, one in counted if one is not None)
    return Rated(kept, len(found) - len(kept), interactive)


def _rating(problems: Sequence[Sequence[Scored]]) -> ratings.ContestRating | None:
    """Score, penalty, place, rating; None if a problem has no response or no verdict."""
    shared = problems[0][0].problem.meta["contest"]
    known = [(earlier_wrong(tries), tries[0].problem.meta["points"]) for tries in problems]
    done = [(points, before) for before, points in known if before is not None]
    if len(done) < shared["problems"]:
        return None
    score, penalty = result(shared["kind"], done)
    standings = [(points, lost) for _, points, lost in shared["standings"]]
    place = ratings.place_reached(score, penalty, standings)
    return ratings.contest_rating(place, [rating for rating, _, _ in shared["standings"]])


def result(kind: str, problems: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Score and penalty, from each problem's points and earlier wrong tries (-1: unsolved).

    >>> result("points", [(500, 0), (1000, 2), (1500, -1)]), result("icpc", [(1, 3), (1, -1)])
    ((1400, 0), (1, 30))
    """
    right = [(points, wrong) for points, wrong in problems if wrong >= 0]
    cost = WRONG_TRY[kind]
    if kind == "icpc":
        return len(right), cost * sum(wrong for _, wrong in right)
    return sum(max(0, points - cost * wrong) for points, wrong in right), 0


def overall(samples: Sequence[Sample]) -> dict[str, Any]:
    """The rating and its interval over contests; VerifierError if no contest is whole."""
    found = _total(samples)
    return {
        "score": rounded(found.rating),
        "low": rounded(found.low),
        "high": rounded(found.high),
        "interval": "t over contests",
        "rerun_low": None,
        "rerun_high": None,
    }


def _total(samples: Sequence[Sample]) -> ratings.Rating:
    contests = rated(samples).contests
    if not contests:
        raise VerifierError(
            "codeforces: no contest all of whose problems have a response and a verdict, so there "
            "is no place and no rating. Answer whole contests."
        )
    return ratings.rating_over_contests(contests)


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """Counts of contests, the most that they can show, the share solved, the percentile."""
    found, total = rated(samples), _total(samples)
    units = [unit.score for unit in by_problem(samples) if unit.score is not None]
    return {
        "ceiling": round(total.ceiling),
        "contests": total.contests,
        "contests_at_cap": total.capped,
        "contests_at_floor": total.floored,
        "contests_incomplete": found.incomplete,
        "interactive_unsolved": found.interactive,
        "note": total.note,
        "solved": rounded(math.fsum(units) / len(units)) if units else None,
        **_percentile(samples[0].scored.problem.meta["contest"]["population"], total.rating),
    }


def _percentile(path: str, rating: float) -> dict[str, Any]:
    """The share of the listed ratings below this one, and which list that is."""
    if not Path(path).is_file():
        return {"percentile": None, "population_sha256": "none"}
    data = Path(path).read_bytes()
    try:
        known = json.loads(data)
    except ValueError as error:
        raise DataError(f"{path}: not JSON ({error}). Fetch it again.") from error
    if not isinstance(known, list) or not known or not all(map(_known, known)):
        raise DataError(f"{path}: a list of ratings is expected.")
    share = ratings.percentile(rating, known) / 100
    return {
        "percentile": rounded(share),
        "population": len(known),
        "population_sha256": hashlib.sha256(data).hexdigest(),
    }
