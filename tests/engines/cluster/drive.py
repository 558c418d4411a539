"""The RL loop on a cluster with a small random model, and faults at chosen moments.

``python -m tests.engines.cluster.drive FOLDER ORDERS`` reads ORDERS, a JSON object, and leaves
``found.json`` in FOLDER: journal, ledger, events, checksums. With ``faults`` it sends signals to
its own ranks and engines, which must then be on its machine; with ``stops`` it stops at moments and
lets somebody outside act.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import ray
from ray._private.internal_api import node_stats

from stages.base.cluster_params import Cluster
from stages.base.errors import EverystepError
from stages.base.jsonl import write_json
from stages.base.params import Engine, Hardware, ReinforcementLearning, Run
from stages.base.records import Problem
from stages.engines.checkpoints import checksum
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
        self._start_group = scheduler._start_group
        self.started: Counter[str] = Counter()
        self.trained: Counter[str] = Counter()
        self.purged: Counter[str] = Counter()
        scheduler.harvest = self.harvest  # type: ignore[method-assign]
        scheduler._start_group = self.start_group  # type: ignore[method-assign]

    def start_group(self):
        group = self._start_group()
        self.started[group.visit.group_id] += 1
        return group

    def harvest(self, unfinished):
        found = self._harvest(unfinished)
        self.trained.update(group.visit.group_id for group in found.groups)
        self.purged.update(group.visit.group_id for group in found.purged)
        for group in found.groups:
            assert all(member.finished for member in group.members)
        return found

    def figures(self) -> dict[str, Any]:
        """Groups by what became of them; a group in two places, or twice in one, is doubled."""
        carried = [group.visit.group_id for group in self._scheduler._groups]
        both = self.trained + self.purged
        return {
            "trained": sorted(self.trained),
            "purged": len(self.purged),
            "carried": len(carried),
            "doubled": sorted(name for name, times in both.items() if times > 1),
            "lost": sorted(self.started - both - Counter(carried)),
        }


@dataclass(frozen=True)
class Fault:
    """A signal to a member, ``delay`` seconds after a phase began for the ``number``th time."""

    who: str
    signal: int
    moment: str
    number: int
    delay: float = 0.05


class Faults:
    """An observer that brings faults about, each once."""

    def __init__(self, orders: Sequence[Fault]) -> None:
        self.orders = list(orders)
        self.runtime: ClusterRuntime | None = None

    def __call__(self, moment: str, number: int) -> None:
        for order in [o for o in self.orders if (o.moment, o.number) == (moment, number)]:
            self.orders.remove(order)
            arguments = (self._pid(order.who), order.signal)
            if order.delay:
                threading.Timer(order.delay, os.kill, arguments).start()
            else:
                os.kill(*arguments)
                time.sleep(0.1)

    def _pid(self, who: str) -> int:
        assert self.runtime is not None
        everyone = [*self.runtime.trainer.ranks, *self.runtime.sampler.members]
        actor = next(member.actor for member in everyone if member.name == who)
        return int(ray.get(actor.ping.remote(), timeout=20))


class Stops:
    """An observer that stops at moments, [phase, step], until somebody outside lets it go on.

    It leaves a file ``at-PHASE-STEP`` with the node of each member and waits for ``go-PHASE-STEP``.
    Generation is stopped before its second slice: there are tokens to lose by then.
    """

    def __init__(self, folder: Path, moments: list[list[Any]]) -> None:
        self.folder, self.moments = folder, [(phase, step) for phase, step in moments]
        self.runtime: ClusterRuntime | None = None
        self.pushes = 0
        self.seen: Counter[tuple[str, int]] = Counter()

    def __call__(self, phase: str, number: int) -> None:
        if phase == "push":  # the first of all is that of the weights both started from
            self.pushes = number + 1
        moment = phase, (number if phase == "push" else self.pushes) - 1
        self.seen[moment] += 1
        if moment not in self.moments or self.seen[moment] != 1 + (phase == "generate"):
            return
        assert self.runtime
        name = f"{phase}-{moment[1]}"
        write_json(self.folder / f"at-{name}", nodes(self.runtime))
        end = time.monotonic() + 120
        while not (self.folder / f"go-{name}").exists():
            assert time.monotonic() < end, "nobody lets it go on"
            time.sleep(0.005)


def nodes(runtime: ClusterRuntime) -> dict[str, str]:
    """Addresses by name."""
    everyone = [*runtime.trainer.ranks, *runtime.sampler.members]
    return {member.name: member.node for member in everyone}


def looked_at(runtime: ClusterRuntime) -> dict[str, Any]:
    """What a look into each process and each object store shows, after a run."""
    everyone = [*runtime.trainer.ranks, *runtime.sampler.members]
    interfaces = [one.actor.__ray_call__.remote(interface) for one in everyone]
    weights = [one.actor.__ray_call__.remote(held) for one in runtime.sampler.members]
    return {
        "nodes": nodes(runtime),
        "interfaces": ray.get(interfaces, timeout=30),
        "held": ray.get(weights, timeout=30),
        "stored": stored(),
    }


def interface(actor: Any) -> str:
    """Where gloo listens."""
    return os.environ["GLOO_SOCKET_IFNAME"]


def held(actor: Any) -> str:
    """A checksum over all parameters and buffers as an engine holds them."""
    return actor._sampler.llm.apply_model(
        lambda model: checksum([*model.named_parameters(), *model.named_buffers()])
    )[0]


def stored() -> dict[str, int]:
    """Bytes that ever were in the object stores, by node."""
    found = {}
    for node in ray.nodes():
        if node["Alive"]:
            place = node["NodeManagerAddress"], node["NodeManagerPort"]
            reply = node_stats(*place, include_memory_info=False)
            found[place[0]] = reply.store_stats.cumulative_created_bytes
    return found


def run(
    folder: Path,
    settings: Cluster,
    *,
    kind: str = "ray",
    watch: Faults | Stops | None = None,
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
        runtime = start_cluster(model, parameters, engine, config, folder / "recovery", watch)
        if watch:
            watch.runtime = runtime
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
        found |= looked_at(runtime)
        runtime.close()
    return found


def main(folder: Path, orders: dict[str, Any]) -> None:
    """Run as ordered; an error of ours is a result too."""
    settings = Cluster(**orders.pop("cluster"))
    faults = Faults([Fault(**order) for order in orders.pop("faults", [])])
    stops = Stops(folder, orders.pop("stops", []))
    watch = faults if faults.orders else stops
    try:
        found = run(folder, settings, watch=watch, **orders)
    except EverystepError as error:
        found = {"error": f"{type(error).__name__}: {error}"}
    write_json(folder / "found.json", found | {"cluster_settings": asdict(settings)})


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
