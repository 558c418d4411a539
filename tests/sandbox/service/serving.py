"""A real server in this process, over a pool whose programs start fast."""

from __future__ import annotations

import contextlib
import threading
import time

import httpx
import uvicorn

from stages.sandbox.pool import Pool
from stages.sandbox.service.app import build
from stages.sandbox.service.bounds import Bounds
from stages.sandbox.service.desk import Desk
from stages.sandbox.service.metrics import Metrics
from stages.sandbox.unsafe import UnsafeRunner

TOKEN = "a-token-of-one-trainer"
OTHER = "a-token-of-another-trainer"
ECHO = {"id": "echo", "program": "print(input())", "tests": [["a", "a"], ["b", "b"]]}


class Held(UnsafeRunner):
    """Runs nothing until it is let go; ``ran`` counts what it ran."""

    def __init__(self):
        self.go = threading.Event()
        self.ran = 0

    def run(self, request):
        assert self.go.wait(20)
        self.ran += 1
        return super().run(request)


def healthy(_pool):
    return ""


@contextlib.contextmanager
def served(start=UnsafeRunner, workers=2, tokens=(), test=healthy, shells=None, **bounds):
    """A client of a server that runs while the block does."""
    counts = Metrics()
    with Pool(workers, counts.counted(start, workers)) as pool:
        desk = Desk(pool, Bounds(**{"queue": 64, **bounds}), counts)
        app = build(desk, counts, tokens, start=shells, test=test)
        config = uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            until(lambda: server.started)
            port = server.servers[0].sockets[0].getsockname()[1]
            headers = {"Authorization": f"Bearer {tokens[0]}"} if tokens else {}
            url = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=url, headers=headers, timeout=30) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()


def until(true, seconds=10.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def counted(client, name):
    """A number of /metrics."""
    lines = client.get("/metrics").text.splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(f"{name} ")), 0.0)
