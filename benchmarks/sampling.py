"""Our rollouts against vLLM's own ``LLM.generate``: the same engine, prompts, seeds and lengths.

Every request runs to ``--tokens`` tokens on both sides, so both generate as many. What ours adds is
the step loop, the log-probability of each token and its policy version.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.turns import ratios, report
from stages.base import params, paths
from stages.base.jsonl import read_jsonl
from stages.base.records import Trajectory
from stages.base.rollouts import BatchControl
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
    sampler = VllmSampler(arguments.model, engine, seed=0)
    sampler._stop = []  # noqa: SLF001  (every response runs to its full length, on both sides)

    def ours() -> None:
        items = [
            Trajectory(f"{n}", f"{n}", f"{n}", prompt, arguments.tokens)
            for n, prompt in enumerate(prompts)
        ]
        sampler.rollout(BatchControl(items, engine.max_sequences))
        assert sum(map(len, items)) == arguments.requests * arguments.tokens

    def peer() -> None:
        from vllm import SamplingParams  # noqa: PLC0415  (heavy)

        settings = [
            SamplingParams(
                temperature=1.0, max_tokens=arguments.tokens, seed=n, detokenize=False,
                ignore_eos=True, logprobs=0 if arguments.logprobs else None,
            )
            for n in range(len(prompts))
        ]  # fmt: skip
        asked = [{"prompt_token_ids": prompt} for prompt in prompts]
        outputs = sampler.llm.generate(asked, settings, use_tqdm=False)
        made = sum(len(output.outputs[0].token_ids) for output in outputs)
        assert made == arguments.requests * arguments.tokens

    found = ratios(ours, peer, arguments.rounds)
    report(
        "rollouts by LLM.generate (1 = as fast)",
        found,
        requests=f"{arguments.requests} of {arguments.tokens} tokens, prompts of {len(prompts[0])}",
        engine=f"{engine.dtype}, {engine.max_sequences} at once",
        peer=f"logprobs {'on' if arguments.logprobs else 'off'}",
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.SFT_MODEL)
    parser.add_argument("--requests", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--logprobs", action="store_true", help="ask the peer for them too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
