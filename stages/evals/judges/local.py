"""A judge that runs here: lm-eval's vLLM model over a checkpoint, as the benchmarks use it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stages.base.records import Problem
from stages.evals.judges.asking import Reply
from stages.evals.lm_harness import Assignment, Sampling, respond

SEED = 0
TOGETHER = 512
"""Prompts of one batch; a kill loses no more replies than these."""


class EngineAsker:
    """Protocol ``Asker`` by a model of ``lm_harness.vllm_model``.

    The chat template is the model's own. A reply that reaches ``max_tokens`` is a failure; a prompt
    too long for the window is a ConfigError before anything is generated.
    """

    def __init__(self, engine: Any, model: str, max_tokens: int, temperature: float = 0.0) -> None:
        self._engine = engine
        self._model = model
        self._sampling = Sampling(samples=1, max_tokens=max_tokens, temperature=temperature)

    @property
    def model(self) -> str:
        return self._model

    def ask(self, prompts: Sequence[str], seeds: Sequence[int]) -> Iterator[Reply]:
        for start in range(0, len(prompts), TOGETHER):
            end = start + TOGETHER
            yield from self._batch(prompts[start:end], seeds[start:end])

    def _batch(self, prompts: Sequence[str], seeds: Sequence[int]) -> list[Reply]:
        # The harness draws by the name of a problem, so the seed is part of it.
        asked = [
            Problem(f"{number:06}-{seed}", "", "judge", prompt, "", prompt)
            for number, (prompt, seed) in enumerate(zip(prompts, seeds, strict=True))
        ]
        with tempfile.TemporaryDirectory(prefix="judge-") as folder:
            found = respond(
                self._engine,
                Path(folder),
                [Assignment("judge", asked, self._sampling)],
                SEED,
            )["judge"]
        replies = {one.problem: one for one in found}
        return [_reply(replies[one.id].text, replies[one.id].finish) for one in asked]


def _reply(text: str, finish: str) -> Reply:
    if finish != "stop":
        return Reply(failure=f"not ended by the model ({finish})", cut=True)
    return Reply(text) if text.strip() else Reply(failure="an empty answer")
