"""``POST /run_code``: one program, in the fields that clients of SandboxFusion send and read.

What differs: ``run_timeout`` is processor time, by the clock a program has three times as long, so
that a busy machine fails no honest program. ``memory_limit_MB`` of -1 is the usual limit, not none.
``files`` are written before the program starts. ``fetch_files`` are refused: a cell hands back what
it prints and nothing else.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import signal
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from stages.base.checking import encodable
from stages.sandbox.grading import Graded, Outcome
from stages.sandbox.limits import Limits
from stages.sandbox.rows import LANGUAGES, Task
from stages.sandbox.service.bodies import answer, attended, read_object, to_run
from stages.sandbox.service.desk import Desk

POD = "POD_NAME"  # environment variable with the name of the pod, where there is one
STATUS = re.compile(r"exit status (\d+)|ended by signal (?:(SIG[A-Z]+)|(\d+))")
"""What a reason says of the status of a process."""
SECONDS = 10.0  # of run_timeout, where none is given
UNPACK = """\
def _unpack(files, source):
    import base64, pathlib
    for name, content in files.items():
        path = pathlib.Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))
    return compile(source, "<program>", "exec", dont_inherit=True)
_unpack = _unpack({files!r}, {source!r})
exec(globals().pop("_unpack"))
"""


class RunCode:
    """The endpoint."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def __call__(self, request: Request) -> Response:
        """200 whatever the program did; 422 for a request that is none, or in another language."""
        task = read_task(await read_object(request))
        (found,) = await attended(request, self._desk.run([task]))
        late = f"not reached in {self._desk.bounds.seconds:.0f} s"
        found = found or Graded(Outcome.SANDBOX_ERROR, late)
        return answer(as_fusion(found, task.language))


def read_task(body: dict[str, Any]) -> Task:
    """A request as a task; 422 names the field that is wrong."""
    code, stdin = _text(body, "code"), _text(body, "stdin", "")
    if (language := _text(body, "language")) not in LANGUAGES:
        raise HTTPException(422, f"language '{language}': known are {', '.join(LANGUAGES)}.")
    if body.get("fetch_files"):
        raise HTTPException(422, "fetch_files: this service hands back no files; print them.")
    memory = _number(body, "memory_limit_MB", -1)
    limits = {"time_s": _number(body, "run_timeout", SECONDS)}
    limits |= {"mem_mb": memory if memory > 0 else Limits().mem_mb}
    if body.get("files") and language != "python":
        raise HTTPException(422, f"files: there are none for a program in {language}.")
    program = _with_files(code, body.get("files") or {})
    row = {"program": program, "language": language, "input": stdin, "limits": limits}
    return to_run([row])[0]


def as_fusion(found: Graded, language: str = "python") -> dict[str, Any]:
    """How a program ended, in SandboxFusion's words; Python alone is compiled as it runs."""
    failed = found.outcome is Outcome.SANDBOX_ERROR
    late = found.outcome is Outcome.TIMEOUT
    passed = found.outcome is Outcome.PASS
    compiling = found.outcome is Outcome.COMPILE_ERROR  # as Python says it: on stderr
    run = {
        "status": "TimeLimitExceeded" if late else "Finished",
        "execution_time": round(found.wall, 4),
        "return_code": None if late else _return_code(found),
        "stdout": encodable(found.output if isinstance(found.output, str) else ""),
        "stderr": encodable(found.reason if compiling else found.stderr),
    }
    return {
        "status": "SandboxError" if failed else "Success" if passed else "Failed",
        "message": "" if passed else f"{found.outcome.value}: {encodable(found.reason)}",
        "compile_result": run if compiling and language != "python" else None,
        "run_result": None if failed or (compiling and language != "python") else run,
        "executor_pod_name": os.environ.get(POD),
        "files": {},
    }


def _return_code(found: Graded) -> int:
    """0, or what the reason says of the status; 1, as of an exception, if it says nothing."""
    if found.outcome is Outcome.PASS:
        return 0
    if found.reason == "killed":
        return -signal.SIGKILL
    said = STATUS.match(found.reason)
    if said is None:
        return 1
    status, name, number = said.groups()
    return int(status) if status else -signal.Signals[name].value if name else -int(number)


def _with_files(code: str, files: object) -> str:
    """The program, and before it what writes its files, inside the cell."""
    if not isinstance(files, dict):
        raise HTTPException(422, "files: an object of paths and contents in base64.")
    if not files:
        return code
    given = {name: content or "" for name, content in files.items()}
    for name, content in given.items():
        try:
            base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError, TypeError):
            raise HTTPException(422, f"files: the content of '{name}' is no base64.") from None
    return UNPACK.format(files=given, source=code)


def _text(body: dict[str, Any], name: str, usual: str | None = None) -> str:
    value = body.get(name)
    value = usual if value is None else value
    if not isinstance(value, str):
        raise HTTPException(422, f"'{name}' must be a text.")
    return value


def _number(body: dict[str, Any], name: str, usual: float) -> float:
    value = body.get(name)
    if value is None:
        return usual
    if type(value) not in (int, float):
        raise HTTPException(422, f"'{name}' must be a number.")
    try:
        return float(value)
    except OverflowError:
        raise HTTPException(422, f"'{name}' is beyond all bounds.") from None
