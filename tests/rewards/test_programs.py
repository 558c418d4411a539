"""Programs are found in responses, run apart, and judged by their tests."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Judgement, Problem, Verdict
from stages.problems.code import Case, CodeTask
from stages.rewards.judge import score
from stages.rewards.programs import Block, fenced_blocks, program_in, tagged_program_in
from stages.rewards.rows import problem_of
from stages.rewards.workers import WorkerJudge
from tests.problems.runs import Broken, Remembering
from tests.tables import each

TASK = CodeTask("", "stdin", "", (Case("2", "4"), Case("5", "10")))
CALLED = CodeTask("", "function", "Solution().f", (Case("[2]", "4.0"), Case("[0.1]", "0.2")))
ASSERTED = CodeTask("", "assert", "f", (), test="def check(f):\n    assert f(3) == 6\n")
DOUBLE = "print(2 * int(input()))"
CLASS = "class Solution:\n    def f(self, x):\n        return 2.0 * x"


def problem(task: CodeTask, **meta) -> Problem:
    meta = {"verifier": "code", "code": task.to_meta(), **meta}
    return Problem("p", "code", "code", "Double it.", "", "p", meta=meta)


def answer(program: str, said: str = "So:") -> str:
    return f"<think>hm</think>{said}\n```python\n{program}\n```\nDone."


@pytest.mark.field_bug("E26")
@each(
    ("text", "program"),
    [
        ("```python\na\n```", "a\n"),
        ("```\na\n```\nthen\n```py\nb\n\nc\n```", "b\n\nc\n"),
        ("````python\nx = '''\n```\n'''\n````", "x = '''\n```\n'''\n"),
        ("~~~\na\n~~~", "a\n"),
        ("  ```python\n  a\n  ```", "  a\n"),
        ("```python\na\n```\n```python\nb", None),
        ("print(1)", None),
        ("`a`", None),
        ("```python\n```", ""),
        ("", None),
    ],
)
def test_the_last_closed_block_is_the_program(text, program):
    assert program_in(text) == program


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```C++\nint x;\n```", ("c++", "int x;\n")),
        ("```python title=a\nx\n```", ("python", "x\n")),
        ("```\nx = 1\n```", ("", "x = 1\n")),
        ("```python\nx\n```\n```cpp\ny\n```\n```text\n1\n```", ("cpp", "y\n")),
        ("```rust\nx\n```", ("", "x\n")),
        ("```cpp\nx", None),
    ],
)
def test_the_language_is_the_one_that_the_block_names(text, found):
    assert tagged_program_in(text) == found


def test_a_block_knows_the_line_above_it_and_none_of_an_earlier_block():
    text = "So\n\n a.py: \n\n```py\nx\n\n```\n```\ny\n```\nend\n~~~sh\n~~~"
    assert fenced_blocks(text) == [
        Block("py", "x\n\n", "a.py:"),
        Block("", "y\n", ""),
        Block("sh", "", "end"),
    ]


SHOWN = ["```\nInput: 1 2\nOutput: 3\n```", "```bash\npython a.py\n```", "```text\n3\n```"]


@pytest.mark.parametrize("shown", SHOWN)
def test_what_is_shown_beside_a_program_is_none(shown):
    assert program_in(f"```python\nprint(1)\n```\n{shown}") == "print(1)\n"
    assert program_in(f"{shown}\n```python\nprint(1)\n```") == "print(1)\n"


@pytest.mark.parametrize("tag", ["python", "", "py"])
def test_a_later_program_takes_the_place_of_an_earlier(tag):
    assert program_in(f"```python\nprint(1)\n```\n```{tag}\nprint(2)\n```") == "print(2)\n"


def test_a_call_of_the_function_asked_for_is_not_its_definition():
    text = "```python\ndef f(x):\n    return x\n```\n```python\n{}\n```"
    for call in ("f(1)", "print(f(1))", "assert f(1) == 1"):
        assert program_in(text.format(call), "Solution().f") == "def f(x):\n    return x\n"
    for again in ("def f(x):\n    return 2", "f = lambda x: 2"):
        assert program_in(text.format(again), "f") == f"{again}\n"


def test_a_program_in_a_list_loses_the_indentation_of_its_block():
    said = f"1. So:\n\n    ```python\n    {DOUBLE}\n    ```"
    (found,) = score("verify", [(problem(TASK), f"<think></think>{said}", "stop")], Remembering())
    assert found.verdict is Verdict.PASS


@given(st.text(alphabet="`~\n a", max_size=40))
@settings(settings.get_profile("costly"))
def test_a_program_is_always_part_of_the_text(text):
    found = program_in(text)
    assert found is None or found.strip("\n") in text


@pytest.mark.parametrize(
    ("task", "program", "wrong"),
    [
        (TASK, DOUBLE, DOUBLE.replace("2", "3")),
        (CALLED, CLASS, CLASS.replace("2.0", "3.0")),
        (ASSERTED, "def f(x):\n    return x + x", "def f(x):\n    return x"),
    ],
)
def test_right_programs_pass_and_others_do_not(task, program, wrong):
    asked = problem(task)
    answers = [
        (asked, answer(program), "stop"),
        (asked, answer(wrong), "stop"),
        (asked, answer("exit(0)"), "stop"),
        (asked, answer(program), "length"),
        (asked, f"<think>\n```python\n{program}\n```", "stop"),
        (asked, "<think></think>It is easy.", "stop"),
        (asked, f"<think>\n```python\n{program}\n```</think>No.", "stop"),
    ]
    found = [one.verdict for one in score("verify", answers, Remembering())]
    assert found == [
        *(Verdict.PASS, Verdict.WRONG, Verdict.WRONG, Verdict.TRUNCATED, Verdict.TRUNCATED),
        *(Verdict.UNPARSED, Verdict.UNPARSED),
    ]


def test_programs_and_other_answers_keep_their_order():
    maths = Problem("m", "maths", "maths", "1 + 1?", "2", "m", meta={"verifier": "maths"})
    asked = problem(TASK)
    answers = [
        (maths, r"\boxed{2}", "stop"),
        (asked, answer(DOUBLE), "stop"),
        (maths, r"\boxed{3}", "stop"),
        (asked, answer("print(1)"), "stop"),
    ]
    found = [one.verdict for one in score("verify", answers, Remembering())]
    assert found == [Verdict.PASS, Verdict.PASS, Verdict.WRONG, Verdict.WRONG]
    with WorkerJudge(lambda tokens: "", 1, Remembering()) as judge:
        started = [judge.start(*one) for one in answers]
        assert [one.result().verdict for one in started] == found


@pytest.mark.field_bug("S15")
def test_what_is_not_the_programs_fault_gives_no_reward():
    broken = score("verify", [(problem(TASK), answer(DOUBLE), "stop")], Broken())
    assert broken == [Judgement(Verdict.ERROR, None, "no namespaces here")]
    unsound = Problem("p", "code", "code", "", "", "p", meta={"verifier": "code", "code": {}})
    (found,) = score("verify", [(unsound, answer(DOUBLE), "stop")], Remembering())
    assert (found.verdict, "wrong fields" in found.reason) == (Verdict.ERROR, True)


def test_rows_of_the_command_are_judged_by_their_tests():
    row = {"id": "a", "domain": "code", "response": answer(CLASS), "mode": "function"}
    row |= {"fn": "Solution.f", "tests": [[[2], 4.0]], "checker": "float"}
    (found,) = score("verify", [(problem_of(row), row["response"], "stop")], Remembering())
    assert found.verdict is Verdict.PASS
