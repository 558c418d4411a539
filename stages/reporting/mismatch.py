"""How far the training and the inference engine were apart during an RL stage, and if that grew."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from stages.reporting.curves import Journal, column, span
from stages.reporting.evidence import Band
from stages.reporting.figures import Line, bar_chart, line_chart, stack_chart
from stages.reporting.page import Part, Picture, Table
from stages.reporting.splits import Split, pooled, rejected_by_step, tokens_by_step, whole
from stages.reporting.wording import NOTHING, number, sparkline

Growth = Mapping[str, Any] | None


def _tenth(decile: int) -> str:
    return str(decile + 1)


SPLITS: Mapping[Split, tuple[Callable[[int], str], str, str]] = {
    "by_position": (_tenth, "position", "tenth of the response"),
    "by_lag": (str, "version lag", "policy versions behind"),
}
"""Each split of the journal: what a bucket is called, what the split is, what its axis counts."""


def parts(journal: Journal, growth: Growth, band: Band, stage: str) -> list[Part]:
    """What matters first, then every other figure, folded."""
    rejected = _naming(band)
    main = Part(
        "The two engines",
        f"k is the probability of a token in the training engine over that in the inference engine "
        f"when it was sampled. {_rule(band)} {growth_sentence(growth)}",
        [
            outside(journal, band, stage),
            gap(journal, stage),
            divergence(journal, growth, stage),
            entropy(journal, rejected, stage),
        ],
        [growth_table(growth)] if growth else [],
    )
    more = Part(
        "The two engines in detail: divergence, weights, version lag, position",
        "All figures are over the trained tokens of a step, before anything is masked.",
        [
            estimates(journal, stage),
            perplexity(journal, stage),
            effective(journal, stage),
            probability_gap(journal, stage),
            log_probability(journal, rejected, stage),
            outside_by("by_position", journal, stage),
            gap_by("by_position", journal, stage),
            outside_by("by_lag", journal, stage),
            gap_by("by_lag", journal, stage),
        ],
        [
            split_table("by_lag", journal, rejected),
            split_table("by_position", journal, rejected),
        ],
        [
            "k1 and k3 estimate KL(inference || training) from the sampled tokens, k1 without bias "
            "but noisy, k3 with low variance and never below 0; k3 reversed estimates "
            "KL(training || inference). The perplexity ratio, training by inference, is exp(k1). "
            "Effective samples: (Σk)² / (n Σk²), the share of n tokens that importance weights k "
            "leave in effect. The tables pool all steps, each weighed by its tokens; the entropy "
            "of rejected tokens is weighed by those."
        ],
        folded=True,
    )
    return [main, more]


def alarms(growth: Growth) -> list[str]:
    """What must not be overlooked: a mismatch that grows."""
    if not growth or not growth["grows"]:
        return []
    return [
        f"{growth_sentence(growth)} Growth of this kind feeds itself: look at the share of tokens "
        "outside the band and at the gradient norm below before training on."
    ]


def growth_sentence(growth: Growth) -> str:
    """Whether the mismatch grows, in one sentence."""
    if growth is None:
        return "Too few steps with trained tokens to say whether the mismatch grows."
    if growth["grows"]:
        verdict = "The mismatch of the two engines grows"
    elif growth["trend_high"] < 0:
        verdict = "The mismatch shrinks"
    else:
        verdict = "The mismatch shows no trend"
    factor, low, high = (
        f"{math.exp(growth[name]):.3g}" for name in ("trend", "trend_low", "trend_high")
    )
    return (
        f"{verdict}: k3 of fresh tokens is multiplied by {factor} a step, "
        f"95% interval [{low}, {high}]."
    )


def growth_table(growth: Mapping[str, Any]) -> Table:
    """The fitted figures of growth, with intervals."""

    def row(label: str, name: str) -> tuple[str, str, str]:
        low, high = growth.get(f"{name}_low"), growth.get(f"{name}_high")
        interval = NOTHING if low is None else f"[{number(low)}, {number(high)}]"
        return label, number(growth[name]), interval

    return Table(
        ("fitted over the steps", "value", "95% interval"),
        (
            row("trend of log k3, a step", "trend"),
            row("rate ημ: slope of k3 on the step before, less 1", "rate"),
            row("drift κμ, nats", "drift"),
            ("pairs of steps", number(growth["steps"]), NOTHING),
        ),
        f"Does the mismatch grow? {'Yes' if growth['grows'] else 'No sign of it'}",
    )


# --- by step


def outside(journal: Journal, band: Band, stage: str) -> Picture:
    """Share of tokens below and above the band."""
    low = [_per_mille(value) for value in column(journal, "masked_low_share")]
    high = [_per_mille(value) for value in column(journal, "masked_high_share")]
    total = [(a or 0) + (b or 0) for a, b in zip(low, high, strict=True)]
    counted = "" if band.masks else " (counted, not masked)"
    return Picture(
        f"Tokens outside the IcePop band, per mille{counted}",
        stack_chart(
            f"tokens outside the band by step, {stage}",
            [
                Line(f"k < {number(band.low)}", low, "one"),
                Line(f"k > {number(band.high)}", high, "five"),
            ],
        ),
        note=f"{_denominator(journal)}; {_steps(tokens_by_step(journal), 'tokens a step')}",
        curve=sparkline(total),
    )


def gap(journal: Journal, stage: str) -> Picture:
    """Mean and largest |log k|."""
    lines = [
        Line("largest", column(journal, "log_k_abs_max"), "six", faint=True),
        Line("mean", column(journal, "log_k_abs_mean"), "one"),
    ]
    return Picture(
        "Gap between the engines, |log k|",
        line_chart(f"log-probability gap by step, {stage}", lines, log=True),
        curve=sparkline(column(journal, "log_k_abs_mean")),
    )


def divergence(journal: Journal, growth: Growth, stage: str) -> Picture:
    """k3 by step on a log scale: that of fresh tokens with the fitted trend, and that of all.

    What older policies sampled differs by their age too, not only by the engine.
    """
    k3, fresh = column(journal, "k3"), fresh_k3(journal)
    lines = [Line("all tokens", k3, "six", faint=True), Line("version lag 0", fresh, "one")]
    if growth:
        lines.append(Line("fitted trend", trend(fresh, growth["trend"]), "five", dashed=True))
    return Picture(
        "Divergence of the engines, nats a token",
        line_chart(f"divergence by step, {stage}", lines, log=True),
        note="k3; older tokens differ by their age too",
        curve=sparkline(fresh),
    )


def fresh_k3(journal: Journal) -> list[float | None]:
    """k3 of the tokens that the policy of the step itself sampled; None where there are none."""
    return [row.get("by_lag", {}).get("0", {}).get("k3") for row in journal]


def trend(values: list[float | None], slope: float) -> list[float | None]:
    """The least-squares line of log values with this slope; it passes through their centre."""
    known = [(at, math.log(value)) for at, value in enumerate(values) if value and value > 0]
    middle = sum(at for at, _ in known) / len(known)
    height = sum(value for _, value in known) / len(known)
    return [math.exp(height + slope * (at - middle)) for at in range(len(values))]


def estimates(journal: Journal, stage: str) -> Picture:
    """The three estimates of divergence side by side."""
    names = {"k1": "k1", "k3": "k3", "k3_reverse": "k3 reversed"}
    lines = [
        Line(label, column(journal, name), colour)
        for (name, label), colour in zip(names.items(), ("six", "one", "three"), strict=True)
    ]
    return Picture(
        "Three estimates of the divergence, nats a token",
        line_chart(f"estimates of the divergence by step, {stage}", lines, zero=False),
        curve=sparkline(column(journal, "k1")),
    )


def perplexity(journal: Journal, stage: str) -> Picture:
    """Perplexity of the training engine over that of the inference engine."""
    ratio = column(journal, "perplexity_ratio")
    level: list[float | None] = [1.0] * len(journal)
    lines = [Line("equal", level, "muted", dashed=True), Line("ratio", ratio, "two")]
    return Picture(
        "Perplexity, training by inference engine",
        line_chart(f"perplexity ratio by step, {stage}", lines, zero=False),
        curve=sparkline(ratio),
    )


def effective(journal: Journal, stage: str) -> Picture:
    """Share of tokens that importance weights leave in effect."""
    share = column(journal, "effective_sample_share")
    return Picture(
        "Effective samples, share of trained tokens",
        line_chart(
            f"effective sample share by step, {stage}",
            [Line("share", share, "two")],
            zero=False,
        ),
        note=_steps(tokens_by_step(journal), "tokens"),
        curve=sparkline(share),
    )


def probability_gap(journal: Journal, stage: str) -> Picture:
    """Mean difference of the two probabilities of a token."""
    values = column(journal, "probability_gap_mean")
    return Picture(
        "Difference of the two probabilities of a token, mean",
        line_chart(f"probability gap by step, {stage}", [Line("gap", values, "four")]),
        curve=sparkline(values),
    )


def entropy(journal: Journal, rejected: str, stage: str) -> Picture:
    """Entropy of the tokens outside the band beside that of all."""
    pooled_over = whole(journal)
    lines = [
        Line(rejected, column(journal, "entropy_masked"), "five"),
        Line("all tokens", column(journal, "entropy"), "one"),
    ]
    return Picture(
        "Entropy, nats",
        line_chart(f"entropy by step, {stage}", lines),
        note=f"over the run {_pair(pooled_over.entropy_rejected, pooled_over.entropy)}; "
        f"{_denominator(journal)}",
        curve=sparkline(column(journal, "entropy")),
    )


def log_probability(journal: Journal, rejected: str, stage: str) -> Picture:
    """Log-probability, by the training engine, of the tokens outside the band and of all."""
    lines = [
        Line(rejected, column(journal, "logp_masked"), "five"),
        Line("all tokens", column(journal, "logp"), "one"),
    ]
    return Picture(
        "Log-probability in training, nats",
        line_chart(f"log-probability by step, {stage}", lines, zero=False),
        note=_denominator(journal),
        curve=sparkline(column(journal, "logp")),
    )


# --- over the run


def outside_by(split: Split, journal: Journal, stage: str) -> Picture:
    """Where in a response, or how old, the tokens outside the band were."""
    label, name, axis = SPLITS[split]
    bars = {label(b.number): _per_mille(b.rejected_share) for b in pooled(journal, split)}
    return Picture(
        f"Outside the band by {name}, per mille",
        bar_chart(f"tokens outside the band by {name}, {stage}", bars, "five", axis),
        note=_denominator(journal),
    )


def gap_by(split: Split, journal: Journal, stage: str) -> Picture:
    """Where in a response, or at which age of a token, the probabilities differ.

    With age the weights differ too, and not the engines alone.
    """
    label, name, axis = SPLITS[split]
    found = pooled(journal, split)
    bars = {label(b.number): b.log_k_abs_mean for b in found}
    return Picture(
        f"Mean |log k| by {name}",
        bar_chart(f"log-probability gap by {name}, {stage}", bars, "one", axis),
        note=_steps([b.tokens for b in found], "tokens a bar"),
    )


def split_table(split: Split, journal: Journal, rejected: str) -> Table:
    """One row a bucket, with the counts that its shares and means are over."""
    label, _, title = SPLITS[split]
    head = (title, "tokens", rejected, "per mille", "mean |log k|", "k3", "entropy", "of rejected")
    rows = tuple(
        (
            label(b.number),
            number(b.tokens),
            number(b.rejected),
            _mille(b.rejected_share),
            number(b.log_k_abs_mean),
            number(b.k3),
            number(b.entropy),
            number(b.entropy_rejected),
        )
        for b in pooled(journal, split)
    )
    return Table(head, rows, f"By {title}, all steps")


# --- wording


def _naming(band: Band) -> str:
    return "masked tokens" if band.masks else "outside the band"


def _rule(band: Band) -> str:
    bounds = f"[{number(band.low)}, {number(band.high)}]"
    if band.masks:
        return f"Tokens with k outside {bounds} are masked."
    return (
        f"Tokens with k outside {bounds} are counted here, but this objective does not mask them."
    )


def _denominator(journal: Journal) -> str:
    """Tokens outside the band of all trained tokens, and in how many steps there are any."""
    everything = whole(journal)
    steps = sum(count > 0 for count in rejected_by_step(journal))
    return (
        f"{number(everything.rejected)} of {number(everything.tokens)} tokens, in {steps} of "
        f"{len(journal)} steps"
    )


def _steps(counts: list[int], what: str) -> str:
    found = span([count for count in counts if count])
    return f"no {what}" if found is None else f"{number(found[0])} to {number(found[1])} {what}"


def _pair(rejected: float | None, everything: float | None) -> str:
    return f"{number(rejected)} outside against {number(everything)} in all"


def _per_mille(share: float | None) -> float | None:
    return None if share is None or math.isnan(share) else 1000 * share


def _mille(share: float | None) -> str:
    return number(None if share is None else round(1000 * share, 3))
