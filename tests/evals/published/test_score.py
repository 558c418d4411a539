"""Files of responses from anywhere: read strictly, scored again to the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.jsonl import read_jsonl
from stages.evals.items import from_csv
from stages.evals.published import score
from stages.evals.published.score import benchmark_named, score_file
from stages.evals.scoring import SAMPLES
from tests.evals.published.minis import MINI, SHARED, fed_back, items, scored, write
from tests.problems.runs import Broken

GSM8K = MINI / "gsm8k"
RIGHT = GSM8K / "right.jsonl"
GOLDS = ["15", "1120", "24", "3", "36", "54", "18", "14.5", "-8", "9"]


def rows() -> list[dict[str, Any]]:
    return [{"id": n, "response": f"Answer: {gold}"} for n, gold in enumerate(GOLDS)]


@pytest.mark.field_bug("E39")
def test_the_same_bytes_in_any_order_and_again(tmp_path: Path) -> None:
    outputs = []
    for number, order in enumerate((rows(), rows()[::-1], rows())):
        folder = tmp_path / str(number)
        scored("gsm8k", write(tmp_path / "r.jsonl", order), folder)
        outputs.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert outputs[0] == outputs[1] == outputs[2]
    assert len(outputs[0]) == 3
    ids = [item.id for item in from_csv(outputs[0][0], "items.csv")]
    assert ids == sorted(ids)


@pytest.mark.field_bug("E1")
def test_k_responses_a_problem(tmp_path: Path) -> None:
    given = [
        {"id": row["id"], "response": [row["response"], "Answer: 1", row["response"], ""]}
        for row in rows()
    ]
    found = scored("gsm8k", write(tmp_path / "r.jsonl", given), tmp_path)
    assert (found["k"], found["samples"], found["score"]) == (4, 40, 0.5)
    assert found["mean_tokens"] is None  # nobody counted any
    assert {row["tokens"] for row in read_jsonl(tmp_path / SAMPLES)} == {None}
    assert found["pass_at"] == {"1": 0.5, "2": pytest.approx(5 / 6, abs=1e-6), "4": 1.0}
    assert found["low"] < 0.5 < found["high"]
    assert found["rerun_low"] < 0.5 < found["rerun_high"]
    assert found["counts"]["unparsed"] == 10


@pytest.mark.field_bug("E2")
def test_a_finish_for_each_response(tmp_path: Path) -> None:
    given = [
        {"id": row["id"], "response": [row["response"]] * 2, "finish": ["stop", "length"]}
        for row in rows()
    ]
    found = scored("gsm8k", write(tmp_path / "r.jsonl", given), tmp_path)
    assert (found["counts"]["truncated"], found["score"]) == (10, 0.5)


@pytest.mark.field_bug("E2")
def test_thinking_that_never_ends_scores_nothing_though_the_answer_is_in_it(tmp_path: Path) -> None:
    given = [{"id": n, "response": f"<think>\\boxed{{{gold}}}"} for n, gold in enumerate(GOLDS)]
    found = scored("gsm8k", write(tmp_path / "r.jsonl", given), tmp_path)
    assert (found["score"], found["counts"]["truncated"]) == (0.0, 10)


@pytest.mark.field_bug("E14")
def test_problems_without_a_response_are_missing_and_not_scored(tmp_path: Path) -> None:
    found = scored("gsm8k", write(tmp_path / "r.jsonl", rows()[:4]), tmp_path)
    assert (found["score"], found["answered"], found["missing"]) == (1.0, 4, 6)


def test_a_checker_that_fails_leaves_the_sample_out(tmp_path: Path) -> None:
    data = tmp_path / "test.jsonl"
    good = {"question": "What is 1 + 1?", "answer": "#### 2"}
    write(data, [good, good | {"question": "What is it?", "answer": "#### \\frac{"}])
    given = [{"id": 0, "response": "Answer: 3"}, {"id": 1, "response": "Answer: 2"}]
    path = write(tmp_path / "r.jsonl", given)
    found = score_file("gsm8k", path, Broken(), data, tmp_path)
    assert (found["counts"]["wrong"], found["counts"]["error"], found["score"]) == (1, 1, 0.0)
    assert items(tmp_path)["1"]["score"] is None
    only = write(tmp_path / "r.jsonl", given[1:])
    with pytest.raises(VerifierError, match="no response could be checked"):
        score_file("gsm8k", only, Broken(), data, tmp_path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "10", "response": "Answer: 1"}, r"r\.jsonl:3: no problem has the id '10'"),
        ({"id": 1, "response": "Answer: 1"}, r"r\.jsonl:3: id '1' stands on line 2 too"),
        ({"id": 2, "response": ["a", "b"]}, r"r\.jsonl:3: 2 responses where .* have 1"),
        ({"id": 2, "response": []}, r"r\.jsonl:3: 'response' must be"),
        ({"id": 2, "response": None}, r"r\.jsonl:3: 'response' must be"),
        ({"id": 2, "response": "a", "finish": "eos"}, r"r\.jsonl:3: 'finish' must be stop"),
        ({"id": 2, "response": "a", "finish": ["stop"] * 2}, r"r\.jsonl:3: 'finish'"),
        ({"id": True, "response": "a"}, r"r\.jsonl:3: 'id' must be"),
        ({"doc_id": 2, "output": "a"}, r"r\.jsonl:3: no 'id'\. .* has 'doc_id', 'output'"),
        ({"id": 2, "output": "a"}, r"r\.jsonl:3: no 'response'\. .* has 'id', 'output'"),
        (
            {"id": 2, "response": "a", "finish_reason": "length"},
            r"r\.jsonl:3: 'finish_reason' is not read",
        ),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_line(
    row: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "r.jsonl", [*rows()[:2], row])
    with pytest.raises(DataError, match=said):
        scored("gsm8k", path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_that_fails_leaves_no_results_of_another(tmp_path: Path) -> None:
    scored("gsm8k", write(tmp_path / "r.jsonl", rows()), tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 3
    bad = write(tmp_path / "r.jsonl", [*rows(), {"id": "none", "response": ""}])
    with pytest.raises(DataError, match="no problem has the id"):
        scored("gsm8k", bad, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_benchmark_is_found_in_the_spelling_of_its_paper() -> None:
    names = ("MATH-500", "math_500", "math500")
    assert {benchmark_named(name).name for name in names} == {"math500"}


def test_a_benchmark_or_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there are"):
        score_file("gsm9k", RIGHT, Broken(), GSM8K, tmp_path)
    with pytest.raises(DataError, match=r"docs/benchmarks\.md"):
        score_file("gsm8k", RIGHT, Broken(), tmp_path, tmp_path)


def test_the_command_prints_a_table_and_ends_with_1_if_problems_are_missing(
    tmp_path: Path,
) -> None:
    command = [
        sys.executable, "-m", "stages.evals", "score", "--benchmark", "gsm8k", "--data",
        str(GSM8K), "--output", str(tmp_path), "--responses",
    ]  # fmt: skip
    some = write(tmp_path / "r.jsonl", rows()[:2])
    cwd = score.__file__.rpartition("/stages/")[0]
    found = subprocess.run([*command, some], capture_output=True, text=True, cwd=cwd, check=False)
    assert (found.returncode, found.stderr) == (1, "")
    assert "100.0%" in found.stdout
    assert "2 of 10 answered" in found.stdout


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs public benchmark files")
def test_the_golds_of_gsm8k_and_math_500_are_a_perfect_score(tmp_path: Path) -> None:
    lines = (SHARED / "gsm8k_test.jsonl").read_text().splitlines()
    texts = {str(n): json.loads(line)["answer"] for n, line in enumerate(lines)}
    found = fed_back("gsm8k", "gsm8k_test.jsonl", texts, tmp_path)
    assert (found["score"], found["counts"]["pass"], found["data_known"]) == (1.0, 1319, True)
    given = [
        json.loads(line) for line in (SHARED / "math500.jsonl").read_text().split("\n") if line
    ]
    texts = {row["unique_id"]: f"\\boxed{{{row['answer']}}}" for row in given}
    found = fed_back("math500", "math500.jsonl", texts, tmp_path)
    assert (found["score"], found["counts"]["pass"]) == (1.0, 500)
    assert fed_back("math500", "math500.jsonl", dict.fromkeys(texts, ""), tmp_path)["score"] == 0
