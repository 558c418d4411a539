"""LiveCodeBench: a window of dates, both styles of program, all tests, none unpickled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.base.params import SandboxSettings
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Verdict
from stages.evals.published import livecodebench
from stages.evals.published.benchmark import Loaded, load
from stages.evals.published.score import benchmark_named
from stages.sandbox.backends import open_sandbox
from tests.evals.published.minis import MINI, items, scored, write

FOLDER = MINI / "livecodebench"
LCB = benchmark_named("livecodebench")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox(SandboxSettings(workers=1)) as opened:
        yield opened


class Kept:
    """Remembers what it is asked, and says that all is right."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []

    def check(self, rows: list[Any]) -> list[Judgement]:
        self.rows.append(rows)
        return [Judgement(Verdict.PASS, 1.0) for _ in rows]


def row(**more: Any) -> dict[str, Any]:
    first = json.loads((FOLDER / "test.jsonl").read_text().splitlines()[0])
    return {**first, **more}


def loaded(folder: Path, *rows: dict[str, Any]) -> Loaded:
    return load(LCB, write(folder / "test.jsonl", list(rows)), None)


def packed(*pairs: tuple[str, str], style: str = "stdin") -> str:
    return json.dumps([{"input": a, "output": b, "testtype": style} for a, b in pairs])


@pytest.mark.field_bug("E5")
def test_the_mini_set(tmp_path: Path, sandbox: Sandbox) -> None:
    right = scored("livecodebench", FOLDER / "right.jsonl", tmp_path, sandbox)
    assert (right["score"], right["counts"]["pass"], right["pass_at"]) == (1.0, 9, {"1": 1.0})
    assert right["set_aside_for"] == {
        "contest not from 2024-08-01 to 2025-05-31": 1,
        "interactive: fixed outputs do not judge it": 1,
    }
    mixed = scored("livecodebench", FOLDER / "mixed.jsonl", tmp_path, sandbox)
    counts = {verdict: n for verdict, n in mixed["counts"].items() if n}
    assert counts == {"pass": 3, "wrong": 2, "unparsed": 2, "truncated": 2}
    # numbers in another spelling, fractions nearly right, a bare function that gives a tuple
    passed = [name for name, one in items(tmp_path).items() if one["score"]]
    assert sorted(passed) == ["9103", "mini901_a", "mini901_b"]
    assert mixed["measures"] == {"easy": 0.4, "hard": 0.0, "medium": 0.5}


@pytest.mark.parametrize(
    ("day", "asked"),
    [("2024-07-31", 0), ("2024-08-01", 1), ("2025-05-31T22:00:00", 1), ("2025-06-01", 0)],
)
def test_the_window_has_both_its_ends(day: str, asked: int, tmp_path: Path) -> None:
    other = row(question_id="other")
    assert len(loaded(tmp_path, row(contest_date=day), other).problems) == 1 + asked


@pytest.mark.field_bug("E25")
@pytest.mark.parametrize(
    ("content", "asked"),
    [
        ("This is an interactive problem.", 0),
        ("(This is an Interactive Task, where your program and the judge talk.)", 0),
        ("This is not an interactive problem.", 1),
        ("An interactive map shows N towns.", 1),
    ],
)
def test_interactive_problems_are_set_aside(content: str, asked: int, tmp_path: Path) -> None:
    given = row(question_content=content)
    assert len(loaded(tmp_path, given, row(question_id="other")).problems) == 1 + asked


@pytest.mark.field_bug("E27")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"public_test_cases": "[]", "private_test_cases": "[]"}, "no tests, so nothing can pass"),
        ({"public_test_cases": packed(("1", "1"), style="functional")}, "must all be 'stdin'"),
        ({"metadata": '{"func_name": "f"}'}, "must all be 'functional'"),
        ({"metadata": "{"}, "metadata is no JSON"),
        ({"contest_date": "soon"}, "contest_date 'soon' is no date"),
        ({"private_test_cases": "gASVAAA="}, "neither JSON nor packed"),
        (
            {
                "metadata": '{"func_name": "f"}',
                "public_test_cases": packed(("[1", "1"), style="functional"),
                "private_test_cases": "[]",
            },
            "test 0 is no JSON",
        ),
    ],
)
def test_a_row_that_cannot_judge_is_refused_when_it_is_read(
    more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=rf"test\.jsonl:1: .*{said}"):
        loaded(tmp_path, row(**more))


def test_what_the_sandbox_is_asked(tmp_path: Path) -> None:
    sandbox = Kept()
    called = {
        "question_id": "c",
        "metadata": '{"func_name": "f"}',
        "public_test_cases": packed(("[1]\n2", "[3]"), style="functional"),
        "private_test_cases": packed(("", "0"), style="functional"),
    }
    read, call = loaded(tmp_path, row(), row(**called)).problems
    method = "class Solution:\n    def f(self, a, b): ..."
    bare = "from __future__ import annotations\ndef f(a, b): ..."
    answers = [
        (problem, f"```python\n{program}\n```", "stop")
        for problem, program in ((read, "print(1)"), (call, method), (call, bare))
    ]
    assert all(one.reward == 1 for one in livecodebench.judge(answers, sandbox))  # type: ignore[arg-type]
    ((plain, owned, unowned),) = sandbox.rows
    assert (plain["mode"], len(plain["tests"])) == ("stdin", 4)
    assert (owned["fn"], owned["tests"]) == ("Solution.f", [[[[1], 2], [3]], [[], 0]])
    assert unowned["fn"] == "f"
    assert unowned["program"].startswith("from __future__ import annotations\nfrom string")
    assert owned["tests"] is unowned["tests"]  # in memory once
    compile(unowned["program"], "p", "exec")


def test_tests_are_unpacked_in_batches_that_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(livecodebench, "BATCH", 1)
    sandbox = Kept()
    problems = loaded(tmp_path, row(), row(question_id="b")).problems
    answers = [
        (problem, text, "stop")
        for problem in problems
        for text in ("```\n1\n```", "", "```\n2\n```")
    ]
    found = livecodebench.judge(answers, sandbox)  # type: ignore[arg-type]
    assert [one.verdict.value for one in found] == ["pass", "unparsed", "pass"] * 2
    assert [[one["id"] for one in rows] for rows in sandbox.rows] == [["0"], ["2"], ["3"], ["5"]]
