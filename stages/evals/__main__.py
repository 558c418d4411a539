r"""Benchmarks: prompts to answer, scores for responses from anywhere, and what a run can show.

`score` reads rows {"id", "response"}, in any order: a text, or a list of k texts; optionally
"finish": "stop", "length" or "error", or a list of k. It writes scores.json, items.csv and
responses.jsonl.gz, and prints a table. Nothing is generated, so scoring can be done again. A
response cut off, or thinking that never ends, is "truncated" and scores 0 whatever it holds; where
the checker fails the sample is missing, not 0. The command ends with 0; with 1 if problems have no
response, or not all their tries, or a checker failed; with 2 if there is no score.

Where a benchmark has several tries (aider, codeforces), the list holds them in order.

`prompts` writes {"id", "prompt"}; "mapping" where options have a shuffled order; "messages" where
the problem is a conversation so far; "turns", what is said after the first turn, where a response
is a conversation: a list of turns, each a list of the texts of its steps. With --responses, of a
benchmark whose next try depends on those before, it writes {"id", "messages"}: the chat up to the
next question, for problems not solved yet.

Where a model judges, name it with --judge-url and --judge-model, or --judge-checkpoint; its replies
are kept in --verdicts and never asked for twice. Or bring replies, rows {"key", "reply"}, to what
`judge-prompts` writes: {"key", "id", "part", "prompt"}, those that have no readable reply yet.

`prove` writes responses to olympiad problems: attempts whose proofs the solver itself reviews and
writes anew.

`power` says before a run which difference it will show: for --questions and --k at worst, or, with
the --items of an earlier run, from how its samples spread.

docs/benchmarks.md says where each file is to be had, and how our scorers differ from the original.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stages.base.errors import ConfigError, EverystepError
from stages.base.events import say
from stages.base.jsonl import write_jsonl
from stages.base.params import SandboxSettings
from stages.evals.foresight import foreseen
from stages.evals.judges import command as judges
from stages.evals.judges.judging import open_questions
from stages.evals.judges.store import Store
from stages.evals.published import score
from stages.evals.published.benchmark import load
from stages.evals.published.next_tries import next_prompts
from stages.evals.published.olympiad import olympiad
from stages.evals.published.proving import prove, rows
from stages.evals.published.responses import read_responses
from stages.evals.published.table import TABLE
from stages.evals.published.totals import table
from stages.sandbox.backends import open_sandbox

ROWS = 'rows {"id", "response"}, JSONL; optionally "finish"'


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.evals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    scoring = commands.add_parser("score", help="score a file of responses")
    prompts = commands.add_parser("prompts", help="write what is to be answered")
    asking = commands.add_parser("judge-prompts", help="write what a judge is to be asked")
    for command in (scoring, asking):
        command.add_argument("--responses", type=Path, required=True, help=ROWS)
    judges.add_judge(scoring)
    judges.add_absent_judge(asking)
    proving = commands.add_parser("prove", help="write proofs in attempts that check themselves")
    judges.add_proving(proving)
    for command in (scoring, prompts, asking, proving):
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
    for command in (prompts, asking, proving):
        command.add_argument("--output", type=Path, required=True, help="rows, JSONL")
    prompts.add_argument("--responses", type=Path, help="tries so far: write what comes next")
    return parser


def main() -> int:
    """Run the command; its exit status."""
    options = arguments().parse_args()
    commands = {
        "score": _score, "prompts": _prompts, "judge-prompts": _judge_prompts, "prove": _prove,
        "power": _power,
    }  # fmt: skip
    try:
        return commands[options.command](options)
    except EverystepError as error:
        say(f"{options.command}: {error}")
    except OSError as error:
        say(f"{options.command}: {error.filename}: {error.strerror}.")
    return 2


def _score(options: argparse.Namespace) -> int:
    if score.benchmark_named(options.benchmark).judged is None:
        judges.refuse_idle_judge(options, options.benchmark)
    panel = judges.panel_of(options, options.benchmark)
    with open_sandbox(SandboxSettings()) as sandbox:
        found = score.score_file(
            options.benchmark,
            options.responses,
            sandbox,
            options.data,
            options.output,
            options.shuffle,
            panel,
            options.max_error_share,
        )
    if "judge" in found:
        judges.tell(panel, found["judge"])
    sys.stdout.write(table(found))
    waiting = found["measures"].get("without_second_try", 0)  # of Aider's exercises
    return 1 if found["missing"] or found["counts"]["error"] or waiting else 0


def _prompts(options: argparse.Namespace) -> int:
    benchmark = score.benchmark_named(options.benchmark)
    loaded = load(benchmark, options.data or score.DATA / benchmark.name, options.shuffle)
    if options.responses:
        by_id = {problem.id: problem for problem in loaded.problems}
        given = read_responses(options.responses, by_id, benchmark.tries)
        with open_sandbox(SandboxSettings()) as sandbox:
            following = next_prompts(benchmark, loaded.problems, given, sandbox)
            count = write_jsonl(options.output, following)
        answered = len({one.problem for one in given})
        say(f"prompts: {count} of {answered} answered problems go on, in {options.output}")
        return 0
    told = ("mapping", "messages", "turns")
    asked = (
        {"id": problem.id, "prompt": problem.prompt}
        | {name: problem.meta[name] for name in told if name in problem.meta}
        for problem in loaded.problems
    )
    say(f"prompts: {write_jsonl(options.output, asked)} prompts in {options.output}")
    return 0


def _power(options: argparse.Namespace) -> int:
    plans = foreseen(options.items, options.questions, options.k, options.movement)
    for name, plan in plans.items():
        sys.stdout.write(f"{name}{': ' if name else ''}{plan.sentence}\n")
    return 0


def _judge_prompts(options: argparse.Namespace) -> int:
    benchmark = score.benchmark_named(options.benchmark)
    if benchmark.judged is None:
        raise ConfigError(f"--benchmark {benchmark.name}: rules score it; no judge is asked.")
    loaded = load(benchmark, options.data or score.DATA / benchmark.name, options.shuffle)
    given = read_responses(options.responses, {one.id: one for one in loaded.problems})
    answers, panel = score.answers_of(loaded, given), judges.absent_panel(options)
    asked = open_questions(benchmark.judged, answers, panel)
    say(f"judge-prompts: {write_jsonl(options.output, asked)} questions in {options.output}")
    return 0


def _prove(options: argparse.Namespace) -> int:
    benchmark = score.benchmark_named(options.benchmark)
    if benchmark.problems is not olympiad:
        raise ConfigError(f"--benchmark {benchmark.name}: only olympiad has proofs.")
    if options.attempts < 1 or options.rounds < 0:
        raise ConfigError("--attempts is at least 1, --rounds at least 0.")
    solver = judges.asker_of(options, "solver", options.temperature)
    if solver is None:
        raise ConfigError("name a solver with --solver-url and --solver-model.")
    loaded = load(benchmark, options.data or score.DATA / benchmark.name, options.shuffle)
    store = Store(options.kept or judges.KEPT / "solver.jsonl")
    found = prove(loaded.problems, solver, store, options.attempts, options.rounds, options.seed)
    made, broken = rows(found)
    verified = sum(one.verified for one in found)
    say(
        f"prove: {write_jsonl(options.output, made)} problems in {options.output}; {verified} of "
        f"{len(found)} attempts passed their own review"
    )
    if broken:
        say(f"prove: {len(broken)} attempts had no answer; run again. First: {broken[0].failure}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
