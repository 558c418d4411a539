"""How far apart the two engines are, by hand-made numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from stages.base.jsonl import dump_line
from stages.rl.growth import growth
from stages.rl.mismatch import TrainedTokens, deciles, mismatch_figures

BAND = (0.5, 5.0)


def trained(k, entropy=None, lag=None) -> TrainedTokens:
    k = np.asarray(k, dtype=np.float32)
    n = len(k)
    return TrainedTokens(
        train_logp=np.full(n, -1.0, dtype=np.float32),
        old_logp=np.full(n, -1.0, dtype=np.float32),
        rollout_logp=-1.0 - np.log(k),
        entropy=np.asarray(entropy or [1.0] * n, dtype=np.float32),
        lag=np.asarray(lag or [0] * n, dtype=np.int64),
        decile=deciles(n),
    )


@pytest.mark.field_bug(50)
def test_the_rejected_are_counted_among_all_tokens_and_looked_at_apart():
    found = mismatch_figures(trained([0.1, 1.0, 2.0, 8.0], [3.0, 1.0, 1.0, 5.0]), BAND)
    assert (found["masked_low_share"], found["masked_high_share"]) == (0.25, 0.25)
    assert (found["entropy"], found["entropy_masked"]) == (2.5, 4.0)
    assert found["log_k_abs_max"] == pytest.approx(math.log(10), abs=1e-6)


def test_the_band_is_laid_on_theta_old_and_divergence_on_the_present_weights():
    """They differ where a segment is judged by the policy that sampled it."""
    tokens = replace(trained([1.0, 8.0, 1.0]), old_logp=np.log([0.05, 0.8, 1.0], dtype=np.float32))
    tokens = replace(tokens, rollout_logp=np.log([1.0, 1.0, 1.0], dtype=np.float32))
    found = mismatch_figures(tokens, BAND)
    assert (found["rejected_tokens"], found["masked_low_share"]) == (1, pytest.approx(1 / 3))
    assert found["k1"] == pytest.approx(1.0)


def test_mismatch_is_zero_between_equal_engines():
    found = mismatch_figures(trained([1.0, 1.0]), BAND)
    assert found["log_k_abs_mean"] == found["k1"] == found["k3"] == 0
    assert found["probability_gap_mean"] == 0
    assert found["entropy_masked"] is None


def test_k3_has_its_direction():
    assert mismatch_figures(trained([math.e]), BAND)["k3"] == pytest.approx(math.e - 2, abs=1e-6)


@pytest.mark.field_bug(28, 29)
def test_what_is_not_a_number_is_counted_and_spoils_nothing():
    tokens = trained([1.0, 2.0, 1.0])
    tokens.rollout_logp[0] = math.nan
    found = mismatch_figures(tokens, BAND)
    assert found["nonfinite_tokens"] == 1
    assert found["log_k_abs_mean"] == pytest.approx(math.log(2) / 2, abs=1e-6)


@pytest.mark.field_bug(28)
@pytest.mark.parametrize("far", [-5000.0, 5000.0])
def test_an_extreme_token_is_rejected_and_leaves_a_figure_or_none(far):
    tokens = trained([1.0, 2.0, 1.0, 1.0])
    tokens.rollout_logp[0] = far
    with np.errstate(over="ignore", invalid="ignore"):
        found = mismatch_figures(tokens, BAND)
    side = "masked_high_share" if far < 0 else "masked_low_share"
    assert found[side] == 0.25
    assert found["log_k_abs_max"] == pytest.approx(5000, abs=2)
    dump_line(found)


def test_mismatch_is_split_by_version_lag():
    found = mismatch_figures(trained([1.0, 2.0, 4.0], lag=[0, 1, 1]), BAND)
    assert {lag: row["tokens"] for lag, row in found["by_lag"].items()} == {"0": 1, "1": 2}
    assert found["by_lag"]["0"]["log_k_abs_mean"] == pytest.approx(0.0, abs=1e-6)
    assert found["by_lag"]["1"]["log_k_abs_mean"] == pytest.approx(1.5 * math.log(2), abs=1e-6)


def test_no_tokens_give_no_figures_and_no_crash():
    found = mismatch_figures(trained([]), BAND)
    assert found["log_k_abs_max"] is None
    assert found["masked_low_share"] is None


def test_position_is_counted_in_tenths_of_the_response():
    assert deciles(20).tolist() == [n // 2 for n in range(20)]
    assert deciles(3).tolist() == [0, 3, 6]
    assert deciles(0).tolist() == []
    found = mismatch_figures(trained([1.0] * 9 + [8.0]), BAND)["by_position"]
    assert [found[str(n)]["rejected"] for n in range(10)] == [0] * 9 + [1]
    assert sum(row["tokens"] for row in found.values()) == 10


def test_both_directions_and_the_effective_share_on_exact_expectations():
    """Two outcomes weighed by how often the inference engine samples them: sums are exact."""
    infer, train = np.array([0.75, 0.25]), np.array([0.5, 0.5])
    sampled = np.array([0, 0, 0, 1])
    k = (train / infer)[sampled]
    found = mismatch_figures(trained(k), BAND)
    forward = float((infer * np.log(infer / train)).sum())
    backward = float((train * np.log(train / infer)).sum())
    assert found["k1"] == pytest.approx(forward, abs=1e-6)
    assert found["k3"] == pytest.approx(forward, abs=1e-6)
    assert found["k3_reverse"] == pytest.approx(backward, abs=1e-6)
    assert found["effective_sample_share"] == pytest.approx(k.sum() ** 2 / 4 / (k**2).sum())
    assert found["perplexity_ratio"] == pytest.approx(math.exp(forward), abs=1e-6)


def test_growth_finds_the_rate_of_the_recursion():
    deltas = [0.01]
    for _ in range(20):
        deltas.append(1.1 * deltas[-1] - 0.0002)
    found = growth(deltas)
    assert found["rate"] == pytest.approx(0.1, abs=1e-6)
    assert found["drift"] == pytest.approx(0.0002, abs=1e-6)
    assert found["grows"]


def test_noise_around_a_level_is_no_growth():
    found = growth((0.01 + 0.002 * np.random.default_rng(0).standard_normal(40)).tolist())
    assert not found["grows"]
    assert found["trend_low"] < 0 < found["trend_high"]


@pytest.mark.parametrize("deltas", [[], [0.1] * 5, [0.1] * 30, [None] * 30])
def test_too_little_to_say_is_none(deltas):
    assert growth(deltas) is None


def test_gaps_are_left_out():
    deltas = [0.01 * 1.1**t for t in range(24)]
    deltas[7] = None
    found = growth(deltas)
    assert found["rate"] == pytest.approx(0.1, abs=1e-6)
    assert found["steps"] == 21


def test_correlated_noise_is_seldom_taken_for_growth():
    """Neighbouring steps are alike; an interval that took them for independent would cry wolf."""
    random, alarms = np.random.default_rng(0), 0
    for _ in range(200):
        noise = [0.0]
        for step in random.standard_normal(40):
            noise.append(0.5 * noise[-1] + step)
        found = growth(np.exp(-6 + 0.3 * np.array(noise)).tolist())
        alarms += bool(found and found["grows"])
    assert alarms <= 14


def test_a_token_without_a_number_on_either_side_is_in_no_figure():
    tokens = trained([1.0, 1.0, 8.0])
    old = tokens.old_logp.copy()
    old[0] = np.nan
    rollout = tokens.rollout_logp.copy()
    rollout[1] = np.nan
    found = mismatch_figures(replace(tokens, old_logp=old, rollout_logp=rollout), BAND)
    assert (found["nonfinite_tokens"], found["mismatch_tokens"], found["rejected_tokens"]) == (
        2,
        1,
        1,
    )
    found = mismatch_figures(replace(tokens, train_logp=old), BAND)
    assert (found["nonfinite_tokens"], found["mismatch_tokens"]) == (1, 2)


def test_a_split_holds_the_figures_of_its_own_tokens():
    k, entropy, lag = [0.1, 1.5, 2.0, 1.0], [4.0, 1.0, 1.0, 2.0], [0, 0, 1, 1]
    found = mismatch_figures(trained(k, entropy, lag), BAND)["by_lag"]
    k3 = [(value - 1) - math.log(value) for value in k]
    assert found["0"]["k3"] == pytest.approx((k3[0] + k3[1]) / 2, rel=1e-5)
    assert found["1"]["k3"] == pytest.approx((k3[2] + k3[3]) / 2, rel=1e-5)
    assert (found["0"]["entropy"], found["0"]["entropy_masked"]) == (2.5, 4.0)
    assert found["1"]["entropy_masked"] is None
    assert found["0"]["log_k_abs_mean"] == pytest.approx(
        (math.log(10) + math.log(1.5)) / 2, rel=1e-5
    )


def test_a_trend_too_small_to_be_written_is_none():
    found = growth([1e-3 * (1 + 1e-12 * step) for step in range(20)])
    assert found is None or not found["grows"]
