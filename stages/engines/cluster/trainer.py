"""The trainer as the controller sees it: one object, behind it a set of ranks that can be lost.

Ranks work hand in hand, so the loss of one is the loss of the set: all are killed, a new set reads
the last recovery point, and the updates since are made again from their batches, which the
controller kept. An update is a function of weights and batches, so what comes out is the same.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stages.base.cluster_params import Cluster
from stages.base.errors import EngineError
from stages.base.protocols import LossFunction, Scorer, Scores
from stages.base.records import PackedBatch
from stages.engines.cluster.accounts import account
from stages.engines.cluster.actors import Makers, TrainerRank
from stages.engines.cluster.calls import Log, LostError, Member, ask, end, first_start
from stages.engines.cluster.placing import Place, actor_class, head_address, project_folder, release

BLANK = 8
"""Positions of a batch that only fills up a rank's share."""


@dataclass(frozen=True)
class Change:
    """Something that moved the weights, to be made again after a loss: a call on all ranks."""

    call: str
    arguments: list[tuple[Any, ...]]


class ClusterTrainer:
    """Protocol ``Trainer`` over ranks on a cluster.

    ``makers`` build what each rank holds. ``recovery`` is a folder that all nodes see; only the
    controller says which of the points in it counts, so what a rank cut off from the rest still
    writes there is never read.
    """

    def __init__(
        self,
        places: Sequence[Place],
        makers: Makers,
        settings: Cluster,
        recovery: Path,
        log: Log,
    ) -> None:
        self._places, self._makers, self._settings = places, makers, settings
        self._recovery, self._log = recovery.resolve(), log
        shutil.rmtree(self._recovery, ignore_errors=True)
        self._ranks: list[Member] = []
        self._attempt = 0
        self._changes = 0
        self._updates = 0
        self._point: Path | None = None  # what a new set of ranks reads; None: the first weights
        self._since: list[Change] = []  # what happened after that point
        with first_start("trainer", settings.start_patience):
            self._start()

    @property
    def sender(self) -> Member:
        """Rank 0, which sends weights."""
        return self._ranks[0]

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Log-probability and entropy of each target, [B, L]; batch i goes to rank i mod n."""
        return self._scored("score", batches)

    @property
    def reference(self) -> Scorer | None:
        """The frozen model of the KL term, spread over the ranks as the policy is."""
        return Frozen(self, "score_reference") if self._makers.reference else None

    @property
    def reward_model(self) -> Scorer | None:
        """The reward model, spread over the ranks, which have nothing else to do when it is asked.

        On a GPU it needs no device of its own that way.
        """
        return Frozen(self, "score_rewards") if self._makers.reward_model else None

    def _scored(self, call: str, batches: Sequence[PackedBatch]) -> list[Scores]:
        if not batches:
            return []
        found = self._on_all(call, [(share,) for share in self._dealt(batches)])
        return _collected(found, len(batches))

    def update(
        self,
        batches: Sequence[PackedBatch],
        loss: LossFunction,
        learning_rate: float,
        seen: list[Scores] | None = None,
    ) -> dict[str, float]:
        """One optimiser step of all ranks together; see the protocol."""
        self._log.moment("update")
        wanted = seen is not None
        shares = [(share, loss, learning_rate, wanted) for share in self._dealt(batches)]
        found = self._changed(Change("update", shares))
        if seen is not None:
            seen += _collected([scores for _, scores in found], len(batches))
        return dict(found[0][0])

    def balance_experts(self, rate: float) -> float:
        """Move the expert bias by the load of all ranks; the heaviest expert's share."""
        return float(self._changed(Change("balance_experts", [(rate,)] * len(self._ranks)))[0])

    def save(self, folder: Path) -> None:
        """Write a recovery point and give it to ``folder`` too, without writing it twice."""
        if self._point is None or self._since or self._point.parent != self._recovery:
            self._keep()
        assert self._point is not None
        shutil.copytree(self._point, folder, copy_function=_linked, dirs_exist_ok=True)

    def restore(self, folder: Path) -> None:
        """Read what :meth:`save` wrote."""
        self._point, self._since = folder.resolve(), []
        self._on_all("restore", [(self._point,)] * len(self._ranks))

    def named_tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Never: no tensor passes through the controller."""
        raise EngineError("weights of a cluster go from rank 0 to the engines, not through here.")

    def export(self, tokenizer: Any, folder: Path) -> None:
        """Write the model as a checkpoint that engines read."""
        self._on_all("export", [(tokenizer, folder.resolve())] * len(self._ranks))

    def table(self, wide: Sequence[str], dtype: torch.dtype) -> list[Any]:
        """What a push sends; see :class:`TrainerRank`."""
        found = ask(self._ranks[:1], "table", [(wide, dtype)], self._settings.patience, self._log)
        return list(found[0])

    def record(self) -> dict[str, Any]:
        """What it took, for provenance; see :func:`account`."""
        return account(self._ranks, self._settings.patience, self._log)

    @property
    def ranks(self) -> list[Member]:
        """All of them, in order."""
        return list(self._ranks)

    def close(self) -> None:
        """End all ranks, and give their places back."""
        end(self._ranks)
        release(self._places)
        self._ranks = []

    def _dealt(self, batches: Sequence[PackedBatch]) -> list[list[PackedBatch]]:
        """Batch i to rank i mod n; each rank gets equally many, since they step together."""
        ranks = len(self._ranks)
        blanks = [_blank(batches[0])] * (-len(batches) % ranks)
        filled = [*batches, *blanks]
        return [filled[rank::ranks] for rank in range(ranks)]

    def _changed(self, change: Change) -> list[Any]:
        """Make a change, remember it, and now and then write a recovery point."""
        found = self._on_all(change.call, change.arguments)
        self._since.append(change)
        self._changes += 1
        if change.call == "update":
            self._updates += 1
            if self._updates % self._settings.recovery_every == 0:
                self._keep()
        return found

    def _keep(self) -> None:
        """Write a recovery point of the present weights; it counts when all ranks have written."""
        while True:  # each attempt has a folder of its own: ranks cut off may still write to theirs
            point = self._recovery / f"{self._changes:08d}-{self._attempt}"
            try:
                self._once("save", [(point,)] * len(self._ranks))
                break
            except LostError as error:
                self.rebuild(error)
        self._point, self._since = point, []
        for old in self._recovery.iterdir():
            if old != point:
                shutil.rmtree(old, ignore_errors=True)

    def _on_all(self, call: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """A call on all ranks, again on a new set if one is lost."""
        while True:
            try:
                return ask(self._ranks, call, arguments, self._settings.patience, self._log)
            except LostError as error:
                self.rebuild(error)

    def rebuild(self, error: LostError) -> None:
        """A new set of ranks where the old one was; ClusterError when there were too many."""
        most, patience = self._settings.rebuilds, self._settings.start_patience
        self._log.give_up_after(most, "trainer", error)
        late = time.monotonic() + patience
        while True:
            end(self._ranks)
            try:
                self._start()
                if self._point is not None:
                    self._once("restore", [(self._point,)] * len(self._ranks))
                for change in self._since:
                    self._once(change.call, change.arguments)
            except LostError as again:
                self._log.start_again_until(late, most, "trainer", again)
                continue
            self._log.event(
                "rebuilt",
                f"{len(self._ranks)} trainer rank(s) stand again, attempt {self._attempt}",
            )
            return

    def _once(self, call: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        return ask(self._ranks, call, arguments, self._settings.patience, self._log)

    def _start(self) -> None:
        """New actors, met and with the first weights."""
        self._attempt += 1
        kind, patience = actor_class(TrainerRank), self._settings.start_patience
        setting = (project_folder(), head_address(), self._settings.interface)
        self._ranks = [
            Member(
                f"rank {rank}", kind.options(**place.options()).remote(rank, *setting), place.node
            )
            for rank, place in enumerate(self._places)
        ]
        none = [()] * len(self._ranks)
        where = ask(self._ranks, "where", none, patience, self._log)
        self._ranks = [
            replace(member, node=node) for member, node in zip(self._ranks, where, strict=True)
        ]
        address, port = ask(self._ranks[:1], "meeting_place", [()], patience, self._log)[0]
        build = (self._makers, len(self._ranks), address, port, self._settings.patience)
        ask(self._ranks, "build", [build] * len(self._ranks), patience, self._log)


@dataclass(frozen=True)
class Frozen:
    """Protocol ``Scorer`` over what all ranks hold beside the policy: a call that asks it."""

    trainer: ClusterTrainer
    call: str

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """What it says of each position, [B, L]; batch i is scored by rank i mod n."""
        return self.trainer._scored(self.call, batches)


def _linked(source: str, target: str) -> None:
    """A second name for a file, or a copy where the file system has no such thing."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _blank(batch: PackedBatch) -> PackedBatch:
    """A short row without a target or a mark: it costs little and moves nothing."""
    return PackedBatch(
        batch.tokens[:1, :BLANK],
        batch.positions[:1, :BLANK],
        batch.segments[:1, :BLANK],
        np.zeros_like(batch.mask[:1, :BLANK]),
        {name: np.zeros_like(values[:1, :BLANK]) for name, values in batch.extras.items()},
    )


def _collected(found: Sequence[Sequence[Scores]], count: int) -> list[Scores]:
    """Scores by rank, put back in the order of the batches; those of blanks are left out."""
    ranks = len(found)
    return [found[number % ranks][number // ranks] for number in range(count)]
