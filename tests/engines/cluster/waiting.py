"""Waiting, from outside, for what a driver says or what becomes true."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.engines.cluster.cluster import Driver


def said(driver: Driver, what: str) -> list[dict[str, Any]]:
    """Its whole lines of JSON of one kind, in order."""
    lines = [line for line in driver.output.splitlines(keepends=True) if line.endswith("}\n")]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return [event for event in events if what in event]


def until(true: Callable[[], Any], seconds: float, driver: Driver | None = None) -> float:
    """Seconds until something holds; the test fails if it does not, or a driver ends before."""
    began = time.monotonic()
    while not true():
        over = driver is not None and driver.returncode is not None
        if over or time.monotonic() > began + seconds:
            words = driver.output[-3000:] if driver else ""
            pytest.fail(f"{'the driver ended' if over else f'not within {seconds} s'}\n{words}")
        time.sleep(0.05)
    return time.monotonic() - began
