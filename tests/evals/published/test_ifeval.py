"""IFEval's four measures, worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evals.published.minis import MINI, SHARED, fed_back, scored


@pytest.mark.field_bug("E43")
def test_strict_and_loose_by_prompt_and_instruction(tmp_path: Path) -> None:
    found = scored("ifeval", MINI / "ifeval" / "mixed.jsonl", tmp_path)
    # 9 prompts, 11 instructions; two prompts break one of their two, two their only one, one was
    # cut off; without its last line one more holds
    assert found["measures"] == {
        "prompt_strict": pytest.approx(4 / 9, abs=1e-6),
        "prompt_loose": pytest.approx(5 / 9, abs=1e-6),
        "instruction_strict": pytest.approx(6 / 11, abs=1e-6),
        "instruction_loose": pytest.approx(7 / 11, abs=1e-6),
    }


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs public benchmark files")
def test_the_published_prompts_are_read_and_an_empty_answer_follows_none(tmp_path: Path) -> None:
    lines = (SHARED / "ifeval_input_data.jsonl").read_text().split("\n")
    texts = {str(json.loads(line)["key"]): "" for line in lines if line}
    found = fed_back("ifeval", "ifeval_input_data.jsonl", texts, tmp_path)
    assert found["counts"] == {**dict.fromkeys(found["counts"], 0), "wrong": 541}
    assert set(found["measures"].values()) == {0.0}
