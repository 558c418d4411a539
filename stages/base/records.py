"""The records that travel between rooms: problems, judgements, trajectories, packed rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from stages.base.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NO_VERIFIER = "none"
"""What an outside problem names as its verifier where there is none."""


@dataclass(frozen=True)
class Problem:
    """One verifiable problem.

    ``key`` is the canonical instance key: two problems are the same puzzle if and only if their
    keys are equal, whatever the wording. Train and held-out sets are split by it.

    Example: ``Problem(id="chain-000017", family="chain", domain="maths",
    prompt="calc a + 4 b + 1 . 8", answer="3", key="chain|8|+4|+1")``
    """

    id: str
    family: str
    domain: str
    prompt: str
    answer: str
    key: str
    difficulty: str = ""
    pass_rate: float | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether no rule can check a response, so that only a model can judge it."""
        return bool(self.meta.get("verifier") == NO_VERIFIER)

    def to_row(self) -> dict[str, Any]:
        """As a JSON row."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Problem:
        """From a JSON row; a missing or unknown field is a DataError."""
        try:
            return cls(**row)
        except TypeError as error:
            raise DataError(f"problem {row.get('id', '?')}: wrong fields ({error}).") from error


class Verdict(StrEnum):
    """What a verifier found. ``ERROR``: the checker failed; the sample is masked, not scored."""

    PASS = "pass"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    TIMEOUT = "timeout"
    ERROR = "error"


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reward in [0, 1]; ``reward`` is None exactly when the verdict is ERROR."""

    verdict: Verdict
    reward: float | None
    reason: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Ran:
    """What a program answered to one input; ``output`` is None if it failed, and ``why`` says how.

    The output of a called function is its value as JSON.
    """

    output: str | None
    why: str = ""


@dataclass
class Trajectory:
    """One response in the making; grows across partitions under changing policies (C3PO++).

    ``tokens``, ``logprobs`` and ``versions`` always have one length: token t was sampled by policy
    ``versions[t]`` with log-probability ``logprobs[t]`` (nats, temperature 1, full vocabulary).
    ``old_logprobs`` holds, under ``theta_old: per_segment``, what the trainer made of the tokens
    before the last cut, each under the policy that sampled it; else it stays empty.
    ``partitions`` is the retention period: how many cuts the trajectory has lived through.
    ``ended`` is "" while unfinished, else "stop" or "length".

    Example: prompt [1, 2], tokens [7, 9], logprobs [-0.1, -1.2], versions [3, 4]: sampled one token
    under policy 3, was cut, and went on under policy 4.
    """

    id: str
    prompt_id: str
    group_id: str
    prompt: list[int]
    max_tokens: int
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    old_logprobs: list[float] = field(default_factory=list)
    partitions: int = 0
    ended: str = ""
    reward: float | None = None
    verdict: str = ""
    parts: dict[str, float] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether generation ended by itself or at the length limit."""
        return bool(self.ended)

    def __len__(self) -> int:
        """Generated tokens so far, all partitions together."""
        return len(self.tokens)

    def to_row(self) -> dict[str, Any]:
        """As a JSON row; finite floats survive the round trip exactly.

        JSON has no others: a log-probability an engine failed to give is stored as null, read as
        NaN.
        """
        row = asdict(self)
        for name in ("logprobs", "old_logprobs"):
            row[name] = [value if math.isfinite(value) else None for value in row[name]]
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Trajectory:
        """From a JSON row written by :meth:`to_row`."""
        filled = {
            name: [math.nan if value is None else value for value in row[name]]
            for name in ("logprobs", "old_logprobs")
        }
        return cls(**{**row, **filled})


@dataclass(frozen=True)
class PackedBatch:
    """B rows of L positions, each holding several sequences side by side. No sequence is split.

    All arrays are [B, L]. ``segments`` is 0 on padding and counts 1, 2, ... inside a row;
    ``positions`` restart at 0 with each sequence; ``mask`` is 1.0 where the token is a target.
    Everything is aligned to the token itself: the log-probability at t is that of ``tokens[b, t]``
    given the tokens before it in the same segment; a segment's first token is never a target.
    ``extras`` carries further [B, L] arrays (advantages, older log-probabilities).
    """

    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]
    segments: NDArray[np.int64]
    mask: NDArray[np.float32]
    extras: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows B, positions L)."""
        rows, length = self.tokens.shape
        return int(rows), int(length)
