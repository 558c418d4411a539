"""``/mcp``: the sandbox as tools of a language model, over streamable HTTP without sessions."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException

from stages.sandbox.service.access import LOOPBACK
from stages.sandbox.service.desk import Desk
from stages.sandbox.service.fusion import as_fusion, read_task
from stages.sandbox.service.programs import Programs
from stages.sandbox.service.sessions import USUAL, Sessions

T = TypeVar("T")


def server(desk: Desk, programs: Programs, sessions: Sessions, shells: bool) -> MCPServer:
    """The tools; ``shell`` only where there are sessions."""
    tools = MCPServer(
        "everystep-sandbox",
        instructions="Run and check programs in a sandbox.",
        log_level="WARNING",
    )

    @tools.tool()
    async def run_python(code: str, stdin: str = "") -> dict[str, Any]:
        """Run a Python program in a sandbox without network; give back what it prints.

        status is Success, Failed or SandboxError; run_result holds stdout, stderr, return_code.
        """
        task = read_task({"code": code, "stdin": stdin, "language": "python"})
        (found,) = await _told(desk.run([task]))
        if found is None:
            raise ToolError("The sandbox is busy: try again.")
        return as_fusion(found)

    @tools.tool()
    async def check_program(row: dict[str, Any]) -> dict[str, Any]:
        """Judge a program by its tests.

        row: id, program, tests (a list of [input, expected output]); mode "stdin" (the default),
        or "function" with fn, its tests then [[argument, ...], value]. Gives back verdict, reason
        and tests_passed.
        """
        (found,) = await _told(programs.checked([row]))
        return found

    if shells:

        @tools.tool()
        async def shell(
            command: str,
            context: Context[Any, Any],
            session: str = "",
            timeout: float = USUAL,
        ) -> dict[str, Any]:
            """Run a shell command in a sandbox without network.

            Give back the session's name to go on where the last command ended; without a name a
            new session is opened. timeout is in seconds.
            """
            request = context.request_context.request
            owner = "" if request is None else request.scope["owner"]
            if not 0 < timeout <= desk.bounds.command_s:
                raise ToolError(f"timeout: above 0, up to {desk.bounds.command_s:.0f} seconds.")
            name, found = session or await _told(sessions.open(owner)), None
            try:
                found = await _told(sessions.run(owner, name, command, timeout))
            finally:
                if found is None and not session:  # nobody learns its name
                    with suppress(HTTPException):
                        await sessions.close(owner, name)
            return {"session": name, **found}

    return tools


def security(names: tuple[str, ...]) -> TransportSecuritySettings:
    """Hosts under which the tools may be called: this machine's, and ``names``, any port."""
    hosts = (*LOOPBACK, *names)
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
        allowed_origins=[form for h in hosts for form in (f"http://{h}", f"http://{h}:*")],
    )


async def _told(work: Awaitable[T]) -> T:
    """What is wrong with a request, as something a model can read."""
    try:
        return await work
    except HTTPException as error:
        raise ToolError(error.detail) from error
