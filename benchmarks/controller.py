"""What the controller's own Python costs a token: measured here, with the project's functions.

A slice's report is unpickled and laid into trajectories; what is admitted is pickled; responses are
packed into rows; the diagnostics of mismatch are taken; what is unfinished is written as JSON. One
thread, CPU seconds.
"""

from __future__ import annotations

import gc
import hashlib
import pickle
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stages.base.jsonl import write_json
from stages.base.params import ReinforcementLearning
from stages.base.records import Trajectory
from stages.engines.cluster.slices import Grown, Seated, Slice, grow
from stages.rl.bands import band
from stages.rl.batch import Exchange, _first_fit_decreasing, pack
from stages.rl.learner import Sample, trained_tokens
from stages.rl.mismatch import mismatch_figures


@dataclass(frozen=True)
class ControllerCost:
    """CPU microseconds and bytes a token, of one thread of this machine."""

    record_us: float  # a token of a report, laid into its trajectory
    record_bytes: float  # of a report, pickled
    order_us: float  # a token of a prompt, or of a response that goes on, on its way to an engine
    pack_us: float  # a token of a response, packed into a row
    figures_us: float  # the same in the figures of the journal
    state_us: float  # an unfinished token in a checkpoint of the scheduler
    state_bytes: float
    held_bytes: float  # a token of a trajectory in memory
    md5_gb_s: float

    @property
    def update_us(self) -> float:
        """A trained token between the end of generation and the push."""
        return self.pack_us + self.figures_us


def cpu(work: Callable[[], object], rounds: int = 3) -> float:
    """CPU seconds of one call, the least of some rounds."""
    found = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def drawn(count: int, tokens: int) -> list[Trajectory]:
    """Finished responses of real tokens, log-probabilities and versions."""
    rng = np.random.default_rng(5)
    return [
        Trajectory(
            id=f"p{number:06d}#0.{number % 8}",
            prompt_id=f"p{number:06d}",
            group_id=f"p{number:06d}#0",
            prompt=rng.integers(0, 157_184, 512).tolist(),
            max_tokens=tokens,
            tokens=rng.integers(0, 157_184, tokens).tolist(),
            logprobs=rng.standard_normal(tokens).astype(np.float32).tolist(),
            versions=[7] * tokens,
            ended="stop",
            reward=1.0,
        )
        for number in range(count)
    ]


def report(sequences: int, steps: int) -> bytes:
    """A slice of one engine on which so many trajectories run, none of which ends."""
    rng = np.random.default_rng(6)
    grown = {
        one.id: Grown(
            rng.integers(0, 157_184, steps).astype(np.int32),
            rng.standard_normal(steps).astype(np.float32),
            "",
        )
        for one in drawn(sequences, 1)
    }
    steps_made: list[tuple[int, list[str]]] = [(sequences, [])] * steps
    return pickle.dumps(Slice(7, grown, steps_made), protocol=5)


def lay(sent: bytes, seated: Seated) -> None:
    """A report into the trajectories it belongs to."""
    grow(pickle.loads(sent), seated, ends=True)  # noqa: S301  (made above)


def measure(config: ReinforcementLearning, sequences: int, steps: int) -> ControllerCost:
    """Everything, for reports of ``steps`` tokens of each of ``sequences`` of an engine."""
    sent, repeats = report(sequences, steps), 50
    seated: Seated = {one.id: (one, 0) for one in drawn(sequences, 1)}
    gc.collect()
    seconds = cpu(lambda: [lay(sent, seated) for _ in range(repeats)])
    responses, length = 64, 8192
    finished = drawn(responses, length)
    total = responses * length
    exchanges = [
        Exchange(
            one.prompt, one.tokens, {"rollout_logp": one.logprobs, "advantages": [1.0] * length}
        )
        for one in finished
    ]
    samples = [[_scored(one) for one in finished]]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        rows = [one.to_row() for one in finished[:8]]
        state = cpu(lambda: write_json(file, rows))
        state_bytes = file.stat().st_size
    state += cpu(lambda: [one.to_row() for one in finished[:8]])
    block = bytes(2**26)
    return ControllerCost(
        record_us=1e6 * seconds / (repeats * sequences * steps),
        record_bytes=len(sent) / (sequences * steps),
        order_us=1e6 * cpu(lambda: pickle.dumps(finished, protocol=5)) / total,
        pack_us=1e6 * cpu(lambda: pack(exchanges, config.pack_length, config.micro_rows)) / total,
        figures_us=1e6
        * cpu(lambda: mismatch_figures(trained_tokens(samples, 7, config), band(config)))
        / total,
        state_us=1e6 * state / (8 * length),
        state_bytes=state_bytes / (8 * length),
        held_bytes=_held(length),
        md5_gb_s=len(block) / 1e9 / cpu(lambda: hashlib.md5(block)),  # noqa: S324
    )


def _scored(one: Trajectory) -> Sample:
    noise = np.random.default_rng(8).standard_normal(len(one)).astype(np.float32)
    return Sample(one, 1.0, np.asarray(one.logprobs, dtype=np.float32) + 0.01 * noise, abs(noise))


def _held(tokens: int) -> float:
    """Bytes a token of what a trajectory holds: three lists, and numbers that are objects."""
    tracemalloc.start()
    kept = drawn(8, tokens)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 8
    return size / (8 * tokens)


def fit_seconds(lengths: Sequence[int], row: int) -> float:
    """CPU seconds of dealing responses of these lengths out to rows: grows with their square."""
    started = time.process_time()
    _first_fit_decreasing(list(lengths), row)
    return time.process_time() - started
