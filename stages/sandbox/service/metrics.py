"""What the service counts, as Prometheus reads it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from stages.sandbox.worker import Runner

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
"""Upper ends of the histogram of row times."""


class Metrics:
    """Of one service; a registry of its own, so that two in one process do not mix."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.rows = Counter(
            "everystep_sandbox_runs",
            "Rows that ended, by verdict",
            ["verdict"],
            registry=self._registry,
        )
        self.in_flight = Gauge(
            "everystep_sandbox_in_flight",
            "Rows taken in that have not ended, those that wait included",
            registry=self._registry,
        )
        self.queued = Gauge(
            "everystep_sandbox_queued", "Rows that wait for a worker", registry=self._registry
        )
        self.seconds = Histogram(
            "everystep_sandbox_run_seconds",
            "Seconds from a row's start to its end",
            buckets=SECONDS,
            registry=self._registry,
        )
        self.refused = Counter(
            "everystep_sandbox_refused",
            "Requests refused, by status, after token and size were looked at",
            ["status"],
            registry=self._registry,
        )
        self.restarted = Counter(
            "everystep_sandbox_workers_restarted",
            "Workers started in place of one that was ill or had served its time",
            registry=self._registry,
        )
        self.sessions = Gauge(
            "everystep_sandbox_sessions", "Sessions that are open", registry=self._registry
        )

    def text(self) -> bytes:
        """All of it, in the format of CONTENT_TYPE."""
        return generate_latest(self._registry)

    def counted(self, start: Callable[..., Runner], workers: int) -> Callable[..., Runner]:
        """``start``, each call beyond the first ``workers`` counted as a restart."""
        lock, started = threading.Lock(), 0

        def count(*arguments: Any, **named: Any) -> Runner:
            nonlocal started
            with lock:
                started += 1
                if started > workers:
                    self.restarted.inc()
            return start(*arguments, **named)

        return count
