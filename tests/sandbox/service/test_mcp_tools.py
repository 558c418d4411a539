"""An MCP client lists the tools and calls them; a stranger does not."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.sandbox.service.serving import ECHO, TOKEN, served
from tests.sandbox.service.test_sessions import Shell

pytestmark = pytest.mark.slow  # a server


def called(url, *calls, headers=None):
    """Names of the tools, and what the calls gave."""

    async def ask():
        async with httpx2.AsyncClient(headers=headers or {}, timeout=30) as http:
            async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                return names, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(ask())


def test_programs_are_run_and_checked():
    with served(tokens=(TOKEN,)) as client:
        names, (ran, judged, bad) = called(
            client.base_url,
            ("run_python", {"code": "print(input())", "stdin": "a"}),
            ("check_program", {"row": ECHO}),
            ("check_program", {"row": {**ECHO, "tests": []}}),
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
    assert names == ["run_python", "check_program"]
    assert ran.structured_content["run_result"]["stdout"] == "a\n"
    assert (judged.structured_content["id"], judged.structured_content["verdict"]) == (
        *("echo", "pass"),
    )
    assert bad.is_error
    assert "'tests' must be" in bad.content[0].text


def test_a_shell_keeps_its_session_for_its_owner():
    Shell.opened.clear()
    with served(tokens=(TOKEN,), shells=Shell) as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        names, (first,) = called(client.base_url, ("shell", {"command": "a"}), headers=headers)
        told = first.structured_content
        again = {"command": "b", "session": told["session"]}
        _, (second, bad) = called(
            client.base_url,
            ("shell", again),
            ("shell", {**again, "session": "guessed"}),
            headers=headers,
        )
    assert "shell" in names
    assert (told["output"], second.structured_content["output"]) == ("a", "a b")
    assert bad.is_error


def test_strangers_and_other_names_are_refused():
    start = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream"}
    with served(tokens=(TOKEN,)) as client:
        named = {**headers, "Host": "evil.example"}
        assert client.post("/mcp", json=start, headers=named).status_code == 421
        named = {**headers, "Origin": "http://evil.example"}
        assert client.post("/mcp", json=start, headers=named).status_code == 403
        del client.headers["Authorization"]
        assert client.post("/mcp", json=start, headers=headers).status_code == 401
