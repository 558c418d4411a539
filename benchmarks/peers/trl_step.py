"""TRL's GRPOTrainer as a process that takes steps on demand; runs in the peer's own environment.

``python trl_step.py SETTINGS.json``: each line on its input is a number of optimiser steps, each
line on its output what they took. Started and told by :mod:`benchmarks.against_trl`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import torch
from datasets import Dataset
from transformers import AutoTokenizer, TrainerCallback, TrainerControl
from trl import GRPOConfig, GRPOTrainer  # type: ignore[import-not-found]

ENDLESS = 10**6
"""More steps than are ever asked for."""


class ClockedTrainer(GRPOTrainer):  # type: ignore[misc]
    """The peer's trainer; adds up the seconds of its generation and the tokens it drew."""

    seconds = 0.0
    tokens = 0
    longest = 0

    def _generate_single_turn(self, *arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        found = super()._generate_single_turn(*arguments, **named)
        self.seconds += time.perf_counter() - started
        lengths = [len(tokens) for tokens in found[0]]
        self.tokens += sum(lengths)
        self.longest = max(self.longest, *lengths)
        return found


class Turns(TrainerCallback):  # type: ignore[misc]
    """Waits for a number of steps, lets the trainer take them, answers, waits again."""

    def __init__(self, answers: TextIO) -> None:
        self.trainer: ClockedTrainer | None = None
        self._answers = answers
        self._asked = self._left = 0
        self._started = 0.0

    def on_train_begin(self, _: Any, __: Any, control: TrainerControl, **___: Any) -> None:
        """Wait for the first turn."""
        self._wait(control)

    def on_step_end(self, _: Any, __: Any, control: TrainerControl, **___: Any) -> None:
        """After the last step of a turn: answer, then wait for the next."""
        self._left -= 1
        if self._left == 0:
            self._answer(time.perf_counter() - self._started)
            self._wait(control)

    def _answer(self, seconds: float) -> None:
        assert self.trainer is not None
        found = {
            "steps": self._asked,
            "seconds": seconds,
            "generation": self.trainer.seconds,
            "tokens": self.trainer.tokens,
            "longest": self.trainer.longest,
        }
        print(json.dumps(found), file=self._answers, flush=True)

    def _wait(self, control: TrainerControl) -> None:
        assert self.trainer is not None
        line = sys.stdin.readline()
        control.should_training_stop = not line
        self._asked = self._left = int(line or 0)
        self.trainer.seconds, self.trainer.tokens, self.trainer.longest = 0.0, 0, 0
        self._started = time.perf_counter()


def even_share(completion_ids: list[list[int]], **_: Any) -> list[float]:
    """The reward both sides give: the share of even token ids."""
    return [sum(token % 2 == 0 for token in ids) / len(ids) for ids in completion_ids]


def configuration(settings: dict[str, Any]) -> GRPOConfig:
    """The peer's settings: nothing is logged, saved or recomputed."""
    return GRPOConfig(
        output_dir=settings["scratch"],
        use_cpu=True,
        bf16=False,
        model_init_kwargs={"dtype": "float32", "attn_implementation": "sdpa"},
        per_device_train_batch_size=settings["batch"],
        gradient_accumulation_steps=settings["responses"] // settings["batch"],
        num_generations=settings["group"],
        max_completion_length=settings["longest"],
        temperature=1.0,
        beta=0.0,
        num_iterations=1,
        loss_type="grpo",
        epsilon=settings["clip_low"],
        epsilon_high=settings["clip_high"],
        optim="adamw_torch_fused",
        learning_rate=settings["learning_rate"],
        lr_scheduler_type="constant",
        weight_decay=settings["weight_decay"],
        adam_beta2=settings["beta2"],
        max_grad_norm=settings["gradient_clip"],
        max_steps=ENDLESS,
        gradient_checkpointing=False,
        use_transformers_continuous_batching=settings["generation"] == "continuous",
        logging_strategy="no",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=settings["seed"],
    )


def main() -> None:
    """Take steps as long as they are asked for."""
    # Libraries print: they get the error stream, the answers what was the output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    torch.set_num_threads(settings["threads"])
    turns = Turns(answers)
    trainer = ClockedTrainer(
        model=settings["model"],
        reward_funcs=even_share,
        args=configuration(settings),
        train_dataset=Dataset.from_dict({"prompt": settings["prompts"]}),
        processing_class=AutoTokenizer.from_pretrained(settings["model"]),
        callbacks=[turns],
    )
    turns.trainer = trainer
    trainer.train()


if __name__ == "__main__":
    main()
