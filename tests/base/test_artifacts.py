"""Outputs appear whole or not at all; scratch belongs to one fingerprint; one copy runs."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from stages.base.artifacts import (
    content_hash,
    fingerprint,
    latest_checkpoint,
    publish_checkpoint,
    replace,
    workspace,
)
from stages.base.errors import DataError, ResourceError


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("input.txt").write_text("input")


INPUTS, OUT, FOLDER = (Path("input.txt"),), Path("out/file.txt"), Path("out/folder")


@pytest.mark.field_bug("D22")
def test_outputs_stand_only_after_the_block_ends() -> None:
    with workspace("s", {}, INPUTS, (OUT, FOLDER)) as space:
        space.out(OUT).write_text("new")
        space.out(FOLDER).mkdir()
        (space.out(FOLDER) / "a").write_text("a")
        assert not OUT.exists()
    assert OUT.read_text() == "new"
    assert (FOLDER / "a").read_text() == "a"


def test_a_failure_leaves_earlier_outputs_untouched() -> None:
    OUT.parent.mkdir()
    OUT.write_text("old")
    with pytest.raises(OSError, match="full"), workspace("s", {}, INPUTS, (OUT,)) as space:
        space.out(OUT).write_text("half")
        raise OSError("full")
    assert OUT.read_text() == "old"


def test_an_output_that_was_not_written_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"ended without writing out/file\.txt"):
        with workspace("s", {}, INPUTS, (OUT,)):
            pass
    assert not OUT.exists()


def test_only_declared_outputs_can_be_written() -> None:
    with pytest.raises(ValueError, match="not among the outputs"):
        with workspace("s", {}, INPUTS, (OUT,)) as space:
            space.out(Path("elsewhere"))


@pytest.mark.field_bug(44, "D23")
def test_checkpoints_are_found_again_by_the_same_work_only() -> None:
    def attempt(parameters: dict) -> list[str]:
        with pytest.raises(RuntimeError), workspace("s", parameters, INPUTS, ()) as space:
            found = sorted(item.name for item in space.checkpoints.iterdir())
            (space.checkpoints / "1").mkdir(exist_ok=True)
            raise RuntimeError(*found)
        return found

    assert attempt({"a": 1}) == []
    assert attempt({"a": 1}) == ["1"]
    assert attempt({"a": 2}) == []
    assert attempt({"a": 1}) == []
    Path("input.txt").write_text("changed")
    assert attempt({"a": 1}) == []


def test_a_second_copy_is_kept_out() -> None:
    with workspace("s", {}, INPUTS, ()):
        with pytest.raises(ResourceError, match="already running"), workspace("s", {}, INPUTS, ()):
            pass


def test_a_missing_input_says_what_to_run() -> None:
    with pytest.raises(DataError, match=r"nowhere: no such file or folder\. Run `dvc repro`"):
        with workspace("s", {}, (Path("nowhere"),), ()):
            pass


def test_content_hash_sees_names_and_bytes_but_no_bytecode() -> None:
    Path("d/__pycache__").mkdir(parents=True)
    Path("d/a.py").write_text("1")
    before = content_hash([Path("d")])
    Path("d/__pycache__/a.pyc").write_text("x")
    assert content_hash([Path("d")]) == before
    Path("d/a.py").rename("d/b.py")
    assert content_hash([Path("d")]) != before


def test_fingerprints_do_not_depend_on_key_order() -> None:
    assert fingerprint({"a": 1, "b": 2}, INPUTS) == fingerprint({"b": 2, "a": 1}, INPUTS)


@pytest.mark.field_bug("D22")
def test_half_written_checkpoints_are_ignored_and_old_ones_dropped(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    for name in ("00000001", "00000002.tmp"):
        (folder / name).mkdir(parents=True)
    assert latest_checkpoint(folder) == folder / "00000001"
    publish_checkpoint(folder, "00000002")
    assert [item.name for item in folder.iterdir()] == ["00000002"]
    assert latest_checkpoint(folder) == folder / "00000002"


def test_a_linked_output_is_replaced_where_it_lies(tmp_path: Path) -> None:
    elsewhere = tmp_path / "other_disk" / "models"
    elsewhere.mkdir(parents=True)
    (elsewhere / "old").write_text("old")
    link = tmp_path / "models"
    link.symlink_to(elsewhere)
    new = tmp_path / "new"
    new.mkdir()
    (new / "weights").write_text("new")
    replace(new, link)
    assert link.is_symlink()
    assert [item.name for item in elsewhere.iterdir()] == ["weights"]
    assert [item.name for item in elsewhere.parent.iterdir()] == ["models"]


def test_what_stood_there_stays_when_the_new_output_cannot_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    target, new = tmp_path / "models", tmp_path / "new"
    for folder, text in ((target, "old"), (new, "new")):
        folder.mkdir()
        (folder / "weights").write_text(text)
    monkeypatch.setattr("stages.base.artifacts.shutil.move", full)
    with pytest.raises(OSError, match="No space"):
        replace(new, target)
    assert (target / "weights").read_text() == "old"


def test_an_output_on_another_disk_is_copied_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rename across file systems fails with EXDEV; the output must arrive whole all the same."""
    rename = os.rename

    def no_rename_out_of_scratch(source: object, target: object) -> None:
        if "new" in Path(str(source)).parts:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        rename(str(source), str(target))

    new, target = tmp_path / "new", tmp_path / "models"
    new.mkdir()
    (new / "weights").write_text("new")
    monkeypatch.setattr("os.rename", no_rename_out_of_scratch)
    replace(new, target)
    assert (target / "weights").read_text() == "new"
    assert not new.exists()
