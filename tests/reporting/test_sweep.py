import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from stages.reporting.sweep import FIGURES, Outcome, as_markdown, joint
from stages.reporting.sweep_curves import PANELS, draw, ribbon
from tests.reporting.made_up import GROWTH, rl_row


def outcome(arm: str, seed: int, gain: float) -> Outcome:
    rows = [rl_row(step, "train_reasoning_rl") for step in range(6)]
    for row in rows:
        if row["by_lag"]:
            row["by_lag"]["0"]["rejected"] = 10 * (1 + seed)
            row["by_lag"]["0"]["entropy_masked"] = 1.0 + gain
            row["grad_norm"] = 0.4 + gain
    metrics = {
        "last_tenth": {"reward_mean": 0.5 + gain + seed / 100},
        "grad_norm_max": 1.0 + gain,
        "log_k_abs_max": 2.0,
        "mismatch_growth": GROWTH if gain else None,
    }
    return Outcome(arm, seed, rows, metrics, {"reasoning": {"score": 0.7}})


OUTCOMES = [outcome(arm, seed, gain) for arm, gain in (("a", 0), ("b", 0.25)) for seed in (0, 1)]


def paired(before, after):
    change = sum(after[key] - before[key] for key in before) / len(before)
    return SimpleNamespace(delta=change, low=change - 0.1, high=change + 0.1)


SUMMARY = joint(OUTCOMES, ["a", "b"], paired)


def test_every_figure_has_values_spread_and_a_difference_from_the_first_arm() -> None:
    for name in FIGURES:
        entry = SUMMARY["figures"][name]["b"]
        assert entry["mean"] is not None
        assert entry["spread"] == [min(entry["values"]), max(entry["values"])]
        assert SUMMARY["figures"][name]["a"]["difference"] is None
    reward = SUMMARY["figures"]["reward, last tenth"]["b"]
    assert reward["spread"] == [0.75, 0.76]
    assert reward["difference"]["mean"] == pytest.approx(0.25)
    assert SUMMARY["figures"]["gradient norm, mean"]["b"]["mean"] == pytest.approx(0.65)


def test_shares_and_entropies_are_weighed_by_tokens() -> None:
    figures = SUMMARY["figures"]
    # five steps with tokens; of these, steps 0 and 4 reject one more token at entropy 2
    assert figures["trained tokens"]["a"]["values"] == [24000, 24000]
    assert figures["outside the band, tokens"]["a"]["values"] == [52, 102]
    assert figures["outside the band, per mille"]["a"]["values"][0] == pytest.approx(52 / 24)
    wanted = (50 * 1.0 + 2 * 2.0) / 52
    entropy = figures["entropy, outside the band"]["a"]["values"][0]
    assert entropy == pytest.approx(wanted, abs=1e-6)


def test_a_mismatch_that_grows_shows_by_arm() -> None:
    grows = SUMMARY["figures"]["k3 at lag 0 seen to grow (1) or not (0)"]
    assert (grows["a"]["mean"], grows["b"]["mean"]) == (None, 1.0)
    text = as_markdown("two", "Two.", SUMMARY)
    assert "| a | – | – |  | –, – |" in text
    assert "| b | 0.755 | 0.75 to 0.76 | +0.25 [+0.15, +0.35] | 0.75, 0.76 |" in text


def test_a_ribbon_joins_the_seeds_that_have_a_value() -> None:
    found = ribbon([[1.0, None, None], [3.0, 5.0]])
    assert (found.low[:2], found.mean[:2], found.high[:2]) == ([1.0, 5.0], [2.0, 5.0], [3.0, 5.0])
    assert all(math.isnan(side[2]) for side in (found.low, found.mean, found.high))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("drawn") / "curves.svg"
    draw(OUTCOMES, ["a", "b"], path)
    return path.read_text()


def test_all_panels_are_drawn(drawn) -> None:
    assert [panel.title for panel in PANELS if f">{panel.title}<" not in drawn] == []


@pytest.mark.slow
def test_the_same_outcomes_give_the_same_bytes(drawn, tmp_path) -> None:
    draw(OUTCOMES, ["a", "b"], tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == drawn


def test_a_run_that_diverged_is_listed_and_has_no_figures() -> None:
    broken = replace(OUTCOMES[3], diverged={"stage": "rl", "step": 4, "reason": "loss is nan."})
    summary = joint([*OUTCOMES[:3], broken], ["a", "b"], paired)
    assert summary["diverged"] == [
        {"arm": "b", "seed": 1, "stage": "rl", "step": 4, "reason": "loss is nan."}
    ]
    for entry in summary["figures"].values():
        assert entry["b"]["values"][1] is None
    text = as_markdown("two", "Two.", summary)
    assert "| b | 1 | rl | 4 | loss is nan. |" in text
    assert "No run diverged." in as_markdown("two", "Two.", SUMMARY)
    assert SUMMARY["figures"]["gradient norm, largest"]["b"]["mean"] == pytest.approx(1.25)
    assert SUMMARY["figures"]["|log k|, largest"]["b"]["mean"] == pytest.approx(2.0)
