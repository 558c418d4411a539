"""Where the file of a published benchmark is taken from, pinned to its bytes, and which rows of it.

From ``data/raw/benchmarks/<name>``, from the hub where the network is allowed, or the made-up
problems beside the code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.base.benchmark_params import PublishedData
from stages.base.errors import ConfigError, DataError
from stages.base.records import Problem
from stages.base.schema import meant
from stages.base.seeds import seeded_random
from stages.evals.published.benchmark import Loaded, Published, as_samples, load
from stages.evals.published.catalogue import CATALOGUE, Hub
from stages.evals.published.score import DATA
from stages.evals.published.table import TABLE

MINI = Path(__file__).resolve().parents[1] / "mini"


def require_runnable(names: Mapping[str, Any], key: str) -> None:
    """ConfigError unless every name is a benchmark that is asked and scored prompt by prompt."""
    alone = [name for name in TABLE if name in CATALOGUE and CATALOGUE[name].alone]
    for name in names:
        if name not in TABLE:
            raise ConfigError(f"{key}.{name}: no such benchmark.{meant(name, alone)}")
        if name not in alone:
            raise ConfigError(
                f"{key}.{name}: one response a prompt does not make its score: it needs a judge or "
                "several turns. Leave it out, and score its responses by `python -m stages.evals`."
            )


def fetch(name: str, config: PublishedData, seed: int) -> Loaded:
    """The problems of a benchmark as the profile wants them; DataError for bytes nobody pinned."""
    benchmark, folder = _place(TABLE[name], config.data)
    loaded = load(benchmark, folder, config.shuffle)
    _require_pinned(name, config, loaded)
    return loaded if config.limit is None else limited(benchmark, loaded, config.limit, seed)


def limited(benchmark: Published, loaded: Loaded, limit: int, seed: int) -> Loaded:
    """So many problems, drawn by seed, in the order of the file; what belongs together stays so.

    Problems of one cluster, or of one unit of the score (the inputs of an ARC task, the variants of
    an item), count as one.
    """
    together = [_together(benchmark, problem) for problem in loaded.problems]
    names = list(dict.fromkeys(together))
    drawn = seeded_random(seed, "limit", benchmark.name).sample(names, min(limit, len(names)))
    kept = [one for one, name in zip(loaded.problems, together, strict=True) if name in drawn]
    return replace(loaded, problems=kept)


def _together(benchmark: Published, problem: Problem) -> str:
    grouped = benchmark.units is not as_samples
    group = problem.meta.get("group", problem.id) if grouped else problem.id
    return str(problem.meta.get("cluster", group))


def _place(benchmark: Published, data: str) -> tuple[Published, Path]:
    """The benchmark with the patterns of its files, and the folder they are in."""
    if data == "mini":
        return benchmark, MINI / benchmark.name
    if data == "raw":
        return benchmark, DATA / benchmark.name
    facts = CATALOGUE[benchmark.name]
    if facts.hub is None:
        raise ConfigError(
            f"build_benchmarks.published.{benchmark.name}.data: the hub has no copy that is read. "
            f"Get the file from {facts.source}, put it into {DATA / benchmark.name}/ and set raw."
        )
    return replace(benchmark, files=facts.hub.files), snapshot(facts.hub)


def snapshot(hub: Hub) -> Path:
    """The folder of a data set's files in the hub's cache, downloaded if the network is allowed."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import (  # noqa: PLC0415
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    patterns = list(hub.files)
    try:
        found = snapshot_download(hub.dataset, repo_type="dataset", allow_patterns=patterns)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        ask = " Ask its authors for access on its page, and log in." if hub.gated else ""
        offline = os.environ.get("HF_HUB_OFFLINE") == "1"
        advice = "Set HF_HUB_OFFLINE=0 to allow downloads." if offline else "Check the network."
        raise DataError(
            f"{hub.dataset}: cannot be fetched from the hub ({error}). {advice}{ask}"
        ) from error
    return Path(found)


def _require_pinned(name: str, config: PublishedData, loaded: Loaded) -> None:
    key, pin = f"build_benchmarks.published.{name}.sha256", config.sha256
    if pin and loaded.sha256 != pin:
        raise DataError(
            f"{key}: the file is another (SHA-256 {loaded.sha256}). Fetch the one that is pinned, "
            "or pin this one."
        )
    if not pin and not loaded.known and config.data != "mini":
        raise DataError(
            f"{key}: missing, and the bytes are not those our golds were checked on. If they are "
            f"right, write: {loaded.sha256}"
        )
