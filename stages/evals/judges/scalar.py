"""A reward model as a judge, where a number is enough: of two answers the higher one wins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stages.base.records import PackedBatch
from stages.evals.judges.asker import Scores
from stages.evals.judges.prompts import unforged

if TYPE_CHECKING:
    from stages.engines.reward_model import RewardModel


def reward_scores(folder: Path, threads: int) -> Scores:
    """Scores by a reward model that ``train_reward_model`` wrote.

    It reads answers without their thinking, whatever it was trained on: a baseline has none. Markup
    in them is broken up, so that no answer can end its turn and begin another.
    """
    from stages.engines.reward_model import RewardModel  # noqa: PLC0415  heavy

    model = RewardModel.load(folder, threads)
    return lambda pairs: [score_one(model, *pair) for pair in pairs]


def score_one(model: RewardModel, prompt: str, answer: str) -> float:
    """The score at the end of one answer's turn."""
    tokenizer = model.tokenizer
    turn = [{"role": "user", "content": unforged(prompt)[0]}]
    asked = tokenizer.apply_chat_template(turn, add_generation_prompt=True, return_dict=False)
    said = tokenizer.encode(unforged(answer)[0].strip(), add_special_tokens=False)
    tokens = np.array([[*asked, *said, tokenizer.eos_token_id]], dtype=np.int64)
    batch = PackedBatch(
        tokens,
        np.arange(tokens.shape[1], dtype=np.int64)[None],
        np.ones_like(tokens),
        np.ones(tokens.shape, dtype=np.float32),
    )
    scores, _ = model.score([batch])[0]
    return float(scores[0, -1])
