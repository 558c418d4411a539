"""The stage pack_sft: rows come out whole with their own targets, or are left out and counted."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from transformers import PreTrainedTokenizerFast

from stages import pack_sft
from stages.base import paths
from stages.base.errors import DataError
from stages.base.jsonl import read_json, write_jsonl
from stages.base.params import resolve
from stages.base.paths import report
from stages.engines.tokenizer import train_tokenizer
from stages.resolve_config import render
from stages.sft.packing import PackedCorpus

ROOT = Path(__file__).resolve().parents[1]
LENGTH = 33  # no power of two
WORDS = [f"w{number}" for number in range(40)]
LONG = {"prompt": " ".join(WORDS[:30]), "response": " ".join(WORDS), "domain": "maths"}
SHORT = [
    {
        "prompt": " ".join(WORDS[number : number + 2 + number % 9]),
        "response": " ".join(WORDS[number : number + 1 + number % 11]),
        "domain": "maths" if number % 2 else "code",
        "phase": number % 2,
    }
    for number in range(24)
]


@pytest.fixture
def tokenizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreTrainedTokenizerFast:
    """The base model's, in a project of its own."""
    monkeypatch.chdir(tmp_path)
    changes = {"pack_sft": {"length": LENGTH, "min_fill": 0.8}}
    paths.RESOLVED.write_text(render("tiny", resolve("tiny", changes, ROOT / "profiles")))
    made = train_tokenizer([" ".join(WORDS)], "compact", 60)
    made.save_pretrained(paths.BASE_MODEL)
    return made


def pack(*rows: dict[str, object]) -> tuple[PackedCorpus, dict[str, object]]:
    write_jsonl(paths.SFT_DATA / "kept.jsonl", rows)
    pack_sft.body(Namespace())
    return PackedCorpus.load(paths.PACKED_SFT), read_json(report("pack_sft"))


def packed_rows(corpus: PackedCorpus) -> Counter[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Phase, tokens and mask of every segment."""
    found = Counter[tuple[int, tuple[int, ...], tuple[int, ...]]]()
    for tokens, segments, mask, phase in zip(
        corpus.tokens, corpus.segments, corpus.mask, corpus.phases, strict=True
    ):
        for segment in range(1, int(segments.max()) + 1):
            own = segments == segment
            found[(int(phase), tuple(tokens[own].tolist()), tuple(mask[own].tolist()))] += 1
    return found


@pytest.mark.field_bug("D38", "D39", "D44", "D45", "D47")
def test_rows_come_out_whole_with_their_targets_and_a_longer_one_not_at_all(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    corpus, figures = pack(*SHORT[:12], LONG, *SHORT[12:])
    expected = Counter[tuple[int, tuple[int, ...], tuple[int, ...]]]()
    for row in SHORT:
        whole = pack_sft.tokenise(tokenizer, row)
        answer = len(whole.tokens) - whole.answer_from
        assert answer == len(str(row["response"]).split()) + 1  # and the end of the turn
        mask = (0,) * whole.answer_from + (1,) * answer
        expected[(int(str(row["phase"])), tuple(whole.tokens), mask)] += 1
    assert packed_rows(corpus) == expected
    assert figures["dropped"] == {"longer than the packing length": 1}


@pytest.mark.field_bug("D40", "D46")
def test_the_stage_says_what_it_packed_and_left_out(tokenizer: PreTrainedTokenizerFast) -> None:
    corpus, figures = pack(*SHORT, LONG, LONG)
    tokens = sum(len(pack_sft.tokenise(tokenizer, row).tokens) for row in SHORT)
    assert (figures["rows"], figures["tokens"]) == (len(SHORT), tokens)
    assert figures["packed_rows"] == len(corpus.tokens) < len(SHORT) / 1.5
    assert figures["fill"] == pytest.approx(tokens / corpus.tokens.size, abs=1e-6)
    assert figures["target_tokens"] == int(np.asarray(corpus.mask).sum())
    assert figures["dropped"] == {"longer than the packing length": 2}


@pytest.mark.field_bug("D38", "D45")
def test_rows_that_are_all_too_long_are_an_error_and_none_is_cut(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    with pytest.raises(DataError, match=r"all 2 rows are longer than pack_sft\.length \(33\)"):
        pack(LONG, LONG)
    assert not paths.PACKED_SFT.exists()
