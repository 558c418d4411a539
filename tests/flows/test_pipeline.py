from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from prefect.client.orchestration import get_client

from flows import pipeline
from flows.pipeline import Outcome, classify, in_order
from flows.processes import only_one
from stages.base.errors import ConfigError
from tests.flows.conftest import BROKEN, clean_environment, shell
from tests.tables import each

ROAD = {"report": ("rl", "sft"), "sft": (), "rl": ("sft",), "eval@a": ("rl",), "eval@b": ("sft",)}


# --- the plan


def test_stages_run_upstream_first_otherwise_as_written():
    assert list(in_order(ROAD)) == ["sft", "rl", "report", "eval@a", "eval@b"]
    assert in_order(ROAD)["report"] == ("rl", "sft")


@pytest.mark.parametrize(
    ("targets", "planned"),
    [
        (["sft"], ["sft"]),
        (["eval@b"], ["sft", "eval@b"]),
        (["eval"], ["sft", "rl", "eval@a", "eval@b"]),
        (["report", "eval@b"], ["sft", "rl", "report", "eval@b"]),
    ],
)
def test_targets_bring_what_they_need_and_nothing_else(targets, planned):
    assert list(in_order(ROAD, targets)) == planned


def test_an_unknown_target_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"no stage is called 'slf'. Known: report, sft"):
        in_order(ROAD, ["slf"])


def test_the_plan_is_read_from_dvc(toy):
    assert pipeline.read_plan() == {
        "first": (),
        "each@a": ("first",),
        "each@b": ("first",),
        "last": ("each@a", "each@b"),
    }


def test_a_broken_dvc_file_is_one_plain_error(toy):
    Path("dvc.yaml").write_text("stages: {one: {outs: [x]}}\n")
    with pytest.raises(ConfigError, match="DVC cannot read the pipeline"):
        pipeline.read_plan()


def test_a_folder_without_dvc_is_one_plain_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="DVC cannot read the pipeline"):
        pipeline.read_plan()


# --- how a stage ended


@each(
    ("code", "lines", "kind"),
    [
        (0, ["Running stage 'sft':"], "ran"),
        (0, ["Stage 'sft' didn't change, skipping"], "cached"),
        (0, ["Stage 'sft' is cached - skipping run, checking out outputs"], "run_cache"),
        (
            255,
            ["Running stage 'sft':", "ERROR: failed to reproduce 'sft': failed to run"],
            "failed",
        ),
        (255, ["ERROR: failed to reproduce 'sft': [Errno 2] No such file"], "failed"),
        (255, ["ERROR: failed to reproduce 'sft': 'x' is busy, it is being blocked by:"], "busy"),
        (255, ["ERROR: Unable to acquire lock. Most likely another DVC process"], "busy"),
        # A stage may print what it likes: once it ran, only its exit status counts.
        (255, ["Running stage 'sft':", "ERROR: port 80 is busy, it is being blocked by"], "failed"),
        (0, ["Running stage 'sft':", "Stage 'sft' didn't change, skipping"], "ran"),
    ],
)
def test_outcomes_are_told_by_dvc(code, lines, kind):
    assert classify("sft", code, lines) == kind


@each(
    ("kind", "name", "completed"),
    [
        ("ran", "Completed", True),
        ("cached", "Cached", True),
        ("run_cache", "RunCache", True),
        ("stopped", "Cancelled", False),
        ("busy", "Failed", False),
        ("failed", "Failed", False),
    ],
)
def test_outcomes_become_states(kind, name, completed):
    state = pipeline.as_state("sft", Outcome(kind, 1.5, "last words"), Path("logs/sft.log"))
    assert (state.name, state.is_completed()) == (name, completed)


def test_a_failed_state_holds_the_last_lines_and_the_place_of_the_rest():
    state = pipeline.as_state("sft", Outcome("failed", 1.5, "out of memory"), Path("logs/sft.log"))
    assert "sft failed after 1.5 s" in state.message
    assert "logs/sft.log" in state.message
    assert "out of memory" in state.message


def busy_then(*kinds):
    left = list(kinds)
    return lambda: Outcome(left.pop(0), 0.0, "")


def test_only_a_busy_folder_is_tried_again(trees, monkeypatch):
    monkeypatch.setattr(pipeline, "PAUSES", (0.0, 0.0, 0.0))
    said: list[str] = []
    assert pipeline.patiently(busy_then("busy", "busy", "ran"), said.append).kind == "ran"
    assert len(said) == 2
    assert pipeline.patiently(busy_then("failed", "ran"), said.append).kind == "failed"
    assert pipeline.patiently(busy_then(*["busy"] * 4), said.append).kind == "busy"


def test_a_stopped_run_does_not_wait_for_a_busy_folder():
    assert pipeline.TREES.closed.is_set()
    assert pipeline.patiently(busy_then("busy"), lambda _: None).kind == "busy"


# --- lines and logs


def test_lines_are_cut_and_thinned_and_what_is_left_out_is_told(monkeypatch):
    monkeypatch.setattr(pipeline.time, "monotonic", lambda: clock[0])
    clock = [100.0]
    handed: list[str] = []
    throttle = pipeline.Throttle(handed.append, Path("logs/sft.log"))
    throttle("x" * 5000)
    for number in range(pipeline.LINES_A_SECOND + 4):
        throttle(str(number))
    assert len(handed) == pipeline.LINES_A_SECOND
    assert len(handed[0]) < pipeline.LINE_LIMIT + 100
    assert "5000 characters: logs/sft.log" in handed[0]
    clock[0] = 101.0
    throttle("next second")
    throttle.close()
    assert handed[-2:] == ["[5 lines left out here: logs/sft.log]", "next second"]


def test_the_log_on_disk_holds_every_byte_of_a_line(trees, tmp_path):
    log, handed = tmp_path / "logs" / "sft.log", []
    script = (
        "head -c 200000 /dev/zero | tr '\\0' x; echo; printf 'a\\rb\\n'; echo wrong >&2; exit 4"
    )
    outcome = pipeline.reproduce("sft", log, handed.append, shell(script))
    assert log.read_text().count("x") == 200000
    assert handed[-3:] == ["a", "b", "wrong"]
    assert max(map(len, handed)) < pipeline.LINE_LIMIT + 200
    assert outcome.kind == "failed"
    assert outcome.message.endswith("a\nb\nwrong")


def test_output_that_is_no_text_does_not_stop_the_stage(trees, tmp_path):
    script = "printf '\\377\\376\\n'; echo \"Running stage 'sft':\""
    assert pipeline.reproduce("sft", tmp_path / "log", lambda _: None, shell(script)).kind == "ran"


def test_stage_commands_find_this_interpreter_first(trees, tmp_path):
    handed: list[str] = []
    pipeline.reproduce("sft", tmp_path / "log", handed.append, shell("command -v python"))
    assert handed == [str(Path(sys.executable).parent / "python")]


def test_logs_of_old_runs_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "LOGS", tmp_path)
    for number in range(30):
        (tmp_path / str(number)).mkdir()
        os.utime(tmp_path / str(number), (number, number))
    assert pipeline.log_folder("new") == tmp_path / "new"
    kept = sorted(int(path.name) for path in tmp_path.iterdir())
    assert kept == list(range(30 - pipeline.KEPT_LOGS + 1, 30))


# --- nothing outlives a run


def test_an_error_in_the_run_ends_a_stage_in_another_thread(marked, tmp_path, monkeypatch):
    for name, value in marked.environment.items():
        monkeypatch.setenv(name, value)
    outcomes: list[Outcome] = []

    def work() -> None:
        log = tmp_path / "log"
        outcomes.append(pipeline.reproduce("sft", log, lambda _: None, shell("sleep 1000")))

    worker = threading.Thread(target=work)
    with pytest.raises(KeyboardInterrupt), pipeline.TREES.scope():
        worker.start()
        marked.wait_for("sleep 1000")
        raise KeyboardInterrupt
    worker.join(10)
    assert [outcome.kind for outcome in outcomes] == ["stopped"]
    assert not [process for process in marked.running() if process.pid != os.getpid()]


# --- whole runs


def table(flow_run_id) -> dict[str, str]:
    with get_client(sync_client=True) as client:
        artifacts = client.read_artifacts()
    found = [artifact for artifact in artifacts if artifact.flow_run_id == flow_run_id]
    rows = pipeline.json.loads(next(a.data for a in found if a.key == "stages"))
    return {row["stage"]: row["state"] for row in rows}


def run_flow(**parameters):
    state = pipeline.everystep(**parameters, return_state=True)
    return state, table(state.state_details.flow_run_id)


@pytest.mark.slow
def test_a_run_does_all_then_nothing_then_only_what_changed(prefect, toy):
    Path("reports").mkdir()
    Path("reports/report.md").write_text("# The report")
    state, stages = run_flow()
    assert state.is_completed(), state.message
    assert list(stages) == ["first", "each@a", "each@b", "last", "dvc status"]
    assert set(stages.values()) == {"Completed"}
    assert Path("last.txt").read_text() == "one\na\none\nb\n"

    state, stages = run_flow()
    assert [stages[name] for name in ("first", "each@a", "each@b", "last")] == ["Cached"] * 4

    Path("params.yaml").write_text("seconds: 0.1\n")
    state, stages = run_flow(targets=["each"])
    assert list(stages) == ["first", "each@a", "each@b", "dvc status"]
    assert pipeline.stale(["last"])
    state, stages = run_flow()
    assert (stages["each@a"], stages["last"]) == ("Cached", "Completed")
    Path("params.yaml").write_text("seconds: 0\n")
    state, stages = run_flow()
    assert (stages["each@a"], stages["last"]) == ("Cached", "RunCache")
    assert pipeline.stale(list(stages)[:-1]) == {}

    with get_client(sync_client=True) as client:
        reports = [a for a in client.read_artifacts() if a.key == "report"]
    assert reports[0].data == "# The report"


@pytest.mark.slow
def test_a_failing_stage_fails_the_run_and_leaves_its_dependants_out(prefect, toy):
    with Path("dvc.yaml").open("a") as file:
        file.write(BROKEN)
    state, stages = run_flow()
    assert state.is_failed()
    assert "broken (Failed)" in state.message
    assert stages == {
        "first": "Completed",
        "each@a": "Completed",
        "each@b": "Completed",
        "last": "Completed",
        "broken": "Failed",
        "after": "NotReady",
        "dvc status": "NotReady",
    }
    log = next(Path(".scratch/logs").glob("*/broken.log"))
    assert "going wrong" in log.read_text()


@pytest.mark.slow
def test_a_run_beside_another_is_refused(prefect, toy):
    with only_one("run of someone else", pipeline.LOCK):
        state = pipeline.everystep(return_state=True)
    assert state.is_failed()
    assert "run of someone else" in state.message


@pytest.mark.slow
def test_the_command_line_refuses_an_unknown_target_without_starting(toy, capfd):
    assert pipeline.main(["--targets", "nowhere"]) == 2
    assert "no stage is called 'nowhere'" in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_process_and_the_next_one_works(toy, marked, prefect_home, end):
    Path("params.yaml").write_text("seconds: 1000\n")
    environment = clean_environment(**marked.environment, PREFECT_HOME=str(prefect_home))
    command = [sys.executable, "-m", "flows.pipeline"]
    with Path("out.txt").open("w") as out:
        run = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
    marked.wait_for("sleep 1000", 180)
    run.send_signal(end)
    assert marked.all_gone(), Path("out.txt").read_text()
    run.wait()
    Path("params.yaml").write_text("seconds: 0\n")
    # Until the system forgets the killed process, DVC takes its lock for a living one's.
    log = Path("again.log")
    with pipeline.TREES.scope():
        again = pipeline.patiently(lambda: pipeline.reproduce("last", log, print), print)
    assert again.kind == "ran", log.read_text()
