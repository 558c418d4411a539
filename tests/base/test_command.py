"""A stage as a command: plain errors, exit codes, the run record."""

from __future__ import annotations

import errno
import json
import shutil
from argparse import Namespace
from pathlib import Path

import pytest

from stages.base.command import stage_main
from stages.base.errors import ConfigError


@pytest.fixture(autouse=True)
def bare_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["stage"])
    monkeypatch.delenv("DVC_STAGE", raising=False)


def test_the_run_record_names_versions_and_what_was_measured() -> None:
    stage_main("demo", "A demo.", lambda _: {"rows": 3})
    record = json.loads(Path("reports/demo/provenance.json").read_text())
    assert record["measured"] == {"rows": 3}
    assert record["versions"]["torch"].startswith("2.")
    assert record["peak_memory_mib"] > 0


def test_a_run_on_a_file_of_ones_own_leaves_no_record() -> None:
    stage_main("demo", "A demo.", lambda _: None)
    assert not Path("reports").exists()


def test_our_errors_end_in_one_plain_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    def body(_: Namespace) -> None:
        raise ConfigError("demo.rate: unknown key.")

    with pytest.raises(SystemExit) as ended:
        stage_main("demo", "A demo.", body)
    assert ended.value.code == 2
    assert capsys.readouterr().err == "demo: demo.rate: unknown key.\n"
    assert not Path("reports").exists()


def test_a_full_disk_is_a_plain_error(capsys: pytest.CaptureFixture[str]) -> None:
    def body(_: Namespace) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "data/out")

    with pytest.raises(SystemExit) as ended:
        stage_main("demo", "A demo.", body)
    assert ended.value.code == 2
    assert "no space left on the disk (data/out)" in capsys.readouterr().err


def test_a_short_write_on_a_full_disk_is_a_plain_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def body(_: Namespace) -> None:
        raise OSError("1000 requested and 12 written")  # how NumPy says it

    full = shutil.disk_usage(tmp_path)._replace(free=0)
    monkeypatch.setattr("stages.base.command.shutil.disk_usage", lambda _: full)
    with pytest.raises(SystemExit) as ended:
        stage_main("demo", "A demo.", body)
    assert ended.value.code == 2
    assert "no space left on the disk (1000 requested and 12 written)" in capsys.readouterr().err


def test_a_file_that_cannot_be_used_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def body(_: Namespace) -> None:
        raise OSError(errno.EACCES, "Permission denied", "reports")

    with pytest.raises(SystemExit) as ended:
        stage_main("demo", "A demo.", body)
    assert ended.value.code == 2
    assert capsys.readouterr().err == "demo: reports: Permission denied.\n"


def test_ctrl_c_is_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def body(_: Namespace) -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        stage_main("demo", "A demo.", body)
    assert ended.value.code == 130
    assert "run it again to go on" in capsys.readouterr().err


def test_other_errors_keep_their_traceback() -> None:
    def body(_: Namespace) -> None:
        raise OSError(errno.EACCES, "denied")

    with pytest.raises(PermissionError):
        stage_main("demo", "A demo.", body)


def test_records_of_one_stage_on_several_checkpoints_stand_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.argv", ["stage", "sft"])
    stage_main("demo", "A demo.", lambda _: {}, lambda p: p.add_argument("checkpoint"))
    assert Path("reports/demo/sft/provenance.json").is_file()
