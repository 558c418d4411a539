"""Programming data sets: a problem, a right solution and tests, in the layouts of the public sets.

Whether solution and tests are sound is for ``code_checks`` to say; here they are only read, without
running or evaluating anything.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from stages.base.checkers import KINDS, Kind
from stages.base.errors import DataError
from stages.problems.code import Case, CodeTask
from stages.problems.outside import Draft, Fields, Parsed, Unfit, from_json, text

ANY_ORDER = re.compile(
    r"\bin any (?:valid )?order\b|\border (?:does not|doesn't) matter\b", re.IGNORECASE
)
ANY_ANSWER = re.compile(
    r"\b(?:if there (?:are|is) (?:multiple|several|more than one)|print any|return any|output any|"
    r"any of them)\b",
    re.IGNORECASE,
)
SEVERAL = re.compile(f"{ANY_ORDER.pattern}|{ANY_ANSWER.pattern}", re.IGNORECASE)
PYTHON_2 = re.compile(r"^\s*print\s+[^(=\s]|\braw_input\b|\bxrange\b", re.MULTILINE)


def code(fields: Fields) -> list[Parsed]:
    """Rows written for this pipeline: problem, solution, tests, and optionally how to compare.

    ``tests`` is a list of ``{input, output}``; ``entry`` names the function to call, and inputs are
    then lists of arguments; ``checker`` and ``shape`` are those of ``CodeTask``.
    """
    question, entry = text(fields, "problem", "question"), _optional(fields, "entry")
    tests = from_json(fields, "tests")
    if not isinstance(tests, list) or not all(isinstance(test, Mapping) for test in tests):
        raise DataError("field 'tests' is no list of {input, output} objects")
    pairs = [(test.get("input"), test.get("output")) for test in tests]
    named = fields.get("checker")
    checker = next((kind for kind in KINDS if kind == named), None)
    if named and checker is None:
        raise DataError(f"field 'checker': '{named}' is unknown. Known: {', '.join(KINDS)}")
    solution, shape = text(fields, "solution"), _optional(fields, "shape")
    return [_draft(question, solution, entry, pairs, checker, shape)]


def taco(fields: Fields) -> list[Parsed]:
    """TACO and APPS: solutions and input_output as JSON texts; fn_name where a function is called.

    The first solution in Python 3 is the reference.
    """
    question = text(fields, "question")
    found = from_json(fields, "input_output") if fields.get("input_output") != "" else {}
    solutions = from_json(fields, "solutions") if fields.get("solutions") != "" else []
    if not isinstance(found, Mapping) or not isinstance(solutions, list):
        raise DataError("field 'input_output' is no object, or 'solutions' no list")
    inputs, expected = found.get("inputs") or [], found.get("outputs") or []
    if len(inputs) != len(expected):
        raise DataError(f"field 'input_output': {len(inputs)} inputs, {len(expected)} outputs")
    solution = next((one for one in solutions if isinstance(one, str) and _is_python(one)), None)
    if solution is None:
        return [Unfit("no solution in Python 3")]
    name = found.get("fn_name")
    entry = "" if not isinstance(name, str) else _entry(solution, name)
    # A called function's value stands in a list of its own in these sets.
    values = [_only(value) if entry else value for value in expected]
    starter = _optional(fields, "starter_code")
    whole = f"{question}\n\n{starter}" if starter else question
    pairs = list(zip(inputs, values, strict=True))
    return [_draft(whole, solution, entry, pairs, None, "", _optional(fields, "difficulty"))]


def leetcode(fields: Fields) -> list[Parsed]:
    """LeetCodeDataset: imports in ``prompt``, the class in ``completion``, literals in the tests.

    Inputs are written as keyword arguments, ``nums = [3, 3], target = 6``; they are read as
    literals.
    """
    question = text(fields, "problem_description", "query")
    starter = _optional(fields, "starter_code")
    whole = f"{question}\n\n{starter}" if starter else question
    program = f"{_optional(fields, 'prompt')}\n\n{text(fields, 'completion')}\n"
    tests = from_json(fields, "input_output")
    if not isinstance(tests, list) or not all(isinstance(test, Mapping) for test in tests):
        raise DataError("field 'input_output' is no list of objects")
    pairs = [
        (_keyword_values(text(test, "input")), _literal(text(test, "output"))) for test in tests
    ]
    entry = text(fields, "entry_point")
    return [_draft(whole, program, entry, pairs, None, "", _optional(fields, "difficulty"))]


def _draft(
    question: str,
    solution: str,
    entry: str,
    pairs: list[tuple[Any, Any]],
    checker: Kind | None,
    shape: str,
    difficulty: str = "",
) -> Draft | Unfit:
    if not pairs:
        return Unfit("no tests")
    anyhow = bool(entry and ANY_ORDER.search(question))
    free = (ANY_ANSWER if anyhow else SEVERAL).search(question)
    if not checker and free:
        # What is printed in any order may be lines, words, or lines within each of many cases.
        return Unfit("several outputs are right and no checker is given")
    task = CodeTask(
        program=solution,
        style="function" if entry else "stdin",
        entry=entry,
        cases=tuple(_case(entry, given, expected) for given, expected in pairs),
        checker=checker or ("any_order" if anyhow else "decimals"),
        shape=shape,
    )
    return Draft(question, solution, "code", {"code": task.to_meta()}, difficulty=difficulty)


def _case(entry: str, given: Any, expected: Any) -> Case:
    """A test as two texts; a called function's input is a list of arguments."""
    if entry:
        if not isinstance(given, list):
            raise DataError("a test's input is no list of arguments")
        return Case(_json(given), _json(expected))
    return Case(_stdin(given), _stdin(expected))


def _stdin(value: Any) -> str:
    """Input or output as text; some rows hold a list of lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if not isinstance(value, str):
        raise DataError("a test's input or output is no text")
    return value


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"a test holds what JSON cannot ({error})") from error


def _only(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _optional(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value.strip("\n") if isinstance(value, str) else ""


def _is_python(program: str) -> bool:
    if PYTHON_2.search(program):
        return False
    try:
        ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _entry(program: str, name: str) -> str:
    """``name``, or ``Solution().name`` where the solution is a class."""
    classes = [node.name for node in ast.parse(program).body if isinstance(node, ast.ClassDef)]
    return f"Solution().{name}" if "Solution" in classes else name


def _keyword_values(written: str) -> list[Any]:
    """The values of ``a = 1, b = [2]`` in order, read as literals."""
    try:
        call = ast.parse(f"f({written})", mode="eval").body
        parts = [*call.args, *call.keywords] if isinstance(call, ast.Call) else [call]
        values = [part.value if isinstance(part, ast.keyword) else part for part in parts]
        return [ast.literal_eval(value) for value in values]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise DataError(f"a test's input is no list of literals ({error})") from error


def _literal(written: str) -> Any:
    """A Python literal or a JSON value."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(written)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            continue
    raise DataError(f"a test's output is no literal: {written:.40}")
