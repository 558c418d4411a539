"""Names that stand for commits, and what stood in their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.revisions import resolve
from stages.base.errors import ConfigError, DataError
from tests.flows.repository import commit, git


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with the branches `old` and `new`."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    Path("made").mkdir()
    for branch, text in (("old", "a: 1"), ("new", "a: [")):
        Path("made/file.yaml").write_text(text)
        commit(branch)
    return tmp_path


def test_files_are_read_as_they_were(project):
    old, path = resolve("old"), Path("made/file.yaml")
    assert old.read(path) == b"a: 1"
    assert old.yaml(path) == {"a": 1}
    assert old.folders(Path()) == ["made"]
    assert old.read(Path("nowhere")) is None
    with pytest.raises(DataError, match=r"new:made/file.yaml: not YAML"):
        resolve("new").yaml(path)


def test_an_experiment_is_found_by_its_name(project):
    base, tip = git("rev-parse", "old"), git("rev-parse", "new")
    git("update-ref", f"refs/exps/{base[:2]}/{base[2:]}/try", tip)
    git("update-ref", "refs/exps/exec/EXEC_HEAD", base)
    assert resolve("try").commit == tip
    with pytest.raises(ConfigError, match="'EXEC_HEAD' is no branch"):
        resolve("EXEC_HEAD")


def test_a_name_of_several_experiments_is_refused_with_their_full_names(project):
    base, tip = git("rev-parse", "old"), git("rev-parse", "new")
    refs = [f"refs/exps/{rev[:2]}/{rev[2:]}/try" for rev in (base, tip)]
    for ref in refs:
        git("update-ref", ref, tip)
    with pytest.raises(ConfigError, match="names 2 experiments") as refused:
        resolve("try")
    assert all(ref in str(refused.value) for ref in refs)
    assert resolve(refs[0]).commit == tip


def test_a_folder_without_git_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ConfigError, match="not in a git repository"):
        resolve("main")


def test_a_folder_below_the_project_is_told_so(project, monkeypatch):
    Path("dvc.yaml").write_text("stages: {}")
    (project / "docs").mkdir()
    monkeypatch.chdir("docs")
    with pytest.raises(ConfigError, match="the project's top folder"):
        resolve("old")
