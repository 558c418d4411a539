"""Prefect server, UI and the scheduled deployment, all on this machine: ``make serve``.

A schedule never starts a second run beside one at work: it waits for its turn. Runs missed while
nothing was serving are made up for one after the other; DVC finds nothing to do for all but the
first. A run whose process died with an earlier server is marked Crashed at the next start.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

import psutil
from prefect import State
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowFilter, FlowRunFilter
from prefect.client.schemas.schedules import CronSchedule
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.states import Crashed
from prefect.types.entrypoint import EntrypointType

from flows.pipeline import FLOW, LOCK, SERVE_LOCK, SERVED_BY, everystep
from flows.processes import HOST, holder, only_one, prefect_server
from stages.base.errors import ConfigError, EverystepError
from stages.base.events import say

DEPLOYMENT = "scheduled"


def require_cron(cron: str) -> None:
    """Raise ConfigError if this is not a cron expression Prefect can follow."""
    try:
        CronSchedule(cron=cron)
    except ValueError as error:
        raise ConfigError(
            f"--cron: '{cron}' is not a cron expression. Five fields are needed: minute, hour, "
            "day of month, month, day of week; every night at three is '0 3 * * *'."
        ) from error


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
    with (
        only_one(f"serving on http://{HOST}:{port}", SERVE_LOCK),
        prefect_server(port) as url,
        temporary_settings({PREFECT_API_URL: f"{url}/api"}),
    ):
        if stale := reconcile(holder(LOCK)):
            say(f"Marked {stale} interrupted runs as Crashed.")
        say(f"Prefect UI: {url}  ({FLOW}/{DEPLOYMENT}, '{cron}' UTC)")
        os.environ[SERVED_BY] = str(os.getpid())
        # Prefect's handler of SIGTERM makes this coroutine and leaves it; all the same it stops.
        warnings.filterwarnings("ignore", message="coroutine 'Runner.astop' was never awaited")
        try:
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
    parser = argparse.ArgumentParser(
        prog="python -m flows.serve",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
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
