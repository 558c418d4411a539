"""Windows: the benchmark's own, capped by the engine, stretched by YaRN beyond what is native."""

import json
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import CheckpointError, ConfigError
from stages.evals.windows import effective_window, positions

PLAIN = {"rope_theta": 600000.0, "rope_type": "default", "partial_rotary_factor": 0.5}


def checkpoint(folder: Path, **config: Any) -> Path:
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.field_bug("E38")
@pytest.mark.parametrize(
    ("own", "asked", "longest", "window"),
    [
        (131072, None, 131072, 131072),
        (131072, None, 1024, 1024),  # what the engine can hold
        (32768, None, 131072, 32768),  # no more than the paper gives it
        (32768, 65536, 131072, 65536),  # the profile's word
        (None, None, 512, 512),  # generated benchmarks
        (None, 4096, 512, 512),
    ],
)
def test_the_window_is_the_benchmarks_own_capped(own, asked, longest, window) -> None:
    assert effective_window(own, asked, longest) == window


def test_a_window_within_the_native_positions_changes_nothing(tmp_path: Path) -> None:
    found = positions(checkpoint(tmp_path, max_position_embeddings=32768), 32768)
    assert (found.tokens, found.overrides) == (32768, {})


def test_a_longer_window_is_stretched_and_keeps_the_rest(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, max_position_embeddings=32768, rope_parameters=PLAIN)
    found = positions(folder, 131072).overrides
    assert found["max_position_embeddings"] == 131072
    assert found["rope_parameters"] == {
        **PLAIN,
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 32768,
    }


def test_what_was_stretched_before_is_stretched_from_its_origin(tmp_path: Path) -> None:
    before = {**PLAIN, "rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 8192}
    folder = checkpoint(tmp_path, max_position_embeddings=16384, rope_parameters=before)
    assert positions(folder, 16384).rope is None
    rope = positions(folder, 65536).overrides["rope_parameters"]
    assert (rope["factor"], rope["original_max_position_embeddings"]) == (8.0, 8192)


def test_older_configurations_are_read_too(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, max_position_embeddings=8, rope_theta=5.0, rope_scaling=None)
    rope = positions(folder, 16).overrides["rope_parameters"]
    assert (rope["rope_theta"], rope["factor"]) == (5.0, 2.0)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_parameters": {"rope_type": "llama3", "factor": 8.0}},
        {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
        {"rope_parameters": {"full_attention": PLAIN, "sliding_attention": PLAIN}},
    ],
)
def test_other_kinds_of_positions_are_refused(tmp_path: Path, rope: dict[str, Any]) -> None:
    folder = checkpoint(tmp_path, max_position_embeddings=1024, **rope)
    assert positions(folder, 1024).rope is None
    with pytest.raises(ConfigError, match=r"run_benchmarks\.context to 1024"):
        positions(folder, 2048)


def test_a_model_without_a_number_of_positions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="max_position_embeddings"):
        positions(checkpoint(tmp_path), 16)
