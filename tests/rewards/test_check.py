"""A file of responses in, a file of verdicts out."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import pytest

from stages.base.checking import read_rows
from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.records import Problem, Verdict
from stages.problems.registry import generate
from stages.rewards.check import check_file, fault
from stages.rewards.router import verify
from stages.rewards.rows import default_verifier, problem_of
from stages.rewards.verifiers import VERIFIERS
from tests.tables import each

CHAIN = {"start": 8, "steps": [["+", 4], ["+", 1], ["-", 5]]}
LOGIC = {"domain": "logic", "family": "chain", "instance": CHAIN, "notation": "text"}
ROWS = [
    ({"domain": "maths", "gold": "1/2", "response": r"<think>x</think> \boxed{0.5}"}, "pass"),
    ({"domain": "maths", "gold": "1/2", "response": r"\boxed{0.6}"}, "wrong"),
    ({"domain": "maths", "gold": r"\sqrt2", "response": r"\boxed{2^{0.5}}"}, "pass"),
    ({"domain": "maths", "gold": "1/2", "response": r"<think>\boxed{0.5}"}, "truncated"),
    ({"domain": "maths", "gold": "3", "response": r"\boxed{3}", "ended": "length"}, "truncated"),
    ({"domain": "maths", "gold": "3", "response": "3", "thinking": True}, "truncated"),
    ({"domain": "maths", "gold": "1/2", "response": "I do not know."}, "unparsed"),
    ({"domain": "maths", "gold": r"\int x", "response": r"\boxed{2}"}, "error"),
    ({"domain": "maths", "gold": 3, "response": r"\boxed{3} \ud83d"}, "unparsed"),
    ({"domain": "maths", "response": r"\boxed{3}"}, "error"),
    ({"domain": "poetry", "gold": "3", "response": "3"}, "error"),
    ({"domain": "maths", "gold": "3", "response": "3", "verifier": "magic"}, "error"),
    ({"domain": "physics", "gold": "5 cm", "response": "The answer is 0.05 m."}, "pass"),
    ({"domain": "physics", "gold": "5", "unit": "cm", "response": "The answer is 0.05 m."}, "pass"),
    ({"domain": "physics", "gold": "5", "unit": "furlongs", "response": "5"}, "error"),
    ({"domain": "physics", "gold": "300", "tolerance": 0, "response": "301"}, "wrong"),
    ({"domain": "physics", "gold": "300", "tolerance": "x", "response": "300"}, "error"),
    ({"domain": "chemistry", "gold": "CCO", "verifier": "molecule", "response": "OCC"}, "pass"),
    ({"domain": "stem", "gold": "B", "response": "**B**"}, "pass"),
    ({"domain": "stem", "gold": "ATP", "aliases": ["adenosine"], "response": "Adenosine"}, "pass"),
    ({"domain": "stem", "gold": "x^2", "response": r"\boxed{x \cdot x}"}, "pass"),
    ({**LOGIC, "response": "<think> </think> 8"}, "pass"),
    ({**LOGIC, "response": "<think> </think> 7"}, "wrong"),
    ({**LOGIC, "response": "8", "ended": None}, "pass"),
    ({**LOGIC, "response": "8", "thinking": True}, "truncated"),
    ({**LOGIC, "response": "<think> 8"}, "truncated"),
    ({**LOGIC, "family": "chess", "response": "<think> </think> 7"}, "error"),
]


def written(path, rows):
    lines = [json.dumps({"id": f"row {n}", **row}) for n, row in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_verdicts_stand_in_order_and_are_the_same_for_any_number_of_workers(tmp_path):
    rows = written(tmp_path / "rows.jsonl", [row for row, _ in ROWS])
    outputs = [tmp_path / f"{workers}.jsonl" for workers in (1, 2)]
    for workers, output in zip((1, 2), outputs, strict=True):
        counts = check_file(rows, output, workers)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    found = [json.loads(line) for line in outputs[0].read_text().splitlines()]
    assert [row["id"] for row in found] == [f"row {n}" for n in range(len(ROWS))]
    assert [row["verdict"] for row in found] == [verdict for _, verdict in ROWS]
    for row in found:
        expected = {"pass": 1.0, "error": None}.get(row["verdict"], 0.0)
        assert row["reward"] == expected
        assert row["reason"] or row["verdict"] in ("pass", "wrong")
    assert sum(counts.values()) == len(ROWS)


def run(*arguments):
    command = [sys.executable, "-m", "stages.rewards", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.field_bug("D53")
def test_a_bad_row_is_an_error_of_its_own_and_the_others_are_judged(tmp_path):
    rows, output = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    good = {"id": "a", "domain": "maths", "gold": "3", "response": "3"}
    lines = [json.dumps(good), '{"id": ', json.dumps({**good, "id": "e", "ended": "eos"})]
    rows.write_text("\n".join([*lines, json.dumps({**good, "id": "z"})]) + "\n")
    done = run("check", "--input", rows, "--output", output)
    assert done.returncode == 1
    assert "4 rows: 2 error, 2 pass" in done.stderr
    assert "2 could not be judged" in done.stderr
    assert f"the first with verdict error: {rows}:2: not JSON" in done.stderr
    assert "Traceback" not in done.stderr
    found = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["id"] for row in found] == ["a", None, "e", "z"]
    assert [row["verdict"] for row in found] == ["pass", "error", "error", "pass"]
    assert found[1]["reason"] == f"{rows}:2: not JSON (Expecting value, column 8)."
    assert found[2]["reason"] == f"{rows}:3: 'ended' must be one of stop, length, not 'eos'."
    assert [row["reward"] for row in found] == [1.0, None, None, 1.0]


@pytest.mark.parametrize(
    ("content", "hint"),
    [(b"PAR1\x15\x04\n", "is Parquet"), (b'[{"id": 1}]\n', "JSON array")],
)
def test_a_file_of_another_format_is_one_plain_error(tmp_path, content, hint):
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(content)
    with pytest.raises(DataError, match=hint):
        check_file(rows, tmp_path / "out.jsonl", 1)
    assert list(tmp_path.iterdir()) == [rows]


def test_thinking_that_never_began_is_told_from_one_that_never_ended(tmp_path):
    asked = {"domain": "maths", "gold": "3", "thinking": True}
    given = [{**asked, "response": "72"}, {**asked, "response": "<think> 72"}]
    output = tmp_path / "out.jsonl"
    assert check_file(written(tmp_path / "rows.jsonl", given), output, 1) == {"truncated": 2}
    began, ended = [json.loads(line)["reason"] for line in output.read_text().splitlines()]
    assert "never began" in began
    assert ended == "the thinking never ended"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"domain": "maths", "gold": ["3"]}, "'gold' must be a text or a number, not an array"),
        ({"domain": "code"}, "Code is judged by 'tests'"),
        ({"domain": "maths", "gold": " "}, "no gold"),
    ],
)
def test_a_row_without_anything_to_hold_a_response_against_says_what_it_lacks(row, told):
    with pytest.raises(VerifierError, match=told):
        problem_of({"id": "a", "response": "3", **row})


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"family": "chains", "instance": {}}, "no checker for family 'chains'. Did you mean"),
        ({"family": "chain"}, "needs its 'instance'"),
    ],
)
def test_a_generated_row_without_its_puzzle_says_what_it_lacks(row, told):
    found = verify(problem_of({"id": "a", **row}), "<think></think> 3", "stop")
    assert found.verdict is Verdict.ERROR
    assert told in found.reason


@pytest.mark.slow
def test_the_command_checks_and_counts(tmp_path):
    rows = written(tmp_path / "rows.jsonl", [row for row, _ in ROWS[:3]])
    done = run("check", "--input", rows, "--output", tmp_path / "out.jsonl")
    assert done.returncode == 0
    assert "3 rows: 2 pass, 1 wrong" in done.stderr
    shown = run("check", "--help").stdout
    assert shown.count("(") == shown.count(")")
    for name in ("--input", "--output", "--workers", "tolerance", "unparsed"):
        assert name in shown


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"domain": "maths", "gold": "3"}, "'response' is missing"),
        ({"id": None, "response": "3"}, "'id' must be a text, not null"),
        ({"response": "3", "ended": "soon"}, "'ended' must be one of"),
        ({"response": 3}, "'response' must be a text, not a number"),
        ({"response": "3", "thinking": "yes"}, "'thinking' must be true or false, not 'yes'"),
        ({"response": "3", "thinking": 1}, "'thinking' must be true or false"),
    ],
)
def test_a_row_without_what_all_need_is_named(tmp_path, row, complaint):
    rows = written(tmp_path / "rows.jsonl", [row])
    (bad,) = read_rows(rows, fault)
    assert bad.reason.startswith(f"{rows}:1: {complaint}")
    assert bad.id == (None if "id" in row else "row 0")


def test_impossible_requests_are_refused(tmp_path):
    rows = written(tmp_path / "rows.jsonl", [])
    rows.write_text("\n")
    with pytest.raises(DataError, match="holds no rows"):
        check_file(rows, tmp_path / "out.jsonl", 1)
    with pytest.raises(ConfigError, match=r"no such file\. Name a file of rows"):
        check_file(tmp_path / "none.jsonl", tmp_path / "out.jsonl", 1)
    with pytest.raises(ConfigError, match="--workers 0"):
        check_file(rows, tmp_path / "out.jsonl", 0)
    with pytest.raises(ConfigError, match="is a folder"):
        check_file(rows, tmp_path, 1)


@each(
    ("gold", "verifier"),
    [
        ("5 cm", "number"), ("-3.5e2", "number"), (r"\sqrt{2}", "number"), ("B", "choice"),
        ("mitochondrion", "text"), ("Fe3+ ion?", "text"), ("x^2+1", "maths"), ("(1,2)", "maths"),
        ("InChI=1S/CH4/h1H4", "molecule"),
    ],
)  # fmt: skip
def test_the_gold_decides_where_a_science_row_names_no_verifier(gold, verifier):
    assert default_verifier({"id": "a", "domain": "Physics", "gold": gold}) == verifier


def test_instructions_are_passed_on_whole():
    row = {"id": "a", "response": "x", "instruction_id_list": ["b"], "kwargs": [{}]}
    meta = problem_of(row).meta
    published = {"key": "a", "instruction_id_list": ["b"], "kwargs": [{}]}
    assert meta == {"verifier": "instructions", "instructions": published}


NAMED = Problem("p", "", "maths", "", "3", "p", meta={"verifier": "maths"})


@pytest.mark.field_bug("D62")
@pytest.mark.parametrize("name", ["magic", None, ["maths"], 3])
def test_a_verifier_nobody_knows_is_an_error_without_reward(name):
    asked = dataclasses.replace(NAMED, meta={"verifier": name})
    found = verify(asked, r"\boxed{3}", "stop")
    assert (found.verdict, found.reward) == (Verdict.ERROR, None)
    assert "no verifier" in found.reason


def test_every_verifier_is_routed_to():
    golds = {"maths": "3", "number": "3", "molecule": "CCO", "choice": "C", "text": "iron"}
    assert set(golds) <= set(VERIFIERS)
    for name, gold in golds.items():
        asked = dataclasses.replace(NAMED, answer=gold, meta={"verifier": name})
        assert verify(asked, rf"\boxed{{{gold}}}", "stop").verdict is Verdict.PASS
        assert verify(asked, r"\boxed{4 and more}", "stop").reward == 0.0
        broken = dataclasses.replace(asked, answer="")
        assert verify(broken, rf"\boxed{{{gold}}}", "stop").verdict is Verdict.ERROR


def test_generated_problems_are_judged_as_ever():
    for drawn in generate("chain", 3, 0, "text", heldout=False, modulus=10):
        response = f"<think> </think> {drawn.answer}"
        row = {"id": drawn.id, "family": "chain", "response": response, **drawn.meta}
        assert verify(problem_of(row), response, "stop").verdict is Verdict.PASS


def test_the_input_is_never_overwritten(tmp_path):
    rows = written(tmp_path / "rows.jsonl", [ROWS[0][0]])
    before = rows.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(rows)
    for output in (rows, tmp_path / "link.jsonl", tmp_path / "." / "rows.jsonl"):
        with pytest.raises(ConfigError, match="is the input too"):
            check_file(rows, output, 1)
    assert rows.read_bytes() == before


def test_a_byte_order_mark_before_the_first_row_is_no_fault(tmp_path):
    rows = written(tmp_path / "rows.jsonl", [ROWS[0][0], ROWS[1][0]])
    rows.write_bytes(b"\xef\xbb\xbf" + rows.read_bytes())
    assert check_file(rows, tmp_path / "out.jsonl", 1) == {"pass": 1, "wrong": 1}


def test_an_instruction_without_the_arguments_it_needs_is_an_error(tmp_path):
    ids = ["keywords:existence", "length_constraints:number_words"]
    for kwargs in ([None, None], [{}, {}]):
        row = {"instruction_id_list": ids, "kwargs": kwargs, "prompt": "Write.", "response": "It."}
        found = verify(problem_of({"id": 1, **row}), "It.", "stop")
        assert found.verdict is Verdict.ERROR
