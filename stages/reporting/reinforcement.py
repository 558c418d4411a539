"""Chapters on the two RL stages: rewards, responses, rollouts, updates; then the two engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting import mismatch
from stages.reporting.curves import Journal, column
from stages.reporting.evidence import Evidence
from stages.reporting.figures import PALETTE, Line, line_chart, stack_chart
from stages.reporting.page import Chapter, Part, Picture, Table
from stages.reporting.splits import whole
from stages.reporting.wording import number, percent, sparkline

PARTS = {
    "rules": "rules",
    "reward_model": "reward model",
    "gold_preference": "preference rule, only noted",
}
"""What the parts of a mixed reward are called; the last is never rewarded."""
VERDICTS = {
    "pass": "right",
    "wrong": "wrong",
    "unparsed": "unread",
    "truncated": "cut",
    "timeout": "timed out",
    "error": "checker failed",
}


def reasoning_rl(evidence: Evidence) -> Chapter:
    """IcePop and C3PO++ at work."""
    config = evidence.resolved["train_reasoning_rl"]
    figures = evidence.figures["train_reasoning_rl"]
    lead = (
        f"{number(figures['steps'])} steps of objective {config['objective']} with scheduler "
        f"{config['scheduler']}: {number(figures['trained'])} responses trained on, "
        f"{number(figures['generated_tokens'])} tokens generated, "
        f"{number(figures['purged_tokens'])} tokens purged."
    )
    return _chapter(evidence, "reasoning_rl", "Reasoning RL", lead)


def general_rl(evidence: Evidence) -> Chapter:
    """The second RL stage: verifier and reward model together."""
    config = evidence.resolved["train_general_rl"]
    figures = evidence.figures["train_general_rl"]
    lead = (
        f"{number(figures['steps'])} steps of objective {config['objective']}; the reward model "
        f"weighs {percent(config['reward_model_weight'], 0)}, the rules the rest."
    )
    return _chapter(evidence, "general_rl", "General RL", lead)


def _chapter(evidence: Evidence, key: str, title: str, lead: str) -> Chapter:
    stage = f"train_{key}"
    journal, figures = evidence.journals[stage], evidence.figures[stage]
    config = evidence.resolved[stage]
    name = title[0].lower() + title[1:]
    growth = figures["mismatch_growth"]
    return Chapter(
        key,
        title,
        lead,
        alarms=mismatch.alarms(growth),
        tables=[_totals(journal, figures)],
        parts=[
            Part("Rewards and responses", pictures=_responses(journal, figures, config, name)),
            Part("Rollouts and updates", pictures=_updates(journal, config, name)),
            *mismatch.parts(journal, growth, evidence.bands[stage], name),
        ],
    )


def _totals(journal: Journal, figures: Mapping[str, Any]) -> Table:
    trained, tokens = number(figures["trained"]), number(whole(journal).tokens)

    def share(name: str) -> str:
        value = figures[name]
        return number(None if value is None else round(1000 * value, 3))

    rows = (
        ("groups with equal rewards", number(figures["zero_variance_groups"])),
        ("of all groups trained on", number(figures["trained_groups"])),
        ("trajectories purged", number(figures["purged"])),
        (f"responses left out because a checker failed, of {trained}",
         number(figures["masked_by_error"])),
        ("policy updates", number(figures["updates"])),
        ("policy updates skipped", number(figures["updates_skipped"])),
        (f"tokens outside the band, of {tokens}", number(whole(journal).rejected)),
        ("tokens below the band, per mille", share("masked_low_share")),
        ("tokens above the band, per mille", share("masked_high_share")),
        ("tokens whose k is not a number", number(figures["nonfinite_tokens"])),
        ("greatest |log k| of a token", number(figures["log_k_abs_max"])),
        ("greatest gradient norm", number(figures["grad_norm_max"])),
    )  # fmt: skip
    return Table(("over the whole run", "count"), rows)


def _responses(
    journal: Journal, figures: Mapping[str, Any], config: Mapping[str, Any], stage: str
) -> list[Picture]:
    parts = sorted({name for row in journal for name in row["reward_parts"]})
    return [
        reward(journal, stage),
        *([reward_parts(journal, parts, stage)] if parts else []),
        verdicts(journal, figures, stage),
        groups(journal, stage),
        length(journal, config["max_tokens"], stage),
        length_bias(journal, figures["length_trained_to_finished"], stage),
    ]


def _updates(journal: Journal, config: Mapping[str, Any], stage: str) -> list[Picture]:
    asynchronous = config["scheduler"] == "c3po"
    return [
        tokens(journal, int(config["token_budget"]) if asynchronous else None, stage),
        *([retention(journal, stage)] if asynchronous else []),
        loss(journal, stage),
        gradient(journal, stage),
        clipped(journal, stage),
        updates(journal, stage),
    ]


def reward(journal: Journal, stage: str) -> Picture:
    """Mean reward, over all and by domain."""
    domains = sorted({name for row in journal for name in row["reward_by_domain"]})
    lines = [
        Line(name, [row["reward_by_domain"].get(name) for row in journal], PALETTE[1 + at], True)
        for at, name in enumerate(domains[: len(PALETTE) - 1])
    ]
    mean = column(journal, "reward_mean")
    lines.append(Line("all", mean, "one"))
    return Picture(
        "Reward", line_chart(f"reward by step, {stage}", lines, percent=True), curve=sparkline(mean)
    )


def reward_parts(journal: Journal, names: Sequence[str], stage: str) -> Picture:
    """What the mixed reward is made of."""
    lines = [
        Line(PARTS.get(name, name), [row["reward_parts"].get(name) for row in journal], colour)
        for name, colour in zip(names, PALETTE, strict=False)
    ]
    noted = "the preference rule is noted, never rewarded" if "gold_preference" in names else ""
    return Picture(
        "Parts of the reward",
        line_chart(f"parts of the reward by step, {stage}", lines, zero=False),
        note=noted,
        curve=sparkline(lines[0].values),
    )


def length(journal: Journal, limit: int, stage: str) -> Picture:
    """Response length against its limit."""
    lines = [
        Line("limit", [float(limit)] * len(journal), "muted", dashed=True),
        Line("longest", column(journal, "length_max"), "six", faint=True),
        Line("95th percentile", column(journal, "length_p95"), "two"),
        Line("mean", column(journal, "length_mean"), "one"),
    ]
    return Picture(
        "Response length, tokens",
        line_chart(f"response length by step, {stage}", lines),
        curve=sparkline(column(journal, "length_mean")),
    )


def length_bias(journal: Journal, ratio: float | None, stage: str) -> Picture:
    """Mean length of the responses trained on against that of all that were finished."""
    lines = [
        Line("finished", column(journal, "length_finished_mean"), "six"),
        Line("trained on", column(journal, "length_mean"), "one"),
    ]
    return Picture(
        "Length bias: trained on against finished, mean tokens",
        line_chart(f"length bias by step, {stage}", lines, zero=False),
        note=f"ratio over the run {number(ratio)}",
        curve=sparkline(column(journal, "length_mean")),
    )


def verdicts(journal: Journal, figures: Mapping[str, Any], stage: str) -> Picture:
    """What the checker found, as shares of the responses trained on."""
    found = [name for name in VERDICTS if any(row["verdicts"].get(name) for row in journal)]
    totals = [max(1, sum(row["verdicts"].values())) for row in journal]
    parts = [
        Line(
            VERDICTS[name],
            [row["verdicts"].get(name, 0) / n for row, n in zip(journal, totals, strict=True)],
            colour,
        )
        for name, colour in zip(found, ("two", "five", "four", "three", "six", "ink"), strict=False)
    ]
    failed, trained = number(figures["masked_by_error"]), number(figures["trained"])
    return Picture(
        "Verdicts on the responses trained on",
        stack_chart(f"verdicts by step, {stage}", parts, percent=True),
        note=f"the checker failed on {failed} of {trained}",
        curve=sparkline(parts[0].values if parts else []),
    )


def groups(journal: Journal, stage: str) -> Picture:
    """Groups that teach nothing because all their rewards are equal, among all trained groups."""
    flat = column(journal, "zero_variance_groups")
    rest = [row["trained_groups"] - row["zero_variance_groups"] for row in journal]
    return Picture(
        "Groups a step",
        stack_chart(
            f"groups with equal rewards by step, {stage}",
            [Line("rewards differ", rest, "one"), Line("all equal: no signal", flat, "six")],
        ),
        curve=sparkline(flat),
    )


def tokens(journal: Journal, budget: int | None, stage: str) -> Picture:
    """Where the tokens of each step went."""
    parts = [
        Line("trained on", column(journal, "trained_tokens"), "one"),
        Line("carried over", column(journal, "carried_tokens"), "three"),
        Line("purged", column(journal, "purged_tokens"), "five"),
    ]
    over = [Line("generated", column(journal, "generated_tokens"), "ink")]
    return Picture(
        "Tokens a step",
        stack_chart(f"tokens by step, {stage}", parts, over),
        note="" if budget is None else f"token budget {number(budget)}",
        curve=sparkline(column(journal, "generated_tokens")),
    )


def retention(journal: Journal, stage: str) -> Picture:
    """Partitions lived through by the responses trained on, as shares."""
    ages = sorted({int(age) for row in journal for age in row["retention"]})
    totals = [max(1, sum(row["retention"].values())) for row in journal]
    parts = [
        Line(
            _age(age),
            [row["retention"].get(str(age), 0) / n for row, n in zip(journal, totals, strict=True)],
            PALETTE[min(at, len(PALETTE) - 1)],
        )
        for at, age in enumerate(ages)
    ]
    older = [1 - (first or 0) for first in parts[0].values] if ages and ages[0] == 0 else []
    return Picture(
        "Retention: cuts a trained response lived through",
        stack_chart(f"retention by step, {stage}", parts, percent=True),
        curve=sparkline(older),
    )


def _age(cuts: int) -> str:
    return "none" if cuts == 0 else str(cuts)


def gradient(journal: Journal, stage: str) -> Picture:
    """Gradient norm of the optimiser steps."""
    norms = column(journal, "grad_norm")
    return Picture(
        "Gradient norm",
        line_chart(f"gradient norm by step, {stage}", [Line("gradient norm", norms, "two")]),
        curve=sparkline(norms),
    )


def loss(journal: Journal, stage: str) -> Picture:
    """The loss, and the divergence from the reference where the objective has a KL term."""
    lines = [Line("loss", column(journal, "loss"), "one")]
    if any("reference_kl" in row for row in journal):
        divergence = column(journal, "reference_kl")
        lines.append(Line("KL to the reference, before its coefficient", divergence, "five"))
    return Picture(
        "Loss",
        line_chart(f"loss by step, {stage}", lines, zero=False),
        curve=sparkline(lines[0].values),
    )


def clipped(journal: Journal, stage: str) -> Picture:
    """Share of tokens whose update the clip held back, or a gate left out or held down."""
    share = column(journal, "clip_share")
    lines = [
        Line("below the gate", column(journal, "below_band_share"), "three"),
        Line("above the gate", column(journal, "above_band_share"), "five"),
        Line("clipped", share, "four"),
    ]
    return Picture(
        "Clipped and gated tokens, share of those in the loss",
        line_chart(f"clip fraction by step, {stage}", lines, percent=True, digits=3),
        note="in the loss: tokens of responses with an advantage",
        curve=sparkline(share),
    )


def updates(journal: Journal, stage: str) -> Picture:
    """Optimiser steps made, and those skipped for want of any advantage."""
    skipped = column(journal, "updates_skipped")
    parts = [Line("made", column(journal, "updates"), "one"), Line("skipped", skipped, "five")]
    return Picture(
        "Policy updates a step",
        stack_chart(f"policy updates by step, {stage}", parts),
        note="skipped: no response had an advantage",
        curve=sparkline(skipped),
    )
