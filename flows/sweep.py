"""Run a table of experiments and report on them together: ``python -m flows.sweep stability``.

A sweep (flows/sweeps.yaml) names arms of parameters and seeds. Each arm and seed is a branch
``sweep/<name>/<arm>-s<seed>``, run in a worktree of its own that shares this project's DVC cache,
so that what arms have in common is computed once. A run that is killed goes on where it was; one
that has ended for the same code and parameters is not run again. One whose loss or gradient stops
being a number during RL has ended too, and its branch says so. The report compares every arm with
the first, seed by seed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from dvc.exceptions import DvcException
from dvc.repo import Repo

from flows.processes import Trees, only_one
from flows.revisions import Revision
from stages.base.artifacts import SCRATCH
from stages.base.errors import ConfigError, EverystepError, ResourceError
from stages.base.events import say
from stages.base.jsonl import read_json, write_json
from stages.base.params import overlay, resolve
from stages.base.paths import JOURNAL, PARAMS, report
from stages.base.schema import parse
from stages.base.yaml_file import read_yaml
from stages.evals.statistics import paired_difference
from stages.reporting.sweep import Outcome, as_markdown, joint
from stages.reporting.sweep_curves import draw

SWEEPS = Path("flows/sweeps.yaml")
PLACES = Path(".scratch/sweeps")
CODE = ("stages", "profiles", "dvc.yaml", "data")
"""What results depend on; of ``data`` what git holds: raw files and their hashes."""
READ = tuple(
    report(*which)
    for which in (
        ("train_reasoning_rl", "steps.jsonl"),
        ("train_reasoning_rl", "metrics.json"),
        ("run_benchmarks", "reasoning_rl/scores.json"),
    )
)
"""What the report reads of each cell: journal, figures of the stage, scores."""
DIVERGED = Path("reports/diverged.json")
"""On the branch of a cell that diverged: stage, step and reason."""
TRAILER = "Sweep-run: "
DVC = (sys.executable, "-m", "dvc")


@dataclass(frozen=True)
class Sweep:
    """A table of experiments; the first arm is what the others are compared with."""

    description: str
    seeds: tuple[int, ...]
    targets: tuple[str, ...]  # DVC stages
    common: dict[str, Any]  # overrides of all arms
    arms: dict[str, dict[str, Any]]  # arm -> overrides


@dataclass(frozen=True)
class Cell:
    """One arm under one seed."""

    sweep: str
    arm: str
    seed: int
    params: dict[str, Any]  # the whole of params.yaml

    @property
    def branch(self) -> str:
        """Where its result is committed."""
        return f"sweep/{self.sweep}/{self.arm}-s{self.seed}"

    @property
    def folder(self) -> Path:
        """The worktree it runs in."""
        return PLACES / self.sweep / f"{self.arm}-s{self.seed}"


def load_sweep(name: str, path: Path = SWEEPS) -> Sweep:
    """A sweep by name; ConfigError names the key that is wrong."""
    known = read_yaml(path)
    if name not in known:
        raise ConfigError(f"{path}: no sweep is called '{name}'. Known: {', '.join(known)}.")
    sweep = parse(Sweep, known[name], name)
    if not sweep.seeds or not sweep.arms or not sweep.targets:
        raise ConfigError(f"{path}: {name}: seeds, arms and targets may not be empty.")
    return sweep


def cells(name: str, sweep: Sweep) -> list[Cell]:
    """All cells, seed by seed; every one is checked before any is run."""
    base = read_yaml(PARAMS)
    found = []
    for seed in sweep.seeds:
        for arm, changes in sweep.arms.items():
            overrides = overlay(base.get("overrides") or {}, sweep.common)
            overrides = overlay(overlay(overrides, changes), {"run": {"seed": seed}})
            resolve(base["profile"], overrides)
            params = {"profile": base["profile"], "overrides": overrides}
            found.append(Cell(name, arm, seed, params))
    return found


# --- running a cell


def digest(cell: Cell, sweep: Sweep) -> str:
    """What a finished cell depends on: the committed code, its parameters and targets."""
    trees = _git("ls-tree", "HEAD", "--", *CODE)
    whole = json.dumps([trees, cell.params, sweep.targets], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def finished(cell: Cell, mark: str) -> bool:
    """Whether the cell's branch holds a result for this code and these parameters."""
    found = _try_git("log", "-1", "--format=%B", f"refs/heads/{cell.branch}", "--")
    return found.returncode == 0 and f"{TRAILER}{mark}" in found.stdout


def run(cell: Cell, sweep: Sweep, trees: Trees) -> None:
    """Run one cell to its end and commit the result on its branch."""
    mark = digest(cell, sweep)
    if finished(cell, mark):
        return
    _open_worktree(cell, mark)
    (cell.folder / PARAMS).write_text(
        yaml.safe_dump(cell.params, sort_keys=False, allow_unicode=True), encoding="utf-8"
    )
    cache = subprocess.run([*DVC, "cache", "dir"], capture_output=True, text=True, check=True)
    _in(cell.folder, *DVC, "cache", "dir", "--local", cache.stdout.strip())
    log = cell.folder.with_name(f"{cell.folder.name}.log")
    with log.open("w", encoding="utf-8") as file:
        command = ["env", "-C", str(cell.folder), *DVC, "repro", *sweep.targets]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        with trees.run(command, file, PATH=path) as process:
            code = process.wait()
    if code and not _note_divergence(cell):
        last = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
        raise ResourceError(f"{cell.branch}: dvc repro ended with {code}. Log: {log}\n{last}")
    _in(cell.folder, "git", "add", "--all")
    message = f"{cell.sweep}: {cell.arm}, seed {cell.seed}\n\n{TRAILER}{mark}"
    _in(cell.folder, "git", "commit", "--quiet", "--allow-empty", "--message", message)
    _git("worktree", "remove", "--force", str(cell.folder))


def _note_divergence(cell: Cell) -> bool:
    """If an RL stage of the cell diverged: leave that and its journal, and nothing older, on it.

    The batch goes beside the worktree, for ``python -m stages.rl.replay --rollouts``.
    """
    found = next((cell.folder / SCRATCH).glob("*/*/diverged/reason.json"), None)
    if found is None:
        return False
    stage, journal = found.parents[2].name, report("train_reasoning_rl", "steps.jsonl")
    finished = (cell.folder / journal).read_bytes() if stage != "train_reasoning_rl" else None
    # The other reports may be of the commit the cell started from.
    shutil.rmtree(cell.folder / "reports", ignore_errors=True)
    write_json(cell.folder / DIVERGED, {"stage": stage, **read_json(found)})
    _put(cell.folder / report(stage, "steps.jsonl"), found.with_name(JOURNAL).read_bytes())
    if finished is not None:
        _put(cell.folder / journal, finished)
    batch = cell.folder.with_name(f"{cell.folder.name}-diverged")
    shutil.rmtree(batch, ignore_errors=True)
    shutil.move(found.parent, batch)
    say(f"{cell.branch}: {stage} diverged; the sweep goes on. The batch is in {batch}.")
    return True


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _open_worktree(cell: Cell, mark: str) -> None:
    """The cell's worktree at HEAD; one that was left by a kill is used again if it is the same."""
    note = cell.folder / ".scratch" / "sweep-run"
    if note.is_file() and note.read_text(encoding="utf-8") == mark:
        return
    _try_git("worktree", "remove", "--force", str(cell.folder))
    cell.folder.parent.mkdir(parents=True, exist_ok=True)
    _git("worktree", "add", "--quiet", "--force", "-B", cell.branch, str(cell.folder), "HEAD")
    note.parent.mkdir(exist_ok=True)
    note.write_text(mark, encoding="utf-8")


def _in(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ResourceError(f"{folder}: {' '.join(command[:3])} failed: {done.stderr.strip()}")


def _try_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)


def _git(*arguments: str) -> str:
    done = _try_git(*arguments)
    if done.returncode:
        raise ConfigError(f"git {' '.join(arguments[:2])} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def refuse_uncommitted() -> None:
    """ConfigError if code or profiles differ from HEAD: branches would not hold what was run."""
    changed = _git("status", "--porcelain", "--", *CODE)
    if changed:
        raise ConfigError(f"commit these first, a sweep runs what is committed:\n{changed}")


def refuse_unproduced(sweep: Sweep) -> None:
    """ConfigError if the targets do not make what the report reads: it would read that of HEAD."""
    with Repo() as repo:
        try:
            stages = [
                stage
                for target in sweep.targets
                for stage in repo.stage.collect(target, with_deps=True)
            ]
        except DvcException as error:
            raise ConfigError(f"{SWEEPS}: targets: {error}") from error
        made = {str(out.def_path) for stage in stages for out in stage.outs}
    if absent := [str(path) for path in READ if str(path) not in made]:
        raise ConfigError(
            f"{SWEEPS}: targets {', '.join(sweep.targets)} do not make {', '.join(absent)}, which "
            "the report of a sweep reads. Add run_benchmarks@reasoning_rl."
        )


# --- reading the results


def outcomes(table: Sequence[Cell]) -> Iterator[Outcome]:
    """The result of each cell, from its branch."""
    for cell in table:
        side = Revision(cell.branch, _git("rev-parse", cell.branch))
        journal = side.rows(READ[0]) or []
        metrics, scores = (side.metrics(path) or {} for path in READ[1:])
        yield Outcome(cell.arm, cell.seed, journal, metrics, scores, side.metrics(DIVERGED))


def write(name: str, sweep: Sweep, table: Sequence[Cell]) -> Path:
    """The joint report: ``report.md``, ``metrics.json`` and ``curves.svg``."""
    folder = Path("reports/sweeps") / name
    found = list(outcomes(table))
    summary = joint(found, list(sweep.arms), paired_difference)
    write_json(folder / "metrics.json", summary)
    (folder / "report.md").write_text(
        as_markdown(name, sweep.description, summary), encoding="utf-8"
    )
    draw(found, list(sweep.arms), folder / "curves.svg")
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing of a sweep, then report; 2 with one plain message if it cannot."""
    parser = argparse.ArgumentParser(
        prog="python -m flows.sweep",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help=f"a sweep of {SWEEPS}")
    parser.add_argument("--list", action="store_true", help="show what would run, and stop")
    options = parser.parse_args(arguments)
    try:
        sweep = load_sweep(options.name)
        table = cells(options.name, sweep)
        refuse_uncommitted()
        refuse_unproduced(sweep)
        if options.list:
            _show(table, sweep)
            return 0
        trees = Trees()
        with only_one(f"sweep {options.name}", PLACES / "lock"), trees.scope():
            for number, cell in enumerate(table, start=1):
                say(f"sweep {options.name}: {number} of {len(table)}, {cell.arm} seed {cell.seed}")
                run(cell, sweep, trees)
        say(f"sweep {options.name}: {write(options.name, sweep, table)}/report.md")
    except EverystepError as error:
        say(f"sweep: {error}")
        return 2
    return 0


def _show(table: Sequence[Cell], sweep: Sweep) -> None:
    for cell in table:
        state = "done" if finished(cell, digest(cell, sweep)) else "to run"
        sys.stdout.write(f"{cell.branch}: {state}\n")


if __name__ == "__main__":
    os.environ.setdefault("DVC_NO_ANALYTICS", "1")
    sys.exit(main())
