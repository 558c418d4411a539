"""The runtime in one process costs nothing of the other one: Ray is not even imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("train_sft", "train_reward_model", "build_rl_data", "train_general_rl", "run_benchmarks")


@pytest.mark.slow
def test_stages_do_not_import_ray_until_a_profile_asks_for_it() -> None:
    names = ", ".join(f"stages.{stage}" for stage in STAGES)
    program = f"import sys, {names}; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
