from __future__ import annotations

import http.server
import os
import socket
import subprocess
import sys
import threading

import pytest

from flows import processes
from flows.processes import Trees, holder, only_one
from stages.base.errors import ResourceError
from tests.flows.conftest import shell


def test_a_second_run_in_the_folder_is_refused_and_told_of_the_first(tmp_path):
    lock = tmp_path / "run.lock"
    with only_one("run abc", lock):
        with pytest.raises(ResourceError, match=f"process {os.getpid()}, run abc"):
            with only_one("run def", lock):
                pytest.fail("two runs at once")
        assert "run abc" in holder(lock)
    assert holder(lock) == ""
    with only_one("run ghi", lock):
        assert holder(lock) == f"process {os.getpid()}, run ghi"


FAMILY = "sleep 1000 & setsid sleep 1001 & setsid sh -c 'sleep 1002; true' & echo up; wait"


def test_the_end_of_a_command_is_the_end_of_its_tree(trees, marked):
    with trees.run(shell(FAMILY), **marked.environment) as process:
        assert process.stdout.readline() == "up\n"
        marked.wait_for("sleep 1002")
        assert len(marked.running("sleep 100")) >= 3
    assert marked.all_gone()


def test_what_a_finished_command_left_behind_is_ended(trees, marked):
    with trees.run(shell("sleep 1000 >/dev/null & echo done"), **marked.environment) as process:
        assert process.stdout.read() == "done\n"
        assert process.wait() == 0
    assert marked.all_gone()


def test_nothing_starts_after_the_end_of_a_scope():
    trees = Trees()
    with trees.scope():
        pass
    with pytest.raises(ResourceError, match="stopped"), trees.run(shell("true")):
        pytest.fail("started")


def test_a_killed_process_takes_its_commands_with_it(marked):
    script = (
        "from flows.processes import Trees\ntrees = Trees()\n"
        "with trees.scope(), trees.run(['sh', '-c', 'sleep 1000; true']) as process:\n"
        "    process.wait()"
    )
    environment = {**os.environ, **marked.environment}
    parent = subprocess.Popen([sys.executable, "-c", script], env=environment)
    marked.wait_for("sleep 1000")
    parent.kill()
    parent.wait()
    assert marked.all_gone()


def test_the_exit_status_and_output_of_a_command_come_through(trees):
    with trees.run(shell("echo out; echo err >&2; exit 7")) as process:
        assert process.stdout.read() == "out\nerr\n"
        assert process.wait() == 7


@pytest.fixture
def taken():
    with socket.socket() as holder_of_port:
        holder_of_port.bind((processes.HOST, 0))
        holder_of_port.listen()
        yield holder_of_port.getsockname()[1]


def test_a_taken_port_is_refused_with_a_free_one_to_use(taken):
    with pytest.raises(ResourceError, match=rf"port {taken} .*in use.*--port \d+") as refused:
        processes.require_free_port(taken)
    processes.require_free_port(int(str(refused.value).split()[-1]))


class Healthy(http.server.BaseHTTPRequestHandler):
    status = 200

    def do_GET(self):
        self.send_response(self.status if self.path == "/api/health" else 404)
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Ill(Healthy):
    status = 503


@pytest.mark.parametrize(("kind", "healthy"), [(Healthy, True), (Ill, False)])
def test_health_is_what_the_server_says(kind, healthy):
    with http.server.HTTPServer((processes.HOST, 0), kind) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert processes.is_healthy(server.server_port) is healthy
    assert not processes.is_healthy(server.server_port)


def test_a_server_that_ends_while_starting_shows_its_last_words(trees, tmp_path):
    log = tmp_path / "server.log"
    with (
        log.open("w") as file,
        trees.run(shell("echo no such database; exit 1"), file) as server,
        pytest.raises(ResourceError, match=r"did not start[\s\S]*no such database"),
    ):
        processes.wait_until_healthy(server, processes.free_port(), log)
