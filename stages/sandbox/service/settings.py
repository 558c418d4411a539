"""Serve the sandbox over HTTP until SIGTERM or SIGINT.

POST /run_code runs one program, in the fields of SandboxFusion. POST /v1/check judges rows as the
command `check` does, POST /v1/run gives back what programs answer. GET /health says that the
service is alive, GET /ready that three programs ended as they must, GET /metrics what it did.
/mcp serves the Model Context Protocol. The address is printed as one line when all is ready; port 0
takes a free one.

Without --key-variable the service runs on this machine alone. With it, requests carry
'Authorization: Bearer TOKEN', where TOKEN stands in the environment variable of that name; several,
with blanks between them, are for several trainers.

SIGTERM: no more requests are taken, those under way have --grace seconds to end.
"""

from __future__ import annotations

from dataclasses import dataclass

QUEUE = 64  # rows for each worker, where no other number is given


@dataclass(frozen=True)
class Settings:
    """The options of the command."""

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    key_variable: str = ""
    queue: int = 0
    grace: float = 30.0
    names: tuple[str, ...] = ()
