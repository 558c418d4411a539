"""The reward model: a language model's backbone with a scalar head, and what belongs to its scores.

The head scores every position; the score of a response is the one at its last token, so neither
padding nor packing plays a part. Mean and spread of the scores are stored with the weights: without
them a score means nothing, and loading refuses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from stages.base.errors import CheckpointError, DataError
from stages.base.jsonl import read_json, write_json
from stages.base.protocols import Scores
from stages.base.records import PackedBatch
from stages.engines.checkpoints import (
    is_first_rank,
    load_model,
    load_tokenizer,
    save_model,
    whole,
    writing,
)
from stages.engines.deepspeed_trainer import block_attention
from stages.engines.threads import training_threads
from stages.engines.tokenizer import THINKING

HEAD = "reward_head.safetensors"
SETTINGS = "reward_model.json"
Reads = Literal["answer", "response"]


class TokenScores(nn.Module):
    """Packed tokens in, a float32 score at each position out; a module for ``DeepSpeedTrainer``."""

    def __init__(self, model: Any, seed: int = 0) -> None:
        super().__init__()
        self.model = model
        width = int(model.config.hidden_size)
        self.head = nn.Linear(width, 1, bias=False)
        generator = torch.Generator().manual_seed(seed % 2**63)
        with torch.no_grad():
            self.head.weight.normal_(0.0, 1 / math.sqrt(width), generator=generator)
        if model.get_output_embeddings().weight is not model.get_input_embeddings().weight:
            model.get_output_embeddings().weight.requires_grad_(False)

    def forward(
        self, tokens: Tensor, positions: Tensor, segments: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Scores and zeros, both [B, L]."""
        hidden = self.model.base_model(
            input_ids=tokens, position_ids=positions, attention_mask=block_attention(segments)
        )[0]
        scores = nn.functional.linear(hidden.float(), self.head.weight.float())[..., 0]
        return scores, torch.zeros_like(mask)

    def save(self, tokenizer: Any, folder: Path) -> None:
        """Backbone, tokenizer and head; of several ranks all call this, and the first writes."""
        save_model(self.model, tokenizer, folder)
        with whole(list(self.head.parameters())):
            if is_first_rank():
                weight = self.head.weight.detach().cpu().contiguous()
                with writing(folder):
                    save_file({"weight": weight}, folder / HEAD)


@dataclass(frozen=True)
class ScoreSettings:
    """What a score needs to be read: the part of a response it is about, and its scale."""

    reads: Reads
    mean: float
    std: float
    responses: int  # mean and std are over so many

    def save(self, folder: Path) -> None:
        """Put them beside the weights."""
        write_json(folder / SETTINGS, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> ScoreSettings:
        """From a reward-model folder; CheckpointError if anything is missing or impossible."""
        try:
            settings = cls(**read_json(folder / SETTINGS))
        except (DataError, TypeError) as error:
            raise CheckpointError(
                f"{folder}: without mean and spread of its scores a reward model cannot be used "
                f"({error}). Run train_reward_model again."
            ) from error
        if not (math.isfinite(settings.mean) and 0 < settings.std < math.inf):
            raise CheckpointError(f"{folder / SETTINGS}: mean or std is impossible: {settings}.")
        return settings


class RewardModel:
    """A trained reward model, for scoring only."""

    def __init__(
        self, module: TokenScores, tokenizer: Any, settings: ScoreSettings, threads: int
    ) -> None:
        self.module = module.eval()
        self.tokenizer = tokenizer
        self.settings = settings
        self._threads = threads

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Protocol ``Scorer``: a score at each position, and zeros, both [B, L]."""
        return [
            (score_positions(self.module, batch, self._threads), np.zeros_like(batch.mask))
            for batch in batches
        ]

    def view(self, tokens: Sequence[int]) -> list[int] | None:
        """The part of a response it reads; see :func:`readable_part`."""
        return readable_part(self.tokenizer, tokens, self.settings.reads)

    @classmethod
    def load(cls, folder: Path, threads: int) -> RewardModel:
        """What a trainer exported, with the settings of its scores beside it."""
        settings = ScoreSettings.load(folder)
        module = TokenScores(load_model(folder, torch.float32))
        try:
            weight = load_file(folder / HEAD)["weight"]
            module.head.load_state_dict({"weight": weight})
        except (OSError, KeyError, RuntimeError, SafetensorError) as error:
            raise CheckpointError(
                f"{folder / HEAD}: not the head of this model ({error})."
            ) from error
        return cls(module, load_tokenizer(folder), settings, threads)


def score_positions(module: TokenScores, batch: PackedBatch, threads: int) -> NDArray[np.float32]:
    """Scores [B, L] of a packed batch, without gradient."""
    arrays = (batch.tokens, batch.positions, batch.segments, batch.mask)
    device = module.head.weight.device
    with training_threads(threads), torch.no_grad():
        scores, _ = module(*(torch.from_numpy(array).to(device) for array in arrays))
    return np.asarray(scores.cpu().numpy(), dtype=np.float32)


def readable_part(tokenizer: Any, tokens: Sequence[int], reads: Reads) -> list[int] | None:
    """What a reward model reads of a response: all of it, or what follows the thinking.

    Both end with the turn end. None if the thinking never ends: there is no answer to score.
    """
    ids = list(tokens)
    while ids and ids[-1] in (tokenizer.eos_token_id, tokenizer.pad_token_id):
        del ids[-1]
    if reads == "response":
        return [*ids, int(tokenizer.eos_token_id)]
    _, closed, answer = tokenizer.decode(ids, skip_special_tokens=False).partition(THINKING[1])
    if not closed:
        return None
    kept = tokenizer.encode(answer.strip(), add_special_tokens=False)
    return [*map(int, kept), int(tokenizer.eos_token_id)]
