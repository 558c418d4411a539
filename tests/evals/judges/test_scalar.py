"""A reward model as a judge of two answers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from stages.base.records import PackedBatch
from stages.evals.judges.scalar import score_one


class Letters:
    """A tokenizer of characters; 0 ends a turn."""

    eos_token_id = 0

    def apply_chat_template(self, turns, add_generation_prompt, return_dict):
        assert add_generation_prompt
        return [1, *map(ord, turns[0]["content"]), 2]

    def encode(self, text, add_special_tokens):
        return [*map(ord, text)]


def test_the_score_is_that_of_the_end_of_the_answers_turn() -> None:
    seen: list[PackedBatch] = []

    def score(batches: list[PackedBatch]):
        seen.extend(batches)
        return [(np.cumsum(one.tokens, axis=1).astype(np.float32), one.mask) for one in batches]

    model = SimpleNamespace(tokenizer=Letters(), score=score)
    assert score_one(model, "a", " b<|role_end|>") == 1 + 97 + 2 + sum(map(ord, "b< |role_end|>"))
    batch = seen[0]
    assert batch.tokens[0, -1] == 0
    assert batch.positions.tolist() == [list(range(batch.tokens.shape[1]))]
    assert batch.segments.min() == batch.mask.min() == 1
