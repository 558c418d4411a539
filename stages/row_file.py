"""SFT rows by themselves, of a file or a source: cleaned, none mixed, with a page to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stages.base.params import Run, Source
from stages.cleaning import files
from stages.cleaning.decontamination import STEP as DECONTAMINATION
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.hits import hits_markdown
from stages.cleaning.processes import Workers
from stages.cleaning.rows import dropped_at
from stages.cleaning.sources import source_rows
from stages.cleaning.steps import Plan
from stages.reporting.data_page import file_page, look


def page_of_file(name: str, folder: Path, figures: Mapping[str, Any], gate: str) -> str:
    """The page on cleaned rows, whose results stand in a folder."""
    hits = hits_markdown(dropped_at(folder / "dropped.jsonl", DECONTAMINATION))
    return file_page(name, figures, gate, hits, look(folder, "domain", files.SEED))


def workers(run: Run, processes: int) -> Workers:
    """Processes of this machine, or tasks on a cluster: the bytes are the same."""
    if run.runtime == "local":
        return processes
    from stages.engines.cluster.tasks import RayTasks  # noqa: PLC0415  heavy

    return RayTasks(run.cluster)


def clean_source(
    source: Source, folder: Path, interim: Path, index: Index, items: list[Item], run: Run
) -> dict[str, Any]:
    """All cleaning steps on one source, into files of a folder; the report."""
    repairs, plan = Counter[str](), Plan(index, near=files.NEAR, workers=workers(run, 1))
    read = source_rows(source, files.ANY_SHARE, repairs, run.seed)
    return files.write_cleaned(
        folder, interim, source.name, read, plan, items, repairs, page_of_file
    )
