"""Sessions belong to who opened them, are few, and end when nobody uses them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import httpx
import pytest

from stages.base.errors import DataError, VerifierError
from stages.sandbox.service import sessions
from tests.sandbox.service.serving import OTHER, TOKEN, counted, served, until

pytestmark = pytest.mark.slow  # a server


@dataclass
class Ended:
    output: str
    status: int = 0
    ended: str = ""


class Shell:
    """Remembers commands; ``wait`` waits, ``die`` fails."""

    opened: list[Shell] = []  # noqa: RUF012

    def __init__(self):
        self.said, self.closed, self.go = [], 0, threading.Event()
        Shell.opened.append(self)

    def run(self, command, timeout):
        self.said.append((command, timeout))
        if command == "\0":
            raise DataError("no null")
        if command == "exit":
            return Ended("", ended="the shell ended")
        if command == "die":
            raise VerifierError("it died")
        if command == "wait":
            self.go.wait(20)
        return Ended(" ".join(one for one, _ in self.said))

    def close(self):
        self.closed += 1


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setattr(sessions, "LOOK", 0.01)
    Shell.opened.clear()
    with served(tokens=(TOKEN, OTHER), shells=Shell, sessions=2, session_idle_s=0.5) as found:
        yield found


def opened(client):
    answer = client.post("/v1/sessions", json={})
    assert answer.status_code == 201
    return f"/v1/sessions/{answer.json()['id']}"


def test_a_session_keeps_its_state_until_it_is_closed(client):
    path = opened(client)
    client.post(f"{path}/run", json={"command": "a", "timeout": 5})
    said = client.post(f"{path}/run", json={"command": "b"})
    assert said.json() == {"output": "a b", "status": 0, "ended": ""}
    assert Shell.opened[0].said == [("a", 5.0), ("b", sessions.USUAL)]
    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == 404
    assert Shell.opened[0].closed == 1


def test_a_session_of_another_token_is_none(client):
    path = opened(client)
    stranger = {"Authorization": f"Bearer {OTHER}"}
    run = client.post(f"{path}/run", json={"command": "a"}, headers=stranger)
    assert (run.status_code, client.delete(path, headers=stranger).status_code) == (404, 404)
    assert Shell.opened[0].said == []


def test_there_are_so_many_and_idle_ones_end(client):
    opened(client)
    path = opened(client)
    assert client.post("/v1/sessions", json={}).status_code == 429
    until(lambda: counted(client, "everystep_sandbox_sessions") == 0)
    assert client.post(f"{path}/run", json={"command": "a"}).status_code == 404
    assert [shell.closed for shell in Shell.opened] == [1, 1]
    opened(client)


def test_one_command_at_a_time_also_when_its_client_left(client):
    path = opened(client)
    with httpx.Client(base_url=client.base_url, headers=client.headers, timeout=0.2) as gone:
        with pytest.raises(httpx.ReadTimeout):
            gone.post(f"{path}/run", json={"command": "wait"})
    assert client.post(f"{path}/run", json={"command": "a"}).status_code == 409
    time.sleep(0.7)  # longer than a session may be idle, which this one is not
    Shell.opened[0].go.set()
    until(lambda: client.post(f"{path}/run", json={"command": "a"}).status_code == 200)


def test_a_session_that_fails_is_closed(client):
    path = opened(client)
    said = client.post(f"{path}/run", json={"command": "die"})
    assert (said.status_code, "it died" in said.json()["error"]) == (503, True)
    assert client.post(f"{path}/run", json={"command": "a"}).status_code == 404
    assert Shell.opened[0].closed == 1


def test_a_session_that_ended_is_over(client):
    path = opened(client)
    said = client.post(f"{path}/run", json={"command": "exit"})
    assert (said.status_code, said.json()["ended"]) == (200, "the shell ended")
    assert client.post(f"{path}/run", json={"command": "a"}).status_code == 404
    assert Shell.opened[0].closed == 1


@pytest.mark.parametrize(
    "body", [{}, {"command": "\0"}, {"command": 5}, {"command": "a", "timeout": 1e4}]
)
def test_a_command_that_is_none_is_refused(client, body):
    path = opened(client)
    assert client.post(f"{path}/run", json=body).status_code == 422
    assert client.post(f"{path}/run", json={"command": "a"}).status_code == 200


def test_the_end_of_the_service_is_the_end_of_its_sessions():
    Shell.opened.clear()
    with served(shells=Shell) as client:
        opened(client)
    assert [shell.closed for shell in Shell.opened] == [1]


def test_where_there_are_none_the_service_says_so():
    def refuse():
        raise VerifierError("no room")

    with served() as client:
        assert client.post("/v1/sessions", json={}).status_code == 501
        assert client.delete("/v1/sessions/x").status_code == 501
    with served(shells=refuse) as client:
        assert client.post("/v1/sessions", json={}).status_code == 503
