"""A judge that runs here, through lm-eval's model class."""

from __future__ import annotations

from stages.evals.judges.asker import Reply
from stages.evals.judges.local import EngineAsker
from tests.evals.scripted import scripted


def write(prompt: str, seed: int) -> tuple[str, str]:
    return {"long": ("half a ver", "length"), "mute": (" ", "stop")}.get(
        prompt, (prompt * 2, "stop")
    )


def test_replies_of_an_engine_in_order_greedy_and_failures_told() -> None:
    engine = scripted(write)
    found = list(EngineAsker(engine, "m", 20).ask(["b", "long", "a", "mute", "a"], [1, 2, 3, 4, 3]))
    assert [one.text for one in found] == ["bb", "", "aa", "", "aa"]
    assert found[1] == Reply(failure="not ended by the model (length)", cut=True)
    assert found[3] == Reply(failure="an empty answer")
    assert {one["temperature"] for one in engine.asked} == {0.0}
    assert {one["max_gen_toks"] for one in engine.asked} == {20}


def test_a_prompt_that_does_not_fit_fails_by_itself() -> None:
    engine = scripted(write)
    found = list(EngineAsker(engine, "m", 20).ask(["x" * 200, "b"], [0, 1]))
    assert found[0].failure == "214 tokens and a reply of 20 do not fit the window of 200"
    assert found[1] == Reply("bb")
    assert len(engine.asked) == 1
    assert next(EngineAsker(engine, "m", 200).ask(["b"], [0])).failure


def test_where_something_is_drawn_the_seed_settles_it() -> None:
    engine = scripted(lambda prompt, seed: (str(seed), "stop"))
    asker = EngineAsker(engine, "m", 20, temperature=1.0)
    one, two = ([one.text for one in asker.ask(["b"] * 3, s)] for s in ([1, 2, 3], [4, 3, 3]))
    assert len(set(one)) == 3
    assert two[1] == two[2] == one[2]  # wherever in a batch it stands
    assert two[0] not in one
