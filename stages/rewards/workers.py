"""Verifiers in processes of their own, so that checking goes on beside generation.

A worker is ``python -m stages.rewards.workers``: one JSON line in, one out. It imports no engine,
holds no state between rows and ends with its input. A worker that dies or answers too late is
replaced, and the row it had is Verdict.ERROR: nobody knows whether the answer was right.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from types import TracebackType
from typing import IO

from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.rewards.judge import SCORERS
from stages.rewards.programs import Answer, asks_for_program, judge_programs

PATIENCE = 60.0  # seconds a check may take
PROGRAMS = 32  # responses at a time whose programs wait for the sandbox
COMMAND = (sys.executable, "-m", "stages.rewards.workers")


class WorkerJudge:
    """Protocol ``Judge``: what ``RuleJudge`` finds, found by worker processes.

    :meth:`expect` starts a check early; :meth:`judge` waits for those and starts the others. A
    judgement depends on problem and response alone, so when it was made does not matter.
    """

    def __init__(
        self,
        decode: Callable[[list[int]], str],
        workers: int,
        sandbox: Sandbox,
        scorer: str = "verify",
        patience: float = PATIENCE,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._decode = decode
        self._sandbox = sandbox
        self._scorer = scorer
        self._patience = patience
        self._command = command
        self._own = threading.local()  # the worker of each thread
        self._started: list[_Worker] = []
        self._door = threading.Lock()  # no worker starts once it is closed
        self._closed = False
        self._pool = ThreadPoolExecutor(workers)
        self._waiting = ThreadPoolExecutor(PROGRAMS)  # for the sandbox, which has its own processes
        self._expected: dict[str, tuple[bytes, Future[Judgement]]] = {}

    def __enter__(self) -> WorkerJudge:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all workers; checks under way are dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._waiting.shutdown(cancel_futures=True)
        with self._door:
            self._closed = True
            for worker in self._started:
                worker.kill()
        self._pool.shutdown()
        for worker in self._started:
            worker.close()

    def expect(self, problem: Problem, trajectory: Trajectory) -> None:
        """Start checking a finished response that may be asked for later."""
        self._expected[trajectory.id] = digest(trajectory), self._submit(problem, trajectory)

    def forget(self, trajectory: Trajectory) -> None:
        """Drop what was expected of a response that is not asked for any more."""
        _, check = self._expected.pop(trajectory.id, (None, None))
        if check is not None:
            check.cancel()

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        """One judgement a trajectory; ``problems[i]`` is what ``trajectories[i]`` answers."""
        pairs = zip(problems, trajectories, strict=True)
        found = [self._take(problem, trajectory) for problem, trajectory in pairs]
        return [future.result() for future in found]

    def _take(self, problem: Problem, trajectory: Trajectory) -> Future[Judgement]:
        """The check already started on these very tokens, or a new one."""
        expected, future = self._expected.pop(trajectory.id, (None, None))
        if future is None or expected != digest(trajectory):
            return self._submit(problem, trajectory)
        return future

    def _submit(self, problem: Problem, trajectory: Trajectory) -> Future[Judgement]:
        return self.start(problem, self._decode(trajectory.tokens), trajectory.ended)

    def start(self, problem: Problem, response: str, ended: str) -> Future[Judgement]:
        """Start checking a response that is text already; a program, in the sandbox."""
        if self._scorer == "verify" and asks_for_program(problem):
            return self._waiting.submit(self._run, (problem, response, ended))
        row = {
            "problem": problem.to_row(),
            "response": response,
            "ended": ended,
            "scorer": self._scorer,
        }
        return self._pool.submit(self._ask, json.dumps(row))

    def _run(self, answer: Answer) -> Judgement:
        return judge_programs([answer], self._sandbox)[0]

    def _ask(self, line: str) -> Judgement:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None or not worker.alive:
            with self._door:
                if worker is not None:
                    self._started.remove(worker)
                    worker.kill()
                    worker.close()
                if self._closed:
                    return Judgement(Verdict.ERROR, None, "the checking processes were ended")
                worker = self._own.worker = _Worker(self._command)
                self._started.append(worker)
        return worker.ask(line, self._patience)


def digest(trajectory: Trajectory) -> bytes:
    """What a response was, in few bytes."""
    return hashlib.blake2b(repr(trajectory.tokens).encode(), digest_size=16).digest()


class _Worker:
    """One checking process."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._late = threading.Event()

    @property
    def alive(self) -> bool:
        return not self._late.is_set() and self._process.poll() is None

    def kill(self) -> None:
        """End it; whoever waits for its answer gets none."""
        self._process.kill()

    def close(self) -> None:
        """Close the pipes of one that was ended, when no one waits for it any more."""
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()

    def _give_up(self) -> None:
        self._late.set()
        self._process.kill()

    def ask(self, line: str, patience: float) -> Judgement:
        """The judgement of a row; ERROR if the process does not live to give it."""
        sent, got = self._process.stdin, self._process.stdout
        assert sent is not None
        assert got is not None
        alarm = threading.Timer(patience, self._give_up)
        alarm.start()
        try:
            sent.write(line + "\n")
            sent.flush()
            answer = got.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            alarm.cancel()
        if answer.endswith("\n"):
            return _judgement(answer)
        code = self._process.wait()
        return Judgement(
            Verdict.ERROR, None, f"the checking process ended with status {code} on this response"
        )


def _judgement(answer: str) -> Judgement:
    row = json.loads(answer)
    return Judgement(Verdict(row["verdict"]), row["reward"], row["reason"], row["parts"])


def serve(rows: Iterable[str], answers: IO[str]) -> None:
    """Answer each row with a judgement until there are no more."""
    for line in rows:
        row = json.loads(line)
        problem = Problem.from_row(row["problem"])
        found = SCORERS[row["scorer"]](problem, row["response"], row["ended"])
        answers.write(json.dumps(asdict(found)) + "\n")
        answers.flush()


def _bounded(rows: IO[str]) -> Iterator[str]:
    """The rows; a check that takes twice too long ends the process, should no one be left to."""
    for line in rows:
        signal.alarm(2 * round(PATIENCE))
        yield line
        signal.alarm(0)


def main() -> None:
    """Serve standard input; whatever a checker prints goes to standard error.

    Ctrl-C reaches the whole group of processes: the stage ends, and with it this input.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(_bounded(sys.stdin), answers)


if __name__ == "__main__":
    main()
