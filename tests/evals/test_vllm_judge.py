"""A judge in the real engine, from the command line: read, kept, missing where it rambles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from stages.engines.bailing_moe import initialise
from stages.engines.checkpoints import save_model
from stages.engines.tokenizer import ROLES, train_tokenizer
from stages.evals import __main__ as evals
from stages.evals.judges import command
from stages.evals.lm_harness import close, vllm_model
from tests.engines.samples import SHAPE
from tests.evals.published.minis import MINI, items

pytestmark = pytest.mark.slow

SAYS = "Verdict: [[yes]]"
VOCABULARY = 320
SURE = 6.9  # logit of the next word before all others: warm, it is said four times of five


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that says ``SAYS`` to anything; drawn warm, it loses the thread now and then."""
    tokenizer = train_tokenizer([SAYS] * 9, "text", VOCABULARY)
    said = [
        tokenizer.convert_tokens_to_ids(ROLES["assistant"]),
        *tokenizer.encode(SAYS, add_special_tokens=False),
    ]
    assert len(set(said)) == len(said) < SHAPE.hidden  # each word leads to one other
    model = initialise(replace(SHAPE, vocabulary=VOCABULARY, context=4096), 0)
    lost, end = len(said), tokenizer.eos_token_id
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:  # blocks add nothing: the head sees the last word alone
                weight.zero_()
            assert weight.dim() > 1 or "norm" in name
        words, head = model.get_input_embeddings().weight, model.get_output_embeddings().weight
        words[:, lost] = 1.0
        for place, word in enumerate(said):
            words[word, lost], words[word, place] = 0.0, 1.0
        scale = SURE / SHAPE.hidden**0.5  # the last norm makes a word as long as that root
        for place, following in enumerate([*said[1:], end]):
            head[following, place] = scale
        head[end, lost] = scale
    folder = tmp_path_factory.mktemp("judge")
    save_model(model, tokenizer, folder)
    return folder


@pytest.fixture
def score(
    judge: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Callable[..., int]]:
    """The command, over one engine that is started at its first use."""
    started: list[Any] = []

    def once(*asked: Any, **more: Any) -> Any:
        if not started:
            started.append(vllm_model(*asked, **more))
        return started[0]

    def run(output: str, *words: str) -> int:
        data = MINI / "multichallenge"
        given = ["--data", str(data), "--responses", str(data / "mixed.jsonl")]
        by = ["--judge-checkpoint", str(judge), "--judge-context", "4096", "--judge-tokens", "32"]
        kept = ["--verdicts", str(tmp_path / "v.jsonl"), "--output", str(tmp_path / output)]
        benchmark = ["evals", "score", "--benchmark", "multichallenge"]
        monkeypatch.setattr("sys.argv", [*benchmark, *given, *by, *kept, *words])
        return evals.main()

    monkeypatch.setattr(command, "vllm_model", once)
    yield run
    close(started[0])


def test_a_judge_in_the_real_engine(
    score: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def files(folder: str) -> list[bytes]:
        return [path.read_bytes() for path in sorted((tmp_path / folder).iterdir())]

    kept = tmp_path / "v.jsonl"
    assert score("one") == 0
    found = json.loads((tmp_path / "one/scores.json").read_text())
    about, replies = found["judge"], kept.read_bytes()
    assert (about["failed"], about["unreadable"], about["asked_again"]) == (0, 0, 0)
    assert found["counts"] | {"truncated": 1, "error": 0} == found["counts"]
    assert {json.loads(line)["reply"] for line in replies.splitlines()} == {SAYS}
    assert 0 < found["score"] < 1  # to some questions yes is the wrong answer
    assert found["mean_tokens"] is None

    assert score("two") == 0
    assert f"{about['questions']} replies kept" in capsys.readouterr().err
    kept.write_bytes(replies[: len(replies) // 2])  # a kill: the last line is torn
    assert score("three") == 0
    assert kept.read_bytes() == replies
    assert files("one") == files("two") == files("three")

    # Drawn warm it rambles: what cannot be read is asked again, then missing, and blocks the score.
    assert score("warm", "--judge-temperature", "1") == 2
    said = capsys.readouterr().err
    assert "got replies without a readable verdict, again when reminded" in said
    assert f"The replies are in {kept}" in said
    assert not (tmp_path / "warm").exists()
    assert score("warm", "--judge-temperature", "1", "--max-error-share", "1") == 1
    found = json.loads((tmp_path / "warm/scores.json").read_text())
    assert 0 < found["judge"]["unreadable"] < found["judge"]["asked_again"]
    assert found["counts"]["error"] == found["judge"]["unreadable"] + found["judge"]["failed"]
    missing = [one for one in items(tmp_path / "warm").values() if one["score"] is None]
    assert len(missing) == found["counts"]["error"]
    assert all(one["verdicts"] == ["error"] for one in missing)
