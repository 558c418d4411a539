"""A judge that runs here: lm-eval's vLLM model over a checkpoint, as the benchmarks use it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from stages.base.records import Problem
from stages.evals.judges.asker import Reply, name_at
from stages.evals.lm_harness import Assignment, Sampling, respond

SEED = 0
TOGETHER = 512
"""Prompts of one batch; a kill loses no more replies than these."""


class EngineAsker:
    """Protocol ``Asker`` by a model of ``lm_harness.vllm_model``.

    The chat template is the model's own. A reply that reaches ``max_tokens`` is a failure, and so
    is a prompt that leaves no room for one in the window.
    """

    def __init__(self, engine: Any, model: str, max_tokens: int, temperature: float = 0.0) -> None:
        self._engine = engine
        self._model = model
        self._max_tokens = max_tokens
        self._sampling = Sampling(samples=1, max_tokens=max_tokens, temperature=temperature)

    @property
    def model(self) -> str:
        return name_at(self._model, self._sampling.temperature)

    def ask(self, prompts: Sequence[str], seeds: Sequence[int]) -> Iterator[Reply]:
        for start in range(0, len(prompts), TOGETHER):
            end = start + TOGETHER
            some = list(zip(prompts[start:end], seeds[start:end], strict=True))
            refused = [self._refused(prompt) for prompt, _ in some]
            fitting = [one for one, why in zip(some, refused, strict=True) if not why]
            replies = iter(self._batch(fitting))
            yield from (Reply(failure=why) if why else next(replies) for why in refused)

    def _refused(self, prompt: str) -> str:
        """Why a prompt cannot be asked; "" if it can."""
        turn = [{"role": "user", "content": prompt}]
        tokens = len(self._engine.tok_encode(self._engine.apply_chat_template(turn)))
        room, asked = self._engine.max_length, self._max_tokens
        if tokens + asked <= room:
            return ""
        return f"{tokens} tokens and a reply of {asked} do not fit the window of {room}"

    def _batch(self, some: Sequence[tuple[str, int]]) -> list[Reply]:
        if not some:
            return []
        # The harness draws by the name of a problem: prompt and seed, and nothing of the batch.
        names = [f"{sha256(prompt.encode()).hexdigest()[:16]}-{seed}" for prompt, seed in some]
        asked = {
            name: Problem(name, "", "judge", prompt, "", prompt)
            for name, (prompt, _) in zip(names, some, strict=True)
        }
        with tempfile.TemporaryDirectory(prefix="judge-") as folder:
            found = respond(
                self._engine,
                Path(folder),
                [Assignment("judge", list(asked.values()), self._sampling)],
                SEED,
            )["judge"]
        replies = {one.problem: _reply(one.text, one.finish) for one in found}
        return [replies[name] for name in names]


def _reply(text: str, finish: str) -> Reply:
    if finish != "stop":
        return Reply(failure=f"not ended by the model ({finish})", cut=True)
    return Reply(text) if text.strip() else Reply(failure="an empty answer")
