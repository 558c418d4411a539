r"""Benchmarks: prompts to answer, scores for responses from anywhere, and what a run can show.

`score` reads rows {"id", "response"}, in any order: a text, or a list of k texts; optionally
"finish": "stop" or "length", or a list of k. It writes scores.json, items.csv and
responses.jsonl.gz, and prints a table. Nothing is generated, so scoring can be done again. A
response cut off, or thinking that never ends, is "truncated" and scores 0 whatever it holds; where
the checker fails the sample is missing, not 0. The command ends with 0; with 1 if problems have no
response or a checker failed; with 2 if there is no score.

`prompts` writes {"id", "prompt"}, and "mapping" where options have a shuffled order.

`power` says before a run which difference it will show: for --questions and --k at worst, or, with
the --items of an earlier run, from how its samples spread.

docs/benchmarks.md says where each file is to be had, and how our scorers differ from the original.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stages.base.errors import EverystepError
from stages.base.events import say
from stages.base.jsonl import write_jsonl
from stages.base.params import SandboxSettings
from stages.evals.foresight import foreseen
from stages.evals.published import score
from stages.evals.published.benchmark import load
from stages.evals.published.table import TABLE
from stages.evals.published.totals import table
from stages.sandbox.backends import open_sandbox


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.evals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    scoring = commands.add_parser("score", help="score a file of responses")
    scoring.add_argument("--responses", type=Path, required=True, help="rows, JSONL")
    prompts = commands.add_parser("prompts", help="write what is to be answered")
    for command in (scoring, prompts):
        command.add_argument("--benchmark", required=True, help=", ".join(sorted(TABLE)))
        command.add_argument(
            "--data", type=Path, help=f"folder of its file, or the file ({score.DATA}/NAME)"
        )
        command.add_argument(
            "--shuffle", type=int, metavar="SEED", help="order of the options (GPQA, MMLU-Pro)"
        )
    power = commands.add_parser("power", help="say which difference a run will show")
    power.add_argument("--questions", type=int, metavar="N", help="in place of those of --items")
    power.add_argument("--k", type=int, help="samples a question, in place of those of --items")
    power.add_argument("--items", type=Path, help="items.csv of an earlier run")
    power.add_argument(
        "--movement", type=float, default=0.0, metavar="SD",
        help="how much true changes differ between questions, in [0, 1] (0)",
    )  # fmt: skip
    scoring.add_argument("--output", type=Path, help=f"folder ({score.OUTPUT}/NAME)")
    prompts.add_argument("--output", type=Path, required=True, help="rows, JSONL")
    return parser


def main() -> int:
    """Run the command; its exit status."""
    options = arguments().parse_args()
    try:
        return {"score": _score, "prompts": _prompts, "power": _power}[options.command](options)
    except EverystepError as error:
        say(f"{options.command}: {error}")
    except OSError as error:
        say(f"{options.command}: {error.filename}: {error.strerror}.")
    return 2


def _score(options: argparse.Namespace) -> int:
    with open_sandbox(SandboxSettings()) as sandbox:
        found = score.score_file(
            options.benchmark,
            options.responses,
            sandbox,
            options.data,
            options.output,
            options.shuffle,
        )
    sys.stdout.write(table(found))
    return 1 if found["missing"] or found["counts"]["error"] else 0


def _prompts(options: argparse.Namespace) -> int:
    benchmark = score.benchmark_named(options.benchmark)
    loaded = load(benchmark, options.data or score.DATA / benchmark.name, options.shuffle)
    rows = (
        {"id": problem.id, "prompt": problem.prompt}
        | {name: problem.meta[name] for name in ("mapping",) if name in problem.meta}
        for problem in loaded.problems
    )
    say(f"prompts: {write_jsonl(options.output, rows)} prompts in {options.output}")
    return 0


def _power(options: argparse.Namespace) -> int:
    plans = foreseen(options.items, options.questions, options.k, options.movement)
    for name, plan in plans.items():
        sys.stdout.write(f"{name}{': ' if name else ''}{plan.sentence}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
