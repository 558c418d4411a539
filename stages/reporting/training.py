"""Chapters on how training went: SFT and the reward model; reinforcement.py has the RL stages."""

from __future__ import annotations

from stages.reporting.curves import Journal, column, with_mean
from stages.reporting.evidence import Evidence
from stages.reporting.figures import Line, line_chart
from stages.reporting.page import Chapter, Picture, Table
from stages.reporting.wording import number, percent, sparkline


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
