"""Look at sources before they are mixed: what would be kept of them, and why the rest would not.

Each SFT source is cleaned by itself, all RL sources are curated together, both against the
benchmarks of this run, as the stages that build the data do it. No model is needed and none is
trained on the result: ``data/processed/checked`` holds the rows, ``reports/check_data`` the pages.
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.events import say
from stages.base.jsonl import write_json
from stages.base.params import BuildRlData, CheckData, Run, SandboxSettings, load
from stages.base.paths import BENCHMARKS, CHECKED, report
from stages.benchmark_items import benchmark_items
from stages.cleaning import files
from stages.cleaning.decontamination import Index
from stages.cleaning.inputs import source_files
from stages.problem_file import summary, write_checked
from stages.problems.schemas import require_usable
from stages.row_file import clean_source
from stages.sandbox.backends import open_sandbox

STAGE = "check_data"
PAGE = report(STAGE, "report.md")
WHERE = f"The rows stand below `{CHECKED}`: `sft/` by source, `rl/` all together.\n"
NOTHING = "# Sources looked at\n\nThe profile names none under `check_data`.\n"


def body(_: Namespace) -> dict[str, Any]:
    """Clean, curate, write."""
    run, config = load(Run, "run"), load(CheckData, STAGE)
    require_usable(config.rl, f"{STAGE}.rl", "text")
    parameters = {"run": asdict(run), STAGE: asdict(config)}
    paths = [path for source in (*config.sft, *config.rl) for path in source_files(source)]
    outputs = (CHECKED, report(STAGE), PAGE)
    with workspace(STAGE, parameters, (BENCHMARKS, *paths), outputs) as space:
        items = benchmark_items(BENCHMARKS)
        index = Index(items, BuildRlData.decontamination_ngram)
        folder = _folder(space.out(CHECKED))
        # RL first: a sandbox that is not there is told before hours of cleaning.
        curated = _curate(folder / "rl", config, index, run.seed) if config.rl else {}
        figures = dict[str, Any]()
        for source in config.sft:
            name, scratch = f"sft/{source.name}", space.checkpoints / source.name
            found = clean_source(source, _folder(folder / name), scratch, index, items, run)
            say(f"{STAGE}: {files.summary(source.name, found)}")
            figures[name] = found
        figures |= curated
        write_json(space.out(report(STAGE)), figures)
        pages = [(folder / name / "report.md").read_text(encoding="utf-8") for name in figures]
        page = "\n".join([WHERE, *pages]) if pages else NOTHING
        space.out(PAGE).write_text(page, encoding="utf-8")
    return {}


def _curate(folder: Path, config: CheckData, index: Index, seed: int) -> dict[str, Any]:
    """All RL sources, into files of a folder; their report."""
    with open_sandbox(load(SandboxSettings, "sandbox")) as sandbox:
        found = write_checked(_folder(folder), "RL sources", config.rl, index, sandbox, seed)
    say(f"{STAGE}: {summary('RL sources', found)}")
    return {folder.name: found}


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
