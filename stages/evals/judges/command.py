"""Which judge the command line names: one at an address, one that runs here, or kept replies."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError
from stages.base.events import say
from stages.base.params import Endpoint, Engine, Run, load
from stages.evals.judges.asker import Asker
from stages.evals.judges.endpoint import EndpointAsker
from stages.evals.judges.judging import MAX_ERROR_SHARE, UNNAMED, Panel
from stages.evals.judges.local import EngineAsker
from stages.evals.judges.scalar import reward_scores
from stages.evals.judges.store import Store
from stages.evals.lm_harness import vllm_model

CONTEXT = 32768
ROUNDS = 3  # AWorld's example goes to nine
KEPT = Path("data/interim/verdicts")
SEED = 0


Options = argparse._ActionsContainer  # what parsers and their groups share


def add_model(parser: Options, who: str) -> None:
    """The options of a model at an address, or one that runs here, each beginning with ``who``."""
    parser.add_argument(f"--{who}-url", help="OpenAI-compatible address, up to and with /v1")
    parser.add_argument(f"--{who}-model", help="name of the model")
    parser.add_argument(
        f"--{who}-key-variable", default="", help="environment variable with the API key"
    )
    parser.add_argument(f"--{who}-checkpoint", type=Path, help="folder of a model that runs here")
    parser.add_argument(
        f"--{who}-context", type=int, default=CONTEXT, help=f"its window, in tokens ({CONTEXT})"
    )
    parser.add_argument(f"--{who}-tokens", type=int, default=8192, help="of a reply, at most")
    parser.add_argument(f"--{who}-parallel", type=int, default=8, help="questions under way")


def add_judge(parser: argparse.ArgumentParser) -> None:
    """The options of a benchmark that a model judges."""
    judge = parser.add_argument_group("judge, for the benchmarks that need one")
    add_model(judge, "judge")
    judge.add_argument(
        "--judge-temperature", type=float, default=0.0, help="0 unless a model knows no other (0)"
    )
    judge.add_argument("--judge-reward-model", type=Path, help="folder, for arena_hard")
    judge.add_argument(
        "--verdicts", type=Path, help=f"replies, JSONL: read, and added to ({KEPT}/NAME.jsonl)"
    )
    judge.add_argument(
        "--max-error-share",
        type=float,
        default=MAX_ERROR_SHARE,
        help=f"answers without a judgement before there is no score ({MAX_ERROR_SHARE})",
    )


def add_absent_judge(parser: Options) -> None:
    """The options of a judge that is asked elsewhere: its name, and what it has said already."""
    parser.add_argument("--judge-model", help="name of the model that will be asked")
    parser.add_argument("--verdicts", type=Path, help="replies so far, JSONL: not asked for again")


def asker_of(options: argparse.Namespace, who: str, temperature: float) -> Asker | None:
    """The model that the options name, if they do; ConfigError where they contradict themselves."""
    given: dict[str, Any] = {
        name: getattr(options, f"{who}_{name}")
        for name in ("url", "model", "key_variable", "checkpoint", "context", "tokens", "parallel")
    }
    for name in ("context", "tokens", "parallel"):
        if given[name] < 1:
            raise ConfigError(f"--{who}-{name} {given[name]}: at least 1.")
    if not 0 <= temperature < math.inf:
        raise ConfigError(f"temperature {temperature} of the {who}: at least 0.")
    folder: Path | None = given["checkpoint"]
    if folder is not None:
        if given["url"]:
            raise ConfigError(f"--{who}-url and --{who}-checkpoint: one model, not two.")
        model = _started(folder, given["context"])
        return EngineAsker(model, given["model"] or folder.name, given["tokens"], temperature)
    if not given["url"]:
        return None
    if not given["model"]:
        raise ConfigError(f"--{who}-url without --{who}-model: name the model to be asked.")
    return EndpointAsker(
        Endpoint(
            base_url=given["url"],
            model=given["model"],
            max_tokens=given["tokens"],
            temperature=temperature,
            key_variable=given["key_variable"],
            cache="",
            parallel=given["parallel"],
        )
    )


def _started(folder: Path, context: int) -> Any:
    """lm-eval's vLLM model of a checkpoint, under the profile's settings but for its window."""
    from stages.engines import bailing_moe  # noqa: F401, PLC0415  heavy: makes Ling 2.0 known

    settings = replace(load(Engine, "engine"), context=context)
    gpu = load(Run, "run").hardware.gpus_per_node > 0
    return vllm_model(folder, settings, SEED, gpu=gpu)


def panel_of(options: argparse.Namespace, benchmark: str) -> Panel:
    """The judge and the kept replies that the options name."""
    if not 0 <= options.max_error_share <= 1:
        raise ConfigError(f"--max-error-share {options.max_error_share}: it is in [0, 1].")
    if options.judge_reward_model and (options.judge_url or options.judge_checkpoint):
        raise ConfigError("--judge-reward-model and another judge: one judge, not two.")
    if options.judge_reward_model:
        folder: Path = options.judge_reward_model
        threads = load(Run, "run").hardware.training_threads
        scores = reward_scores(folder, threads)
        return Panel(Store(), None, options.judge_model or folder.name, scores)
    asker = asker_of(options, "judge", options.judge_temperature)
    if asker is None:
        return absent_panel(options)
    return Panel(Store(options.verdicts or KEPT / f"{benchmark}.jsonl"), asker)


def absent_panel(options: argparse.Namespace) -> Panel:
    """Kept replies alone, of the judge that the options name."""
    path: Path | None = options.verdicts
    if path is not None and not path.is_file():
        raise ConfigError(f"--verdicts {path}: no such file. Name a file of replies, or a judge.")
    return Panel(Store(path), None, options.judge_model or UNNAMED)


def refuse_idle_judge(options: argparse.Namespace, benchmark: str) -> None:
    """ConfigError where a judge is named for a benchmark that rules score."""
    judges = ("judge_url", "judge_model", "judge_checkpoint", "judge_reward_model", "verdicts")
    for name in judges:
        if getattr(options, name, None):
            option = name.replace("_", "-")
            raise ConfigError(
                f"--{option}: rules score {benchmark}; no judge is asked. Leave it out."
            )


def tell(panel: Panel, about: dict[str, Any]) -> None:
    """One line on what was asked, for people: how much was known before stands in no output."""
    if panel.scores is not None:
        return
    say(
        f"judge {panel.model}: {about['questions']} questions, {panel.store.hits} replies kept "
        f"from before, {about['asked_again']} asked again, {about['unreadable']} unreadable, "
        f"{about['failed']} failed"
    )


def add_proving(parser: argparse.ArgumentParser) -> None:
    """The options of proofs in attempts that check themselves."""
    add_model(parser, "solver")
    parser.add_argument("--temperature", type=float, default=1.0, help="of the solver (1.0)")
    parser.add_argument("--attempts", type=int, default=1, help="at each problem (1)")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"reviews of an attempt, at most ({ROUNDS})"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the run ({SEED})")
    parser.add_argument("--kept", type=Path, help=f"replies so far, JSONL ({KEPT}/solver.jsonl)")
