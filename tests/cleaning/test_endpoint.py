"""SFT rows from a served model: same bytes again without it, failures put aside and counted."""

from __future__ import annotations

import json

import pytest

from stages.base.errors import ConfigError, DataError
from stages.base.params import Endpoint, Source
from tests.base.server import chat_server, completion
from tests.cleaning.streams import Loaded


def source(path, url, cache, **changes) -> Source:
    settings = Endpoint(base_url=url, model="m", max_tokens=9, cache=str(cache), attempts=1)
    base = {"name": "s", "kind": "endpoint", "path": str(path), "domain": "maths"}
    return Source(**{**base, "endpoint": settings, **changes})


def prompts(path, *texts):
    path.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in texts))
    return path


def solved(body):
    question = body["messages"][0]["content"]
    return 200, completion(f"{question} {body['seed']}", reasoning_content="think")


def test_rows_come_in_order_with_thinking_and_again_without_a_server(tmp_path):
    path = prompts(tmp_path / "p.jsonl", *(f"q{n}" for n in range(12)))
    with chat_server(solved) as server:
        asked = source(path, server.url, tmp_path / "kept")
        first = Loaded(asked, 0, seed=3)
    assert [row["prompt"] for row in first.rows] == [f"q{n}" for n in range(12)]
    assert first.rows[4]["response"].startswith("<think>\nthink\n</think>\n\nq4 ")
    assert Loaded(asked, 0, seed=3).rows == first.rows


def test_an_answer_depends_on_the_run_and_the_prompt_not_on_its_place(tmp_path):
    with chat_server(solved) as server:
        found = [
            {row["prompt"]: row["response"] for row in Loaded(asked, 0, seed).rows}
            for asked, seed in (
                (source(prompts(tmp_path / "a.jsonl", "x", "y"), server.url, tmp_path / "1"), 0),
                (source(prompts(tmp_path / "b.jsonl", "y", "x"), server.url, tmp_path / "2"), 0),
                (source(tmp_path / "b.jsonl", server.url, tmp_path / "3"), 1),
            )
        ]
    assert found[0] == found[1] != found[2]


def test_failures_are_put_aside_with_their_reason_and_refused_when_many(tmp_path):
    path = prompts(tmp_path / "p.jsonl", "good", "bad", "fine")

    def reply(body):
        bad = body["messages"][0]["content"] == "bad"
        return (400, {"error": "refused"}) if bad else (200, completion("a"))

    with chat_server(reply) as server:
        asked = source(path, server.url, tmp_path / "kept")
        loaded = Loaded(asked, 0.5)
        with pytest.raises(DataError, match=r"1 of 3 rows.*the endpoint: status 400.*p\.jsonl:2"):
            Loaded(asked, 0.1)
    assert [row["response"] for row in loaded.rows] == ["a", "a"]
    assert loaded.quarantined[0].evidence["where"] == f"{path}:2"


def test_no_more_is_asked_than_is_wanted(tmp_path):
    path = prompts(tmp_path / "p.jsonl", *"abcdef")
    with chat_server(solved) as server:
        assert len(Loaded(source(path, server.url, tmp_path, rows=2), 0).rows) == 2
        assert len(server.bodies) == 2


@pytest.mark.parametrize("changes", [{"endpoint": None}, {"kind": "jsonl"}])
def test_kind_and_section_belong_together(tmp_path, changes):
    with pytest.raises(ConfigError, match="belong together"):
        source(tmp_path / "p.jsonl", "http://localhost:1/v1", tmp_path, **changes)
