"""A served model: asked once, kept on disk, retried where that helps, never silent."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from stages.base.errors import ConfigError
from stages.base.params import Endpoint
from stages.base.served import SEEDS, Answer, Served, _whole
from tests.base.server import chat_server, completion

ASKED = [{"role": "user", "content": "2 + 2?"}]


def endpoint(url: str, cache: Path | str, **changes) -> Endpoint:
    base = {"base_url": url, "model": "m", "max_tokens": 9, "cache": str(cache)}
    return Endpoint(**{**base, **changes})


def test_a_question_asked_again_needs_no_server(tmp_path):
    with chat_server(lambda body: (200, completion("4", reasoning_content="easy"))) as server:
        settings = endpoint(server.url, tmp_path)
        first = Served(settings).ask(ASKED, seed=2**62 + 5)
        assert server.bodies == [
            {"model": "m", "messages": ASKED, "temperature": 1.0, "max_tokens": 9,
             "seed": (2**62 + 5) % SEEDS},
        ]  # fmt: skip
    assert first == Answer("4", "easy")
    assert Served(settings).ask(ASKED, seed=2**62 + 5) == first


@pytest.mark.parametrize(
    "changes", [{"model": "n"}, {"temperature": 0.0}, {"max_tokens": 8}, {"seed": 6}, {"text": "?"}]
)
def test_any_other_question_is_asked_anew(tmp_path, changes):
    with chat_server(lambda body: (200, completion("4"))) as server:
        Served(endpoint(server.url, tmp_path)).ask(ASKED, seed=5)
        seed, text = changes.pop("seed", 5), changes.pop("text", "2 + 2?")
        messages = [{"role": "user", "content": text}]
        Served(endpoint(server.url, tmp_path, **changes)).ask(messages, seed=seed)
        assert len(server.bodies) == 2


def test_a_busy_server_is_asked_again_after_growing_waits(tmp_path):
    replies = iter([(429, {}), (503, {}), (200, b"{cut"), (200, completion("4"))])
    waits: list[float] = []
    with chat_server(lambda body: next(replies)) as server:
        served = Served(endpoint(server.url, tmp_path, backoff=0.5), sleep=waits.append)
        assert served.ask(ASKED, seed=0) == Answer("4")
    assert waits == [0.5, 1.0, 2.0]


def test_a_refusal_that_will_stay_is_not_tried_again_and_quoted(tmp_path):
    with chat_server(lambda body: (401, {"error": "no such key"})) as server:
        found = Served(endpoint(server.url, tmp_path)).ask(ASKED, seed=0)
        assert len(server.bodies) == 1
    assert "401" in found.failure
    assert "no such key" in found.failure


def test_a_server_that_is_gone_is_a_failure_after_all_attempts(tmp_path):
    with chat_server(lambda body: (200, completion("4"))) as server:
        url = server.url
    waits: list[float] = []
    found = Served(endpoint(url, tmp_path, attempts=3), sleep=waits.append).ask(ASKED, seed=0)
    assert found.failure.startswith("no answer")
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (completion("cut", ended="length"), "not ended by the model"),
        (completion("  "), "empty"),
        ({"choices": []}, "no chat completion"),
        ([1], "no chat completion"),
    ],
)
def test_what_is_no_whole_answer_is_a_failure_and_not_kept(tmp_path, reply, failure):
    with chat_server(lambda body: (200, reply)) as server:
        served = Served(endpoint(server.url, tmp_path))
        assert failure in served.ask(ASKED, seed=0).failure
        server.reply = lambda body: (200, completion("4"))
        assert served.ask(ASKED, seed=0) == Answer("4")
    assert len(list(tmp_path.rglob("*.json"))) == 1
    assert not list(tmp_path.rglob("*.part"))


def test_the_key_comes_from_the_environment_and_is_written_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("OUR_KEY", "s3cret")
    with chat_server(lambda body: (200, completion("4"))) as server:
        Served(endpoint(server.url, tmp_path, key_variable="OUR_KEY")).ask(ASKED, seed=0)
        assert server.headers[0]["Authorization"] == "Bearer s3cret"
        Served(endpoint(server.url, tmp_path)).ask(ASKED, seed=1)
        assert "Authorization" not in server.headers[1]
    assert not any(b"s3cret" in file.read_bytes() for file in tmp_path.rglob("*.json"))


def test_a_missing_key_is_refused_before_anything_is_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("OUR_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"OUR_KEY holds no API key\. Set it"):
        Served(endpoint("http://localhost:1/v1", tmp_path, key_variable="OUR_KEY"))


def test_an_address_that_is_not_http_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no address of HTTP"):
        endpoint("file:///etc", tmp_path)


def test_without_a_cache_every_question_is_asked_and_nothing_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with chat_server(lambda body: (200, completion("4"))) as server:
        served = Served(endpoint(server.url, ""))
        assert [served.ask(ASKED, seed=0).text for _ in range(2)] == ["4", "4"]
        assert len(server.bodies) == 2
    assert not list(tmp_path.iterdir())


def test_a_reply_that_only_trickles_ends_at_the_deadline():
    class Trickle:
        def read1(self, size):
            return b" "

    with pytest.raises(TimeoutError, match="did not end in time"):
        _whole(Trickle(), time.monotonic() + 0.01)
