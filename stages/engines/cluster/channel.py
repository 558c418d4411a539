"""AState: weights from trainer rank 0 straight to every engine; the controller sees checksums.

A group of rank 0 and the engines is formed apart from the trainer's own, and used until something
goes wrong with it; then a new one is formed under a new name at a new port. An engine that dies
inside a push never takes the trainers with it: they gather to the end, the engine is replaced, and
the push is made again.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import torch

from stages.base.cluster_params import Cluster
from stages.base.errors import EngineError
from stages.base.protocols import Trainer
from stages.engines.cluster.calls import Log, LostError, ask, collect
from stages.engines.cluster.sampler import ClusterSampler
from stages.engines.cluster.trainer import ClusterTrainer
from stages.engines.cluster.wire import Entry, Meeting

MIB = 2**20


class ClusterChannel:
    """Protocol ``WeightChannel`` from the ranks of a cluster to its engines."""

    def __init__(
        self,
        trainer: ClusterTrainer,
        sampler: ClusterSampler,
        settings: Cluster,
        bits: int,
        log: Log,
    ) -> None:
        self._trainer, self._sampler = trainer, sampler
        self._settings, self._bits, self._log = settings, bits, log
        self._names = count()
        self._table: list[Entry] = []
        self._formed: tuple[Any, ...] = ()  # who met in the present group
        sampler.push = self.again

    def push(self, trainer: Trainer, version: int) -> str:
        """Make all engines generate with the trainer's weights as policy ``version``.

        Returns the checksum that both ends of every transfer found. EngineError if they differ.
        """
        if trainer is not self._trainer:
            raise EngineError("this channel carries the weights of another trainer.")
        self._log.moment("push")
        self._sampler.catch_up()
        return self._pushed(version)

    def again(self) -> None:
        """Push the present weights once more, after an engine was replaced."""
        self._pushed(self._sampler.version)

    def _pushed(self, version: int) -> str:
        while True:
            try:
                found = self._transfer(version)
            except LostError as error:
                self._formed = ()
                self._mend(error)
                continue
            if len(set(found)) != 1:
                raise EngineError(f"checksums differ after a push: {', '.join(found)}.")
            self._sampler.version = version
            return found[0]

    def _transfer(self, version: int) -> list[str]:
        """Form the group if there is none, send and receive; checksums, the sender's first."""
        engines, ranks = self._sampler.members, self._trainer.ranks
        patience = self._settings.patience
        if not self._table:
            self._table = self._agreed_table()
        self._meet()
        bucket = int(self._settings.bucket_mib * MIB)
        calls = [rank.actor.send.remote(self._table, bucket, self._bits) for rank in ranks]
        calls += [one.actor.receive.remote(self._table, bucket, version) for one in engines]
        members = [*ranks, *engines]
        answers = collect(members, "push", calls, patience, self._log, together=ranks)
        return [answers[0], *answers[len(ranks) :]]

    def _meet(self) -> None:
        """One group at a time, formed by this one owner, with a name and a port of its own."""
        engines, sender = self._sampler.members, self._trainer.sender
        present = (sender.actor, *(member.actor for member in engines))
        if self._formed == present:
            return
        patience = self._settings.patience
        address, port = ask([sender], "meeting_place", [()], patience, self._log)[0]
        name = f"weights-{next(self._names)}"
        # The ends of a broken group must say so before the call on them is given up.
        meeting = Meeting(name, address, port, 1 + len(engines), patience / 2)
        arguments = [(meeting, end) for end in range(1 + len(engines))]
        ask([sender, *engines], "join_weight_group", arguments, patience, self._log)
        self._formed = present

    def _agreed_table(self) -> list[Entry]:
        """What is sent, checked against what the engines' checkpoint has."""
        patience = self._settings.patience
        member = self._sampler.members[:1]
        wide, expected = (
            ask(member, call, [()], patience, self._log)[0] for call in ("wide", "expected")
        )
        dtype = getattr(torch, self._sampler.engine_config.dtype)
        table = self._trainer.table(wide, dtype)
        if missing := expected - {entry.name for entry in table}:
            raise EngineError(
                f"the trainer lacks {len(missing)} tensors of the engine, e.g. {min(missing)}."
            )
        return table

    def _mend(self, error: LostError) -> None:
        """Replace who is lost: a rank means all ranks, an engine only itself.

        Who only lost touch with the weight group is as good as before.
        """
        lost = [loss for loss in error.losses if not loss.is_only_apart]
        of_trainer = [loss for loss in lost if loss.member.startswith("rank")]
        of_engines = [loss for loss in lost if loss.member.startswith("engine")]
        if not lost:
            self._log.give_up_after(self._settings.rebuilds, "weight group", error)
        if of_trainer:
            self._trainer.rebuild(LostError(of_trainer))
        if of_engines:
            self._sampler.replace(LostError(of_engines))
