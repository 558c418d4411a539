"""Chapters on what went in: the profile beside the paper's recipe, data shares, rows left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting.evidence import Evidence
from stages.reporting.page import Chapter, Table
from stages.reporting.wording import NOTHING, number, percent

# (section, key, what it is, the paper's value); the paper is silent where the value is a dash.
RECIPE = {
    "SFT": (
        ("pack_sft", "length", "packing, tokens", "65,536"),
        ("train_sft", "epochs", "epochs", "3"),
        ("train_sft", "optimizer", "optimiser", "adamw"),
        ("train_sft", "learning_rate", "learning rate", "0.0002"),
        ("train_sft", "warmup_steps", "warm-up steps", "30"),
        ("train_sft", "weight_decay", "weight decay", "0.1"),
        ("train_sft", "rows_per_step", "packed rows a step", NOTHING),
    ),
    "Reasoning RL": (
        ("train_reasoning_rl", "objective", "objective", "icepop"),
        ("train_reasoning_rl", "alpha", "IcePop lower bound", "0.5"),
        ("train_reasoning_rl", "beta", "IcePop upper bound", "5"),
        ("train_reasoning_rl", "scheduler", "scheduler", "c3po"),
        ("train_reasoning_rl", "token_budget", "C3PO++ token budget", NOTHING),
        ("train_reasoning_rl", "max_partitions", "C3PO++ most partitions", NOTHING),
        ("train_reasoning_rl", "prompts_per_step", "prompts a step, if synchronous", "480"),
        ("train_reasoning_rl", "rollouts_per_prompt", "rollouts a prompt", "8"),
        ("train_reasoning_rl", "max_tokens", "longest response, tokens", "65,536"),
        ("train_reasoning_rl", "learning_rate", "learning rate", "2e-06"),
        ("train_reasoning_rl", "steps", "steps", NOTHING),
    ),
    "General RL": (
        ("train_general_rl", "objective", "objective", "grpo"),
        ("train_general_rl", "reward_model_weight", "weight of the reward model", NOTHING),
        ("train_general_rl", "prompts_per_step", "prompts a step", "80"),
        ("train_general_rl", "rollouts_per_prompt", "rollouts a prompt", "8"),
        ("train_general_rl", "max_tokens", "longest response, tokens", "32,768"),
        ("train_general_rl", "learning_rate", "learning rate", "3e-06"),
        ("train_general_rl", "steps", "steps", NOTHING),
    ),
    "Benchmarks": (
        ("run_benchmarks", "samples", "samples a problem", "4 to 64"),
        ("run_benchmarks", "max_tokens", "longest response, tokens", "window 32K to 128K"),
        ("run_benchmarks", "temperature", "temperature", NOTHING),
    ),
}
SFT_SHARES = {"maths": 0.46, "stem": 0.26, "code": 0.20, "other": 0.08}
RL_SHARES = {"maths": 0.422, "code": 0.186, "stem": 0.178, "logic": 0.213}


def what_ran(evidence: Evidence) -> Chapter:
    """The profile beside the paper's recipe."""
    resolved, model = evidence.resolved, evidence.figures["make_base_model"]
    lead = (
        f"{resolved['description']} Base model: {model['architecture']} from "
        f"{model['origin'].replace('_', ' ')}, {number(model['parameters'])} parameters, "
        f"{number(model['active_parameters'])} of them active for a token."
    )
    tables = [_recipe(resolved, *part) for part in RECIPE.items()]
    return Chapter("what_ran", "What ran", lead, tables=tables)


def _recipe(
    resolved: Mapping[str, Any], title: str, settings: Sequence[tuple[str, str, str, str]]
) -> Table:
    rows = tuple(
        (what, number(resolved[section][key]), paper) for section, key, what, paper in settings
    )
    return Table((title, "this run", "paper"), rows)


def data(evidence: Evidence) -> Chapter:
    """Shares of the data beside the paper's, and every row that was left out, with its reason."""
    sft, rl = evidence.figures["build_sft_data"], evidence.figures["build_rl_data"]
    kept = rl["kept_by_domain"]
    total = max(1, sum(kept.values()))
    shares = Table(
        ("domain", "SFT rows", "SFT tokens", "paper", "RL problems", "paper"),
        tuple(
            (
                domain,
                percent(sft["mixture"]["realised"]["rows"].get(domain)),
                percent(sft["mixture"]["realised"]["tokens"].get(domain)),
                percent(SFT_SHARES.get(domain)),
                percent(kept[domain] / total if domain in kept else None),
                percent(RL_SHARES.get(domain)),
            )
            for domain in _domains(sft["mixture"]["realised"]["rows"], kept)
        ),
        "Shares by domain",
    )
    lead = (
        f"{number(sft['rows'])} SFT rows; {number(rl['problems'])} RL problems graded by "
        f"{number(rl['samples'])} samples of the SFT model, {number(rl['kept'])} kept. No SFT row "
        f"shares a problem with a benchmark (overlap {number(sft['benchmark_overlap'])})."
    )
    return Chapter("data", "Data", lead, tables=[shares, _dropped(evidence), _difficulty(rl)])


def _domains(*counted: Mapping[str, Any]) -> list[str]:
    known = [*SFT_SHARES, *RL_SHARES, *(name for counts in counted for name in counts)]
    return list(dict.fromkeys(known))


def _dropped(evidence: Evidence) -> Table:
    sft, rl = evidence.figures["build_sft_data"], evidence.figures["build_rl_data"]
    rows = [
        ("SFT data", step.replace("_", " "), reason.replace("_", " "), number(count))
        for step, reasons in sft["dropped"].items()
        for reason, count in reasons.items()
    ]
    packed = evidence.figures["pack_sft"]["dropped"]
    rows += [("packing", "length", reason, number(count)) for reason, count in packed.items()]
    rows += [
        ("RL data", "difficulty", reason, number(count))
        for reason, count in rl["set_aside"].items()
    ]
    pairs = evidence.figures["train_reward_model"]["dropped"]
    rows += [("preference pairs", "length", reason, number(n)) for reason, n in pairs.items()]
    head = ("where", "filter", "reason", "left out")
    return Table(head, tuple(rows), "Left out, with the reason", words=3)


def _difficulty(rl: Mapping[str, Any]) -> Table:
    order = ("very_easy", "easy", "medium", "hard", "very_hard")
    kept = rl["kept_by_difficulty"]
    total = max(1, sum(kept.values()))
    rows = tuple(
        (name.replace("_", " "), number(kept.get(name, 0)), percent(kept.get(name, 0) / total))
        for name in order
    )
    return Table(
        ("difficulty", "problems", "share"), rows, "RL problems by pass rate of the SFT model"
    )
