import math

import pytest

from stages.reporting import mismatch
from stages.reporting.evidence import Band
from stages.rl.growth import growth
from tests.reporting.made_up import GROWTH, rl_row

JOURNAL = [rl_row(step, "train_reasoning_rl") for step in range(12)]
NARROW = Band(0.5, 2.0, masks=True)


def test_only_growth_that_is_sure_raises_the_alarm() -> None:
    assert len(mismatch.alarms(GROWTH)) == 1
    assert mismatch.alarms({**GROWTH, "grows": False}) == []
    assert mismatch.alarms(None) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "Too few steps"),
        (
            GROWTH,
            "grows: k3 of fresh tokens is multiplied by 1.11 a step, 95% interval [1.05, 1.16]",
        ),
        ({**GROWTH, "grows": False, "trend_low": -0.1}, "no trend"),
        ({**GROWTH, "grows": False, "trend_high": -0.1}, "shrinks"),
    ],
)
def test_the_sentence_follows_the_interval(found, said) -> None:
    assert said in mismatch.growth_sentence(found)


def test_the_drawn_trend_is_the_fitted_one() -> None:
    k3 = [None if step == 3 else 0.001 * math.exp(0.2 * step) for step in range(14)]
    fit = growth(k3)
    assert fit is not None
    drawn = mismatch.trend(k3, fit["trend"])
    assert drawn == pytest.approx([0.001 * math.exp(0.2 * step) for step in range(14)], rel=1e-6)


@pytest.mark.parametrize(
    ("band", "legend", "title"),
    [
        (NARROW, "k &gt; 2<", "per mille"),
        (Band(0.4, 5.0, masks=False), "k &lt; 0.4<", "per mille (counted, not masked)"),
    ],
)
def test_the_legend_shows_the_band_in_use(band, legend, title) -> None:
    picture = mismatch.outside(JOURNAL, band, "a stage")
    assert legend in picture.svg
    assert picture.title.endswith(title)
    assert picture.note.startswith("5 of 52,800 tokens, in 5 of 12 steps; 4,800 to 4,800 tokens")


def test_a_run_without_any_update_is_still_drawn() -> None:
    empty = [rl_row(2, "train_reasoning_rl")] * 3
    main, more = mismatch.parts(empty, None, NARROW, "a stage")
    assert len(main.pictures) + len(more.pictures) == 13
    assert main.tables == []
    assert more.folded


def test_the_age_of_tokens_is_drawn_with_its_counts() -> None:
    picture = mismatch.gap_by("by_lag", JOURNAL, "a stage")
    assert picture.note == "8,800 to 44,000 tokens a bar"
    assert picture.title == "Mean |log k| by version lag"
    outside = mismatch.outside_by("by_lag", JOURNAL, "a stage")
    assert outside.note.startswith("5 of 52,800 tokens")


def test_tables_hold_the_counts_of_their_shares() -> None:
    by_lag = mismatch.parts(JOURNAL, GROWTH, NARROW, "a stage")[1].tables[0]
    assert [row[:4] for row in by_lag.rows] == [
        ("0", "44,000", "0", "0"),
        ("1", "8,800", "5", "0.568"),
    ]
