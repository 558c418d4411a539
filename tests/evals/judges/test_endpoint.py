"""A judge at an address: greedy, seeded, in order, and given up when it is gone."""

from __future__ import annotations

import json

from stages.base.params import Endpoint
from stages.base.served import Answer
from stages.evals.judges.asker import Reply
from stages.evals.judges.endpoint import GIVE_UP, EndpointAsker
from tests.base.server import chat_server, completion


def settings(url: str, **changes) -> Endpoint:
    base = {"base_url": url, "model": "m", "max_tokens": 9, "temperature": 0.0, "cache": ""}
    return Endpoint(**{**base, "backoff": 0.0, **changes})


def test_replies_come_in_order_from_a_busy_server(monkeypatch) -> None:
    refused = set()

    def answer(body):
        text = body["messages"][0]["content"]
        if text not in refused:
            refused.add(text)
            return 429, {}
        return 200, completion(f"{text} {body['temperature']} {body['seed']}")

    monkeypatch.setenv("JUDGE_KEY", "s3cret")
    with chat_server(answer) as server:
        asker = EndpointAsker(settings(server.url, parallel=3, key_variable="JUDGE_KEY"))
        found = list(asker.ask([f"p{n}" for n in range(6)], range(6)))
        assert server.headers[0]["Authorization"] == "Bearer s3cret"
        assert "s3cret" not in json.dumps(server.bodies)
    assert found == [Reply(f"p{n} 0.0 {n}") for n in range(6)]
    assert asker.model == "m"


class Gone:
    def __init__(self) -> None:
        self.asked = 0

    def ask(self, messages, seed) -> Answer:
        self.asked += 1
        return Answer("ok") if self.asked == 5 else Answer(failure="no answer")


def test_a_server_that_is_gone_is_asked_no_more_after_so_many_failures_in_a_row() -> None:
    gone = Gone()
    asker = EndpointAsker(settings("http://localhost:1/v1", parallel=1), gone)
    found = list(asker.ask(["p"] * 100, range(100)))
    assert gone.asked == 5 + GIVE_UP
    assert found[4] == Reply("ok")
    assert found[-1].failure.startswith("not asked")
    assert len(found) == 100
