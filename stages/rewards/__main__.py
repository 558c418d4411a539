"""``python -m stages.rewards check --input rows.jsonl --output verdicts.jsonl``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from stages.base.checking import command
from stages.base.records import Verdict
from stages.rewards import check


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m stages.rewards", description="Verifiers.")
    checking = parser.add_subparsers(dest="command", required=True).add_parser(
        "check",
        help="judge a file of responses",
        description=check.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    checking.add_argument("--input", type=Path, required=True, help="rows, JSONL")
    checking.add_argument("--output", type=Path, required=True, help="verdicts, JSONL")
    checking.add_argument(
        "--workers",
        type=int,
        default=1,
        help="checking processes (default 1; same bytes for any)",
    )
    return parser


def main() -> int:
    """Run the command; 0, 1 if a row could not be judged, or 2 with one plain message."""
    options = arguments().parse_args()

    def judged() -> Counter[str]:
        return check.check_file(options.input, options.output, options.workers)

    return command(judged, options.output, Verdict.ERROR.value)


if __name__ == "__main__":
    sys.exit(main())
