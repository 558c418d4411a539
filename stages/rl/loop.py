"""The RL loop, for reasoning RL and for general RL alike (paper: Algorithm 1 around an update).

It knows the engines only by their protocols; objective, scheduling and rewards are arguments. All
that a step needs of the past stands in the checkpoint, so a killed run goes on to the same bytes.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from stages.base.artifacts import latest_checkpoint, publish_checkpoint
from stages.base.errors import ConfigError, DivergenceError
from stages.base.events import progress, say
from stages.base.jsonl import read_json, read_jsonl, write_json, write_jsonl
from stages.base.params import ReinforcementLearning
from stages.base.paths import JOURNAL
from stages.base.protocols import (
    EarlyJudge,
    Judge,
    Runtime,
    Trainer,
)
from stages.base.records import Problem, Trajectory
from stages.rl.archive import store
from stages.rl.bands import band
from stages.rl.c3po import Scheduler
from stages.rl.diagnostics import reward_figures, rollout_figures
from stages.rl.growth import delta, growth
from stages.rl.judges import judge_groups
from stages.rl.learner import Sample, make_samples, note_segments, trained_tokens, update
from stages.rl.mismatch import mismatch_figures

SURE = 0.999
"""Confidence at which a run says that the mismatch grows."""

MANY = 0.1
"""Share of tokens outside the band above which a run says so; the paper's is 1 to 2 per mille."""

PATIENCE = 4
"""Times sigma + 2 steps in which no group at all was complete, after which the run is stopped."""

Journal = list[dict[str, Any]]
Samples = list[list[Sample]]


@dataclass(frozen=True)
class Engines:
    """What generates and learns, and what judges.

    ``early`` is told of each response that ends, so that judging may start at once.
    """

    runtime: Runtime
    judge: Judge
    early: EarlyJudge | None = None


@dataclass(frozen=True)
class Announcing:
    """Protocol ``RolloutControl``: as the scheduler decides; ``early`` hears of what has ended."""

    scheduler: Scheduler
    problems: Mapping[str, Problem]
    early: EarlyJudge

    def admit(self) -> list[Trajectory]:
        """As the scheduler decides."""
        return self.scheduler.admit()

    def advance(self, generated: int, finished: Sequence[Trajectory]) -> None:
        """Pass on, then announce."""
        self.scheduler.advance(generated, finished)
        for trajectory in finished:
            self.early.expect(self.problems[trajectory.prompt_id], trajectory)

    @property
    def open(self) -> bool:
        """As the scheduler decides."""
        return self.scheduler.open


@dataclass
class Clock:
    """Seconds by phase, in all and step by step; they never enter a tracked output."""

    seconds: dict[str, float] = field(default_factory=dict)
    steps: Journal = field(default_factory=list)

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Add the time of the block to a phase."""
        started = time.perf_counter()
        yield
        passed = time.perf_counter() - started
        self.seconds[phase] = self.seconds.get(phase, 0.0) + passed
        if self.steps:
            self.steps[-1][phase] = round(passed, 4)


@dataclass(frozen=True)
class Outcome:
    """The journal, one row a step, and what is true for this process only."""

    journal: Journal
    seconds: dict[str, float]  # by phase
    timings: Journal  # seconds by phase of each step this process made
    resumed_at: int


def train(
    config: ReinforcementLearning,
    problems: Mapping[str, Problem],
    scheduler: Scheduler,
    engines: Engines,
    checkpoints: Path,
    rollouts: Path,
) -> Outcome:
    """Run all steps from the newest checkpoint in ``checkpoints`` on.

    What each step learnt from goes to ``rollouts``, up to ``kept_tokens``. The trainer ends with
    the final weights. DivergenceError on a loss or gradient that is not finite, with the batch kept
    in ``diverged`` beside the checkpoints; VerifierError if most checks of a step failed.
    """
    clock, runtime = Clock(), engines.runtime
    journal = _resume(scheduler, runtime.trainer, checkpoints)
    first = len(journal)
    diverged = checkpoints.with_name("diverged")
    shutil.rmtree(diverged, ignore_errors=True)
    with clock("push"):
        # The samplers start from the trainer's weights even where both were read from one folder.
        runtime.channel.push(runtime.trainer, first)
    for step in progress(range(first, config.steps), total=config.steps, what="step", start=first):
        clock.steps.append({"step": step})
        samples: Samples = []
        with _keeping(samples, journal, config, diverged):
            row = _iterate(step, config, problems, scheduler, engines, clock, samples)
        journal.append(row)
        if sum(row["trained_tokens"] for row in journal) <= config.kept_tokens:
            store(rollouts, step, samples, config)
        _refuse_starvation(journal, config)
        _warn_of_growth(journal)
        _warn_of_rejection(row)
        if (step + 1) % config.checkpoint_every == 0:
            with clock("checkpoint"):
                _checkpoint(scheduler, runtime.trainer, journal, checkpoints)
    _say_if_nothing_was_learnt(journal)
    return Outcome(journal, clock.seconds, clock.steps, first)


def _iterate(
    step: int,
    config: ReinforcementLearning,
    problems: Mapping[str, Problem],
    scheduler: Scheduler,
    engines: Engines,
    clock: Clock,
    samples: Samples,
) -> dict[str, Any]:
    """One iteration under policy version ``step``: its journal row; ``samples`` is filled."""
    runtime, early = engines.runtime, engines.early
    with clock("generate"):
        scheduler.begin()
        control = Announcing(scheduler, problems, early) if early else scheduler
        harvest = scheduler.harvest(runtime.sampler.rollout(control))
        if early:
            for member in chain.from_iterable(group.members for group in harvest.purged):
                early.forget(member)
    with clock("reward"):
        judge_groups(harvest.groups, problems, engines.judge, config.max_error_share)
        scheduler.note(harvest.groups)
    with clock("log_probability"):
        samples += make_samples(harvest.groups, runtime.trainer, config, runtime.reference)
        if config.theta_old == "per_segment":
            note_segments(harvest.carried, runtime.trainer, config)
    with clock("update"):
        updates = update(samples, runtime.trainer, config, step)
    with clock("push"):
        checksum = runtime.channel.push(runtime.trainer, step + 1)
    return {
        "step": step,
        "version": step,
        **rollout_figures(harvest),
        **reward_figures(harvest.groups, problems),
        **updates,
        **mismatch_figures(trained_tokens(samples, step, config), band(config)),
        "weights": checksum,
    }


@contextmanager
def _keeping(
    samples: Samples, journal: Journal, config: ReinforcementLearning, folder: Path
) -> Iterator[None]:
    """If the block diverges, keep its batch, as far as there is one, and the journal; say where."""
    step = len(journal)
    try:
        yield
    except DivergenceError as error:
        write_json(folder / "reason.json", {"step": step, "reason": str(error)})
        write_jsonl(folder / JOURNAL, journal)
        store(folder, step, samples, config)
        members = [sample.trajectory.to_row() for group in samples for sample in group]
        write_jsonl(folder / f"{step:06d}.jsonl", members)
        raise DivergenceError(
            f"step {step}: {error} The batch is kept: its responses in {folder}/{step:06d}.jsonl, "
            f"and for `python -m stages.rl.replay --rollouts {folder}`. Copy it before you change "
            "parameters or code: the next run then starts from an empty scratch folder."
        ) from error


def _warn_of_growth(journal: Journal) -> None:
    """Say it once, at the step at which the mismatch of the engines is first seen to grow.

    Looked at step after step, a 95% interval would cry wolf; this one is of 99.9%.
    """
    series = [delta(row) for row in journal]
    found = growth(series, SURE)
    if not (found and found["grows"]):
        return
    earlier = (growth(series[:steps], SURE) for steps in range(len(series)))
    if not any(before and before["grows"] for before in earlier):
        say(
            f"step {len(journal) - 1}: the mismatch of the two engines grows, by "
            f"{100 * math.expm1(found['trend']):.1f}% a step so far."
        )


def _warn_of_rejection(row: Mapping[str, Any]) -> None:
    """Say it when so many tokens are outside the band, or not finite, that little is learnt."""
    broken, outside = row["nonfinite_tokens"], row["rejected_tokens"]
    tokens = row["mismatch_tokens"] + broken
    if broken + outside <= MANY * tokens:
        return
    fresh = row["by_lag"].get("0", {"tokens": 0, "rejected": 0})
    if broken:
        cause = f"{broken} have a log-probability that is not a number."
    elif fresh["rejected"] > MANY * fresh["tokens"]:
        cause = (
            "The engines disagree on fresh tokens too. Look at log_k_abs_max, the dtype of the "
            "engine and the push."
        )
    else:
        cause = (
            "The engines agree on fresh tokens; older ones differ by the updates since. Lower the "
            "learning rate or max_partitions, or set theta_old: per_segment."
        )
    say(f"step {row['step']}: {broken + outside} of {tokens} tokens are outside the band. {cause}")


def _refuse_starvation(journal: Journal, config: ReinforcementLearning) -> None:
    """ConfigError when sigma purges every group before the token budget lets it finish.

    A gap may be chance: a run that has learnt is only told, once, and the others are given time.
    """
    gap = config.max_partitions + 2
    trained = [bool(row["trained_groups"]) for row in journal]
    what = (
        f"no group was complete in {{steps}} steps: token_budget ({config.token_budget}) "
        f"is too small for groups of {config.rollouts_per_prompt} under capacity "
        f"{config.capacity}. Raise it, or max_partitions."
    )
    if len(journal) == PATIENCE * gap and not any(trained):
        raise ConfigError(what.format(steps=len(journal)))
    gaps = [at for at in range(gap, len(trained) + 1) if not any(trained[at - gap : at])]
    if gaps == [len(trained)]:
        say(what.format(steps=gap))


def _say_if_nothing_was_learnt(journal: Journal) -> None:
    if any(row["updates"] for row in journal):
        return
    if not any(row["trained_groups"] for row in journal):
        reason = "no group was complete. Raise steps, token_budget or max_partitions."
    elif all(row["masked_by_error"] == row["trained"] for row in journal):
        reason = "the checker failed on every response."
    else:
        reason = "the rewards of every group were equal."
    say(f"no step changed the model: {reason}")


def _checkpoint(scheduler: Scheduler, trainer: Trainer, journal: Journal, folder: Path) -> None:
    """Write all that a resumed run needs, then make it count with one rename."""
    name = f"{len(journal):08d}"
    staged = folder / f"{name}.tmp"
    if staged.exists():
        shutil.rmtree(staged)
    staged.mkdir(parents=True)
    trainer.save(staged / "trainer")
    write_json(staged / "scheduler.json", scheduler.state())
    write_jsonl(staged / JOURNAL, journal)
    publish_checkpoint(folder, name)


def _resume(scheduler: Scheduler, trainer: Trainer, folder: Path) -> Journal:
    """Restore the newest checkpoint, if any; returns the journal so far."""
    found = latest_checkpoint(folder)
    if found is None:
        return []
    trainer.restore(found / "trainer")
    scheduler.restore(read_json(found / "scheduler.json"))
    journal = read_jsonl(found / JOURNAL)
    say(f"resuming after step {len(journal)}")
    return journal
