"""Creative Writing: three pieces a prompt, criteria turned round, and what is no judgement."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.base.records import Problem
from stages.evals.judges.asker import Scripted
from stages.evals.judges.judging import AGAIN, Panel
from stages.evals.judges.reading import Reading
from stages.evals.published.benchmark import load
from stages.evals.published.creative_writing import CRITERIA, LESS_IS_BETTER, judgement, scores_in
from stages.evals.published.table import TABLE
from tests.evals.published.judged import SCRIPTS, judged
from tests.evals.published.minis import MINI

PIECE = Problem("1/1", "", "", "", "", "")


def given(**said: str) -> dict[str, Reading]:
    fields = dict.fromkeys(CRITERIA, "10") | {CRITERIA[int(n[1:])]: v for n, v in said.items()}
    return {"criteria": Reading("scored", fields)}


def test_each_prompt_is_asked_with_its_first_three_modifiers_in_turn() -> None:
    found = load(TABLE["creative_writing"], MINI / "creative_writing", None).problems
    assert [one.id for one in found] == [f"{prompt}/{n}" for prompt in (1, 2, 4) for n in (1, 2, 3)]
    assert "never sent" in found[0].prompt
    assert "fog" in found[2].prompt
    assert "ladder" in found[6].prompt
    assert "ladder" in found[8].prompt  # only two modifiers
    assert not any("<SEED>" in one.prompt for one in found)


def test_less_is_better_for_nine_criteria() -> None:
    assert judgement(PIECE, "", given(c0="20", c21="20")).reward == pytest.approx(0.5)
    found = judgement(PIECE, "", given(c13="5", c0="[15]", c1="7.5/20", c2="N/A"))
    assert CRITERIA[13] in LESS_IS_BETTER
    assert found.parts[CRITERIA[13]] == 0.75
    assert (found.parts[CRITERIA[0]], found.parts[CRITERIA[1]]) == (0.75, 0.375)
    assert CRITERIA[2] not in found.parts
    assert found.reward == pytest.approx((18 * 0.5 + 0.75 + 0.75 + 0.375) / 21)
    assert len(CRITERIA) == 22


@pytest.mark.parametrize("said", ["21", "-1", "high", "", "10 of 10", "1e1", "NaN"])
def test_a_number_outside_the_scale_makes_no_score(said: str) -> None:
    assert scores_in(given(c3="20")["criteria"])
    assert scores_in(given(c3=said)["criteria"]) == {}


def test_a_judge_that_finds_hardly_a_criterion_to_apply_makes_no_score() -> None:
    assert scores_in(given(**{f"c{n}": "N/A" for n in range(11)})["criteria"])
    assert scores_in(given(**{f"c{n}": "N/A" for n in range(12)})["criteria"]) == {}


def test_a_judge_off_the_scale_is_asked_again(tmp_path: Path) -> None:
    def script(prompt: str) -> str:
        said = SCRIPTS["creative_writing"](prompt)
        assert isinstance(said, str)
        return said if prompt.endswith(AGAIN) else said.replace("Coherent: ", "Coherent: 1")

    by = Panel(asker=Scripted(script))
    found = judged("creative_writing", MINI / "creative_writing/right.jsonl", tmp_path, by)
    assert (found["score"], found["judge"]["asked_again"]) == (1.0, 9)


def test_criteria_are_shown_over_the_pieces_they_applied_to(tmp_path: Path) -> None:
    found = judged("creative_writing", MINI / "creative_writing/mixed.jsonl", tmp_path)
    criteria = found["measures"]["criteria"]
    assert "Weak Dialogue" not in criteria
    mean = (1 + 0.5 + 0.25 + 0.5 + 3 * 0.8) / 7  # two pieces said nothing
    assert criteria["Coherent"] == criteria["Overwrought"] == pytest.approx(mean, abs=1e-6)
