"""Kept rollouts, and every objective asked about them."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from stages.base.errors import DataError
from stages.base.params import ObjectiveName
from stages.rl import replay
from stages.rl.archive import read, stored_steps
from stages.rl.icepop import icepop_mask
from tests.rl.bandit import Rig

NAMES = get_args(ObjectiveName)


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    """A run with a mismatch large enough to be masked now and then."""
    rig = Rig(tmp_path_factory.mktemp("run") / "run", mismatch=1.0, steps=10, learning_rate=0.5)
    rig.journal = rig.run().journal
    return rig


@pytest.fixture(scope="module")
def rows(rig):
    return replay.replay(stored_steps(rig.rollouts), rig.config, NAMES)


def test_every_step_is_kept_whole(rig):
    files = stored_steps(rig.rollouts)
    assert len(files) == len(rig.journal)
    for row, path in zip(rig.journal, files, strict=True):
        step = read(path)
        assert len(step.tokens) == row["trained_tokens"]
        assert len(step.lengths) == row["trained"]
        assert int(step.groups.max()) + 1 == row["trained_groups"]


def test_the_masked_are_those_the_run_counted(rig, rows):
    for row, found in zip(
        rig.journal, (r for r in rows if r["objective"] == "icepop"), strict=True
    ):
        step = read(stored_steps(rig.rollouts)[row["step"]])
        train, rollout = (torch.from_numpy(a) for a in (step.train_logp, step.rollout_logp))
        outside = icepop_mask(train, rollout, rig.config.alpha, rig.config.beta) == 0
        shares = row["masked_low_share"] + row["masked_high_share"]
        assert outside.float().mean().item() == pytest.approx(shares, abs=1e-6)
        moves = np.repeat(step.advantages != 0, step.lengths)
        assert found["rejected"] == int((outside.numpy() & moves).sum())
        assert sum(found["rejected_by_position"].values()) == found["rejected"]
        assert sum(found["rejected_by_lag"].values()) == found["rejected"]
    assert sum(r["rejected"] for r in rows if r["objective"] == "icepop") > 0


def test_the_ruler_agrees_with_itself_and_a_wider_band_rejects_less(rows):
    total = {n: sum(r["rejected"] for r in rows if r["objective"] == n) for n in NAMES}
    with_itself = [r["cosine"] for r in rows if r["objective"] == "grpo" and r["gradient"] > 0]
    assert with_itself == pytest.approx([1.0] * len(with_itself))
    assert total["grpo"] == total["tis"] == total["gspo"] == 0
    assert total["icepop-wide"] <= total["icepop"] <= total["icepop-narrow"]


def test_a_killed_run_keeps_the_same_bytes(tmp_path):
    whole = Rig(tmp_path / "whole", steps=6, checkpoint_every=2)
    whole.run()
    cut = Rig(tmp_path / "cut", steps=3, checkpoint_every=2)
    cut.run()
    resumed = Rig(tmp_path / "cut", steps=6, checkpoint_every=2)
    resumed.run()
    files = stored_steps(whole.rollouts)
    assert [f.read_bytes() for f in files] == [
        f.read_bytes() for f in stored_steps(resumed.rollouts)
    ]


def test_no_more_is_kept_than_asked(tmp_path):
    rig = Rig(tmp_path / "run", steps=5, kept_tokens=400)
    journal = rig.run().journal
    kept = len(list(rig.rollouts.glob("*.safetensors")))
    tokens = np.cumsum([row["trained_tokens"] for row in journal])
    assert kept == int((tokens <= 400).sum())
    assert 0 < kept < 5


def test_responses_whose_checker_failed_are_left_out(rig, tmp_path):
    arrays = load_file(stored_steps(rig.rollouts)[0])
    arrays["rewards"][0] = np.nan
    save_file(arrays, tmp_path / "000000.safetensors")
    batch = replay.padded(read(tmp_path / "000000.safetensors"))
    assert batch.where.sum() == arrays["lengths"][1:].sum()


def test_what_is_no_stored_step_is_named(tmp_path):
    with pytest.raises(DataError, match="kept_tokens above 0"):
        stored_steps(tmp_path)
    path = tmp_path / "000000.safetensors"
    path.write_bytes(b"torn")
    with pytest.raises(DataError, match="not a stored step"):
        read(path)
    save_file({"tokens": np.zeros(3, np.int32)}, path)
    with pytest.raises(DataError, match="not a stored step"):
        read(path)


def test_table_and_plot_are_the_same_each_time(rows, tmp_path):
    for name in ("a.svg", "b.svg"):
        replay.draw(rows, NAMES, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    text = replay.table(rows, NAMES)
    assert text.startswith("Means over 10 steps.")
    assert all(f"| {name} |" in text for name in NAMES)


@pytest.mark.parametrize("theta_old", ["rollout", "per_segment"])
def test_replay_sees_the_theta_old_that_training_saw(tmp_path, theta_old):
    """With one optimiser step the loss of the run is the loss of its replay."""
    rig = Rig(
        tmp_path / "run", mismatch=0.6, steps=8, learning_rate=4.0, minibatches=1,
        theta_old=theta_old,
    )  # fmt: skip
    journal = rig.run().journal
    rows = replay.replay(stored_steps(rig.rollouts), rig.config, ["icepop"])
    losses = [row["loss"] for row in journal]
    assert [row["loss"] for row in rows] == pytest.approx(losses, abs=2e-6)
    latest = [
        replace(read(path), old_logp=read(path).train_logp) for path in stored_steps(rig.rollouts)
    ]
    others = [replay.score(step, rig.config)[0]["loss"] for step in latest]
    assert others != pytest.approx(losses, abs=2e-6)


def test_the_command_says_what_is_wrong_before_it_computes(tmp_path, rig, capsys):
    place = tmp_path / "a-file"
    place.write_text("")
    asked = ["--rollouts", str(rig.rollouts), "--objectives", "grpo"]
    assert replay.main([*asked, "--output", str(place)]) == 2
    assert "is a file" in capsys.readouterr().err
    assert replay.main(["--rollouts", str(tmp_path / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err
    (tmp_path / "1e.safetensors").write_text("not a step")
    assert replay.main(["--rollouts", str(tmp_path)]) == 2
    assert "no stored steps" in capsys.readouterr().err
    assert replay.main([*asked, "--output", str(tmp_path / "out")]) == 0
    found = capsys.readouterr()
    assert f"written to {tmp_path / 'out'}/" in found.err
    assert "Rejected: share" in found.out
