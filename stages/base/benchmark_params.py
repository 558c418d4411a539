"""Parameters of the benchmarks: which there are, where published ones come from, how all are asked.

Who is asked how often stands apart from what is asked: another k draws other samples, another
benchmark is also kept out of the training data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from stages.base.schema import Count, Limits, Natural, NonNegative, Share


@dataclass(frozen=True)
class PublishedData:
    """The file of a published benchmark, and which of its problems are asked.

    Files of data/raw and the hub are pinned: by ``sha256``, or by the table of what our golds were
    checked on.
    """

    # raw: data/raw/benchmarks/<name>; mini: the made-up problems in stages/evals/mini, no download.
    data: Literal["raw", "hub", "mini"] = "raw"
    sha256: str = ""  # of the file, or of all its files
    limit: Count | None = None  # so many of its problems, drawn by the run's seed; null: all
    shuffle: Natural | None = None  # seed of the order of options (GPQA, MMLU-Pro)


@dataclass(frozen=True)
class BuildBenchmarks:
    """Held-out problems: those whose canonical key falls into the held-out part of key space."""

    problems: dict[str, Natural]  # family -> how many
    heldout_modulus: Annotated[int, Limits(ge=2)] = 10  # one key in so many is held out
    preference_prompts: Natural = 0  # prompts on which the preference is scored
    published: dict[str, PublishedData] = field(default_factory=dict)  # by name in the catalogue


@dataclass(frozen=True)
class Asked:
    """How one benchmark is asked where it differs; null: as the catalogue or the section says."""

    samples: Count | None = None
    max_tokens: Count | None = None
    context: Annotated[int, Limits(ge=16)] | None = None  # prompt + response, tokens


@dataclass(frozen=True)
class RunBenchmarks:
    """Sampling of the benchmark suite."""

    samples: Count  # k of avg@k; published benchmarks have their own (docs/benchmarks.md)
    max_tokens: Count | None = None  # of a response; null: what its window leaves beside the prompt
    temperature: NonNegative = 1.0
    max_error_share: Share = 0.02  # samples that could not be had or checked before no score
    context: Annotated[int, Limits(ge=16)] | None = None  # longest window; null: engine.context
    each: dict[str, Asked] = field(default_factory=dict)  # by name in the registry
