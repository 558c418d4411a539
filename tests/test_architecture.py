"""The house keeps its rules: layers, budgets, names, and tests that mirror the tree."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.tables import each

ROOT = Path(__file__).resolve().parents[1]
CODE = sorted([*ROOT.glob("stages/**/*.py"), *ROOT.glob("flows/**/*.py")])
SCRIPTS = [path for path in ROOT.glob("stages/*.py") if path.stem != "__init__"]
TEXT = {".py", ".md", ".yaml", ".toml", ".txt", ".json", ".jsonl", ".html"}
BINS = {"utils", "util", "helpers", "common", "misc"}
FOREIGN = (
    "stages/sandbox/program.py",
    "stages/sandbox/driver.py",
    "stages/evals/published/far_objects.py",
)
"""Where a model's code runs: it may raise anything."""


def relative(path: Path) -> str:
    """A path as it reads from the project's root."""
    return path.relative_to(ROOT).as_posix()


def test_imports_go_down_only() -> None:
    found = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-3000:]


def test_files_functions_and_handlers_stay_within_their_bounds() -> None:
    wrong = [f"{relative(path)}: {what}" for path in CODE for what in beyond_bounds(path)]
    assert not wrong, "\n".join(wrong)


def beyond_bounds(path: Path) -> Iterator[str]:
    """What is too long in a file, and the handlers that catch everything."""
    text = path.read_text()
    lines = len(text.splitlines())
    if lines > (200 if path in SCRIPTS else 600):
        yield f"{lines} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > 80:
                yield f"{node.name}: {length} lines"
        elif isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "everything"
            wide = caught in ("everything", "Exception", "BaseException")
            if wide and relative(path) not in FOREIGN:
                yield f"line {node.lineno} catches {caught}"


def test_no_module_is_a_bin() -> None:
    assert [relative(path) for path in CODE if path.stem in BINS] == []


def test_tests_mirror_the_tree() -> None:
    rooms = {path.parent.name for path in CODE if path.parent.parent == ROOT / "stages"}
    tested = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert rooms <= tested
    for path in ROOT.glob("tests/*/test_*.py"):
        assert path.parent.name in rooms | {"flows"}, relative(path)


@each("page", sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]))
def test_what_the_documents_name_exists(page: Path) -> None:
    text = page.read_text()
    for name in re.findall(
        r"`((?:tests|stages|profiles|flows|docs)/[\w/.]+\.(?:py|yaml|md))`", text
    ):
        assert (ROOT / name).is_file(), name
    for name in re.findall(r"`(stages\.[\w.]+)`", text):
        parts = name.split(".")
        modules = [ROOT.joinpath(*parts[:n]) for n in range(len(parts), 1, -1)]
        file = next((m.with_suffix(".py") for m in modules if m.with_suffix(".py").is_file()), None)
        assert file is not None, name
        rest = parts[len(file.relative_to(ROOT).with_suffix("").parts) :]
        for attribute in rest:
            assert re.search(
                rf"\b(def|class) {attribute}\b|^{attribute}\b", file.read_text(), re.MULTILINE
            )


def test_nothing_of_one_machine_is_in_the_tree() -> None:
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    for name in listed:
        path = ROOT / name
        if path.suffix in TEXT and path.is_file():
            assert str(ROOT) not in path.read_text(encoding="utf-8"), name
