"""``python -m stages.sandbox check --input rows.jsonl --output verdicts.jsonl``, and ``serve``."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TypeAlias

from stages.base.checking import command
from stages.base.errors import EverystepError
from stages.base.events import say
from stages.sandbox import check
from stages.sandbox.backends import LOCAL, open_pool
from stages.sandbox.grading import Outcome
from stages.sandbox.service import settings

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m stages.sandbox", description="The sandbox.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_check(commands)
    _add_serve(commands)
    return parser


def _add_check(commands: Commands) -> None:
    checking = commands.add_parser(
        "check",
        help="check a file of programs",
        description=check.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    checking.add_argument("--input", type=Path, required=True, help="rows, JSONL")
    checking.add_argument("--output", type=Path, required=True, help="verdicts, JSONL")
    checking.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        help="programs at a time (default: the number of cores)",
    )
    checking.add_argument(
        "--backend",
        choices=LOCAL,
        default=LOCAL[0],
        help="'unsafe' confines nothing: for programs that you have read",
    )


def _add_serve(commands: Commands) -> None:
    serving = commands.add_parser(
        "serve",
        help="serve programs of many trainers over HTTP",
        description=settings.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    usual = settings.Settings()
    serving.add_argument(
        "--host", default=usual.host, help="address to bind (default: this machine)"
    )
    serving.add_argument("--port", type=int, default=usual.port, help="default: %(default)s")
    serving.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        help="programs at a time (default: the number of cores)",
    )
    serving.add_argument(
        "--key-variable",
        default="",
        metavar="NAME",
        help="environment variable with the token, or with several",
    )
    serving.add_argument(
        "--queue",
        type=int,
        default=0,
        help=f"rows taken in at once, waiting ones included (default: {settings.QUEUE} a worker)",
    )
    serving.add_argument(
        "--grace",
        type=float,
        default=usual.grace,
        help="seconds that requests have to end after SIGTERM (default: %(default)s)",
    )
    serving.add_argument(
        "--mcp-host",
        action="append",
        default=[],
        dest="names",
        metavar="NAME",
        help="host name under which MCP clients call it, beside this machine's; may be repeated",
    )


def main() -> int:
    """Run the command; 0, 1 if the sandbox failed on a row, or 2 with one plain message."""
    options = vars(arguments().parse_args())
    return {"check": _check, "serve": _serve}[options.pop("command")](argparse.Namespace(**options))


def _check(options: argparse.Namespace) -> int:
    def checked() -> Counter[str]:
        with open_pool(options.backend, options.workers) as pool:
            return check.check_file(options.input, options.output, pool)

    return command(checked, options.output, Outcome.SANDBOX_ERROR.value)


def _serve(options: argparse.Namespace) -> int:
    from stages.sandbox.service import serve  # noqa: PLC0415  heavy

    try:
        return serve.serve(settings.Settings(**{**vars(options), "names": tuple(options.names)}))
    except EverystepError as error:
        say(f"serve: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
