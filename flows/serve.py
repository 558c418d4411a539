"""Prefect server, UI and the scheduled deployment, all on this machine: ``make serve``.

A schedule never starts a second run beside one at work: it waits for its turn. Runs missed while
nothing was serving are made up for one after the other; DVC finds nothing to do for all but the
first. A run whose process died with an earlier server is marked Crashed at the next start.
"""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from prefect import State
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowFilter, FlowRunFilter
from prefect.client.schemas.schedules import CronSchedule
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.states import Crashed
from prefect.types.entrypoint import EntrypointType

from flows import HOME
from flows.pipeline import FLOW, SERVED_BY, TREES, everystep, run_at_work, the_only_run
from stages.base.errors import ConfigError, EverystepError, ResourceError
from stages.base.events import say

HOST = "127.0.0.1"
DEPLOYMENT = "scheduled"
PATIENCE = 180.0  # seconds for the server to start; a new database takes about 40


def require_free_port(port: int) -> None:
    """Raise ResourceError, with the way out, if this port cannot be listened on."""
    try:
        _listen(port)
    except OSError as error:
        raise ResourceError(
            f"port {port} on {HOST} cannot be used ({error.strerror}). Stop the program that "
            f"holds it, or choose another one: python -m flows.serve --port {_listen(0)}"
        ) from error


def _listen(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))
        return int(probe.getsockname()[1])


def require_cron(cron: str) -> None:
    """Raise ConfigError if this is not a cron expression Prefect can follow."""
    try:
        CronSchedule(cron=cron)
    except ValueError as error:
        raise ConfigError(
            f"--cron: '{cron}' is not a cron expression. Five fields are needed: minute, hour, "
            "day of month, month, day of week; every night at three is '0 3 * * *'."
        ) from error


def is_healthy(port: int) -> bool:
    """Whether a Prefect server answers on this port."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def wait_until_healthy(server: subprocess.Popen[str], port: int, log: Path) -> None:
    """Wait, with a line every five seconds; ResourceError if the server ends or takes too long."""
    started = told = time.monotonic()
    while not is_healthy(port):
        now = time.monotonic()
        if server.poll() is not None or now - started > PATIENCE:
            last = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
            raise ResourceError(f"the Prefect server did not start. Its log is {log}:\n{last}")
        if now - told >= 5:
            told = now
            say(f"Prefect server: starting, {now - started:.0f} s (the first start takes longer)")
        time.sleep(0.5)


def reconcile(alive: str) -> int:
    """Mark runs that claim to be at work, but are not the one described by ``alive``, as Crashed.

    The lock of the run at work is the truth; the database only remembers. Returns how many.
    """
    named = FlowFilter.model_validate({"name": {"any_": [FLOW]}})
    active = {"type": {"any_": ["RUNNING", "PENDING", "CANCELLING"]}}
    crashed: State[None] = Crashed(message="Its process was gone when the server started again.")
    with get_client(sync_client=True) as client:
        runs = client.read_flow_runs(
            flow_filter=named, flow_run_filter=FlowRunFilter.model_validate({"state": active})
        )
        stale = [run for run in runs if str(run.id) not in alive]
        for run in stale:
            client.set_flow_run_state(run.id, crashed, force=True)
    return len(stale)


def stop_children() -> None:
    """Kill every process below this one."""
    children = psutil.Process().children(recursive=True)
    for child in children:
        try:
            child.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(children, timeout=10)


def serve(port: int, cron: str) -> None:
    """Start the server, then serve the deployment until a signal ends both."""
    require_cron(cron)
    command = [sys.executable, "-m", "prefect", "server", "start"]
    command += ["--host", HOST, "--port", str(port)]
    log = HOME / "server.log"
    url = f"http://{HOST}:{port}"
    with (
        the_only_run(f"serving on port {port}", HOME / "serve.lock"),
        temporary_settings({PREFECT_API_URL: f"{url}/api"}),
        TREES.scope(),
    ):
        require_free_port(port)
        os.environ[SERVED_BY] = str(os.getpid())
        with log.open("w") as file, TREES.run(command, file) as server:
            try:
                wait_until_healthy(server, port, log)
                if stale := reconcile(run_at_work()):
                    say(f"Marked {stale} interrupted runs as Crashed.")
                say(f"Prefect UI: {url}  ({FLOW}/{DEPLOYMENT}, '{cron}' UTC)")
                everystep.serve(
                    name=DEPLOYMENT,
                    cron=cron,
                    limit=1,
                    pause_on_shutdown=False,
                    print_starting_message=False,
                    entrypoint_type=EntrypointType.MODULE_PATH,
                )
            finally:
                stop_children()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until stopped; 2 with one plain message when that is not possible."""
    parser = argparse.ArgumentParser(prog="python -m flows.serve", description=__doc__)
    parser.add_argument("--port", type=int, default=4200, help="on 127.0.0.1 (default: 4200)")
    parser.add_argument("--cron", default="0 3 * * *", help="when, in UTC (default: '0 3 * * *')")
    options = parser.parse_args(arguments)
    if not 0 < options.port < 65536:
        parser.error(f"argument --port: {options.port} is not between 1 and 65535")
    try:
        serve(options.port, options.cron)
    except EverystepError as error:
        say(f"serve: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
