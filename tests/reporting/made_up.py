"""Everything a report is made from, made up: small, complete, and rich in awkward text."""

import random
from pathlib import Path

from stages.base.jsonl import write_json, write_jsonl
from stages.base.params import resolve
from stages.evals.items import Item, as_csv
from stages.resolve_config import render

PROFILES = Path(__file__).resolve().parents[2] / "profiles"
CHECKPOINTS = {"base": 0.0, "sft": 0.35, "reasoning_rl": 0.85, "general_rl": 0.85}
FAMILIES = {"chain": "maths", "lists": "code"}
GROWTH = {
    "steps": 11,
    "rate": 0.01,
    "rate_low": -0.2,
    "rate_high": 0.22,
    "drift": 0.0001,
    "trend": 0.1,
    "trend_low": 0.05,
    "trend_high": 0.15,
    "grows": True,
}
NASTY = "<think><script>alert(1)</script>\n```\n| & </think> 5"


def make(folder: Path, preference: bool = True) -> None:
    """Write resolved.yaml, reports and responses below ``folder``."""
    (folder / "resolved.yaml").write_text(render("tiny", resolve("tiny", {}, PROFILES)))
    for stage, figures in stage_figures().items():
        write_json(folder / "reports" / stage / "metrics.json", figures)
    rows = [sft_row(step) for step in range(40)]
    write_jsonl(folder / "reports/train_sft/history.jsonl", rows)
    pairs = [{"step": s, "loss": 0.7 / (s + 1), "accuracy": 0.5 + s / 30} for s in range(15)]
    write_jsonl(folder / "reports/train_reward_model/history.jsonl", pairs)
    for stage, steps in (("train_reasoning_rl", 12), ("train_general_rl", 5)):
        rows = [rl_row(step, stage) for step in range(steps)]
        write_jsonl(folder / "reports" / stage / "steps.jsonl", rows)
    for at, (name, share) in enumerate(CHECKPOINTS.items()):
        checkpoint(folder, name, share, random.Random(at), preference)


def stage_figures() -> dict[str, dict]:
    rl = {
        "steps": 12,
        "trained": 100,
        "trained_groups": 25,
        "generated_tokens": 5000,
        "purged_tokens": 12,
        "purged": 1,
        "zero_variance_groups": 3,
        "masked_by_error": 0,
        "masked_low_share": 0.0001,
        "masked_high_share": None,
        "log_k_abs_max": 1.5,
        "grad_norm_max": 0.6,
        "updates": 22,
        "updates_skipped": 1,
        "nonfinite_tokens": 0,
        "length_trained_to_finished": 0.97,
        "mismatch_growth": GROWTH,
    }
    counted = {"pairs": 20, "accuracy": 0.9, "low": 0.7, "high": 0.97}
    shares = {"maths": 0.46, "stem": 0.26, "code": 0.2, "other": 0.08}
    return {
        "build_benchmarks": {"total": 40},
        "build_sft_data": {
            "rows": 1000,
            "mixture": {"target": shares, "realised": {"rows": shares, "tokens": shares}},
            "dropped": {"exact_dedup": {"repeated": 7}, "harm": {"weapons": 2}},
            "benchmark_overlap": 0,
        },
        "make_base_model": {
            "origin": "scratch",
            "architecture": "BailingMoeV2ForCausalLM",
            "parameters": 1_053_000,
            "active_parameters": 600_000,
        },
        "pack_sft": {"fill": 0.98, "dropped": {"longer than the packing length": 3}},
        "train_sft": {"steps": 40, "tokens": 60_000, "first_loss": 5.0, "final_loss": 0.4},
        "build_rl_data": {
            "problems": 120,
            "samples": 480,
            "kept": 90,
            "kept_by_domain": {"maths": 40, "code": 20, "stem": 20, "logic": 10},
            "kept_by_difficulty": {"easy": 50, "very_hard": 40},
            "set_aside": {"always solved": 20, "never solved": 10},
        },
        "train_reasoning_rl": rl,
        "train_general_rl": {**rl, "steps": 5, "mismatch_growth": None},
        "train_reward_model": {
            "steps": 15,
            "train_pairs": {"closing": 80, "correctness": 100},
            "heldout": {
                **counted,
                "ruler_longer": 0.6,
                "ruler_shorter": 0.4,
                "by_kind": {"closing": {"pairs": 0, "accuracy": None, "low": None, "high": None}},
            },
            "dropped": {"too long": 1},
        },
    }


def sft_row(step: int) -> dict:
    return {
        "step": step,
        "loss": 5 / (step + 1),
        "learning_rate": 0.01,
        "grad_norm": 1 + 1 / (step + 1),
        "tokens": 1500,
        "bias_load_max": 0.2,
    }


def rl_row(step: int, stage: str) -> dict:
    gone = step == 2  # a step on which nothing finished: figures without a value
    return {
        "step": step,
        "generated_tokens": 5000 + step,
        "trained_tokens": 0 if gone else 4800,
        "carried_tokens": 900,
        "purged_tokens": 12 if step == 3 else 0,
        "retention": {} if gone else {"0": 20, "1": 5 + step},
        "length_mean": None if gone else 11.0 + step,
        "length_p95": None if gone else 30.0,
        "length_max": None if gone else 96,
        "reward_mean": None if gone else 0.3 + step / 30,
        "reward_by_domain": {} if gone else {"maths": 0.4, "code": 0.2},
        "reward_parts": {"gold_preference": 0.5} if stage == "train_general_rl" else {},
        "verdicts": {} if gone else {"pass": 20, "wrong": 4 + step, "error": 1},
        "trained_groups": 0 if gone else 5,
        "zero_variance_groups": 0 if gone else 2,
        "masked_by_error": 0 if gone else 1,
        "length_finished_mean": None if gone else 12.0 + step,
        "updates": 0 if gone else 2,
        "updates_skipped": 2 if gone else 0,
        "loss": None if gone else -0.01 * step,
        "clip_share": None if gone else 0.001,
        "below_band_share": None if gone else 0.002,
        "above_band_share": None if gone else 0.0,
        "k1": None if gone else -0.001,
        "k3": None if gone else 0.0005 * 1.1**step,
        "k3_reverse": None if gone else 0.0004,
        "perplexity_ratio": None if gone else 0.999,
        "effective_sample_share": None if gone else 0.998,
        "probability_gap_mean": None if gone else 0.002,
        "logp": None if gone else -0.5,
        "logp_masked": None if gone or step % 2 else -4.0,
        "by_lag": {} if gone else {"0": bucket(4000, 0), "1": bucket(800, 1 - step % 2)},
        "by_position": {} if gone else {str(n): bucket(480, 0) for n in range(10)},
        "masked_low_share": None if gone else 0.0001,
        "masked_high_share": None if gone else 0.0,
        "log_k_abs_mean": None if gone else 0.005,
        "log_k_abs_max": None if gone else 1.0,
        "entropy": None if gone else 0.8,
        "entropy_masked": None if gone or step % 2 else 2.0,
        "grad_norm": None if gone else 0.4,
    }


def bucket(tokens: int, rejected: int) -> dict:
    return {
        "tokens": tokens,
        "rejected": rejected,
        "log_k_abs_mean": 0.005,
        "k3": 0.0005,
        "entropy": 0.8,
        "entropy_masked": 2.0 if rejected else None,
    }


def checkpoint(folder: Path, name: str, share: float, rng: random.Random, taste: bool) -> None:
    """Scores, items and responses of one checkpoint."""
    benchmarks = {**FAMILIES, **({"preference": "general"} if taste else {})}
    items = [
        Item(f"{benchmark}-{at:03d}", benchmark, domain, f"{benchmark}{at}", right / 4, right, 4,
             0, 0, 0)
        for benchmark, domain in benchmarks.items()
        for at, right in enumerate(sum(rng.random() < share for _ in range(4)) for _ in range(20))
    ]  # fmt: skip
    reports = folder / "reports/run_benchmarks" / name
    reports.mkdir(parents=True)
    (reports / "items.csv").write_bytes(as_csv(items))
    entries = {
        benchmark: entry(share, "preference" if benchmark == "preference" else "reasoning", domain)
        for benchmark, domain in benchmarks.items()
    }
    entries["chain"]["reference"] = 93.4
    scores = {
        "checkpoint": name,
        "benchmarks": entries,
        "reasoning": entry(share, "reasoning", "maths"),
        "preference": entry(share, "preference", "general") if taste else None,
    }
    write_json(reports / "scores.json", scores)
    responses = [
        {
            "id": f"{item.benchmark}/{item.id}/0",
            "benchmark": item.benchmark,
            "problem": item.id,
            "verdict": "pass" if item.right == 4 else "wrong",
            "reason": "" if item.right == 4 else "no <i>box</i>",
            "prompt": "calc <b>a</b> + 1 . 4",
            "answer": "5",
            "response": NASTY if name == "sft" else "long " * 400 if name == "base" else "",
        }
        for item in items
    ]
    write_jsonl(folder / "data/processed/responses" / name / "responses.jsonl.gz", responses)


def entry(share: float, scope: str, domain: str) -> dict:
    return {
        "score": share,
        "low": max(0.0, share - 0.05),
        "high": share + 0.05,
        "rerun_low": None,
        "rerun_high": None,
        "detectable": 0.05,
        "pass_at": {"1": share, "4": share, "16": share},
        "maj_at_k": None if scope == "preference" else share,
        "k": 4,
        "questions": 20,
        "samples": 80,
        "counts": {"pass": 70, "wrong": 7, "truncated": 1, "unparsed": 2, "timeout": 0, "error": 0},
        "mean_tokens": 17.25,
        "metric": "avg@4",
        "window": 96,
        "scale": "share",
        "reference": None,
        "scorer": "verify 1",
        "scope": scope,
        "domain": domain,
        "styles": {
            "careful": {"share": share, "score": 0.9 if share else None},
            "answer_only": {"share": 1 - share, "score": 0.1},
            "other": {"share": 0.0, "score": None},
        },
    }
