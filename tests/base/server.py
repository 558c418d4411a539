"""A small chat server on localhost, for what speaks to a served model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any]


class Recorded:
    """What was asked, and how to answer: a function from the request's body to (status, JSON)."""

    def __init__(self, reply: Callable[[dict[str, Any]], Reply]) -> None:
        self.reply = reply
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""


def completion(text: str, ended: str = "stop", **more: str) -> dict[str, Any]:
    """A chat completion with one choice."""
    return {"choices": [{"message": {"content": text, **more}, "finish_reason": ended}]}


@contextmanager
def chat_server(reply: Callable[[dict[str, Any]], Reply]) -> Iterator[Recorded]:
    """A server that answers with ``reply`` until the block ends."""
    recorded = Recorded(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            recorded.bodies.append(body)
            recorded.headers.append(dict(self.headers))
            status, value = recorded.reply(body)
            payload = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *arguments: Any) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        recorded.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield recorded
        finally:
            server.shutdown()
            thread.join()
