from dataclasses import replace

from stages.base.params import resolve
from stages.rl.bands import band, masks
from tests.reporting.made_up import PROFILES
from tests.tables import each

CONFIG = resolve("tiny", {}, PROFILES).train_reasoning_rl


@each(
    ("objective", "bounds", "masking"),
    [
        ("icepop", (0.25, 3.0), True),
        ("icepop-narrow", (0.5, 2.0), True),
        ("icepop-wide", (0.4, 5.0), True),
        ("grpo", (0.25, 3.0), False),
        ("dis", (0.25, 3.0), False),
    ],
)
def test_presets_have_their_own_band_and_only_icepop_masks(objective, bounds, masking) -> None:
    config = replace(CONFIG, objective=objective, alpha=0.25, beta=3.0)
    assert band(config) == bounds
    assert masks(config) is masking
