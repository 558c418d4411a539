"""Programming rows are read, never run: layouts, entries, checkers, golds that lie elsewhere."""

from __future__ import annotations

import json

import pytest

from stages.base.errors import DataError
from stages.problems.code import Case, CodeTask
from tests.problems.rows import ROWS, parsed, taco_row
from tests.tables import each


def task(schema, row) -> CodeTask:
    (problem,) = parsed(schema, row).problems
    assert problem.meta["verifier"] == "code"
    return CodeTask.from_meta(json.loads(json.dumps(problem.meta["code"])))


def test_stdin_tests_of_taco_are_texts():
    found = task("taco", taco_row())
    assert (found.style, found.checker, found.entry) == ("stdin", "decimals", "")
    assert found.cases == (Case("3\n1 5 2\n", "5\n"), Case("1\n4\n", "4\n"))


def test_called_functions_get_arguments_and_lose_the_list_around_their_value():
    found = task(
        "apps",
        taco_row(
            solutions=["class Solution:\n    def top(self, a):\n        return max(a)"],
            input_output={"fn_name": "top", "inputs": [[[1, 5]]], "outputs": [[5]]},
        ),
    )
    assert (found.style, found.entry) == ("function", "Solution().top")
    assert found.cases == (Case("[[1, 5]]", "5"),)


def test_keyword_inputs_of_leetcode_are_read_as_literals():
    found = task("leetcode", ROWS["leetcode"])
    assert found.cases == (Case("[[3, 3], 6]", "[0, 1]"),)
    assert found.program.startswith("from typing import List")


@pytest.mark.field_bug("D61")
@pytest.mark.parametrize(
    "written", ["nums = __import__('os').getpid()", "x = 1) + print(2", "nums = [1", "n = 2 ** 9"]
)
def test_what_is_no_literal_is_refused_and_not_evaluated(written):
    row = {**ROWS["leetcode"], "input_output": [{"input": written, "output": "1"}]}
    assert "no list of literals" in parsed("leetcode", row).unreadable[0][2]


@pytest.mark.field_bug("D58")
def test_a_value_that_may_come_in_any_order_is_compared_without_it():
    """Outputs allowed in any order were once compared in order."""
    assert task("leetcode", ROWS["leetcode"]).checker == "any_order"
    ordered = {**ROWS["leetcode"], "problem_description": "Indices of two numbers."}
    assert task("leetcode", ordered).checker == "decimals"


@pytest.mark.field_bug("D58", "E24")
@pytest.mark.parametrize(
    "question", ["Print the rows in any order.", "If there are multiple answers, print any."]
)
def test_several_right_outputs_need_a_checker(question):
    row = taco_row(question=question)
    assert parsed("taco", row).unfit[0].reason.startswith("several outputs are right")
    own = {**ROWS["code"], "problem": question, "checker": "float"}
    assert task("code", own).checker == "float"
    assert "is unknown" in parsed("code", {**own, "checker": "loose"}).unreadable[0][2]


@each(
    ("changes", "reason"),
    [
        ({"solutions": "[]"}, "no solution in Python 3"),
        ({"solutions": json.dumps(["print raw_input()"])}, "no solution in Python 3"),
        ({"solutions": json.dumps(["int main() {}"])}, "no solution in Python 3"),
        ({"input_output": json.dumps({"inputs": [], "outputs": []})}, "no tests"),
        ({"input_output": ""}, "no tests"),
    ],
)
def test_rows_without_solution_or_tests_are_set_aside(changes, reason):
    assert parsed("taco", taco_row(**changes)).unfit[0].reason == reason


def test_the_first_solution_that_is_python_3_is_the_reference():
    row = taco_row(solutions=json.dumps(["print 1", "print(1)"]))
    assert task("taco", row).program == "print(1)"


def test_inputs_and_outputs_of_unlike_number_are_unreadable():
    row = taco_row(input_output=json.dumps({"inputs": ["1"], "outputs": []}))
    assert "1 inputs, 0 outputs" in parsed("taco", row).unreadable[0][2]


@each(
    "values", [None, {}, {"program": "x", "cases": [{"a": 1}]}, {"cases": []},
               {"program": "x", "style": "shell", "entry": "", "cases": []}],
)  # fmt: skip
def test_meta_that_is_no_task_is_refused(values):
    with pytest.raises(DataError, match="meta"):
        CodeTask.from_meta(values)
