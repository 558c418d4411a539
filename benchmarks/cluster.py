"""The Ray runtime on this machine: what the controller costs, a push reaches, a loss takes.

Four figures, each a ratio or a share within one run:

- ``engines``: tokens a second of two engines by those of one, each with the same number of
  sequences. Two engines, their controller and Ray share the cores: give them two at least.
- ``controller``: the share of the loop's time that neither the slowest member of each call nor the
  loop's own work explains: transport, waiting for whoever is slower in a slice, dealing.
- ``push``: the stream that carries weights (cast, packed, checksummed, broadcast by gloo, unpacked
  at the other end) against plain TCP writes of as many bytes between the same two processes.
- ``recovery``: seconds from the loss of an engine or a rank to the end of the call that it was lost
  in, less what that call takes undisturbed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch

from benchmarks.rollout import DrawnRewards
from benchmarks.turns import command, report, seconds
from stages.base import params, paths
from stages.base.cluster_params import Cluster
from stages.base.jsonl import read_jsonl
from stages.base.records import PackedBatch, Problem, Trajectory
from stages.base.rollouts import BatchControl
from stages.engines.checkpoints import load_tokenizer
from stages.engines.cluster.addresses import free_port
from stages.engines.cluster.runtime import ClusterRuntime, start_cluster, start_cluster_sampler
from stages.engines.cluster.sampler import ClusterSampler
from stages.engines.cluster.wire import Digest, Entry, Meeting, WeightGroup
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, train
from stages.sft.chat import prompt_ids
from stages.sft.loss import answer_loss

HOME = "127.0.0.1"
MIB = 2**20
Parts = dict[str, Callable[[argparse.Namespace], None]]


def main() -> None:
    """Measure and print."""
    arguments = parse()
    for part in arguments.parts:
        PARTS[part](arguments)
        ray.shutdown()


def settings_of(arguments: argparse.Namespace, **changes: Any) -> tuple[params.Run, params.Engine]:
    """The profile's parameters on a cluster of this machine, one thread a process."""
    run, engine = params.load(params.Run, "run"), params.load(params.Engine, "engine")
    cluster = Cluster(layout="disaggregated", slice_steps=arguments.slice_steps, **changes)
    hardware = replace(run.hardware, training_threads=1)
    return replace(run, runtime="ray", cluster=cluster, hardware=hardware), engine


def measure_engines(arguments: argparse.Namespace) -> None:
    """Two engines by one."""
    rates: dict[int, list[float]] = {}
    for engines in (1, 2):
        run, engine = settings_of(arguments, engines=engines)
        sampler = start_cluster_sampler(arguments.model, run, engine)
        rates[engines] = [
            generated(sampler, engines * arguments.sequences, arguments.tokens)
            for _ in range(arguments.rounds + 1)
        ][1:]
        sampler.close()
        ray.shutdown()
    found = [two / one for one, two in zip(rates[1], rates[2], strict=True)]
    facts = {
        "tokens a second": [round(statistics.median(rates[engines])) for engines in (1, 2)],
        "sequences": f"{arguments.sequences} an engine, {arguments.tokens} tokens each",
        "slice": f"{arguments.slice_steps} engine steps",
    }
    report("two engines by one", found, **facts)


def generated(sampler: ClusterSampler, sequences: int, tokens: int) -> float:
    """Tokens a second of a batch whose members may end early."""
    names = [f"t{number}" for number in range(sequences)]
    batch = [
        Trajectory(name, name, name, [5 + n % 20, 6, 7], tokens) for n, name in enumerate(names)
    ]
    took = seconds(lambda: sampler.rollout(BatchControl(batch, sequences)))
    return sum(len(one) for one in batch) / took


def measure_controller(arguments: argparse.Namespace) -> None:
    """What is left of the loop's time when all that works is taken off."""
    found = []
    facts: dict[str, Any] = {}
    for _ in range(arguments.rounds):
        run, engine = settings_of(arguments, engines=2)
        config = replace(
            params.load(params.TrainReasoningRl, "train_reasoning_rl"), steps=arguments.steps
        )
        tokenizer = load_tokenizer(arguments.model)
        rows = read_jsonl(paths.RL_DATA / "problems.jsonl")
        problems = {row["id"]: Problem.from_row(row) for row in rows}
        prompts = {name: prompt_ids(tokenizer, one.prompt) for name, one in problems.items()}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "checkpoints").mkdir()
            runtime = start_cluster(arguments.model, run, engine, config, folder / "recovery")
            scheduler = make_scheduler(prompts, config, seed=0)
            engines = Engines(runtime, DrawnRewards())
            outcome = train(
                config, problems, scheduler, engines, folder / "checkpoints", folder / "rollouts"
            )
        record = runtime.record()["cluster"]
        total = sum(outcome.seconds.values())
        found.append(overhead(outcome.seconds, record) / total)
        facts = {
            "seconds a step": f"{total / arguments.steps:.2f}",
            "by phase": {phase: round(took, 2) for phase, took in sorted(outcome.seconds.items())},
            "waited": record["waited"],
            "worked": record["worked"],
        }
        runtime.close()
        ray.shutdown()
    report("share of the loop's time that is the controller's", found, **facts)


def overhead(phases: dict[str, float], record: dict[str, Any]) -> float:
    """Seconds between what the controller waited for and what the slowest member worked."""
    lost = phases["generate"] - record["waited"]["slice"]
    calls = {"slice": "slice", "update": "update", "score": "score", "push": "receive"}
    for call, of_members in calls.items():
        worked = [spent.get(of_members, 0.0) for spent in record["worked"].values()]
        lost += record["waited"].get(call, 0.0) - max(worked)
    return lost


def measure_push(arguments: argparse.Namespace) -> None:
    """The stream of weights by plain TCP."""
    table = [
        Entry(f"layer.{number}", torch.bfloat16, (1024, 1024))
        for number in range(arguments.mebibytes // 2)
    ]
    bucket = arguments.bucket_mib * MIB
    port, meeting_port = free_port(HOME), free_port(HOME)
    meeting = Meeting("push", HOME, meeting_port, 2, 60.0)
    spawn = multiprocessing.get_context("spawn")
    other = spawn.Process(target=other_end, args=(table, bucket, port, meeting, arguments.rounds))
    other.start()
    tensors = [(entry.name, torch.randn(entry.shape)) for entry in table]
    plain = torch.zeros(arguments.mebibytes * MIB, dtype=torch.uint8).numpy().data
    with socket.create_server((HOME, port)) as server:
        wire, _ = server.accept()
    group = WeightGroup(meeting, 0)
    sums = []

    def over_tcp() -> None:
        for at in range(0, len(plain), MIB):
            wire.sendall(plain[at : at + MIB])
        wire.recv(1)

    def over_gloo() -> None:
        sums.append(group.send(iter(tensors), table, bucket))
        wire.recv(1)

    found = [seconds(over_tcp) / seconds(over_gloo) for _ in range(arguments.rounds + 1)]
    other.join()
    report(
        "push by plain TCP",
        found[1:],
        weights=f"{arguments.mebibytes} MiB bfloat16 from float32",
        buckets=f"{arguments.bucket_mib} MiB",
        place="two processes, loopback, checksums equal at both ends",
    )


def other_end(table: list[Entry], bucket: int, port: int, meeting: Meeting, rounds: int) -> None:
    """Take in what :func:`measure_push` sends, and say so by one byte."""
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    while True:
        try:
            wire = socket.create_connection((HOME, port))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    group = WeightGroup(meeting, 1)
    size = sum(entry.size for entry in table)
    buffer = memoryview(bytearray(MIB))
    for _ in range(rounds + 1):
        left = size
        while left:
            left -= wire.recv_into(buffer, min(left, MIB))
        wire.sendall(b"1")
        for _ in group.receive(table, bucket, Digest()):
            pass
        wire.sendall(b"1")


def measure_recovery(arguments: argparse.Namespace) -> None:
    """Seconds that the loss of an engine or a rank costs."""
    run, engine = settings_of(arguments, engines=2, trainers=2, patience=15.0, rebuilds=100)
    config = params.load(params.TrainReasoningRl, "train_reasoning_rl")
    with tempfile.TemporaryDirectory() as name:
        runtime = start_cluster(arguments.model, run, engine, config, Path(name) / "recovery")
        runtime.channel.push(runtime.trainer, 0)
        batch = small_batch()

        def generate() -> None:
            generated(runtime.sampler, arguments.sequences, arguments.tokens)

        def update() -> None:
            runtime.trainer.update([batch] * 2, answer_loss(126.0), 1e-9)

        rows = []
        for who, act in (("engine 1", generate), ("rank 1", update)):
            act()
            usual = seconds(act)
            for how in (signal.SIGKILL, signal.SIGSTOP):
                took = [struck(runtime, who, how, act) - usual for _ in range(arguments.rounds)]
                rows.append((f"{who.split()[0]}, {how.name}", took))
        runtime.close()
    for what, took in rows:
        print(
            f"recovery, {what}: {statistics.median(took):.1f} s [{min(took):.1f}, {max(took):.1f}]"
        )
    print(f"  patience: {run.cluster.patience:g} s, which a hung member costs before it is noticed")


def struck(runtime: ClusterRuntime, who: str, how: int, act: Callable[[], None]) -> float:
    """Seconds of a call whose member gets a signal as it begins."""
    members = [*runtime.trainer.ranks, *runtime.sampler.members]
    actor = next(member.actor for member in members if member.name == who)
    os.kill(ray.get(actor.ping.remote()), how)
    return seconds(act)


def small_batch() -> PackedBatch:
    """One row of one sequence, all of it targets but the first."""
    length = 64
    tokens = np.arange(length, dtype=np.int64)[None] % 40
    ones = np.ones((1, length), dtype=np.int64)
    mask = ones.astype(np.float32)
    mask[0, 0] = 0
    return PackedBatch(tokens, np.arange(length, dtype=np.int64)[None], ones, mask, {})


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.SFT_MODEL)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sequences", type=int, default=64, help="an engine at once")
    parser.add_argument("--tokens", type=int, default=120)
    parser.add_argument("--slice-steps", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4, help="of the RL loop")
    parser.add_argument("--mebibytes", type=int, default=256)
    parser.add_argument("--bucket-mib", type=int, default=16)
    return parser.parse_args()


PARTS: Parts = {
    "engines": measure_engines,
    "controller": measure_controller,
    "push": measure_push,
    "recovery": measure_recovery,
}

if __name__ == "__main__":
    command(main)
