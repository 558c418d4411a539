"""A whole GRPO step of ours against one of TRL's GRPOTrainer: seconds a trained token, on CPU.

Both start from the same weights and prompts and take one optimiser step on as many groups:
sampling at temperature 1, reward, advantages, forward, backward, AdamW in float32. TRL runs in an
environment of its own that shares this one's torch and transformers, made below ``.scratch`` and
kept. It generates by transformers: its vLLM mode starts on CPU, but its first push of weights fails
there, for want of the weight loaders that the CPU engine dropped. Each side gets the micro-batch
with which it is fastest, of those in ``--peer-batches`` and ``--micro-rows``. The two take turns.

Without ``--model`` the model is a small Llama with random weights and one change: the end of a
response has the same probability at each token, so that lengths are geometric around ``--mean``,
cut at ``--longest``, TRL's own default (an assumption; longer tails favour ours). The learning rate
is too small to change that.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks.environments import peer_python
from benchmarks.turns import command, report
from stages.base import params
from stages.base.errors import EngineError
from stages.base.params import ReinforcementLearning
from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.base.seeds import seeded_random
from stages.engines.checkpoints import load_tokenizer, save_model
from stages.engines.local_runtime import LocalRuntime, start_local
from stages.engines.tokenizer import train_tokenizer
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, train

VERSION = "1.16.0"
PROGRAM = Path(__file__).with_name("peers") / "trl_step.py"
VOCABULARY, HIDDEN, LAYERS = 2048, 256, 4
NUMBERS = 1000
"""Prompts are numbers below this, which any tokenizer takes."""
CONSTANT = 8.0
"""Channel 0 of the hidden states: the same for every token, so that the end can have a bias."""


@dataclass(frozen=True)
class Turn:
    """What some steps of one side took."""

    steps: int
    seconds: float
    generation: float
    tokens: int
    longest: int

    @property
    def by_token(self) -> float:
        """Seconds a trained token."""
        return self.seconds / self.tokens

    @property
    def rest_by_token(self) -> float:
        """Seconds a trained token that are not generation."""
        return (self.seconds - self.generation) / self.tokens


class Peer:
    """TRL in a process of its own, idle between its turns."""

    def __init__(self, python: Path, settings: dict[str, Any], folder: Path) -> None:
        self.settings = settings
        file = folder / f"peer-{settings['batch']}.json"
        file.write_text(json.dumps(settings), encoding="utf-8")
        self._log = file.with_suffix(".log")
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [str(python), str(PROGRAM), str(file)],
                env=peer_environment(settings["threads"]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def take(self, steps: int) -> Turn:
        """Some steps; EngineError with the end of its log if it died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # its log says why
            print(steps, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise EngineError(f"TRL ended: {self._log.read_text(encoding='utf-8')[-2000:]}")
        return Turn(**json.loads(answer))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


class Ours:
    """Our loop on vLLM and DeepSpeed, whole groups in each step."""

    def __init__(
        self,
        model: Path,
        prompts: Sequence[str],
        config: ReinforcementLearning,
        engine: params.Engine,
        threads: int,
    ) -> None:
        hardware = params.Hardware(training_threads=threads)
        run = params.Run(seed=0, notation="compact", hardware=hardware)
        self._runtime: LocalRuntime = start_local(model, run, engine, config)
        tokenizer = load_tokenizer(model)
        names = [f"p{number}" for number in range(len(prompts))]
        texts = zip(names, prompts, strict=True)
        self._problems = {name: Problem(name, "even", "maths", "", "", name) for name in names}
        self.config = config
        self._scheduler = make_scheduler(
            {name: tokenizer(text)["input_ids"] for name, text in texts}, config, run.seed
        )

    def take(self, steps: int) -> Turn:
        """Some steps of the loop, with all it does around them."""
        judge = EvenShare()
        engines = Engines(self._runtime, judge)
        config = replace(self.config, steps=steps)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            started = time.perf_counter()
            outcome = train(config, self._problems, self._scheduler, engines, folder, folder)
            seconds = time.perf_counter() - started
        tokens = sum(row["trained_tokens"] for row in outcome.journal)
        return Turn(steps, seconds, outcome.seconds["generate"], tokens, judge.longest)


class EvenShare:
    """Protocol ``Judge``: the share of even token ids; a random model has some of each."""

    def __init__(self) -> None:
        self.longest = 0

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        """One judgement a trajectory."""
        assert len(problems) == len(trajectories)
        self.longest = max(self.longest, *(len(item) for item in trajectories))
        shares = [sum(t % 2 == 0 for t in item.tokens) / len(item) for item in trajectories]
        return [Judgement(Verdict.PASS, share) for share in shares]


def main() -> None:
    """Measure and print."""
    arguments = parse()
    wanted = arguments.version
    python = peer_python(f"trl-{wanted}", (f"trl=={wanted}",), (3, 11), shared=True)
    prompts = random_prompts(8 * arguments.prompts)
    config = configuration(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = arguments.model or make_model(folder / "model", arguments.mean)
        peer = fastest(python, peer_settings(arguments, config, model, prompts), folder, arguments)
        engine = engine_settings(arguments)
        ours = Ours(model, prompts, config, engine, arguments.threads)
        tune(ours, arguments)
        rounds = []
        for number in range(arguments.rounds):
            rounds.append((peer.take(arguments.steps), ours.take(arguments.steps)))
            print(f"round {number + 1} of {arguments.rounds}", flush=True)
        peer.close()
        show(rounds, arguments, peer.settings, ours.config)


def tune(ours: Ours, arguments: argparse.Namespace) -> None:
    """Warm up, then settle on the micro-batch that is fastest."""
    ours.take(arguments.warmup)
    found: list[tuple[float, ReinforcementLearning]] = []
    for rows in arguments.micro_rows:
        ours.config = replace(ours.config, micro_rows=rows)
        found.append((ours.take(arguments.steps).rest_by_token, ours.config))
        print(f"ours with micro-batches of {rows}: {1e6 * found[-1][0]:.0f} us a token", flush=True)
    ours.config = min(found, key=lambda pair: pair[0])[1]


def peer_environment(threads: int) -> dict[str, str]:
    """No hub, no tracker, no device but the CPU, as many threads as ours trains with."""
    quiet = {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TOKENIZERS_PARALLELISM": "false"}
    return {**os.environ, **quiet, "OMP_NUM_THREADS": str(threads)}


def fastest(
    python: Path, settings: dict[str, Any], folder: Path, arguments: argparse.Namespace
) -> Peer:
    """The peer, warm, with the micro-batch it is fastest with."""
    found: list[tuple[float, Peer]] = []
    for batch in arguments.peer_batches:
        peer = Peer(python, {**settings, "batch": batch}, folder)
        peer.take(arguments.warmup)
        found.append((peer.take(arguments.steps).by_token, peer))
        print(f"TRL with micro-batches of {batch}: {1e6 * found[-1][0]:.0f} us a token", flush=True)
    found.sort(key=lambda pair: pair[0])
    for _, peer in found[1:]:
        peer.close()
    return found[0][1]


def configuration(arguments: argparse.Namespace) -> ReinforcementLearning:
    """GRPO in one optimiser step on groups that were all run to their end; nothing is kept."""
    config = params.load(params.TrainReasoningRl, "train_reasoning_rl")
    return replace(
        config,
        objective="grpo",
        scheduler="synchronous",
        prompts_per_step=arguments.prompts,
        rollouts_per_prompt=arguments.group,
        capacity=arguments.prompts * arguments.group,
        max_tokens=arguments.longest,
        learning_rate=1e-6,
        warmup_steps=0,
        minibatches=1,
        pack_length=max(config.pack_length, arguments.longest + arguments.room),
        kl_coefficient=0.0,
        checkpoint_every=10**6,
        kept_tokens=0,
    )


def engine_settings(arguments: argparse.Namespace) -> params.Engine:
    """The profile's engine, wide and long enough."""
    engine = params.load(params.Engine, "engine")
    return replace(
        engine,
        context=arguments.longest + arguments.room,
        max_sequences=arguments.prompts * arguments.group,
        dtype=arguments.engine_dtype,
    )


def peer_settings(
    arguments: argparse.Namespace,
    config: ReinforcementLearning,
    model: Path,
    prompts: Sequence[str],
) -> dict[str, Any]:
    """The same for the peer."""
    return {
        "model": str(model),
        "scratch": str(model.parent / "peer"),
        "prompts": list(prompts),
        "responses": arguments.prompts * arguments.group,
        "group": arguments.group,
        "longest": arguments.longest,
        "threads": arguments.threads,
        "generation": arguments.peer_generation,
        "clip_low": config.clip_low,
        "clip_high": config.clip_high,
        "learning_rate": config.learning_rate,
        "weight_decay": config.weight_decay,
        "beta2": config.betas[1],
        "gradient_clip": config.gradient_clip,
        "seed": 0,
    }


def random_prompts(count: int) -> list[str]:
    """Numbers with spaces between them, 8 to 24 of them."""
    drawn = [seeded_random(0, "prompt", number) for number in range(count)]
    return [
        " ".join(str(random.randrange(NUMBERS)) for _ in range(random.randint(8, 24)))
        for random in drawn
    ]


def make_model(folder: Path, mean: float) -> Path:
    """A Llama with random weights whose responses end with probability 1 / ``mean`` a token."""
    words = " ".join(str(number) for number in range(NUMBERS))
    tokenizer = train_tokenizer([words], "compact", VOCABULARY)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=HIDDEN,
        intermediate_size=704,
        num_hidden_layers=LAYERS,
        num_attention_heads=8,
        num_key_value_heads=4,
        max_position_embeddings=1024,
        tie_word_embeddings=False,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        end_with_probability(model, 1 / mean, tokenizer.eos_token_id)
    save_model(model, tokenizer, folder)
    return folder


def end_with_probability(model: Any, probability: float, end: int) -> None:
    """Channel 0 becomes constant; the head reads it for the end token only."""
    model.model.embed_tokens.weight[:, 0] = CONSTANT
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight[0] = 0.0
        layer.mlp.down_proj.weight[0] = 0.0
    head = model.lm_head.weight
    head[:, 0] = 0.0
    head[end] = 0.0
    # What the last norm leaves of the channel hardly differs between tokens.
    left = model.model(torch.arange(NUMBERS)[None])[0][..., 0].mean()
    logit = math.log(probability / (1 - probability) * (len(head) - 1))
    head[end, 0] = logit / left


def show(
    rounds: Sequence[tuple[Turn, Turn]],
    arguments: argparse.Namespace,
    settings: dict[str, Any],
    config: ReinforcementLearning,
) -> None:
    """The ratio, both splits and all conditions."""
    peers, ours = zip(*rounds, strict=True)
    found = [peer.by_token / own.by_token for peer, own in rounds]
    report(
        f"GRPO step, TRL {arguments.version} by ours, seconds a trained token",
        found,
        **{
            "TRL, microseconds a trained token": split(peers),
            "ours, microseconds a trained token": split(ours),
            "generation alone": f"{alone(rounds, 'generation'):.2f}",
            "training alone": f"{alone(rounds, 'rest'):.2f}",
            "TRL, trained tokens": drawn(peers, config),
            "ours, trained tokens": drawn(ours, config),
            "step": f"{arguments.prompts} prompts of 8 to 24 numbers, {arguments.group} responses "
            "each, one optimiser step; temperature 1, KL 0, float32, AdamW fused",
            "model": arguments.model
            or f"Llama, {VOCABULARY} tokens, width {HIDDEN}, {LAYERS} layers, random",
            "lengths": "the model's own"
            if arguments.model
            else f"geometric, mean {arguments.mean:g}, at most {arguments.longest}",
            "TRL's side": f"generates by transformers ({settings['generation']}), for its vLLM "
            f"mode cannot push weights on CPU; micro-batches of {settings['batch']}, fastest "
            f"of {arguments.peer_batches}; no gradient checkpointing, "
            f"nothing logged; {arguments.threads} threads",
            "our side": f"vLLM in {arguments.engine_dtype} on 1 thread, training on "
            f"{arguments.threads}; synchronous groups, rows of {config.pack_length}, "
            f"{config.micro_rows} in a micro-batch, fastest of {arguments.micro_rows}; weights "
            "pushed and checked, diagnostics and journal counted as training",
            "turns": f"{arguments.steps} steps each, after {arguments.warmup} to warm up",
            "shared": f"transformers {version('transformers')}, accelerate {version('accelerate')}",
        },
    )


def split(turns: Sequence[Turn]) -> str:
    """Medians of generation and of everything else, by token."""
    generation = statistics.median(turn.generation / turn.tokens for turn in turns)
    rest = statistics.median(turn.rest_by_token for turn in turns)
    return f"generation {1e6 * generation:.0f}, training {1e6 * rest:.0f}"


def alone(rounds: Sequence[tuple[Turn, Turn]], phase: str) -> float:
    """Median ratio of one part of the step."""

    def part(turn: Turn) -> float:
        seconds = turn.generation if phase == "generation" else turn.seconds - turn.generation
        return seconds / turn.tokens

    return statistics.median(part(peer) / part(own) for peer, own in rounds)


def drawn(turns: Sequence[Turn], config: ReinforcementLearning) -> str:
    """How many tokens the turns trained on."""
    tokens, steps = sum(turn.tokens for turn in turns), sum(turn.steps for turn in turns)
    responses = steps * config.prompts_per_step * config.rollouts_per_prompt
    return (
        f"{tokens} in {steps} steps, {tokens / responses:.1f} a response, "
        f"the longest {max(turn.longest for turn in turns)}"
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a checkpoint folder that transformers reads")
    parser.add_argument("--version", default=VERSION, help="of TRL")
    parser.add_argument("--prompts", type=int, default=8, help="a step")
    parser.add_argument("--group", type=int, default=8, help="responses a prompt")
    parser.add_argument("--mean", type=float, default=48.0, help="length of responses")
    parser.add_argument("--longest", type=int, default=256, help="response; TRL's default")
    parser.add_argument("--room", type=int, default=96, help="tokens of the longest prompt")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--engine-dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--peer-batches", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--micro-rows", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--peer-generation", choices=("generate", "continuous"), default="generate")
    parser.add_argument("--warmup", type=int, default=1, help="steps")
    parser.add_argument("--steps", type=int, default=2, help="of one turn")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    command(main)
