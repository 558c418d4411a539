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
        figures, pages = dict[str, Any](), list[str]()
        for source in config.sft:
            folder = _folder(space.out(CHECKED) / "sft" / source.name)
            scratch = space.checkpoints / source.name
            found = clean_source(source, folder, scratch, index, items, run.seed)
            say(f"{STAGE}: {files.summary(source.name, found)}")
            figures[f"sft/{source.name}"] = found
            pages.append((folder / "report.md").read_text(encoding="utf-8"))
        if config.rl:
            folder, settings = _folder(space.out(CHECKED) / "rl"), load(SandboxSettings, "sandbox")
            with open_sandbox(settings) as sandbox:
                found = write_checked(folder, "RL sources", config.rl, index, sandbox, run.seed)
            say(f"{STAGE}: {summary('RL sources', found)}")
            figures["rl"] = found
            pages.append((folder / "report.md").read_text(encoding="utf-8"))
        _folder(space.out(CHECKED))
        write_json(space.out(report(STAGE)), figures)
        page = "\n".join([WHERE, *pages]) if pages else NOTHING
        space.out(PAGE).write_text(page, encoding="utf-8")
    return {}


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
