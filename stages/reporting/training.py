"""Chapters on how training went: SFT, the two RL stages, the reward model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting.evidence import Evidence
from stages.reporting.figures import PALETTE, Line, line_chart, stack_chart
from stages.reporting.page import Chapter, Picture, Table
from stages.reporting.wording import number, percent, sparkline

Journal = Sequence[Mapping[str, Any]]


def column(journal: Journal, name: str) -> list[float | None]:
    """One figure over the steps; None where a step has none."""
    return [row.get(name) for row in journal]


def smooth(values: Sequence[float | None], width: int) -> list[float | None]:
    """Centred running mean over the present values of ``width`` steps."""
    half = width // 2
    out: list[float | None] = []
    for at in range(len(values)):
        near = [v for v in values[max(0, at - half) : at + half + 1] if v is not None]
        out.append(sum(near) / len(near) if near else None)
    return out


def with_mean(values: Sequence[float | None], colour: str) -> list[Line]:
    """A noisy curve with its running mean over it."""
    mean = smooth(values, max(3, len(values) // 40))
    return [Line("each step", values, "six", faint=True), Line("running mean", mean, colour)]


def sft(evidence: Evidence) -> Chapter:
    """Loss and learning rate of supervised fine-tuning."""
    journal = evidence.journals["train_sft"]
    figures, packed = evidence.figures["train_sft"], evidence.figures["pack_sft"]
    loss = column(journal, "loss")
    pictures = [
        Picture(
            "Loss, nats a token",
            line_chart("SFT loss by step", with_mean(loss, "one")),
            curve=sparkline(loss),
        ),
        Picture(
            "Gradient norm",
            line_chart(
                "SFT gradient norm by step",
                with_mean(column(journal, "grad_norm"), "two"),
                log=True,
            ),
            curve=sparkline(column(journal, "grad_norm")),
        ),
    ]
    rate = column(journal, "learning_rate")
    pictures.append(
        Picture(
            "Learning rate",
            line_chart("SFT learning rate by step", [Line("learning rate", rate, "three")]),
            curve=sparkline(rate),
        )
    )
    if any(column(journal, "bias_load_max")):
        pictures.append(_expert_load(journal))
    lead = (
        f"{number(figures['steps'])} steps over {number(figures['tokens'])} tokens, packed to "
        f"{percent(packed['fill'])} without splitting a row. "
        f"Loss {number(figures['first_loss'])} → {number(figures['final_loss'])}."
    )
    return Chapter("sft", "Long chain-of-thought SFT", lead, pictures=pictures)


def _expert_load(journal: Journal) -> Picture:
    load = column(journal, "bias_load_max")
    return Picture(
        "Load of the busiest expert, share of choices",
        line_chart("expert load by step", with_mean(load, "four"), percent=True),
        curve=sparkline(load),
    )


def reasoning_rl(evidence: Evidence) -> Chapter:
    """IcePop and C3PO++ at work."""
    config = evidence.resolved["train_reasoning_rl"]
    journal = evidence.journals["train_reasoning_rl"]
    figures = evidence.figures["train_reasoning_rl"]
    pictures = [
        reward(journal, "reasoning RL"),
        length(journal, config["max_tokens"], "reasoning RL"),
        masked(journal, config),
        gap(journal, "reasoning RL"),
        tokens(journal, _budget(config), "reasoning RL"),
        retention(journal, "reasoning RL"),
        entropy(journal),
        gradient(journal, "reasoning RL"),
    ]
    lead = (
        f"{number(figures['steps'])} steps of objective {config['objective']} with scheduler "
        f"{config['scheduler']}: {number(figures['trained'])} responses trained on, "
        f"{number(figures['generated_tokens'])} tokens generated, "
        f"{number(figures['purged_tokens'])} tokens purged."
    )
    rows = (
        ("groups with equal rewards", number(figures["zero_variance_groups"])),
        ("of all groups trained on", number(figures["trained_groups"])),
        ("trajectories purged", number(figures["purged"])),
        ("responses masked because a checker failed", number(figures["masked_by_error"])),
        ("tokens masked below the band, per mille", _mille(figures["masked_low_share"])),
        ("tokens masked above the band, per mille", _mille(figures["masked_high_share"])),
        ("greatest |log k| of a token", number(figures["log_k_abs_max"])),
    )
    return Chapter(
        "reasoning_rl",
        "Reasoning RL",
        lead,
        pictures=pictures,
        tables=[Table(("over the whole run", "count"), rows)],
        notes=[
            "k is the probability of a token in the training engine over that in the inference "
            "engine when it was sampled; IcePop masks tokens outside "
            f"[{number(config['alpha'])}, {number(config['beta'])}]. Retention counts the "
            "partitions a response lived through before it was trained on."
        ],
    )


def general_rl(evidence: Evidence) -> Chapter:
    """The second RL stage: verifier and reward model together."""
    config = evidence.resolved["train_general_rl"]
    journal = evidence.journals["train_general_rl"]
    figures = evidence.figures["train_general_rl"]
    pictures = [
        reward(journal, "general RL"),
        length(journal, config["max_tokens"], "general RL"),
        gap(journal, "general RL"),
        tokens(journal, _budget(config), "general RL"),
        gradient(journal, "general RL"),
    ]
    parts = sorted({name for row in journal for name in row.get("reward_parts", {})})
    if parts:
        pictures.insert(1, reward_parts(journal, parts))
    lead = (
        f"{number(figures['steps'])} steps of objective {config['objective']}; the reward model "
        f"weighs {percent(config['reward_model_weight'], 0)}, the rules the rest."
    )
    return Chapter("general_rl", "General RL", lead, pictures=pictures)


def reward_model(evidence: Evidence) -> Chapter:
    """Bradley-Terry on preference pairs."""
    journal = evidence.journals["train_reward_model"]
    figures = evidence.figures["train_reward_model"]
    held = figures["heldout"]
    rows = [("all", held), *held.get("by_kind", {}).items()]
    table = Table(
        ("held-out pairs", "count", "preferred right", "95% interval"),
        tuple(
            (
                kind,
                number(found["pairs"]),
                percent(found["accuracy"]),
                f"[{percent(found['low'])}, {percent(found['high'])}]",
            )
            for kind, found in rows
        ),
        "Pairs of prompts it was not trained on",
    )
    pictures = [
        Picture(
            "Loss, nats a pair",
            line_chart("reward model loss by step", [Line("loss", column(journal, "loss"), "one")]),
            curve=sparkline(column(journal, "loss")),
        ),
        Picture(
            "Training pairs ordered right",
            line_chart(
                "reward model accuracy by step",
                [Line("accuracy", column(journal, "accuracy"), "two")],
                percent=True,
            ),
            curve=sparkline(column(journal, "accuracy")),
        ),
    ]
    lead = (
        f"Trained on {number(sum(figures['train_pairs'].values()))} pairs in "
        f"{number(figures['steps'])} steps. Always preferring the longer response would be right "
        f"on {percent(held['ruler_longer'])} of the held-out pairs, the shorter on "
        f"{percent(held['ruler_shorter'])}."
    )
    return Chapter("reward_model", "Reward model", lead, pictures=pictures, tables=[table])


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


def reward_parts(journal: Journal, names: Sequence[str]) -> Picture:
    """What the mixed reward is made of."""
    lines = [
        Line(name, [row["reward_parts"].get(name) for row in journal], PALETTE[at])
        for at, name in enumerate(names[: len(PALETTE)])
    ]
    return Picture(
        "Parts of the reward",
        line_chart("parts of the reward by step", lines, zero=False),
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


def masked(journal: Journal, config: Mapping[str, Any]) -> Picture:
    """Share of tokens outside IcePop's band."""
    low = [_per_mille(value) for value in column(journal, "masked_low_share")]
    high = [_per_mille(value) for value in column(journal, "masked_high_share")]
    total = [(a or 0) + (b or 0) for a, b in zip(low, high, strict=True)]
    outside = "" if config["objective"] == "icepop" else " (counted, not masked)"
    return Picture(
        f"Tokens outside the IcePop band, per mille{outside}",
        stack_chart(
            "masked tokens by step",
            [
                Line(f"k < {number(config['alpha'])}", low, "one"),
                Line(f"k > {number(config['beta'])}", high, "five"),
            ],
        ),
        curve=sparkline(total),
    )


def gap(journal: Journal, stage: str) -> Picture:
    """How far the two engines are apart."""
    lines = [
        Line("largest", column(journal, "log_k_abs_max"), "six", faint=True),
        Line("mean", column(journal, "log_k_abs_mean"), "one"),
    ]
    return Picture(
        "Gap between the engines, |log k|",
        line_chart(f"log-probability gap by step, {stage}", lines, log=True),
        curve=sparkline(column(journal, "log_k_abs_mean")),
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


def _budget(config: Mapping[str, Any]) -> int | None:
    """The token budget, where there is one: a synchronous scheduler counts groups instead."""
    return int(config["token_budget"]) if config["scheduler"] == "c3po" else None


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


def entropy(journal: Journal) -> Picture:
    """Entropy of all tokens beside that of the masked ones."""
    lines = [
        Line("masked tokens", column(journal, "entropy_masked"), "five"),
        Line("all tokens", column(journal, "entropy"), "one"),
    ]
    return Picture(
        "Entropy, nats",
        line_chart("entropy by step", lines),
        curve=sparkline(column(journal, "entropy")),
    )


def gradient(journal: Journal, stage: str) -> Picture:
    """Gradient norm of the optimiser steps."""
    norms = column(journal, "grad_norm")
    return Picture(
        "Gradient norm",
        line_chart(f"gradient norm by step, {stage}", [Line("gradient norm", norms, "two")]),
        curve=sparkline(norms),
    )


def _per_mille(share: float | None) -> float | None:
    return None if share is None or math.isnan(share) else 1000 * share


def _mille(share: float | None) -> str:
    return number(None if share is None else round(1000 * share, 3))
