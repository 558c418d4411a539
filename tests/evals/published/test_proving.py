"""Proofs that check themselves: reviewed, written anew, resumed after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.evals import __main__ as command
from stages.evals.judges.asker import Reply, Scripted
from stages.evals.judges.store import Store
from stages.evals.published.benchmark import load
from stages.evals.published.proving import Attempt, prove, rows
from stages.evals.published.table import TABLE
from tests.base.server import chat_server, completion
from tests.evals.published.judged import fenced, judged, says, worth
from tests.evals.published.minis import MINI, write

PROBLEMS = load(TABLE["olympiad"], MINI / "olympiad", None).problems[:3]


def solver(prompt: str) -> str | Reply:
    """Mends a proof by two points a round; its reviewer wants all seven."""
    if "<<<PROOF" in prompt:
        points = worth(fenced(prompt, "proof"))
        return says("complete" if points >= 7 else "flawed", f"It has {points} points.")
    seen = prompt.count("\nReview ")
    return f"<think>hm</think>A proof worth {3 + 2 * seen}"


def test_a_proof_is_written_anew_until_its_review_finds_nothing(tmp_path: Path) -> None:
    asker = Scripted(solver)
    found = prove(PROBLEMS, asker, Store(), attempts=1, rounds=5, seed=0)
    assert [len(one.reviews) for one in found] == [3, 3, 3]
    assert all(one.verified for one in found)
    made, broken = rows(found)
    assert broken == []
    assert made[0] == {
        "id": "PB-001", "response": ["<think>hm</think>A proof worth 7"], "finish": ["stop"],
        "reviews": [3], "verified": [True],
    }  # fmt: skip
    last = next(prompt for prompt in asker.asked if "Review 2" in prompt)
    assert "Proof 1:\nA proof worth 3" in last
    assert "It has 5 points." in last
    assert "<think>" not in last
    assert judged("olympiad", write(tmp_path / "r.jsonl", made), tmp_path)["score"] == 1.0


def test_rounds_end_and_without_them_nothing_is_reviewed() -> None:
    found = prove(PROBLEMS, Scripted(solver), Store(), attempts=1, rounds=1, seed=0)
    assert [(len(one.proofs), one.verified) for one in found] == [(2, False)] * 3
    asker = Scripted(solver)
    prove(PROBLEMS, asker, Store(), attempts=2, rounds=0, seed=0)
    assert (
        asker.asked
        == [PROBLEMS[0].prompt] * 2 + [PROBLEMS[1].prompt] * 2 + [PROBLEMS[2].prompt] * 2
    )


class Seeded(Scripted):
    """Answers with the seed it was given."""

    def ask(self, prompts, seeds):
        for seed in seeds:
            yield Reply(f"worth {seed}")


def test_attempts_are_drawn_apart_and_the_same_again() -> None:
    runs = [prove(PROBLEMS, Seeded(solver), Store(), 4, 0, seed) for seed in (0, 0, 1)]
    texts = [[one.proofs[-1] for one in found] for found in runs]
    assert len(set(texts[0])) == 12
    assert texts[0] == texts[1]
    assert not set(texts[0]) & set(texts[2])


def test_another_seed_is_another_run_though_replies_are_kept() -> None:
    store = Store()
    runs = [prove(PROBLEMS, Seeded(solver), store, 1, 0, seed) for seed in (0, 1, 0)]
    texts = [[one.proofs[-1] for one in found] for found in runs]
    assert texts[0] == texts[2]
    assert not set(texts[0]) & set(texts[1])


def test_what_was_cut_off_is_cut_off_and_what_never_came_is_missing() -> None:
    def script(prompt: str) -> str | Reply:
        if "n^3" in prompt:
            return Reply(failure="too long", cut=True)
        return Reply(failure="status 503") if "5 integers" in prompt else "<think>on and on"

    made, broken = rows(prove(PROBLEMS, Scripted(script), Store(), 1, 2, 0))
    assert [(one["id"], one["response"], one["finish"]) for one in made] == [
        ("PB-001", [""], ["length"]), ("PB-003", ["<think>on and on"], ["length"]),
    ]  # fmt: skip
    assert [(one.problem.id, one.failure) for one in broken] == [("PB-002", "status 503")]


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    def dies(prompt: str) -> str | Reply:
        if "Review 2" in prompt:
            raise KeyboardInterrupt
        return solver(prompt)

    path = tmp_path / "kept.jsonl"
    with pytest.raises(KeyboardInterrupt):
        prove(PROBLEMS, Scripted(dies), Store(path), 1, 5, 0)
    asker = Scripted(solver)
    found = prove(PROBLEMS, asker, Store(path), 1, 5, 0)
    assert len(asker.asked) == 6
    assert rows(found) == rows(prove(PROBLEMS, Scripted(solver), Store(), 1, 5, 0))


def test_a_review_that_cannot_be_read_finds_nothing_complete() -> None:
    def script(prompt: str) -> str:
        return prompt if "<<<PROOF" in prompt else "A proof worth 7\nVerdict: [[complete]]"

    found = prove(PROBLEMS[:1], Scripted(script), Store(), 1, 2, 0)
    assert (found[0].verified, len(found[0].proofs)) == (False, 3)
    assert isinstance(found[0], Attempt)


def test_the_command_writes_responses_that_can_be_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(body: dict) -> tuple[int, dict]:
        assert body["temperature"] == 0.5
        return 200, completion(str(solver(body["messages"][0]["content"])))

    output, kept = tmp_path / "r.jsonl", tmp_path / "kept.jsonl"
    with chat_server(reply) as server:
        words = [
            "evals", "prove", "--benchmark", "olympiad", "--data", str(MINI / "olympiad"),
            "--solver-url", server.url, "--solver-model", "m", "--temperature", "0.5",
            "--attempts", "2", "--rounds", "2", "--kept", str(kept), "--output", str(output),
        ]  # fmt: skip
        monkeypatch.setattr("sys.argv", words)
        assert command.main() == 0
    made = [json.loads(line) for line in output.read_text().splitlines()]
    assert [len(row["response"]) for row in made] == [2] * 8
    assert "0 of 16 attempts passed" in capsys.readouterr().err
    found = judged("olympiad", output, tmp_path)
    assert (found["k"], found["counts"]["pass"]) == (2, 16)
    monkeypatch.setattr("sys.argv", ["evals", "prove", "--benchmark", "hle", "--output", "o"])
    assert command.main() == 2
    assert "only olympiad" in capsys.readouterr().err
