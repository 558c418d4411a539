"""``python -m stages.rewards check --input rows.jsonl --output verdicts.jsonl``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stages.base.errors import EverystepError
from stages.base.events import say
from stages.base.records import Verdict
from stages.rewards import check


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m stages.rewards", description="Verifiers.")
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "check",
        help="judge a file of responses",
        description=check.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--input", type=Path, required=True, help="rows, JSONL")
    command.add_argument("--output", type=Path, required=True, help="verdicts, JSONL")
    command.add_argument(
        "--workers",
        type=int,
        default=1,
        help="checking processes (default 1; same bytes for any)",
    )
    return parser


def main() -> int:
    """Run the command; 0, 1 if a row could not be judged, or 2 with one plain message."""
    options = arguments().parse_args()
    try:
        found = check.check_file(options.input, options.output, options.workers)
    except EverystepError as error:
        say(f"check: {error}")
        return 2
    except OSError as error:
        say(f"check: {error.filename}: {error.strerror}.")
        return 2
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items()))
    say(f"check: {sum(found.values())} rows: {counts}")
    errors = found[Verdict.ERROR.value]
    if errors:
        say(f"check: {errors} could not be judged; {options.output} says why (verdict error).")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
