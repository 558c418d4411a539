"""How many tokens a benchmark's prompt and response may take, and YaRN where the model has fewer.

The window is the benchmark's own (128K, 64K, 32K), or the longest that the profile's engine is
given, if that is less. Where it exceeds the positions that the checkpoint was made for, they are
stretched by YaRN (Peng et al. 2023, arXiv 2309.00071) when the engine starts; the checkpoint stays
as it is. Benchmarks whose windows ask for the same positions share an engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import CheckpointError, ConfigError
from stages.base.jsonl import read_json

PLAIN = ("default", "yarn")
"""Rotary positions that can be stretched: unscaled ones, and those stretched by YaRN before."""


@dataclass(frozen=True)
class Positions:
    """Positions an engine is started with; ``rope`` overrides the checkpoint's, None: as it is."""

    tokens: int
    rope: Mapping[str, Any] | None = None

    @property
    def overrides(self) -> dict[str, Any]:
        """What vLLM lays over the checkpoint's configuration."""
        if self.rope is None:
            return {}
        return {"rope_parameters": dict(self.rope), "max_position_embeddings": self.tokens}


def effective_window(own: int | None, asked: int | None, longest: int) -> int:
    """The window of a benchmark, tokens: what the profile asks for it, else its own, capped.

    >>> effective_window(131072, None, 65536), effective_window(None, None, 512)
    (65536, 512)
    """
    return min(asked or own or longest, longest)


def positions(checkpoint: Path, window: int) -> Positions:
    """What the engine needs for a window; ConfigError where the positions cannot be stretched."""
    config = read_json(checkpoint / "config.json")
    native = config.get("max_position_embeddings")
    if type(native) is not int:
        raise CheckpointError(
            f"{checkpoint}/config.json: no max_position_embeddings, so nobody knows how many "
            "positions the model has. Add it."
        )
    if window <= native:
        return Positions(native)
    rope = _rope(config)
    if rope is None:
        raise ConfigError(
            f"a window of {window} tokens exceeds the {native} positions of {checkpoint}, and its "
            "rotary positions are of a kind that is not stretched by YaRN here. Lower "
            f"run_benchmarks.context to {native}."
        )
    original = int(rope.get("original_max_position_embeddings", native))
    stretch = {
        "rope_type": "yarn",
        "factor": window / original,
        "original_max_position_embeddings": original,
    }
    return Positions(window, {**rope, **stretch})


def _rope(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """The rotary parameters, in the form of transformers 5; None for a kind that is not plain."""
    rope = config.get("rope_parameters") or {
        "rope_theta": config.get("rope_theta", 10000.0),
        **(config.get("rope_scaling") or {}),
    }
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind not in PLAIN or any(isinstance(part, Mapping) for part in rope.values()):
        return None
    return {name: value for name, value in rope.items() if name != "type"}
