"""Processes that compare expressions: asked from any thread, ended and replaced when they hang."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from stages.base.records import Verdict
from stages.rewards import maths_pool
from stages.rewards.maths import judge_maths
from stages.rewards.maths_nodes import UnreadableError
from stages.rewards.maths_pool import Pool, TimeLimitError, holds
from stages.rewards.maths_quantities import Asked
from stages.rewards.maths_reading import read
from tests.tables import each

SPINNING = (
    "import stages.rewards.maths_identity as m\n"
    "m.CPU_SECONDS = 0.2\n"
    "def answer(row):\n"
    "    while row['ask'] == 'spin': pass\n"
    "    return 'same'\n"
    "m.answer = answer\n"
    "m.main()"
)
SLEEPING = "import time; input(); time.sleep(60)"
GREEDY = (
    "import stages.rewards.maths_identity as m\n"
    "m.MEMORY = 1 << 28\n"
    "m.answer = lambda row: str(len(bytearray(1 << 30)))\n"
    "m.main()"
)


def pool(code: str, patience: float = 30.0) -> Pool:
    return Pool((sys.executable, "-c", code), patience)


def node(text: str):
    return read(text).node


@pytest.mark.field_bug("E22")
def test_one_that_computes_for_too_long_is_ended_and_replaced():
    asked = pool(SPINNING)
    for _ in range(2):
        with pytest.raises(TimeLimitError):
            asked.ask(json.dumps({"ask": "spin"}))
        assert json.loads(asked.ask(json.dumps({"ask": "same"})))["found"] == "same"
    asked.close()


def test_one_that_sleeps_is_ended():
    started = time.monotonic()
    with pytest.raises(TimeLimitError):
        pool(SLEEPING, 0.3).ask("{}")
    assert time.monotonic() - started < 30


@pytest.mark.field_bug("E22")
def test_one_that_takes_too_much_memory_says_so_and_lives():
    asked = pool(GREEDY)
    for _ in range(2):
        assert json.loads(asked.ask("{}"))["found"] == "undecided"
    asked.close()


@pytest.mark.field_bug("E22")
def test_an_answer_that_takes_too_long_is_a_timeout_without_reward(monkeypatch):
    monkeypatch.setattr(maths_pool, "POOL", pool(SLEEPING, 0.3))
    found = judge_maths(r"\sqrt{2}", r"\boxed{\sqrt{3} + \sqrt{1097}}", Asked())
    assert (found.verdict, found.reward) == (Verdict.TIMEOUT, 0.0)


@pytest.mark.field_bug("E45")
def test_any_thread_may_ask():
    def ask(number: int) -> bool:
        return holds("same", node(f"\\sqrt{{{number}}}"), node(f"{number}^{{1/2}}"))

    with ThreadPoolExecutor(3) as threads:
        assert all(threads.map(ask, range(1002, 1032)))


@pytest.mark.field_bug("E18")
def test_numbers_need_no_process(monkeypatch):
    monkeypatch.setattr(maths_pool, "POOL", None)
    for gold, said in (("42", "43"), ("1/2", "0.5"), ("1/2^99", "1/2^98"), ("(x+1)^2", "x^2+1")):
        expected = Verdict.PASS if said == "0.5" else Verdict.WRONG
        assert judge_maths(gold, rf"\boxed{{{said}}}", Asked()).verdict is expected


@pytest.mark.field_bug("E18")
@each(
    ("ask", "gold", "said", "found"),
    [
        ("same", r"\sqrt2", "2^{0.5}", True),
        ("same", r"\sqrt2", r"\sqrt2 + 10^{-100}", False),
        ("same", "e^{-900}", "e^{-901}", False),
        ("same", r"\sin^2 x + \cos^2 x", "1", True),
        ("same", r"\tan^{-1} 1", r"\pi/4", True),
        ("same", r"i^i", r"e^{-\pi/2}", True),
        ("same", r"\sqrt2 - 2^{0.5}", "0", True),
        ("same", "x!", "x(x-1)!", True),
        ("factor", r"\sqrt2 x - 1", r"2x - \sqrt2", True),
        ("factor", r"\sqrt2 x - 1", r"2x - 1", False),
        ("positive", "x - 1", "1 - x", False),
        ("positive", "x - 1", "2x - 2", True),
    ],
)
def test_identities(ask, gold, said, found):
    assert holds(ask, node(gold), node(said)) is found


def test_margins():
    root = node(r"\sqrt2")
    assert holds("within", root, node("1.414"), Fraction(1, 1000))
    assert not holds("within", root, node("1.414"), Fraction(1, 10**5))
    assert holds("relative", node(r"1000\sqrt2"), node("1410"), Fraction(1, 100))


@pytest.mark.parametrize("said", ["1/0", "0^0", r"\ln 0", "e^{e^{e^{e^e}}}", r"\log_1 2"])
def test_what_has_no_value_is_not_decided(said):
    with pytest.raises(UnreadableError):
        holds("same", node(r"\sqrt2"), node(said))
