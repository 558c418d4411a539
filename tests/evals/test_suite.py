import hashlib
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.base.jsonl import write_json, write_jsonl
from stages.evals.suite import read_problems, read_registry
from stages.problems.registry import generate

PROBLEMS = generate("chain", 5, 0, "compact", heldout=True, modulus=10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "chain.jsonl", (problem.to_row() for problem in PROBLEMS))
    register(tmp_path)
    return tmp_path


def register(folder: Path, **changes: object) -> None:
    data = (folder / "chain.jsonl").read_bytes()
    entry = {
        "name": "chain",
        "domain": "maths",
        "family": "chain",
        "scorer": "verify",
        "problems": 5,
        "file": "chain.jsonl",
        "sha256": hashlib.sha256(data).hexdigest(),
        **changes,
    }
    write_json(folder / "registry.json", {"benchmarks": [entry]})


def test_the_registry_is_read_with_its_problems(folder: Path) -> None:
    (benchmark,) = read_registry(folder)
    assert (benchmark.name, benchmark.scorer, benchmark.samples) == ("chain", "verify", None)
    found = read_problems(folder, benchmark)
    assert [(p.id, p.key, p.prompt) for p in found] == [(p.id, p.key, p.prompt) for p in PROBLEMS]


@pytest.mark.field_bug("D14")
def test_a_changed_file_is_refused(folder: Path) -> None:
    (benchmark,) = read_registry(folder)
    path = folder / "chain.jsonl"
    path.write_bytes(path.read_bytes().replace(b"calc", b"cAlc", 1))
    with pytest.raises(DataError, match=r"chain\.jsonl.*SHA-256"):
        read_problems(folder, benchmark)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"scorer": "vibes"}, "vibes"),
        ({"problems": 6}, "5 problems"),
        ({"colour": "red"}, "colour"),
        ({"file": "absent.jsonl"}, "absent"),
    ],
)
def test_a_faulty_entry_is_named(folder: Path, changes: dict[str, object], named: str) -> None:
    register(folder, **changes)
    with pytest.raises(DataError, match=named):
        read_problems(folder, read_registry(folder)[0])


def test_two_benchmarks_of_one_name_are_refused(folder: Path) -> None:
    entry = {
        "name": "a",
        "domain": "maths",
        "family": "chain",
        "scorer": "verify",
        "problems": 5,
        "file": "chain.jsonl",
        "sha256": "",
    }
    write_json(folder / "registry.json", {"benchmarks": [entry, entry]})
    with pytest.raises(DataError, match="listed twice"):
        read_registry(folder)


def test_a_registry_without_benchmarks_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "registry.json", {})
    with pytest.raises(DataError, match="benchmarks"):
        read_registry(tmp_path)


def test_a_problem_id_may_not_stand_twice(folder: Path) -> None:
    write_jsonl(folder / "chain.jsonl", (PROBLEMS[0].to_row() for _ in range(5)))
    register(folder)
    with pytest.raises(DataError, match="twice"):
        read_problems(folder, read_registry(folder)[0])
