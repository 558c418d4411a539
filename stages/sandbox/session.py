"""A terminal for a model: a shell in a cell, whose state is kept from command to command."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any

from stages.base.errors import DataError, ResourceError, VerifierError
from stages.sandbox.frames import send
from stages.sandbox.limits import Limits
from stages.sandbox.processes import STRETCH
from stages.sandbox.shell import GRACE, STEPS, Told
from stages.sandbox.worker import PATIENCE, Worker, answered

LIMITS = Limits(time_s=120.0, mem_mb=1024, disk_mb=256, nproc=64, output_mb=1)
"""Of all commands of a session together, those in the background included."""

LONGEST = 1 << 17  # bytes of a command


class Session:
    """A shell of its own, with tools and without a network; ``/box`` is its home.

    A context manager. Kept between commands: folder, variables, functions, files, what runs in the
    background. Bounds are of the whole session, but ``output_mb`` of each stream of a command: what
    is more is cut out of its middle. Commands read nothing, and there is no /proc. It ends ``life``
    seconds after its start, or after ``idle`` seconds without a command.
    ResourceError where there are no namespaces, or no bash.
    """

    def __init__(self, limits: Limits = LIMITS, idle: float = 600.0, life: float = 3600.0) -> None:
        self._worker = Worker(tools=True, session=True)
        request = {"mode": "session", "idle": idle, "life": life, **limits.as_request()}
        self._way = self._worker.hold(request)
        told = json.loads(answered(self._way, PATIENCE))
        if "fault" in told:
            self.close()
            raise ResourceError(
                f"no shell in the sandbox ({told['fault']}): a session needs bash, install it"
            )

    def run(self, command: str, timeout: float = 30.0) -> Told:
        """Run a command and wait for its end, at most ``timeout`` seconds of the clock.

        One that takes longer is interrupted; if it ignores that it is ended, and at last the shell
        with it: then ``lost`` says so, there is a new shell in the same folder, and files are as
        they were. When the session has ended, ``ended`` says why and nothing runs any more. Time
        spent waiting for a processor does not count, up to ten times ``timeout``. DataError for
        what cannot be a command; VerifierError if the worker failed.
        """
        if "\0" in command or len(command.encode("utf-8", "replace")) > LONGEST:
            raise DataError(f"a command is a text of at most {LONGEST} bytes without a null")
        text = command.encode("utf-8", "replace").decode("utf-8")
        patience = (timeout + len(STEPS) * GRACE) * STRETCH + PATIENCE
        with self._worker.used:
            told = self._told({"command": text, "seconds": timeout}, patience)
        if "fault" in told:
            raise VerifierError(f"a session failed ({told['fault']}): start another")
        return Told(**told)

    def _told(self, asked: dict[str, Any], patience: float) -> dict[str, Any]:
        told: dict[str, Any] = {}
        try:
            send(self._way.fileno(), json.dumps(asked).encode())
            told.update(json.loads(answered(self._way, patience)))
        except OSError as error:
            raise VerifierError(f"a session is gone ({error}): start another") from error
        finally:
            if not told:  # a late answer would be taken for that of the next command
                self.close()
        return told

    def close(self) -> None:
        """End it and all that runs in it, from whatever thread."""
        self._worker.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
