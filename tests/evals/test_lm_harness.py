import socket
from pathlib import Path
from types import MappingProxyType

import pytest

from stages.base.errors import EngineError
from stages.base.records import Problem
from stages.evals.guarded_model import Frame
from stages.evals.lm_harness import Assignment, Sampling, request_rows, respond
from stages.problems.registry import generate
from tests.evals.scripted import ScriptedEngine, scripted

PROBLEMS = generate("chain", 6, 0, "compact", heldout=True, modulus=10)
FOUR = Sampling(samples=4, max_tokens=32, temperature=1.0)
CHAIN = Assignment("chain", PROBLEMS, FOUR)


def ask(model, folder: Path, asked: Assignment = CHAIN, seed: int = 0):
    return respond(model, folder, [asked], seed)[asked.benchmark]


def echo(prompt: str, seed: int) -> tuple[str, str]:
    return f"<think> {prompt} </think> {seed}", "stop" if seed % 3 else "length"


@pytest.mark.field_bug("E1", "E31")
def test_every_repeat_has_a_seed_and_an_ending_of_its_own(tmp_path: Path) -> None:
    model = scripted(echo)
    found = ask(model, tmp_path)
    rows = request_rows(CHAIN, 0)
    assert [(r.problem, r.repeat) for r in found] == [(p.id, i) for p in PROBLEMS for i in range(4)]
    for response, row in zip(found, rows, strict=True):
        assert (response.text, response.finish) == echo(row["prompt"], row["seed"])
        assert response.tokens == len(response.text.split())
    assert len({response.text for response in found}) == 24


@pytest.mark.field_bug("E3")
def test_requests_stop_at_nothing_but_the_end_of_turn(tmp_path: Path) -> None:
    model = scripted(echo)
    ask(model, tmp_path)
    for asked in model.asked:
        assert asked["until"] == []
        assert (asked["max_gen_toks"], asked["temperature"]) == (32, 1.0)
        assert asked["do_sample"]


@pytest.mark.field_bug("E11")
def test_what_is_to_be_greedy_is_asked_for_without_a_temperature(tmp_path: Path) -> None:
    """A switch that says greedy beside a temperature of 1 is read by each engine in its own way."""
    model = scripted(echo)
    ask(model, tmp_path, Assignment("chain", PROBLEMS, Sampling(1, 32, 0.0)))
    asked = {(one["do_sample"], one["temperature"]) for one in model.asked}
    assert asked == {(False, 0.0)}
    assert [settings["temperature"] for settings in model.record()["sampling"]] == [0.0]


@pytest.mark.field_bug("E12")
def test_nothing_is_looked_up_in_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[object] = []

    def refused(*asked: object, **_: object) -> None:
        reached.append(asked)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)
    assert len(ask(scripted(echo), tmp_path)) == 24
    assert reached == []


@pytest.mark.field_bug("E31")
def test_seeds_depend_on_run_problem_and_repeat_only() -> None:
    alone = request_rows(Assignment("chain", PROBLEMS[2:3], FOUR), 0)
    among = request_rows(CHAIN, 0)
    assert alone == among[8:12]
    other = request_rows(CHAIN, 1)
    assert not {row["seed"] for row in among} & {row["seed"] for row in other}


@pytest.mark.field_bug("E31")
def test_two_runs_give_the_same_responses(tmp_path: Path) -> None:
    first = ask(scripted(echo), tmp_path / "a", seed=5)
    assert ask(scripted(echo), tmp_path / "b", seed=5) == first


@pytest.mark.field_bug("E46")
def test_benchmarks_answered_side_by_side_are_as_if_alone(tmp_path: Path) -> None:
    lists = Assignment("lists", generate("lists", 3, 0, "compact", heldout=True, modulus=10), FOUR)
    both = respond(scripted(echo), tmp_path / "both", [CHAIN, lists], 0)
    assert both["chain"] == ask(scripted(echo), tmp_path / "chain")
    assert both["lists"] == ask(scripted(echo), tmp_path / "lists", lists)


def test_braces_in_a_prompt_reach_the_model_untouched(tmp_path: Path) -> None:
    seen: list[str] = []

    def note(prompt: str, seed: int) -> tuple[str, str]:
        seen.append(prompt)
        return "x", "stop"

    tricky = {**PROBLEMS[0].to_row(), "prompt": "  {{7*7}} {% if %} \\boxed{1}\n"}
    ask(scripted(note), tmp_path, Assignment("chain", [Problem.from_row(tricky)], FOUR))
    assert set(seen) == {tricky["prompt"]}


def test_a_lost_ending_is_an_error(tmp_path: Path) -> None:
    class Forgetful(ScriptedEngine):
        endings = MappingProxyType({})
        frame = Frame("", "")

        def generate_until(self, requests, disable_tqdm=False):
            return ["text"] * len(requests)

    with pytest.raises(EngineError, match="lost the ending"):
        ask(Forgetful(echo), tmp_path)
