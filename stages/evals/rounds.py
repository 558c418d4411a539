"""Responses of one checkpoint, round by round, each round kept as soon as it is complete.

A round is as many responses as keep the engine full; it is planned from what is asked alone, so an
interrupted run goes on with the rounds of an unbroken one, and ends in the same bytes. An engine
starts only when something is left to generate. Before the first does, every prompt of the whole
suite is checked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from stages.base.errors import EngineError
from stages.base.events import progress
from stages.base.jsonl import read_json, write_json
from stages.evals.asking import Asking
from stages.evals.lm_harness import Assignment, Response, close, request_rows, respond
from stages.evals.windows import Positions
from stages.rewards.judge import FAILED

Start = Callable[[Positions], Any]
"""Starts a guarded lm-eval model with so many positions, or several of one kind."""
Ask = Callable[[Any, Path, Sequence[Assignment], int], dict[str, list[Response]]]
"""As :func:`respond`: has what was started answer assignments."""
End = Callable[[Any], None]
"""As :func:`close`: releases what was started."""


@dataclass(frozen=True)
class Round:
    """What one engine answers side by side."""

    positions: Positions
    assignments: Sequence[Assignment]


def plan(asked: Sequence[Asking], full: int) -> list[Round]:
    """Rounds of about ``full`` responses, those of one engine together, in order else.

    A benchmark that is more than a round by itself is parted between its problems.
    """
    kinds: list[Positions] = []
    for one in asked:
        if one.positions not in kinds:
            kinds.append(one.positions)
    return [
        Round(kind, part)
        for kind in kinds
        for part in _filled((one.assignment for one in asked if one.positions == kind), full)
    ]


def _filled(asked: Iterable[Assignment], full: int) -> list[list[Assignment]]:
    planned: list[list[Assignment]] = [[]]
    for each in asked:
        step = -(-full // each.sampling.samples)  # a part fills a round: none holds two of one
        for start in range(0, len(each.problems), step):
            if sum(map(len, planned[-1])) >= full:
                planned.append([])
            part = replace(each, problems=each.problems[start : start + step])
            planned[-1].append(part)
    return planned


class Rounds:
    """Generates what is not yet kept in a folder.

    ``measured`` holds seconds; ``facts`` how each engine was asked, with the failed requests.
    """

    def __init__(
        self,
        start: Start,
        kept: Path,
        seed: int,
        what: str,
        ask: Ask = respond,
        end: End = close,
    ) -> None:
        self._start, self._kept, self._seed, self._what = start, kept, seed, what
        self._ask, self._end = ask, end
        self._model: Any = None
        self._positions: Positions | None = None
        self.measured: dict[str, float] = {"start_seconds": 0.0, "generate_seconds": 0.0}
        self.facts: list[dict[str, Any]] = []

    def responses(self, planned: Sequence[Round]) -> dict[str, list[Response]]:
        """By benchmark, problem and repeat: from the files of an interrupted run, or made now."""
        found: dict[str, list[Response]] = {}
        for number, part in progress(enumerate(planned), total=len(planned), what=self._what):
            kept = self._kept / f"round-{number:04d}.json"
            if not kept.exists() or _failed(read_json(kept)["responses"]):
                self._make(part, kept, planned)
            row = read_json(kept)
            if row["facts"] not in self.facts:
                self.facts.append(row["facts"])
            for name, responses in row["responses"].items():
                found.setdefault(name, []).extend(Response(**one) for one in responses)
        self._close()
        _require_all(planned, found)
        return found

    def _make(self, part: Round, kept: Path, planned: Sequence[Round]) -> None:
        model = self._started(part.positions, planned)
        started = time.perf_counter()
        made = self._ask(model, self._kept / "tasks" / kept.stem, part.assignments, self._seed)
        self.measured["generate_seconds"] += round(time.perf_counter() - started, 2)
        responses = {name: [asdict(one) for one in made[name]] for name in made}
        facts = {"positions": asdict(part.positions), **model.record()}
        half = kept.with_suffix(".tmp")
        write_json(half, {"facts": facts, "responses": responses})
        half.replace(kept)

    def _started(self, positions: Positions, planned: Sequence[Round]) -> Any:
        if self._model is None or self._positions != positions:
            first = self._model is None
            self._close()
            started = time.perf_counter()
            self._model, self._positions = self._start(positions), positions
            self.measured["start_seconds"] += round(time.perf_counter() - started, 2)
            if first:
                for part in planned:
                    for each in part.assignments:
                        self._model.check(request_rows(each, self._seed))
        return self._model

    def _close(self) -> None:
        if self._model is not None:
            self._end(self._model)
            self._model = None


def _require_all(planned: Sequence[Round], found: Mapping[str, Sequence[Response]]) -> None:
    """EngineError unless every problem has exactly its k samples."""
    wanted = Counter[tuple[str, str, int]]()
    for part in planned:
        for each in part.assignments:
            repeats = range(each.sampling.samples)
            wanted.update((each.benchmark, one.id, n) for one in each.problems for n in repeats)
    got = Counter((name, one.problem, one.repeat) for name in found for one in found[name])
    if got != wanted:
        name, problem, repeat = min((wanted - got) + (got - wanted))
        raise EngineError(
            f"{name}: {sum(got.values())} responses for {sum(wanted.values())} requests; the first "
            f"that is missing or too many is {problem}/{repeat}. Remove .scratch/run_benchmarks "
            "and run it again."
        )


def _failed(responses: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Whether an engine failed in a round: it is then asked again."""
    return any(one["finish"] == FAILED for rows in responses.values() for one in rows)
