"""The protocol ``Sandbox`` over a service at an address (``python -m stages.sandbox serve``).

Rows go in batches over several connections, a new one each time, so that what balances connections
balances work. A service that is busy or away is asked again, for minutes; what it then has not done
is an error of ours, never a wrong program.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.params import SandboxSettings
from stages.base.records import Judgement, Ran
from stages.base.records import Verdict as Found
from stages.sandbox.grading import Outcome
from stages.sandbox.local import judgement
from stages.sandbox.pool import Verdict
from stages.sandbox.rows import Task

PARALLEL = 16  # requests under way, where the profile names no number
SHARES = 4  # batches a connection, at least: a slow one holds up few rows
PATIENCE = 600.0  # seconds that a batch waits in all for a service that is busy or away
LONGEST = 30.0  # seconds between two tries, at most
ROUNDS = 2  # requests in a row that end none of a batch's rows
MORE = 30.0  # seconds that an answer may take beyond the service's own limit
FRAME = 64  # bytes of a request around its rows
SHOWN = 300  # characters of a refusal that are quoted
AGAIN = frozenset((408, 429, 500, 502, 503, 504))
"""Status codes after which the same request may succeed."""
STRANGER = (401, 403)
TRANSPORT = (http.client.HTTPException, OSError)

Row = Mapping[str, Any]


class _Stay(urllib.request.HTTPRedirectHandler):
    """A token goes to the address in the profile and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _NotTakenError(VerifierError):
    """The service does not take a row, for example as it asks for more memory than it allows."""


@dataclass(frozen=True)
class _Limits:
    """What the service takes in one request."""

    rows: int
    runs: int
    body_bytes: int
    seconds: float


class RemoteSandbox:
    """Protocol ``Sandbox``. A context manager; ``sleep`` waits between tries, in seconds.

    ConfigError if at the start there is no service, it is not ready, or it does not know the token.
    """

    def __init__(
        self, settings: SandboxSettings, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._url = settings.url.rstrip("/")
        self._sleep = sleep
        self._headers = {"Content-Type": "application/json", **_authorization(settings)}
        self._opener = urllib.request.build_opener(_Stay)
        self._limits = self._greeted()
        self._parallel = settings.workers or PARALLEL
        self._threads = ThreadPoolExecutor(self._parallel, "remote")
        self._away = threading.Event()  # somebody waited in vain: nobody else waits

    def __enter__(self) -> RemoteSandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown(cancel_futures=True)

    def run(self, rows: Sequence[Row]) -> list[Ran]:
        """What each program answers to its input; DataError for a row that is none."""
        for row in rows:
            Task.to_run(row)
        found = self._each("run", "answers", rows, self._limits.runs)
        return [_ran(one) for one in found]

    def check(self, rows: Sequence[Row]) -> list[Judgement]:
        """Whether each program passes its tests; DataError for a row that is none."""
        tasks = [Task.parse(row) for row in rows]
        found = self._each("check", "verdicts", rows, self._limits.rows)
        return [_judgement(task, one) for task, one in zip(tasks, found, strict=True)]

    def _each(self, path: str, name: str, rows: Sequence[Row], most: int) -> list[Any]:
        """What the service says of each row, in order; a text where it could not say anything."""
        spread = math.ceil(len(rows) / (SHARES * self._parallel))
        batches = list(_batches(rows, min(most, max(1, spread)), self._limits.body_bytes - FRAME))
        asked = self._threads.map(partial(self._batch, path, name), batches)
        return [one for answers in asked for one in answers]

    def _batch(self, path: str, name: str, rows: list[bytes]) -> list[Any]:
        found: list[Any] = ["the service did not get to it"] * len(rows)
        if len(rows[0]) > self._limits.body_bytes - FRAME:
            return [f"a row of {len(rows[0])} bytes, and the service takes less"]
        waiting, idle = list(range(len(rows))), 0
        while waiting and idle < ROUNDS:
            try:
                answers, undone = self._asked(path, name, [rows[at] for at in waiting])
            except _NotTakenError as error:  # which row it was is seen when each goes alone
                alone = len(waiting) == 1
                for at in waiting:
                    found[at] = str(error) if alone else self._batch(path, name, [rows[at]])[0]
                break
            except VerifierError as error:
                for at in waiting:
                    found[at] = str(error)
                break
            for number, at in enumerate(waiting):
                found[at] = answers[number]
            idle = idle + 1 if len(undone) == len(waiting) else 0
            waiting = [waiting[number] for number in undone]
        return found

    def _asked(self, path: str, name: str, rows: list[bytes]) -> tuple[list[Any], list[int]]:
        """One request: what is said of each row, and which were not reached."""
        body = b'{"rows":[' + b",".join(rows) + b"]}"
        reply = self._post(path, body)
        try:
            answers, undone = list(reply[name]), list(reply["undone"])
            fits = len(answers) == len(rows) and set(undone) <= set(range(len(rows)))
        except (KeyError, TypeError):
            fits = False
        if not fits:
            raise VerifierError(f"{self._url}: no answer of a sandbox service")
        return answers, undone

    def _post(self, path: str, body: bytes) -> Any:
        """The reply; VerifierError when the service is of no use for as long as may be waited."""
        waited, tries = 0.0, 0
        while True:
            try:
                reply = self._once(f"/v1/{path}", body, self._limits.seconds + MORE)
            except urllib.error.HTTPError as error:
                failure, asked = self._refused(error)
            except (*TRANSPORT, ValueError) as error:
                failure, asked = f"no answer ({getattr(error, 'reason', error)!s})", 0.0
            else:
                self._away.clear()
                return reply
            pause = min(LONGEST, max(asked, 2.0**tries))
            if self._away.is_set() or waited + pause > PATIENCE:
                self._away.set()
                raise VerifierError(f"{self._url}: {failure}, {tries + 1} times")
            self._sleep(pause)
            waited, tries = waited + pause, tries + 1

    def _refused(self, error: urllib.error.HTTPError) -> tuple[str, float]:
        """Why, and how long to wait; an error if it is no use to wait."""
        said = _quoted(error)
        if error.code in STRANGER:
            raise ConfigError(_unknown(self._url)) from error
        if error.code == 422:
            raise _NotTakenError(f"{self._url} does not take the row: {said}") from error
        if error.code not in AGAIN:
            raise VerifierError(f"{self._url}: status {error.code} ({said})") from error
        wait = error.headers.get("Retry-After", "")
        return f"status {error.code} ({said})", float(wait) if wait.isdecimal() else 0.0

    def _once(self, path: str, body: bytes | None, seconds: float) -> Any:
        # The address is one of HTTP: _authorization looked.
        request = urllib.request.Request(self._url + path, body, self._headers)  # noqa: S310
        with self._opener.open(request, timeout=seconds) as reply:
            return json.loads(reply.read())

    def _greeted(self) -> _Limits:
        """The service's limits; ConfigError unless it is there, ready, and knows the token."""
        try:
            self._once("/ready", None, MORE)
            told = self._once("/v1/limits", None, MORE)
            return _Limits(*(told[name] for name in ("rows", "runs", "body_bytes", "seconds")))
        except urllib.error.HTTPError as error:
            if error.code in STRANGER:
                raise ConfigError(_unknown(self._url)) from error
            fault = f"status {error.code}, {_quoted(error)}"
        except TRANSPORT as error:
            fault = str(getattr(error, "reason", error))
        except (KeyError, TypeError, ValueError):
            fault = "what answers there is no sandbox service"
        raise ConfigError(
            f"sandbox.url: {self._url} does not serve a sandbox ({fault}). Start one with "
            "`python -m stages.sandbox serve`, or correct the address."
        )


def _batches(rows: Sequence[Row], most: int, largest: int) -> Iterator[list[bytes]]:
    """Rows as JSON, at most so many and so many bytes together; a row too large is alone."""
    batch, size = list[bytes](), 0
    for number, row in enumerate(rows):
        try:
            text = json.dumps(dict(row), allow_nan=False).encode("ascii")
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"row {number} cannot be written as JSON ({error})") from error
        if batch and (len(batch) == most or size + len(text) + 1 > largest):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) + 1
    if batch:
        yield batch


def _judgement(task: Task, said: Any) -> Judgement:
    if isinstance(said, str):
        return Judgement(Found.ERROR, None, f"the sandbox failed: {said}")
    try:
        outcome, passed = Outcome(said["verdict"]), int(said["tests_passed"])
        verdict = Verdict(task.id, outcome, str(said["reason"]), passed, 0.0, 0.0)
    except (KeyError, TypeError, ValueError) as error:
        return Judgement(Found.ERROR, None, f"the sandbox failed: no verdict ({error})")
    return judgement(task, verdict)


def _ran(said: Any) -> Ran:
    if isinstance(said, str):
        raise VerifierError(f"the sandbox failed: {said}")
    if said.get("why") == Outcome.SANDBOX_ERROR.value:
        raise VerifierError(f"the sandbox failed: {said.get('reason')}")
    return Ran(said.get("output"), said.get("why", "no answer of a sandbox service"))


def _authorization(settings: SandboxSettings) -> dict[str, str]:
    if not settings.key_variable:
        return {}
    key = os.environ.get(settings.key_variable, "").strip()
    if not key:
        raise ConfigError(
            f"sandbox.key_variable: the environment variable {settings.key_variable} holds no "
            "token. Set it to one that the service knows."
        )
    return {"Authorization": f"Bearer {key}"}


def _unknown(url: str) -> str:
    return (
        f"sandbox.key_variable: {url} does not know the token. Name the environment variable that "
        "holds one that the service was started with."
    )


def _quoted(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(SHOWN).decode("utf-8", "replace").strip()
    except TRANSPORT:
        return "without a reason"
