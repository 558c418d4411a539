"""One filter on one file: ``python -m stages.cleaning near --input rows.jsonl --output out/``.

Writes kept.jsonl, dropped.jsonl (step, reason, evidence, row) and report.json into the output
folder. All filters in their order: ``python -m stages.build_sft_data --input ...``.
"""

from __future__ import annotations

import argparse

from stages.base.command import stage_main
from stages.base.errors import ConfigError
from stages.cleaning.files import add_arguments, clean_as_asked, flag

FILTERS = {
    "repair": "repair",
    "exact": "exact_dedup",
    "near": "near_dedup",
    "harm": "harm",
    "decontaminate": "decontamination",
    "quality": "quality",
}


FOR = {"benchmarks": "decontaminate", "ngram": "decontaminate", "templated_domains": "near"}
"""Options that only one filter takes."""


def body(options: argparse.Namespace) -> None:
    """Run the filter."""
    for name, only in FOR.items():
        if getattr(options, name) is not None and options.filter != only:
            raise ConfigError(f"{options.filter}: takes no {flag(name)}, only {only} does.")
    needed = ["input", "output", *["benchmarks"] * (options.filter == "decontaminate")]
    missing = [flag(name) for name in needed if getattr(options, name) is None]
    if missing:
        raise ConfigError(f"{options.filter}: needs {' and '.join(missing)}.")
    clean_as_asked(options, (FILTERS[options.filter],))


def add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """The filter, then the arguments for cleaning one file."""
    parser.add_argument("filter", choices=FILTERS, help="what to do with the rows")
    add_arguments(parser)


if __name__ == "__main__":
    stage_main("cleaning", __doc__, body, add_filter_arguments)
