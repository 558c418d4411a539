"""The service as a process: an address, a pool, an application, and an end in good order."""

from __future__ import annotations

import signal
import socket
import sys

import uvicorn

from stages.base.errors import ConfigError, ResourceError
from stages.base.events import say
from stages.sandbox.backends import LOCAL, runner
from stages.sandbox.pool import Pool
from stages.sandbox.service import selftest
from stages.sandbox.service.access import read_tokens, refuse_open
from stages.sandbox.service.app import build
from stages.sandbox.service.bounds import Bounds
from stages.sandbox.service.desk import Desk
from stages.sandbox.service.metrics import Metrics
from stages.sandbox.service.settings import QUEUE, Settings
from stages.sandbox.session import Session

ADVICE = "Stop what listens there, or give --port 0 for a free one."


def serve(settings: Settings) -> int:
    """Serve until told to end; 0.

    ConfigError for options that do not go together, ResourceError where the sandbox does not work
    or the address is taken.
    """
    tokens = read_tokens(settings.key_variable)
    refuse_open(settings.host, tokens)
    if settings.workers < 1 or settings.queue < 0 or settings.grace < 0:
        raise ConfigError("--workers must be 1 or more, --queue and --grace 0 or more.")
    counts = Metrics()
    bounds = Bounds(settings.queue or QUEUE * settings.workers, grace=settings.grace)
    pool = Pool(settings.workers, counts.counted(runner(LOCAL[0]), settings.workers))
    desk = Desk(pool, bounds, counts)
    try:
        if reason := selftest.problem(pool):
            raise ResourceError(f"the sandbox does not work here: {reason}")
        with _listening(settings.host, settings.port) as listening:
            app = build(desk, counts, tokens, settings.names, Session)
            _serve(uvicorn.Config(app, log_level="warning", access_log=False,
                                  timeout_graceful_shutdown=max(1, round(settings.grace))),
                   listening)  # fmt: skip
    finally:
        if not desk.idle:
            say("serve: programs were still running; they are ended.")
        pool.close()
    return 0


def _serve(config: uvicorn.Config, listening: socket.socket) -> None:
    server = uvicorn.Server(config)
    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn handles them, then raises them again
        signal.signal(number, server.handle_exit)
    sys.stdout.write(f"{_address(listening)}\n")
    sys.stdout.flush()
    server.run([listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server((address[0], port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise ResourceError(f"--host {host} --port {port}: {error}. {ADVICE}") from error


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
