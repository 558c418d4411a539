"""The reward model: scores that no neighbour changes, and what is stored beside the weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from stages.base.errors import CheckpointError
from stages.base.params import resolve
from stages.engines.bailing_moe import initialise
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, adamw
from stages.engines.reward_model import (
    HEAD,
    SETTINGS,
    RewardModel,
    ScoreSettings,
    TokenScores,
    readable_part,
    score_positions,
)
from stages.engines.tokenizer import train_tokenizer
from stages.rl.batch import Exchange, pack
from stages.rl.bradley_terry import end_scores, pack_pairs, pair_loss

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tokenizer():
    corpus = ["calc a + 1 . 8", "<think> 8 a + 1 9 . </think> 9 done"]
    return train_tokenizer(corpus, "compact", 192)


def make_module() -> TokenScores:
    shape = resolve("tiny", {}).make_base_model.architecture
    assert shape is not None
    return TokenScores(initialise(shape, seed=3), seed=7)


@pytest.fixture(scope="module")
def model(tokenizer) -> RewardModel:
    return RewardModel(make_module(), tokenizer, ScoreSettings("answer", 0.5, 2.0, 40), 1)


def save(model: RewardModel, folder: Path) -> None:
    model.module.save(model.tokenizer, folder)
    model.settings.save(folder)


def exchanges(count: int = 9) -> list[Exchange]:
    rng = np.random.default_rng(0)
    return [
        Exchange(rng.integers(9, 90, int(a)).tolist(), [*rng.integers(9, 90, int(b)).tolist(), 2])
        for a, b in rng.integers(1, 12, (count, 2))
    ]


def test_a_score_is_the_same_alone_packed_and_padded(model):
    items = exchanges()
    alone = end_scores(model.score, items, 1, 1)
    for pack_length, rows in ((64, 4), (48, 1), (200, 2)):
        assert np.abs(end_scores(model.score, items, pack_length, rows) - alone).max() < 1e-5
    assert np.ptp(alone) > 0


def test_the_end_token_changes_the_score(model):
    items = exchanges()
    cut = [Exchange(item.prompt, item.response[:-1]) for item in items]
    whole = end_scores(model.score, items, 64, 4)
    assert (np.abs(end_scores(model.score, cut, 64, 4) - whole) > 1e-4).all()


def test_scores_are_not_probabilities(model):
    (batch,), _ = pack(exchanges(), 64, 9)
    scores = 20 * model.score([batch])[0][0]
    assert scores.min() < 0
    assert scores.max() > 1


def test_saved_and_loaded_it_gives_the_same_scores(model, tmp_path):
    save(model, tmp_path)
    again = RewardModel.load(tmp_path, threads=1)
    items = exchanges()
    assert again.settings == model.settings
    assert np.array_equal(
        end_scores(again.score, items, 64, 4), end_scores(model.score, items, 64, 4)
    )


@pytest.mark.parametrize(
    "damage", ["settings gone", "std zero", "mean gone", "head gone", "head torn"]
)
def test_without_its_scale_or_head_it_is_refused(model, tmp_path: Path, damage):
    save(model, tmp_path)
    settings = json.loads((tmp_path / SETTINGS).read_text())
    if damage == "settings gone":
        (tmp_path / SETTINGS).unlink()
    elif damage == "std zero":
        (tmp_path / SETTINGS).write_text(json.dumps({**settings, "std": 0.0}))
    elif damage == "mean gone":
        del settings["mean"]
        (tmp_path / SETTINGS).write_text(json.dumps(settings))
    elif damage == "head gone":
        (tmp_path / HEAD).unlink()
    else:
        (tmp_path / HEAD).write_bytes(b"torn")
    with pytest.raises(CheckpointError):
        RewardModel.load(tmp_path, threads=1)


def test_it_learns_to_prefer_and_leaves_the_language_head_alone():
    module = make_module()
    head = module.model.lm_head.weight.detach().clone()
    trainer = DeepSpeedTrainer(module, adamw(module, 3e-3, (0.9, 0.999), 0.0), threads=1)
    pairs = [(Exchange(item.prompt, [*item.response[:-1], 5, 2]), item) for item in exchanges(12)]
    batch = pack_pairs(pairs, 64)
    history = [trainer.update([batch], pair_loss(12, 0.01), 3e-3) for _ in range(12)]
    assert history[-1]["agreements"] == 12
    assert history[-1]["loss"] < 0.5 * history[0]["loss"]
    assert torch.equal(module.model.lm_head.weight, head)


def test_the_answer_is_what_follows_the_thinking(tokenizer):
    end = tokenizer.eos_token_id
    ids = tokenizer.encode("<think> 8 a + 1 9 . </think> 9 done", add_special_tokens=False)
    answer = tokenizer.encode("9 done", add_special_tokens=False)
    assert readable_part(tokenizer, [*ids, end], "answer") == [*answer, end]
    assert readable_part(tokenizer, [*ids, end], "response") == [*ids, end]
    assert readable_part(tokenizer, ids, "answer") == [*answer, end]
    unclosed = tokenizer.encode("<think> 8 a", add_special_tokens=False)
    assert readable_part(tokenizer, unclosed, "answer") is None


def test_positions_are_scored_in_float32_without_gradient(model):
    (batch,), _ = pack(exchanges(3), 64, 9)
    scores = score_positions(model.module, batch, 1)
    assert scores.dtype == np.float32
    assert scores.shape == batch.shape
