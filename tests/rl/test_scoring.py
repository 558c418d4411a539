"""Scores by response, however they are packed."""

from __future__ import annotations

import numpy as np
import pytest

from stages.rl.batch import Exchange
from stages.rl.scoring import in_one_pass, score
from tests.rl.bandit import WORDS, ToyTrainer
from tests.rl.small import small_config
from tests.rl.test_learner import GROUPS

EXCHANGES = [Exchange(m.prompt, m.tokens) for group in GROUPS for m in group.members]


@pytest.mark.parametrize(("pack_length", "micro_rows"), [(16, 1), (16, 3), (64, 8)])
def test_packing_does_not_change_whose_score_is_whose(pack_length, micro_rows):
    config = small_config(pack_length=pack_length, micro_rows=micro_rows)
    together = score(EXCHANGES, ToyTrainer(WORDS), config)
    for exchange, (logp, entropy) in zip(EXCHANGES, together, strict=True):
        ((own, spread),) = score([exchange], ToyTrainer(WORDS), config)
        assert np.array_equal(logp, own)
        assert np.array_equal(entropy, spread)
        assert len(logp) == len(exchange.response)


def test_one_pass_needs_one_step_and_the_newest_weights():
    assert in_one_pass(small_config(minibatches=1))
    assert not in_one_pass(small_config(minibatches=2))
    assert not in_one_pass(small_config(minibatches=1, theta_old="rollout"))
    assert not in_one_pass(small_config(minibatches=1, theta_old="per_segment"))
