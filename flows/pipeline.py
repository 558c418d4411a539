"""The pipeline as a Prefect flow: one task per DVC stage, in DVC's order and along DVC's edges.

DVC stays the only judge of what has to run: a task is ``dvc repro --single-item STAGE``, and a
stage that did not change shows as ``Cached``, one restored from the run cache as ``RunCache``. The
plan is read from DVC itself; stages run one at a time, since two ``dvc repro`` in one folder lock
each other out. Whatever ends the run (an error, a cancel, a kill) ends the whole process tree.

By hand, with or without ``make serve``: ``python -m flows.pipeline``.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import re
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from typing import Any, Literal

from dvc.exceptions import DvcException
from dvc.repo import Repo
from prefect import State, flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.states import Cancelled, Completed, Failed
from prefect.task_runners import ThreadPoolTaskRunner

from flows import HOME
from flows.processes import Trees, free_port, holder, only_one, prefect_server
from stages.base.artifacts import SCRATCH
from stages.base.errors import ConfigError, EverystepError
from stages.base.events import say
from stages.base.paths import REPORTS

FLOW = "everystep"
LOGS = SCRATCH / "logs"
LOCK = SCRATCH / "run.lock"
SERVE_LOCK = HOME / "serve.lock"
SERVED_BY = "EVERYSTEP_SERVED_BY"  # in the environment of a scheduled run: the server's process
KEPT_LOGS = 20  # runs
LINE_LIMIT = 2000  # characters of a line that reach the run's log; the file has them all
LINES_A_SECOND = 20
TAIL = 15  # last lines of a failed stage that become its message
PAUSES = (5.0, 15.0, 45.0)  # seconds before each new try when another DVC process is at work

Plan = dict[str, tuple[str, ...]]
"""Stages in an order in which they can run one by one, each with the stages it waits for."""


# --- what to run: asked of DVC


def read_plan(targets: Sequence[str] = ()) -> Plan:
    """The stages of this project's dvc.yaml, or those some targets need; ConfigError if unknown."""
    try:
        with Repo() as repo:
            graph = repo.index.graph
            stages = [stage for stage in repo.index.stages if stage.cmd]
            needs = {
                stage.addressing: tuple(
                    sorted(other.addressing for other in graph.successors(stage) if other.cmd)
                )
                for stage in stages
            }
    except DvcException as error:
        raise ConfigError(f"DVC cannot read the pipeline: {error}") from error
    return in_order(needs, targets)


def in_order(needs: Mapping[str, tuple[str, ...]], targets: Sequence[str] = ()) -> Plan:
    """Upstream first, otherwise as written; with targets, only these and what they need.

    A target is a stage, or the name of a matrix (``run_benchmarks`` for ``run_benchmarks@base``).
    """
    wanted = set() if targets else set(needs)
    for target in targets:
        named = {name for name in needs if target in (name, name.partition("@")[0])}
        if not named:
            raise ConfigError(f"no stage is called '{target}'. Known: {', '.join(needs)}.")
        wanted |= named
    reached: set[str] = set()
    while fresh := wanted - reached:
        reached |= fresh
        wanted = wanted.union(*(needs[name] for name in fresh))
    plan: Plan = {}
    while len(plan) < len(wanted):
        ready = (name for name in needs if name in wanted and name not in plan)
        name = next(name for name in ready if all(other in plan for other in needs[name]))
        plan[name] = needs[name]
    return plan


def stale(stages: Collection[str]) -> dict[str, Any]:
    """What DVC would still run or finds changed among these stages; empty when all is in order."""
    try:
        with Repo() as repo:
            return dict(repo.status(targets=list(stages)))
    except DvcException as error:
        raise ConfigError(f"DVC cannot tell the status of the pipeline: {error}") from error


# --- one stage

TREES = Trees()  # of the run in this process

Kind = Literal["ran", "cached", "run_cache", "busy", "stopped", "failed"]


@dataclass(frozen=True)
class Outcome:
    """How ``dvc repro --single-item`` of one stage ended."""

    kind: Kind
    seconds: float
    message: str


class Throttle:
    """Hands lines on, cut to a length and so many a second; says how many it left out."""

    def __init__(self, hand_on: Callable[[str], None], log: Path) -> None:
        self._hand_on = hand_on
        self._log = log
        self._second = 0
        self._sent = 0
        self._left_out = 0

    def __call__(self, line: str) -> None:
        """Take one line."""
        second = int(time.monotonic())
        if second != self._second:
            self.close()
            self._second, self._sent = second, 0
        if self._sent < LINES_A_SECOND:
            cut = "" if len(line) <= LINE_LIMIT else f" [... {len(line)} characters: {self._log}]"
            self._hand_on(line[:LINE_LIMIT] + cut)
            self._sent += 1
        else:
            self._left_out += 1

    def close(self) -> None:
        """Tell of the lines left out since the last time."""
        if self._left_out:
            self._hand_on(f"[{self._left_out} lines left out here: {self._log}]")
            self._left_out = 0


def classify(stage: str, code: int, dvc_lines: Sequence[str]) -> Kind:
    """The kind of outcome that DVC's own lines and exit status tell."""
    if any(line == f"Running stage '{stage}':" for line in dvc_lines):
        return "failed" if code else "ran"
    text = "\n".join(dvc_lines)
    if code:
        busy = "is busy, it is being blocked by" in text or "Unable to acquire lock" in text
        return "busy" if busy else "failed"
    if f"Stage '{stage}' is cached - skipping run" in text:
        return "run_cache"
    return "cached"


def reproduce(
    stage: str,
    log: Path,
    hand_on: Callable[[str], None],
    command: Sequence[str] = (sys.executable, "-m", "dvc", "repro", "--single-item"),
) -> Outcome:
    """Let DVC bring one stage up to date; every line goes to ``log`` and, throttled, onwards."""
    started = time.monotonic()
    throttle = Throttle(hand_on, log)
    dvc_lines: list[str] = []
    tail: deque[str] = deque(maxlen=TAIL)
    log.parent.mkdir(parents=True, exist_ok=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with (
        log.open("a", encoding="utf-8") as file,
        TREES.run([*command, stage], PATH=path, PYTHONUNBUFFERED="1") as process,
    ):
        assert process.stdout is not None
        # A line without an end would fill the memory: it is read in pieces.
        while piece := process.stdout.readline(65536):
            file.write(piece)
            file.flush()
            line = piece.rstrip()
            if re.match(r"Running stage '|Stage '|ERROR: ", line):
                dvc_lines.append(line)
            if line:
                tail.append(line[:LINE_LIMIT])
                throttle(line)
        throttle.close()
        code = process.wait()
    seconds = round(time.monotonic() - started, 1)
    kind = "stopped" if code and TREES.closed.is_set() else classify(stage, code, dvc_lines)
    return Outcome(kind, seconds, "\n".join(tail) if code else "")


def patiently(attempt: Callable[[], Outcome], hand_on: Callable[[str], None]) -> Outcome:
    """Try again, after a pause, as long as another DVC process holds the folder's lock."""
    for pause in PAUSES:
        outcome = attempt()
        if outcome.kind != "busy":
            return outcome
        hand_on(f"Another DVC process is at work in this folder. Next try in {pause:.0f} s.")
        if TREES.closed.wait(pause):
            return outcome
    return attempt()


def as_state(stage: str, outcome: Outcome, log: Path) -> State[float]:
    """The outcome in Prefect's words."""
    took = f"{outcome.seconds} s"
    match outcome.kind:
        case "ran":
            return Completed(message=f"Ran in {took}.", data=outcome.seconds)
        case "cached":
            return Completed(
                name="Cached", message="Nothing it depends on changed.", data=outcome.seconds
            )
        case "run_cache":
            return Completed(
                name="RunCache",
                message=f"Restored from an earlier run in {took}.",
                data=outcome.seconds,
            )
        case "stopped":
            return Cancelled(message=f"Stopped after {took}.", data=outcome.seconds)
        case "busy" | "failed":
            return Failed(
                message=f"{stage} failed after {took}. The whole log: {log}\n{outcome.message}",
                data=outcome.seconds,
            )


@task(cache_policy=NO_CACHE)
def run_stage(stage: str, log: str) -> State[float]:
    """Bring one DVC stage up to date."""
    hand_on = get_run_logger().info
    path = Path(log)
    return as_state(stage, patiently(lambda: reproduce(stage, path, hand_on), hand_on), path)


@task(cache_policy=NO_CACHE, task_run_name="dvc status")
def check_status(stages: list[str]) -> State[None]:
    """Ask DVC whether everything really is up to date now."""
    left = stale(stages)
    if not left:
        return Completed(message="Everything is up to date.")
    return Failed(message=f"not up to date after the run: {json.dumps(left, sort_keys=True)}")


# --- the whole run


def end_with_server() -> None:
    """In a scheduled run: be killed, and so all commands with it, when the server is gone."""
    if server := os.environ.get(SERVED_BY):
        threading.Thread(target=_watch, args=(int(server),), daemon=True).start()


def _watch(server: int) -> None:
    while os.getppid() == server:
        time.sleep(1)
    os.kill(os.getpid(), SIGKILL)


def log_folder(run: str) -> Path:
    """Where this run's full logs go; those of all but the newest runs are removed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    newest = sorted(LOGS.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in newest[KEPT_LOGS - 1 :]:
        shutil.rmtree(old)
    return LOGS / run


def submit(plan: Plan, logs: Path) -> dict[str, PrefectFuture[Any]]:
    """One task per stage along the plan's edges, and the final check after all of them."""
    futures: dict[str, PrefectFuture[Any]] = {}
    for stage, needs in plan.items():
        named = run_stage.with_options(name=stage, task_run_name=stage)
        upstream = [futures[name] for name in needs]
        futures[stage] = named.submit(
            stage, str(logs / f"{stage}.log"), wait_for=upstream, return_state=False
        )
    after = list(futures.values())
    futures["dvc status"] = check_status.submit(list(plan), wait_for=after, return_state=False)
    return futures


def publish(futures: Mapping[str, PrefectFuture[Any]]) -> list[str]:
    """The table of stages and the report as artifacts; returns what did not complete."""
    rows, incomplete = [], []
    for name, future in futures.items():
        state = future.state
        seconds = future.result(raise_on_failure=False) if state.is_final() else None
        rows.append({"stage": name, "state": state.name, "seconds": seconds})
        if not state.is_completed():
            incomplete.append(f"{name} ({state.name})")
        say(f"{name:<28} {state.name:<12} {'' if seconds is None else seconds}")
    create_table_artifact(rows, key="stages", description="How each stage ended.")
    report = REPORTS / "report.md"
    if report.is_file() and not incomplete:
        create_markdown_artifact(report.read_text(encoding="utf-8"), key="report")
    return incomplete


def run_plan(targets: Sequence[str]) -> State[None]:
    """All tasks of one run, inside the flow; nothing of it is left running at the end."""
    run = str(flow_run.id)
    end_with_server()
    try:
        with only_one(f"run {run}", LOCK), TREES.scope():
            futures = submit(read_plan(targets), log_folder(run))
            for future in futures.values():
                future.wait()
            incomplete = publish(futures)
    except EverystepError as error:
        return Failed(message=str(error))
    if incomplete:
        return Failed(message=f"did not complete: {', '.join(incomplete)}")
    return Completed(message="Everything is up to date.")


# The server's runner pickles this function with every global it names, so it names only one.
@flow(name=FLOW, task_runner=ThreadPoolTaskRunner(max_workers=1))  # type: ignore[arg-type]
def everystep(targets: list[str] | None = None) -> State[None]:
    """Every stage of the pipeline, or only what the targets need, as DVC finds necessary."""
    return run_plan(targets or ())


def find_server() -> None:
    """Use the Prefect server the settings name, else that of ``make serve``, else one of our own.

    Our own ends with this process: Prefect still sends it logs and states when the flow is over.
    """
    if PREFECT_API_URL.value():
        return
    until_exit = ExitStack()
    atexit.register(until_exit.close)
    served = re.search(r"http://\S+", holder(SERVE_LOCK))
    own = prefect_server(free_port(), PREFECT_UI_ENABLED="false")
    url = served[0] if served else until_exit.enter_context(own)
    until_exit.enter_context(temporary_settings({PREFECT_API_URL: f"{url}/api"}))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the flow from the command line; 0 when everything is up to date."""
    parser = argparse.ArgumentParser(
        prog="python -m flows.pipeline",
        description=everystep.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--targets", nargs="+", metavar="STAGE", help="only these stages and what they need"
    )
    options = parser.parse_args(arguments)
    try:
        read_plan(options.targets or ())
        find_server()
        state = everystep(options.targets, return_state=True)
    except EverystepError as error:
        say(f"{FLOW}: {error}")
        return 2
    except KeyboardInterrupt:
        say(f"{FLOW}: stopped. The next run goes on from here.")
        return 130
    say(f"{FLOW}: {state.message}")
    return 0 if state.is_completed() else 1


if __name__ == "__main__":
    sys.exit(main())
