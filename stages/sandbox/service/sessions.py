"""``/v1/sessions``: a shell that keeps its state between commands, for those who opened it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from stages.base.errors import DataError, EverystepError
from stages.sandbox.service.bodies import answer, attended, read_object
from stages.sandbox.service.bounds import Bounds
from stages.sandbox.service.metrics import Metrics

T = TypeVar("T")
LOOK = 1.0  # seconds between looks for idle sessions
USUAL = 30.0  # seconds of a command, where none are given


class Session(Protocol):
    """A shell in a cell of its own."""

    def run(self, command: str, timeout: float) -> Any:
        """What came of a command, a dataclass of plain values; ``timeout`` in seconds.

        If it has a field ``ended`` that says something, the session is over. DataError for what is
        no command; another EverystepError if the session is of no use any more.
        """
        ...

    def close(self) -> None:
        """End it and all in it."""
        ...


SessionFactory = Callable[[], Session]
"""Opens one; EverystepError if it cannot be."""


@dataclass
class _Open:
    owner: str
    session: Session
    used: float
    busy: bool = False


class Sessions:
    """Those that are open. Their ids cannot be guessed, and are of use to their owner only."""

    def __init__(self, start: SessionFactory | None, bounds: Bounds, metrics: Metrics) -> None:
        self._start = start
        self._bounds = bounds
        self._metrics = metrics
        self._open: dict[str, _Open] = {}
        self._starting = 0
        self._threads = ThreadPoolExecutor(bounds.sessions, "session")

    async def open(self, owner: str) -> str:
        """A new one's id. 501 if there are none here, 429 if there are as many as may be."""
        if self._start is None:
            raise HTTPException(501, "This service has no sessions.")
        if len(self._open) + self._starting >= self._bounds.sessions:
            wait = {"Retry-After": "10"}
            raise HTTPException(429, f"{self._bounds.sessions} sessions are open.", wait)
        self._starting += 1
        try:
            session = await self._apart(self._start)
        except (EverystepError, OSError) as error:
            raise HTTPException(503, f"No session starts: {error}") from error
        finally:
            self._starting -= 1
        name = secrets.token_urlsafe(24)
        self._open[name] = _Open(owner, session, time.monotonic())
        self._metrics.sessions.set(len(self._open))
        return name

    async def run(self, owner: str, name: str, command: str, timeout: float) -> dict[str, Any]:
        """What came of a command.

        409 while another runs, 422 for what is none; 503, and closed, if the session failed.
        """
        found = self._of(owner, name)
        if found.busy:
            raise HTTPException(409, "A command runs in this session.")
        found.busy = True

        def work() -> Any:
            try:
                return found.session.run(command, timeout)
            finally:  # also when nobody waits for the answer any more
                found.busy, found.used = False, time.monotonic()

        try:
            told = asdict(await self._apart(work))
        except DataError as error:
            raise HTTPException(422, f"'command': {error}") from error
        except (EverystepError, OSError) as error:
            await self._end(name)
            raise HTTPException(503, f"The session has ended: {error}") from error
        if told.get("ended"):
            await self._end(name)
        return told

    async def close(self, owner: str, name: str) -> None:
        """End one."""
        self._of(owner, name)
        await self._end(name)

    async def sweep(self) -> None:
        """End what nobody has used for long; never returns."""
        while True:
            await asyncio.sleep(LOOK)
            old = time.monotonic() - self._bounds.session_idle_s
            for name, one in list(self._open.items()):
                if not one.busy and one.used < old:
                    await self._end(name)

    async def close_all(self) -> None:
        """End all; commands that run are lost."""
        for name in list(self._open):
            await self._end(name)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _of(self, owner: str, name: str) -> _Open:
        found = self._open.get(name)
        if self._start is None:
            raise HTTPException(501, "This service has no sessions.")
        if found is None or found.owner != owner:
            raise HTTPException(404, "No such session: it was closed, or was never yours.")
        return found

    async def _end(self, name: str) -> None:
        found = self._open.pop(name, None)
        self._metrics.sessions.set(len(self._open))
        if found is not None:
            await asyncio.to_thread(found.session.close)

    async def _apart(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class SessionRoutes:
    """The endpoints."""

    def __init__(self, sessions: Sessions, bounds: Bounds) -> None:
        self._sessions = sessions
        self._bounds = bounds

    async def open(self, request: Request) -> Response:
        """``{"id", "idle_s"}``."""
        name = await self._sessions.open(request.scope["owner"])
        return answer({"id": name, "idle_s": self._bounds.session_idle_s}, 201)

    async def run(self, request: Request) -> Response:
        """``{"command", "timeout"}`` to what came of it."""
        body = await read_object(request)
        command, timeout = body.get("command"), body.get("timeout", USUAL)
        if not isinstance(command, str):
            raise HTTPException(422, "'command' must be a text.")
        most = self._bounds.command_s
        if type(timeout) not in (int, float) or not 0 < timeout <= most:
            raise HTTPException(422, f"'timeout' must be a number above 0, up to {most:.0f}.")
        name = request.path_params["name"]
        work = self._sessions.run(request.scope["owner"], name, command, float(timeout))
        return answer(await attended(request, work))

    async def close(self, request: Request) -> Response:
        """204."""
        await self._sessions.close(request.scope["owner"], request.path_params["name"])
        return Response(status_code=204)
