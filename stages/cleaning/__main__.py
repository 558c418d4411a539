"""One filter on one file: ``python -m stages.cleaning near --input rows.jsonl --output out/``.

Writes kept.jsonl, dropped.jsonl (step, reason, evidence, row) and report.json into the output
folder. All filters in their order: ``python -m stages.build_sft_data --input ...``.
"""

from __future__ import annotations

import argparse
from typing import Any

from stages.base.command import stage_main
from stages.base.errors import ConfigError
from stages.cleaning.files import add_arguments, clean_as_asked

FILTERS = {
    "repair": "repair",
    "exact": "exact_dedup",
    "near": "near_dedup",
    "harm": "harm",
    "decontaminate": "decontamination",
    "quality": "quality",
}


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Run the filter."""
    wants = {"--input": options.input, "--output": options.output}
    if options.filter == "decontaminate":
        wants["--benchmarks"] = options.benchmarks
    elif options.benchmarks is not None:
        raise ConfigError(f"{options.filter}: takes no --benchmarks, only decontaminate does.")
    missing = [flag for flag, value in wants.items() if value is None]
    if missing:
        raise ConfigError(f"{options.filter}: needs {' and '.join(missing)}.")
    clean_as_asked(options, (FILTERS[options.filter],))
    return {}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("filter", choices=FILTERS, help="what to do with the rows")
    add_arguments(parser)


if __name__ == "__main__":
    stage_main("cleaning", __doc__, body, _arguments)
