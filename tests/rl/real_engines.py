"""The loop on vLLM and DeepSpeed with a small random model; run as a process that can be killed.

``python -m tests.rl.real_engines FOLDER`` leaves ``journal.jsonl`` and ``weights.txt`` in FOLDER,
and in ``bias.jsonl`` what each push did to the expert bias on both sides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from torch import Tensor

from stages.base.jsonl import dump_line, write_jsonl
from stages.base.params import Run
from stages.base.protocols import Trainer
from stages.base.records import Judgement, Problem, Verdict
from stages.engines.checkpoints import checksum
from stages.engines.local_runtime import start_local
from stages.engines.vllm_sampler import VllmSampler
from stages.engines.weight_channel import LocalChannel
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, train
from tests.engines.samples import engine, lively, saved
from tests.rl.small import small_config

CONFIG = small_config(
    steps=6,
    rollouts_per_prompt=4,
    capacity=24,
    token_budget=150,
    max_tokens=12,
    learning_rate=1e-3,
    minibatches=2,
    pack_length=64,
    checkpoint_every=1,
)


class EvenJudge:
    """Protocol ``Judge``: right if most tokens are even; a random model can do that."""

    def judge(self, problems, trajectories):
        shares = [sum(t % 2 == 0 for t in item.tokens) / len(item) for item in trajectories]
        return [Judgement(Verdict.PASS, share) for share in shares]


def fingerprint(tensors: Iterable[tuple[str, Tensor]]) -> dict[str, str]:
    """Type and checksum of each expert bias among the tensors."""
    return {
        name: f"{tensor.dtype} {checksum([(name, tensor)])}"
        for name, tensor in tensors
        if name.endswith("expert_bias")
    }


class WatchedChannel:
    """Protocol ``WeightChannel``; notes the expert bias of trainer and sampler after each push."""

    def __init__(self, channel: LocalChannel, sampler: VllmSampler, notes: Path) -> None:
        self.channel, self.sampler, self.notes = channel, sampler, notes

    def push(self, trainer: Trainer, version: int) -> str:
        pushed = self.channel.push(trainer, version)
        sampled = self.sampler.llm.apply_model(
            lambda model: fingerprint((n, p.data) for n, p in model.named_parameters())
        )[0]
        row = {"version": version, "trainer": fingerprint(trainer.named_tensors())}
        with self.notes.open("a") as file:
            file.write(dump_line({**row, "sampler": sampled}) + "\n")
        return pushed


def main(folder: Path) -> None:
    """Run, or go on after a kill."""
    model = folder / "model"
    if not model.exists():
        saved(lively(seed=0), folder / "half").rename(model)
    run = Run(seed=1, notation="compact")
    runtime = start_local(model, run, engine("bfloat16"), CONFIG)
    prompts = {f"p{n}": [n + 9, 2 * n + 9, 7] for n in range(10)}
    problems = {name: Problem(name, "even", "maths", "", "", name) for name in prompts}
    checkpoints = folder / "checkpoints"
    checkpoints.mkdir(exist_ok=True)
    watched = WatchedChannel(runtime.channel, runtime.sampler, folder / "bias.jsonl")
    outcome = train(
        CONFIG,
        problems,
        make_scheduler(prompts, CONFIG, run.seed),
        Engines(replace(runtime, channel=watched), EvenJudge()),
        checkpoints,
        folder / "rollouts",
    )
    write_jsonl(folder / "journal.jsonl", outcome.journal)
    (folder / "weights.txt").write_text(checksum(runtime.trainer.named_tensors()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
