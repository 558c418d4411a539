"""Ready is what has just been seen to work."""

from __future__ import annotations

import asyncio

import pytest

from stages.sandbox.backends import open_pool
from stages.sandbox.service import selftest
from stages.sandbox.service.selftest import Readiness
from tests.sandbox.service.serving import served
from tests.sandbox.test_programs import needs_namespaces

pytestmark = pytest.mark.slow  # a server


def test_without_walls_the_service_is_never_ready():
    with served(test=selftest.problem) as client:
        answer = client.get("/ready")
    assert answer.status_code == 503
    assert "a program reaches out of its cell" in answer.json()["reason"]


@needs_namespaces
def test_cells_pass():
    with open_pool("namespaces", 1) as pool:
        assert selftest.problem(pool) == ""


def test_a_checker_that_finds_everything_right_or_wrong_is_found_out(monkeypatch):
    honest = selftest.ROWS
    with open_pool("unsafe", 1) as pool:
        for name, output in (("right", "0"), ("wrong", "42")):
            rows = {
                title: ((f"print({output})", *rest) if name in title else (program, *rest))
                for title, (program, *rest) in honest.items()
            }
            monkeypatch.setattr(selftest, "ROWS", rows)
            assert selftest.problem(pool).startswith(f"a {name} program")


def test_a_worker_that_cannot_start_is_the_reason():
    def forbidden(tools):
        raise OSError("forbidden")

    with served(forbidden, test=selftest.problem) as client:
        assert client.get("/ready").json()["reason"] == "forbidden"


def test_a_finding_is_kept_for_a_while_and_a_slow_test_delays_nobody(monkeypatch):
    monkeypatch.setattr(selftest, "PATIENCE", 0.02)
    findings, slow = ["", "broken", ""], asyncio.Event()

    async def test():
        found = findings.pop(0)
        if found:
            await slow.wait()
        return found

    async def story():
        kept = Readiness(test, fresh=1000)
        assert [await kept.problem() for _ in range(3)] == ["", "", ""]
        assert len(findings) == 2
        renewed = Readiness(test, fresh=0)
        assert "has not ended" in await renewed.problem()
        monkeypatch.setattr(selftest, "HUNG", 0.0)
        assert "does not end" in await renewed.problem()
        slow.set()
        assert await renewed.problem() == "broken"
        assert await renewed.problem() == ""

    asyncio.run(story())
