"""The RL loop on a cluster with a small random model, and faults at chosen moments.

``python -m tests.engines.cluster.drive FOLDER ORDERS`` reads ORDERS, a JSON object, and leaves
``found.json`` in FOLDER: journal, ledger, events, checksums. With ``faults`` it sends signals to
its own ranks and engines, which must then be on its machine; with ``handshake`` it stops at moments
and lets somebody outside act.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import ray

from stages.base.cluster_params import Cluster
from stages.base.errors import EverystepError
from stages.base.jsonl import write_json
from stages.base.params import Engine, Hardware, ReinforcementLearning, Run
from stages.base.records import Problem
from stages.engines.cluster.runtime import ClusterRuntime, start_cluster
from stages.engines.local_runtime import LocalRuntime, start_local
from stages.rl.c3po import Scheduler, make_scheduler
from stages.rl.loop import Engines, train
from tests.engines.samples import lively, saved
from tests.rl.real_engines import CONFIG, EvenJudge

PROMPTS = {f"p{number}": [number + 9, 2 * number + 9, 7] for number in range(10)}


class Ledger:
    """Every group a scheduler started, and where it went."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._harvest = scheduler, scheduler.harvest
        self.trained: Counter[str] = Counter()
        self.purged: Counter[str] = Counter()
        scheduler.harvest = self.harvest  # type: ignore[method-assign]

    def harvest(self, unfinished):
        found = self._harvest(unfinished)
        self.trained.update(group.visit.group_id for group in found.groups)
        self.purged.update(group.visit.group_id for group in found.purged)
        for group in found.groups:
            assert all(member.finished for member in group.members)
        return found

    def figures(self) -> dict[str, Any]:
        """Groups by what became of them; a group in two places, or twice in one, is doubled."""
        carried = [row["prompt_id"] for row in self._scheduler.state()["groups"]]
        both = self.trained + self.purged
        return {
            "trained": sorted(self.trained),
            "purged": len(self.purged),
            "carried": len(carried),
            "doubled": sorted(name for name, times in both.items() if times > 1),
        }


class Faults:
    """An observer that sends a signal to a member a moment after a phase began."""

    def __init__(self, orders: list[dict[str, Any]]) -> None:
        self.orders = list(orders)
        self.pids: dict[str, int] = {}

    def __call__(self, moment: str, number: int) -> None:
        for order in [o for o in self.orders if (o["moment"], o["number"]) == (moment, number)]:
            self.orders.remove(order)
            arguments = (self.pids[order["who"]], order["signal"])
            threading.Timer(order.get("delay", 0.0), os.kill, arguments).start()
            if not order.get("delay"):
                time.sleep(0.1)


def members(runtime: ClusterRuntime) -> dict[str, int]:
    """Process ids by name."""
    everyone = [*runtime.trainer.ranks, *runtime.sampler.members]
    return {member.name: ray.get(member.actor.ping.remote()) for member in everyone}


def run(
    folder: Path,
    settings: Cluster,
    *,
    kind: str = "ray",
    faults: Faults | None = None,
    observer: Any = None,
    dtype: str = "float32",
    **changes: Any,
) -> dict[str, Any]:
    """The whole loop; what is to be known of it."""
    folder.mkdir(parents=True, exist_ok=True)
    model = folder.parent / "model"
    if not model.exists():
        saved(lively(seed=0), folder / "half").rename(model)
    config: ReinforcementLearning = replace(CONFIG, **{"checkpoint_every": 2, **changes})
    hardware = Hardware(training_threads=1)
    parameters = Run(seed=1, notation="compact", cluster=settings, hardware=hardware)
    engine = Engine(context=128, max_sequences=32, cache_gib=0.1, dtype=dtype)  # type: ignore[arg-type]
    runtime: LocalRuntime | ClusterRuntime
    if kind == "local":
        runtime = start_local(model, parameters, engine, config)
    else:
        watch = faults or observer
        runtime = start_cluster(model, parameters, engine, config, folder / "recovery", watch)
        if faults:
            faults.pids = members(runtime)
    problems = {name: Problem(name, "even", "maths", "", "", name) for name in PROMPTS}
    checkpoints = folder / "checkpoints"
    checkpoints.mkdir(exist_ok=True)
    scheduler = make_scheduler(PROMPTS, config, parameters.seed)
    ledger = Ledger(scheduler)
    engines = Engines(runtime, EvenJudge())
    outcome = train(config, problems, scheduler, engines, checkpoints, folder / "rollouts")
    found = {"journal": outcome.journal, "ledger": ledger.figures(), **runtime.record()}
    found["seconds"] = outcome.seconds
    if isinstance(runtime, ClusterRuntime):
        found["memory"] = [
            ray.get(member.actor.memory.remote(), timeout=30)
            for member in [*runtime.trainer.ranks, *runtime.sampler.members]
        ]
        runtime.close()
    return found


def main(folder: Path, orders: dict[str, Any]) -> None:
    """Run as ordered; an error of ours is a result too."""
    settings = Cluster(**orders.pop("cluster"))
    faults = Faults(orders.pop("faults", []))
    try:
        found = run(folder, settings, faults=faults, **orders)
    except EverystepError as error:
        found = {"error": f"{type(error).__name__}: {error}"}
    write_json(folder / "found.json", found | {"cluster_settings": asdict(settings)})


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
