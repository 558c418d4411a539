"""A judge that runs here, through lm-eval's model class."""

from __future__ import annotations

import pytest

from stages.base.errors import ConfigError
from stages.evals.judges.asking import Reply
from stages.evals.judges.local import EngineAsker
from tests.evals.scripted import scripted


def write(prompt: str, seed: int) -> tuple[str, str]:
    return {"long": ("half a ver", "length"), "mute": (" ", "stop")}.get(
        prompt, (prompt * 2, "stop")
    )


def test_replies_of_an_engine_in_order_greedy_and_failures_told() -> None:
    engine = scripted(write)
    found = list(EngineAsker(engine, "m", 20).ask(["b", "long", "a", "mute", "a"], range(5)))
    assert [one.text for one in found] == ["bb", "", "aa", "", "aa"]
    assert found[1] == Reply(failure="not ended by the model (length)", cut=True)
    assert found[3] == Reply(failure="an empty answer")
    assert {one["temperature"] for one in engine.asked} == {0.0}
    assert {one["max_gen_toks"] for one in engine.asked} == {20}


def test_a_prompt_that_does_not_fit_is_refused_before_anything_runs() -> None:
    engine = scripted(write)
    with pytest.raises(ConfigError, match="do not fit the window"):
        list(EngineAsker(engine, "m", 20).ask(["x" * 200], [0]))
    assert engine.asked == []
