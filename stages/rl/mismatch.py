"""How far apart the training and the inference engine are, on the tokens of one step.

Measured on all trained tokens, before any gate: after it, the rejected tokens would vanish from the
very figure that counts them. ``mismatch_tokens`` and ``rejected_tokens``, in a split ``tokens`` and
``rejected``, are the denominators: of all figures but the masked ones, and of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.rl.diagnostics import mean, rounded

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
PARTS = 10  # a response is cut into so many stretches of equal length


@dataclass(frozen=True)
class TrainedTokens:
    """All tokens trained on in a step, one value each, [n]; log-probabilities in nats."""

    train_logp: Floats  # training engine, weights at the start of the step
    old_logp: Floats  # theta_old, which a gate compares with the inference engine
    rollout_logp: Floats  # inference engine, when the token was sampled
    entropy: Floats  # training engine
    lag: NDArray[np.int64]  # policy versions between sampling and training
    decile: NDArray[np.int64]  # where in its response it stands, 0 to 9

    @property
    def log_k(self) -> NDArray[np.float64]:
        """Log k, k = train / rollout."""
        return self.train_logp.astype(np.float64) - self.rollout_logp.astype(np.float64)

    @property
    def log_gate(self) -> NDArray[np.float64]:
        """Log of old / rollout, what a band is laid on; log k under ``theta_old: latest``."""
        return self.old_logp.astype(np.float64) - self.rollout_logp.astype(np.float64)


def deciles(length: int) -> NDArray[np.int64]:
    """Which tenth of a response of ``length`` tokens each of its tokens stands in, [length]."""
    return np.arange(length, dtype=np.int64) * PARTS // max(length, 1)


def mismatch_figures(tokens: TrainedTokens, band: tuple[float, float]) -> dict[str, Any]:
    """The ratio k over all tokens, what a band rejects, and both by version lag and position."""
    log_k, log_gate = tokens.log_k, tokens.log_gate
    finite = np.isfinite(log_k) & np.isfinite(log_gate)
    low, high = log_gate < np.log(band[0]), log_gate > np.log(band[1])
    rejected = finite & (low | high)
    kept = log_k[finite]
    return {
        "mismatch_tokens": int(finite.sum()),
        "rejected_tokens": int(rejected.sum()),
        "log_k_abs_mean": mean(np.abs(kept)),
        "log_k_abs_max": rounded(float(np.abs(kept).max())) if len(kept) else None,
        **divergences(kept),
        "effective_sample_share": effective_sample_share(kept),
        "probability_gap_mean": mean(
            np.abs(np.exp(tokens.train_logp[finite]) - np.exp(tokens.rollout_logp[finite]))
        ),
        "masked_low_share": mean(low[finite]),
        "masked_high_share": mean(high[finite]),
        "nonfinite_tokens": int((~finite).sum()),
        "entropy": mean(tokens.entropy[finite]),
        "entropy_masked": mean(tokens.entropy[rejected]),
        "logp": mean(tokens.train_logp[finite]),
        "logp_masked": mean(tokens.train_logp[rejected]),
        "version_lag": {str(age): int((tokens.lag == age).sum()) for age in _present(tokens.lag)},
        "by_lag": _split(tokens, tokens.lag, finite, rejected),
        "by_position": _split(tokens, tokens.decile, finite, rejected),
    }


def divergences(log_k: NDArray[np.float64]) -> dict[str, Any]:
    """Estimates from tokens the inference engine sampled, in nats a token.

    ``k1`` and ``k3``: KL(infer || train), plain and with low variance; ``k3_reverse``:
    KL(train || infer). ``perplexity_ratio``: train by infer.
    """
    with np.errstate(over="ignore"):  # a figure that is not finite is None in the journal
        k = np.exp(log_k)
    return {
        "k1": mean(-log_k),
        "k3": mean(np.expm1(log_k) - log_k),
        "k3_reverse": mean(k * log_k - np.expm1(log_k)),
        "perplexity_ratio": rounded(float(np.exp(-log_k.mean()))) if len(log_k) else None,
    }


def effective_sample_share(log_k: NDArray[np.float64]) -> float | None:
    """(sum k)^2 / (n sum k^2): the share of tokens that importance weights k leave in effect."""
    if not len(log_k):
        return None
    k = np.exp(log_k - log_k.max())  # the scale cancels
    return rounded(float(k.sum() ** 2 / (len(k) * (k**2).sum())))


def _split(
    tokens: TrainedTokens, bucket: NDArray[np.int64], finite: Mask, rejected: Mask
) -> dict[str, dict[str, Any]]:
    log_k = tokens.log_k
    return {
        str(number): {
            "tokens": int((finite & (bucket == number)).sum()),
            "rejected": int((rejected & (bucket == number)).sum()),
            "log_k_abs_mean": mean(np.abs(log_k[finite & (bucket == number)])),
            "k3": divergences(log_k[finite & (bucket == number)])["k3"],
            "entropy": mean(tokens.entropy[finite & (bucket == number)]),
            "entropy_masked": mean(tokens.entropy[rejected & (bucket == number)]),
        }
        for number in _present(bucket)
    }


def _present(bucket: NDArray[np.int64]) -> Sequence[int]:
    return [int(number) for number in np.unique(bucket)]
