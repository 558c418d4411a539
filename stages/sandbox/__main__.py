"""``python -m stages.sandbox check --input rows.jsonl --output verdicts.jsonl``."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from stages.base.checking import command
from stages.sandbox import check
from stages.sandbox.backends import LOCAL, open_pool
from stages.sandbox.grading import Outcome


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m stages.sandbox", description="The sandbox.")
    checking = parser.add_subparsers(dest="command", required=True).add_parser(
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
    return parser


def main() -> int:
    """Run the command; 0, 1 if the sandbox failed on a row, or 2 with one plain message."""
    options = arguments().parse_args()

    def checked() -> Counter[str]:
        with open_pool(options.backend, options.workers) as pool:
            return check.check_file(options.input, options.output, pool)

    return command(checked, options.output, Outcome.SANDBOX_ERROR.value)


if __name__ == "__main__":
    sys.exit(main())
