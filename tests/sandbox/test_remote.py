"""The client: the same judgements as beside the programs, and never a 0 that is nobody's fault."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.params import SandboxSettings
from stages.base.records import Verdict
from stages.sandbox import remote
from stages.sandbox.backends import open_pool, open_sandbox
from stages.sandbox.local import LocalSandbox
from stages.sandbox.remote import RemoteSandbox
from tests.sandbox.service.serving import TOKEN, Held, served
from tests.sandbox.test_local import MODES

pytestmark = pytest.mark.slow  # a server

LIMITS = {"rows": 4, "runs": 2, "body_bytes": 2000, "seconds": 5}
ROW = {"id": "a", "program": "print(input())", "tests": [["7", "7"]]}
RUN = {"program": "print(input())", "input": "7"}
PASS = {"id": "a", "verdict": "pass", "reason": "", "tests_passed": 1}


def at(client, workers=2, **more):
    return RemoteSandbox(SandboxSettings("remote", workers, str(client.base_url)), **more)


class Scripted:
    """A server that gives the answers it is told to, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked, self.got = list(answers), [], []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(handler):  # noqa: N805
                self.got.append(handler.path)
                self.reply(handler, 200, {}, LIMITS)

            def do_POST(handler):  # noqa: N805
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                self.asked.append(json.loads(body)["rows"])
                self.reply(handler, *(self.answers.pop(0) if self.answers else (500, {}, {})))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.server.server_port}"

    @staticmethod
    def reply(handler, status, headers, body):
        data = json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def verdicts(*rows, undone=()):
    return 200, {}, {"verdicts": list(rows), "undone": list(undone)}


def test_judgements_and_answers_are_those_of_the_sandbox_beside():
    rows = [{**row, "id": name} for name, row in MODES.items()]
    runs = [
        {"program": "import sys; sys.stdout.buffer.write(b'\\xff')", "input": ""},
        {"mode": "function", "program": "def f(*x): return x", "fn": "f", "input": [1, 2.5]},
        {"mode": "function", "program": "def f(): return {1}", "fn": "f", "input": []},
        {"program": "raise ValueError", "input": ""},
    ]
    with LocalSandbox(open_pool("unsafe", 1)) as beside:
        expected = beside.check(rows), beside.run(runs)
    with served(rows=3, runs=2) as client, at(client) as sandbox:
        assert (sandbox.check(rows), sandbox.run(runs)) == expected
        assert (sandbox.check([]), sandbox.run([])) == ([], [])


def test_rows_go_in_batches_that_the_service_takes_in_order():
    rows = [{**ROW, "id": str(n), "program": "#" * (900 if n > 3 else n)} for n in range(11)]

    class Judging(Scripted):
        def reply(self, handler, status, headers, body):
            if body == {}:
                found = [{**PASS, "tests_passed": int(row["id"])} for row in self.asked[-1]]
                status, body = 200, {"verdicts": found, "undone": []}
            Scripted.reply(handler, status, headers, body)

    with Judging() as server, at(server, workers=1) as sandbox:
        found = sandbox.check(rows)
    assert [one.verdict for one in found] == [Verdict.PASS] * 11
    assert [row["id"] for rows in server.asked for row in rows] == [str(n) for n in range(11)]
    assert max(len(rows) for rows in server.asked) == 3  # 11 rows in 4 shares
    assert max(len(json.dumps({"rows": rows})) for rows in server.asked) <= LIMITS["body_bytes"]


@pytest.mark.field_bug("S19")
def test_a_busy_service_is_asked_again_when_it_says():
    held, waits = Held(), []

    def wait(seconds):
        waits.append(seconds)
        held.go.set()
        time.sleep(0.2)

    with served(lambda _: held, workers=1, queue=1) as client:
        with at(client, workers=3, sleep=wait) as sandbox:
            found = sandbox.check([ROW] * 3)
    assert [one.verdict for one in found] == [Verdict.PASS] * 3
    assert waits
    assert min(waits) >= 1


@pytest.mark.field_bug("S17")
def test_what_waits_grows_and_has_an_end_that_others_do_not_wait_for_again(monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 40.0)
    waits = []
    busy = (503, {"Retry-After": "5"}, {"error": "ends"})
    with Scripted(busy, (502, {}, {}), verdicts(PASS)) as server:
        with at(server, workers=1, sleep=waits.append) as sandbox:
            assert sandbox.check([ROW])[0].verdict is Verdict.PASS
            assert waits == [5.0, 2.0]
            found = sandbox.check([ROW] * 5)
    assert {one.verdict for one in found} == {Verdict.ERROR}
    assert {one.reward for one in found} == {None}
    assert "status 500" in found[0].reason
    assert waits[2:] == [1.0, 2.0, 4.0, 8.0, 16.0]  # once, not for each batch


@pytest.mark.field_bug("S16")
def test_a_service_that_went_away_is_an_error_and_no_wrong_program(monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 1.0)
    with Scripted() as server:
        sandbox = at(server, sleep=lambda _: None)
    with sandbox:
        assert [one.reward for one in sandbox.check([ROW, ROW])] == [None, None]
        with pytest.raises(VerifierError, match="no answer"):
            sandbox.run([RUN])


def test_rows_that_were_not_reached_are_sent_again():
    late = {**PASS, "verdict": "sandbox_error", "reason": "late"}
    wrong = {**PASS, "verdict": "wrong_answer", "tests_passed": 0}
    answers = (verdicts(PASS, late, late, undone=[1, 2]), verdicts(late, wrong, undone=[0]))
    with Scripted(*answers, *[verdicts(late, undone=[0])] * 9) as server:
        with at(server, workers=1) as sandbox:
            found = sandbox.check([{**ROW, "id": str(n)} for n in range(9)])
    assert [one.verdict for one in found[:3]] == [Verdict.PASS, Verdict.ERROR, Verdict.WRONG]
    asked = [[row["id"] for row in rows] for rows in server.asked[:4]]
    assert asked == [["0", "1", "2"], ["1", "2"], ["1"], ["1"]]


@pytest.mark.field_bug("S18")
@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, {}),
        (200, {}, [1]),
        verdicts(),
        verdicts(PASS, undone=[7]),
        verdicts({"verdict": "pass"}),
        verdicts({**PASS, "verdict": "splendid"}),
        (413, {}, {}),
    ],
)
def test_an_answer_that_is_none_is_an_error_of_ours(answer):
    with Scripted(answer) as server, at(server) as sandbox:
        (found,) = sandbox.check([ROW])
    assert (found.verdict, found.reward) == (Verdict.ERROR, None)


def test_a_token_does_not_follow_a_redirection():
    with Scripted() as other, Scripted((302, {"Location": other.base_url}, {})) as server:
        with at(server) as sandbox:
            assert sandbox.check([ROW])[0].verdict is Verdict.ERROR
    assert (server.got, other.got) == (["/ready", "/v1/limits"], [])


@pytest.mark.field_bug("S18")
def test_a_run_that_the_service_could_not_do_says_nothing_about_the_program():
    failed = {"output": None, "why": "sandbox_error", "reason": "no room"}
    with Scripted((200, {}, {"answers": [failed], "undone": []})) as server, at(server) as sandbox:
        with pytest.raises(VerifierError, match="no room"):
            sandbox.run([RUN])


def test_a_row_that_the_service_does_not_take_spoils_no_other():
    rows = [ROW, {**ROW, "id": "b", "limits": {"time_s": 100}}, {**ROW, "tests": [["7", "8"]]}]
    with served() as client, at(client, workers=1) as sandbox:
        found = sandbox.check([row for row in rows for _ in range(4)])  # three a batch
    kinds = [Verdict.PASS, Verdict.ERROR, Verdict.WRONG]
    assert [one.verdict for one in found] == [kind for kind in kinds for _ in range(4)]
    assert "time_s is 100, and this service allows 60" in found[4].reason


def test_what_is_no_row_is_the_callers_fault():
    with Scripted() as server, at(server) as sandbox:
        with pytest.raises(DataError, match="'tests' must be"):
            sandbox.check([{"id": "a", "program": "print(1)"}])
        with pytest.raises(DataError, match="needs an 'input'"):
            sandbox.run([{"program": "print(1)"}])
        with pytest.raises(DataError, match="row 0 cannot be written"):
            sandbox.check([{**ROW, "more": {1, 2}}])
        large = sandbox.check([{**ROW, "program": "#" * 3000}])
    assert (large[0].verdict, "bytes" in large[0].reason) == (Verdict.ERROR, True)
    assert server.asked == []


def test_without_a_service_that_is_ready_nothing_starts(monkeypatch):
    def settings(url, key=""):
        return SandboxSettings("remote", 1, str(url), key)

    with pytest.raises(ConfigError, match="does not serve a sandbox"):
        open_sandbox(settings("http://127.0.0.1:1"))
    with pytest.raises(ConfigError, match="holds no token"):
        open_sandbox(settings("http://127.0.0.1:1", "NO_SUCH"))
    with served(test=lambda _: "the walls are down") as client:
        with pytest.raises(ConfigError, match="the walls are down"):
            open_sandbox(settings(client.base_url))
    with served(tokens=(TOKEN,)) as client:
        with pytest.raises(ConfigError, match="does not know the token"):
            open_sandbox(settings(client.base_url))
        monkeypatch.setenv("KEY", TOKEN)
        with open_sandbox(settings(client.base_url, "KEY")) as sandbox:
            assert sandbox.check([ROW])[0].verdict is Verdict.PASS
