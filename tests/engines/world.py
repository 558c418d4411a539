"""One optimiser step of a small model by one of several ranks: ``python -m tests.engines.world``.

Arguments: rank, number of ranks, a folder to meet in. Rank 0 leaves ``<ranks>.safetensors`` (the
weights after the step) and ``<ranks>.json`` (what the trainer reported) there.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from pathlib import Path

import deepspeed
import numpy as np
import torch
from safetensors.torch import save_file

from stages.engines.deepspeed_trainer import DeepSpeedTrainer, TokenLogProbabilities
from stages.rl.batch import Exchange, pack, policy_loss
from stages.rl.objectives import objective
from tests.engines.samples import lively
from tests.rl.small import small_config

RESPONSES = 10
RATE = 1e3  # the step dwarfs the weights, so that their rounding does not hide the gradient


def exchanges() -> list[Exchange]:
    """Responses of ragged lengths with made-up log-probabilities, a few far outside the band."""
    random = np.random.default_rng(3)
    found = []
    for length in random.integers(2, 15, RESPONSES):
        old = random.normal(-4, 1, length)
        extras = {
            "old_logp": old,
            "rollout_logp": old - random.normal(0, 1, length),
            "advantages": np.full(length, random.normal()),
        }
        prompt, response = random.integers(9, 60, 4), random.integers(9, 60, length)
        found.append(Exchange(prompt.tolist(), response.tolist(), extras))
    return found


def meet(rank: int, ranks: int, folder: Path) -> None:
    """Join the group of all ranks."""
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks)}
    # As in start_process_group: else DeepSpeed compiles, for a minute, what training never calls.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    torch.distributed.init_process_group(
        "gloo",
        init_method=f"file://{folder / f'meet-{ranks}'}",
        rank=rank,
        world_size=ranks,
        timeout=timedelta(seconds=120),
    )


def main(rank: int, ranks: int, folder: Path) -> None:
    """Take every ``ranks``-th response and make one step with all the others."""
    if ranks > 1:  # else the trainer starts a group of its own
        meet(rank, ranks, folder)
    model = lively(4)
    trainer = DeepSpeedTrainer(
        TokenLogProbabilities(model), torch.optim.SGD(model.parameters(), lr=1.0), gradient_clip=0.0
    )
    config = small_config(objective="icepop", clip_low=0.9, clip_high=9.0)
    batches, _ = pack(exchanges()[rank::ranks], 32, 2)
    reported = trainer.update(batches, policy_loss(objective(config), RESPONSES), RATE)
    if rank == 0:
        save_file(dict(model.state_dict()), folder / f"{ranks}.safetensors")
        (folder / f"{ranks}.json").write_text(json.dumps(reported))
    torch.distributed.barrier()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
