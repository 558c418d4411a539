"""A shell whose state is kept, whatever a command does to it, and that no command outlives."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError, ResourceError, VerifierError
from stages.sandbox.limits import Limits
from stages.sandbox.session import Session
from stages.sandbox.shell import Kept, quoted
from stages.sandbox.worker import Worker, answered
from tests.sandbox.test_busy import children
from tests.sandbox.test_programs import needs_namespaces

LIMITS = Limits(time_s=20, mem_mb=256, disk_mb=16, nproc=32, output_mb=1)


@pytest.fixture(scope="module")
def shared():
    """A session that tests leave as they found it: alive."""
    with Session(LIMITS) as session:
        yield session


def within(seconds: float, so: Callable[[], bool]) -> bool:
    """Whether something becomes so in time."""
    until = time.monotonic() + seconds
    while not so():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@needs_namespaces
def test_state_is_kept(shared):
    run = shared.run
    told = run("mkdir -p a/b; cd a/b; x=5; export Y='a  b'; f() { echo $((x + $1)); }; l=(1 2)")
    assert (told.status, told.stdout, told.stderr, told.lost, told.ended) == (0, "", "", "", "")
    told = run("pwd; f 2; echo \"$Y\" ${l[1]}; bash -c 'echo $Y$x'; echo hi > file; false")
    assert (told.status, told.stdout) == (1, "/box/a/b\n7\na  b 2\na b\n")
    assert run("echo $?; cat file; x=6; cd ..").stdout == "1\nhi\n"
    assert run("echo $x; pwd; cat").stdout == "6\n/box/a\n"  # and nothing to read
    assert run("echo out; echo error >&2; exit_() { return 7; }; exit_").status == 7
    told = run("echo out; echo error >&2")
    assert (told.stdout, told.stderr) == ("out\n", "error\n")


@needs_namespaces
@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("echo \"it's\" '\"\\' $'\\t|' `echo !!` é \\\nand", "it's \"\\ \t| !! é and\n"),
        ("cat <<END\none $((1 + 1))\n'two'\nEND\necho three", "one 2\n'two'\nthree\n"),
        ("for i in 1 2; do\n  echo $i\ndone # comment", "1\n2\n"),
        ("# nothing", ""),
        ("", ""),
        ("yes | head -2", "y\ny\n"),
        ("python3 -c 'import sys; print(sys.version_info.major)'", "3\n"),
        ("printf '\\377\\0a'", "\ufffd\0a"),
        ("set -u; echo a; echo $nothing; echo b", "a\n"),
        ("set +u", ""),
        ("exec nothing-of-that-name; echo still here", "still here\n"),
        ("echo $BASHPID $$ | { read a b; test $a != $b; echo $?; }", "0\n"),
        ("ls /proc /etc /home 2>/dev/null", "/proc:\n"),
        ("(echo x > /dev/tcp/127.0.0.1/80) 2>/dev/null; echo $?", "1\n"),
        ("cat /box/../old/* 2>/dev/null; touch /usr/x 2>/dev/null; echo $?", "1\n"),
    ],
)
def test_commands_are_what_they_are_in_any_shell(shared, command, out):
    told = shared.run(command)
    assert (told.stdout, told.lost, told.timed_out) == (out, "", False)


@needs_namespaces
@pytest.mark.parametrize(
    "command", ["echo 'abc", "if true; then echo a", "(", "done", "cat <<X &&"]
)
def test_what_is_cut_off_is_an_error_and_no_more(shared, command):
    told = shared.run(command, 5)
    assert told.status != 0
    assert told.lost == ""
    assert not told.timed_out
    assert shared.run("echo next").stdout == "next\n"


@needs_namespaces
@pytest.mark.field_bug("S10")
def test_background_work_goes_on_and_holds_nobody_up(shared):
    begun = time.monotonic()
    told = shared.run("(sleep 0.3; echo late; sleep 60) & echo now")
    assert (told.stdout, told.timed_out) == ("now\n", False)
    assert time.monotonic() - begun < 0.3
    assert shared.run("sleep 0.5").stdout == "late\n"
    assert "Running" in shared.run("jobs").stdout
    assert shared.run("kill %1; wait").lost == ""


@needs_namespaces
def test_nobody_is_prompted(shared):
    assert shared.run("PS1='prompt '; PROMPT_COMMAND='echo said'; echo a").lost == ""
    told = shared.run("echo a")
    assert (told.stdout, told.stderr) == ("a\n", "")


INTERRUPTED = {
    "sleep": ("echo a; sleep 100; echo b", 130),
    "loop": ("echo a; while true; do sleep 0.1; done", 130),
    "busy": ("echo a; while :; do :; done", 130),
    "python": ("echo a; python3 -c 'while True: pass'", 130),
    "ignored": ("echo a; python3 -c 'import signal as s; s.signal(2, 1); s.pause()'", 137),
    "flood": ("yes a", 130),
    "flood of reports": ("echo a; yes >&100", 130),
    "reader": ("echo a; cat /dev/zero > /dev/null", 130),
    "script": ("echo a; cat <&10; sleep 100", 130),
    "stopped child": ("echo a; bash -c 'kill -STOP $$'", 137),
}  # fmt: skip


@needs_namespaces
@pytest.mark.slow
@pytest.mark.parametrize("name", list(INTERRUPTED))
def test_what_hangs_is_interrupted_and_the_shell_lives(shared, name):
    command, status = INTERRUPTED[name]
    shared.run("z=kept")
    told = shared.run(command, 0.3)
    assert (told.timed_out, told.lost, told.ended) == (True, "", "")
    assert told.stdout[:2] == "a\n"
    assert told.status == status
    assert shared.run("echo $z").stdout == "kept\n"


LOST = {
    "exit": "exit 3",
    "exec": "exec true",
    "exec that hangs": "exec sleep 100",
    "kill": "kill -9 $$",
    "stop": "kill -STOP $$",
    "errors end": "set -e; false",
    "deaf": "trap '' INT; while :; do :; done",
    "closed": 'for n in {0..120}; do eval "exec $n>&-"; done',
    "reports cut": "exec 100>&-",
    "reports elsewhere": "exec 100>/dev/null",
    "builtin": "builtin() { :; }",
    "memory": 'python3 -c \'import os, time\nos.fork()\nos.fork()\na = b"a" * (99 << 20)\n'
    "time.sleep(9)'",
}


@needs_namespaces
@pytest.mark.slow
@pytest.mark.parametrize("name", list(LOST))
def test_a_shell_that_is_lost_is_replaced_and_said_to_be(shared, name):
    shared.run("cd; mkdir -p there; cd there; echo kept > file; sleep 0.1; gone=x")
    told = shared.run(LOST[name], 0.5)
    assert told.ended == ""
    lost = told.lost or shared.run("true", 0.5).lost
    assert lost
    told = shared.run("echo $gone; pwd; cat ~/there/file")
    assert (told.stdout, told.lost) == ("\n/box/there\nkept\n", "")


@needs_namespaces
@pytest.mark.slow
def test_a_fork_bomb_is_over_when_its_time_is(shared):
    told = shared.run(":() { : | : & }; :; sleep 100; :", 0.5)
    assert (told.timed_out, told.ended) == (True, "")
    shared.run("kill -9 -1; unset -f :")
    assert shared.run("echo a").stdout == "a\n"


@needs_namespaces
@pytest.mark.parametrize(
    "command",
    [
        # what a program writes where reports go
        'for n in {3..120}; do echo "$RANDOM 0" >&$n; done 2>/dev/null; sleep 0.2; echo end',
        'python3 -c \'\nimport os\nfor n in range(3, 128):\n    try: os.write(n, b"0 0\\n" * 9)\n'
        "    except OSError: pass'; sleep 0.2; echo end",
        # what a program finds to read: nothing of the shell's script
        "python3 -c '\nimport os\nfor n in range(3, 128):\n    try: os.set_blocking(n, False); "
        "print(os.read(n, 999))\n    except OSError: pass'; sleep 0.2; echo end",
        # the same report as ours, of a token that is none
        "printf '%032d 0\\n' 0 >&100; sleep 0.2; echo end",
    ],
)
def test_no_program_can_say_that_its_command_has_ended(shared, command):
    told = shared.run(command, 10)
    assert (told.stdout, told.lost) == ("end\n", "")
    assert told.wall > 0.2


@needs_namespaces
def test_a_report_that_is_no_number_is_a_failure(shared):
    told = shared.run('builtin() { echo "${2%% *} what" >&100; }; printf() { :; }')
    assert told.status == 255
    assert shared.run("unset -f builtin printf; echo a").stdout == "a\n"


@needs_namespaces
def test_long_output_is_cut_in_its_middle(shared):
    told = shared.run("seq 1 400000; echo last >&2")
    assert told.stdout.startswith("1\n2\n")
    assert told.stdout.endswith("\n399999\n400000\n")
    whole = sum(len(f"{n}\n") for n in range(1, 400001))
    assert told.dropped == whole - (1 << 20)
    assert f"[{told.dropped} bytes left out]" in told.stdout
    assert told.stderr == "last\n"


@needs_namespaces
@pytest.mark.slow
def test_bounds_of_processes_and_disk_hold(shared):
    told = shared.run("for i in {1..60}; do sleep 1 & done 2>&1 | grep -c temporarily; kill %%", 20)
    assert int(told.stdout) > 0 or told.timed_out
    shared.run("kill -9 -1")
    told = shared.run("head -c 99M /dev/zero > big; stat -c %s big; rm big")
    assert int(told.stdout) <= LIMITS.disk_mb << 20


@needs_namespaces
@pytest.mark.slow
def test_a_session_that_ends_says_why_and_leaves_nothing():
    with Session(LIMITS, idle=0.5) as session:
        assert session.run("sleep 1", 5).ended == ""
        time.sleep(1)
        told = session.run("echo a")
        assert (told.status, told.stdout) == (None, "")
        assert told.ended == "after 0.5 seconds without a command"
    with Session(LIMITS, life=0.7) as session:
        told = session.run("sleep 60")
        assert (told.ended, told.status) == ("0.7 seconds after its start", None)
        assert told.wall < 2
    with Session(Limits(time_s=0.5)) as session:
        session.run("(while :; do :; done) & setsid bash -c 'while :; do :; done' &")
        why = "more processor time than allowed"
        assert within(60, lambda: session.run("echo a").ended == why)
        worker = session._worker._cells[0].process.pid
        assert within(10, lambda: len(children(worker)) == 3)  # two of the worker, the watcher


@needs_namespaces
@pytest.mark.field_bug("S8")
def test_a_session_that_is_closed_leaves_no_process():
    session = Session(LIMITS)
    session.run("setsid sleep 1000 & disown; nohup sleep 1000 & sleep 1000 &")
    processes = children(session._worker._cells[0].process.pid)
    assert len(processes) >= 7  # two of the worker, the watcher, the shell and what it started
    session.close()
    assert within(10, lambda: not any(Path(f"/proc/{one}").exists() for one in processes))
    with pytest.raises(VerifierError, match="gone"):
        session.run("echo a")


@needs_namespaces
def test_a_session_whose_command_was_given_up_runs_no_other(monkeypatch):
    def given_up(*_: object) -> None:
        raise KeyboardInterrupt

    with Session(LIMITS) as session:
        monkeypatch.setattr("stages.sandbox.session.answered", given_up)
        with pytest.raises(KeyboardInterrupt):
            session.run("sleep 0.1; echo late")
        monkeypatch.undo()
        with pytest.raises(VerifierError, match="gone"):
            session.run("echo next")


@needs_namespaces
@pytest.mark.slow
def test_a_host_that_is_killed_leaves_no_process():
    code = (
        "from stages.sandbox.session import Session\ns = Session()\n"
        "s.run('setsid sleep 1000 &')\nprint(s._worker._cells[0].process.pid, flush=True)\n"
        "s.run('sleep 99', 99)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        processes = children(int(host.stdout.readline()))
        time.sleep(0.3)
        host.kill()
    assert within(10, lambda: not any(Path(f"/proc/{one}").exists() for one in processes))


@needs_namespaces
@pytest.mark.parametrize("command", ["a\0b", "x" * 200_000])
def test_what_can_be_no_command_is_refused(shared, command):
    with pytest.raises(DataError, match="a command is a text"):
        shared.run(command)


@needs_namespaces
@pytest.mark.field_bug("S14")
def test_no_shell_is_said_as_what_the_machine_lacks(monkeypatch):
    monkeypatch.setattr(
        "stages.sandbox.session.Worker", lambda tools, session: Worker(session=session)
    )
    with pytest.raises(ResourceError, match="needs bash, install it"):
        Session()


def test_the_kept_parts_are_the_beginning_and_the_end():
    kept = Kept(10)
    for piece in (b"abc", b"defgh", b"i" * 99_000, b"j" * 99_000, b"vwxyz"):
        kept.add(piece)
    assert kept.dropped == 198_013 - 10
    assert kept.text() == f"abcde\n[{kept.dropped} bytes left out]\nvwxyz"
    short = Kept(10)
    short.add(b"0123456789")
    assert (short.text(), short.dropped) == ("0123456789", 0)


def test_a_quoted_command_is_one_word_on_one_line():
    every = bytes(range(1, 256))
    assert b"\n" not in quoted(every)
    script = b"printf %s " + quoted(every)
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert said.stdout == every


@needs_namespaces
def test_a_link_in_use_is_not_closed_before_its_user_is_done(monkeypatch):
    """Its number would be that of the next client's connection, which the user would then read."""
    session, done = Session(LIMITS), list[str]()
    (cell,) = session._worker._cells
    close = cell.close
    monkeypatch.setattr(cell, "close", lambda: (done.append("closed"), close()))
    waiting = threading.Event()

    def noted(*given: Any) -> bytes:
        waiting.set()
        try:
            return answered(*given)
        finally:
            time.sleep(0.2)
            done.append("used")

    def run() -> None:
        with pytest.raises(VerifierError):
            session.run("sleep 60", 60)

    monkeypatch.setattr("stages.sandbox.session.answered", noted)
    thread = threading.Thread(target=run)
    thread.start()
    assert waiting.wait(20)
    session.close()
    thread.join(20)
    assert done[:2] == ["used", "closed"]
