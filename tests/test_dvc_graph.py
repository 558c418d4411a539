"""dvc.yaml tells the truth: deps cover the code, and one name stands for everything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml

from stages.base import params, paths
from tests.tables import each

ROOT = Path(__file__).resolve().parents[1]
STAGES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]


def is_type_checking(node: ast.AST) -> bool:
    """Whether a node is an ``if TYPE_CHECKING:`` block."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(node: ast.AST) -> Iterator[str]:
    """Modules of the project imported anywhere below a node, inside functions too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) or is_type_checking(child):
            continue
        if isinstance(child, ast.Import):
            yield from (name.name for name in child.names if name.name.startswith("stages"))
        elif isinstance(child, ast.ImportFrom) and (child.module or "").startswith("stages"):
            yield str(child.module)
            yield from (f"{child.module}.{name.name}" for name in child.names)
        yield from imports(child)


def file_of(module: str) -> Path | None:
    """The file of a module of the project; None for a name that is no module."""
    base = ROOT / Path(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache  # most files are imported by many stages
def imported(path: Path) -> frozenset[Path]:
    """The files of the project a file imports itself."""
    names = imports(ast.parse(path.read_text()))
    return frozenset(file for name in names if (file := file_of(name)))


def closure(path: Path) -> frozenset[Path]:
    """All files of the project a file imports, directly or not, itself included."""
    found, waiting = set[Path](), [path]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found.add(current)
        waiting += imported(current)
    return frozenset(found)


def names(entries: list[Any]) -> list[str]:
    """Paths of a list of deps or outs, options left aside."""
    return [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]


@pytest.mark.parametrize("stage", STAGES)
def test_deps_cover_all_code_a_stage_imports(stage: str) -> None:
    deps = [ROOT / name for name in names(STAGES[stage]["deps"])]
    code = closure(ROOT / "stages" / f"{stage}.py") - {ROOT / "stages/__init__.py"}
    missing = [
        str(file.relative_to(ROOT))
        for file in sorted(code)
        if not any(file == dep or dep in file.parents for dep in deps)
    ]
    assert missing == []


@each("stage", STAGES)
def test_a_stage_has_one_name_everywhere(stage: str) -> None:
    assert STAGES[stage]["cmd"].startswith(f"python -m stages.{stage}")
    assert (ROOT / "stages" / f"{stage}.py").is_file()
    if stage == "resolve_config":
        return
    section = get_type_hints(params.Profile)[stage]
    assert is_dataclass(section)
    assert section.__name__ == "".join(word.title() for word in stage.split("_"))
    listed = [key for entry in STAGES[stage]["params"] for key in entry["resolved.yaml"]]
    assert stage in listed


def test_every_section_of_a_profile_is_somebodys() -> None:
    sections = {field.name for field in fields(params.Profile)}
    shared = {"description", "run", "engine", "sandbox"}
    assert sections - shared == set(STAGES) - {"resolve_config"}


@each("stage", STAGES)
def test_reports_are_kept_by_git_and_not_by_the_cache(stage: str) -> None:
    kept = [*STAGES[stage].get("metrics", []), *STAGES[stage].get("plots", [])]
    for entry in kept:
        (name, options), *_ = entry.items()
        assert name.startswith("reports/")
        assert options == {"cache": False}


def test_outputs_stand_where_paths_says() -> None:
    listed = {name for stage in STAGES.values() for name in names(stage.get("outs", []))}
    expected = {
        paths.BENCHMARKS,
        paths.SFT_DATA,
        paths.PACKED_SFT,
        paths.RL_DATA,
        paths.CHECKED,
        paths.BASE_MODEL,
        paths.SFT_MODEL,
        paths.REASONING_RL_MODEL,
        paths.REWARD_MODEL,
        paths.GENERAL_RL_MODEL,
        paths.RESOLVED,
        paths.RESPONSES / "${item.checkpoint}",
        *paths.ROLLOUTS.values(),
        *(
            paths.report(stage, name)
            for stage in ("build_sft_data", "build_rl_data")
            for name in ("report.md", "histograms.svg")
        ),
        paths.report("check_data", "report.md"),
    }
    assert listed == {str(path) for path in expected}
    assert STAGES["run_benchmarks"]["matrix"]["checkpoint"] == list(paths.CHECKPOINTS)


def test_the_lock_knows_the_same_deps_as_the_stages() -> None:
    lock = yaml.safe_load((ROOT / "dvc.lock").read_text())["stages"]
    for locked_name, locked in lock.items():
        stage, _, checkpoint = locked_name.partition("@")
        declared = [
            name.replace("${item.checkpoint}", checkpoint).replace("${profile}", "tiny")
            for name in names(STAGES[stage].get("deps", []))
        ]
        assert sorted(entry["path"] for entry in locked.get("deps", [])) == sorted(declared)
