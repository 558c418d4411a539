"""Our rollouts against vLLM's own ``LLM.generate``: the same engine, prompts, seeds and stops.

Both sides sample the same tokens. What ours adds is the step loop, the log-probability of each
token and its policy version.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.turns import command, ratios, report
from stages.base import params, paths
from stages.base.jsonl import read_jsonl
from stages.base.records import Trajectory
from stages.base.rollouts import BatchControl
from stages.base.seeds import derive_seed
from stages.engines.checkpoints import load_tokenizer
from stages.engines.vllm_sampler import VllmSampler
from stages.sft.chat import prompt_ids


def main() -> None:
    """Measure and print."""
    arguments = parse()
    engine = params.load(params.Engine, "engine")
    tokenizer = load_tokenizer(arguments.model)
    rows = read_jsonl(paths.RL_DATA / "problems.jsonl")
    prompts = [
        prompt_ids(tokenizer, rows[number % len(rows)]["prompt"])
        for number in range(arguments.requests)
    ]
    seed, stop = 0, [tokenizer.eos_token_id]
    sampler = VllmSampler(arguments.model, engine, seed)
    generated = {}

    def ours() -> None:
        items = [
            Trajectory(f"{n}", f"{n}", f"{n}", prompt, arguments.tokens)
            for n, prompt in enumerate(prompts)
        ]
        sampler.rollout(BatchControl(items, engine.max_sequences))
        generated["ours"] = [item.tokens for item in items]

    def peer() -> None:
        from vllm import SamplingParams  # noqa: PLC0415  (heavy)

        settings = [
            SamplingParams(
                temperature=1.0,
                max_tokens=arguments.tokens,
                seed=derive_seed(seed, f"{n}", 0),
                stop_token_ids=stop,
                detokenize=False,
                logprobs=0 if arguments.logprobs else None,
            )
            for n in range(len(prompts))
        ]
        asked = [{"prompt_token_ids": prompt} for prompt in prompts]
        outputs = sampler.llm.generate(asked, settings, use_tqdm=False)
        generated["peer"] = [list(output.outputs[0].token_ids) for output in outputs]

    found = ratios(ours, peer, arguments.rounds)
    total, same = sum(map(len, generated["ours"])), generated["ours"] == generated["peer"]
    report(
        "rollouts by LLM.generate (1 = as fast)",
        found,
        requests=f"{arguments.requests}, {total} tokens generated, the same on both sides: {same}",
        engine=f"{engine.dtype}, {engine.max_sequences} at once",
        peer=f"logprobs {'on' if arguments.logprobs else 'off'}",
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.SFT_MODEL)
    parser.add_argument("--requests", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=96, help="the most of a response")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--logprobs", action="store_true", help="ask the peer for them too")
    return parser.parse_args()


if __name__ == "__main__":
    command(main)
