"""A judge behind an OpenAI-compatible address."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from stages.base.checking import encodable
from stages.base.params import Endpoint
from stages.base.served import CUT, Served
from stages.evals.judges.asker import Reply, name_at

GIVE_UP = 20
"""Failures in a row after which the server is asked no more: it is gone, or refuses the key."""


class EndpointAsker:
    """Protocol ``Asker`` over ``Served``: its attempts, its waits, its limit of time an attempt.

    As many prompts are under way as the endpoint's ``parallel`` says. After `GIVE_UP` failures in
    a row the others fail unasked, so that a dead server costs minutes and not a night.
    """

    def __init__(self, endpoint: Endpoint, served: Served | None = None) -> None:
        self._endpoint = endpoint
        self._served = served or Served(endpoint)
        self._failures = 0
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        return name_at(self._endpoint.model, self._endpoint.temperature)

    def ask(self, prompts: Sequence[str], seeds: Sequence[int]) -> Iterator[Reply]:
        with ThreadPoolExecutor(self._endpoint.parallel) as pool:
            yield from pool.map(self._one, prompts, seeds)

    def _one(self, prompt: str, seed: int) -> Reply:
        if self._failures >= GIVE_UP:
            return Reply(failure=f"not asked: {GIVE_UP} questions in a row had failed")
        found = self._served.ask([{"role": "user", "content": prompt}], seed)
        with self._lock:
            self._failures = self._failures + 1 if found.failure else 0
        return Reply(str(encodable(found.text)), found.failure, found.failure == CUT)
