"""Checkers that are programs: asked apart, never fooled into masking a failure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from stages.base.errors import DataError
from stages.sandbox import custom
from stages.sandbox.custom import NoJsonError, as_json
from stages.sandbox.limits import Limits
from stages.sandbox.rows import Task
from tests.sandbox.judging import judged
from tests.sandbox.test_plain import VALUES
from tests.sandbox.test_programs import needs_namespaces
from tests.tables import each

HALVES = """
import json, sys
row = json.load(sys.stdin)
a, b = map(int, row["output"].split())
print("ok" if a + b == int(row["input"]) else f"wrong {a} and {b}\\nno more of this")
"""
BASE = {"checker": "custom", "checker_program": HALVES, "tests": [["10", "5 5"]]}


def verdicts(rows: dict[str, dict[str, object]]) -> dict[str, tuple[str, str]]:
    """Verdict and reason by name."""
    found = judged([{"id": name, **BASE, **row} for name, row in rows.items()], 1)
    return {str(row["id"]): (str(row["verdict"]), str(row["reason"])) for row in found}


@needs_namespaces
def test_any_right_answer_passes_and_a_wrong_one_does_not():
    found = verdicts(
        {
            "expected": {"program": "print(5, 5)"},
            "another": {"program": "print(3, 7)"},
            "wrong": {"program": "print(3, 8)"},
            "fails": {"program": "print(3, 7)\nraise ValueError('no')"},
        }
    )
    assert found["expected"] == found["another"] == ("pass", "")
    assert found["wrong"] == ("wrong_answer", "3 and 8")
    assert found["fails"] == ("runtime_error", "ValueError: no")


PRINTED = [
    "''", "'x'", "'1'", "'9' * 10**6", "'nan'", "chr(0)", "'\\udcff'", "'[' * 10**5", "'ok'",
    "'ok' + chr(10) + '5 5'", "'\"}'", "'5 5'[:-1]", "'5 ' * 10**6", "chr(0x1F600)",
]  # fmt: skip


@needs_namespaces
@pytest.mark.slow
def test_no_output_makes_a_checker_fail_for_us(monkeypatch):
    monkeypatch.setattr(custom, "LIMITS", Limits(time_s=1))
    found = verdicts({text: {"program": f"print({text}, end='')"} for text in PRINTED})
    assert {verdict for verdict, _ in found.values()} == {"wrong_answer"}
    assert "fails on" in found["'x'"][1]
    slow = "import json\nwhile json.loads(input())['output'] != 'a':\n    while 1: 0\nprint('ok')"
    row = {"program": "print('b')", "checker_program": slow, "tests": [["", "a"]]}
    assert verdicts({"slow": row})["slow"][0] == "wrong_answer"


@needs_namespaces
def test_an_output_too_large_for_any_checker_is_too_much_output(monkeypatch):
    monkeypatch.setattr(custom, "LARGEST", 100)
    found = verdicts({"a": {"program": "print('5', ' ' * 99, '5')"}})["a"]
    assert found[0] == "output_limit"


BROKEN = {
    "syntax": ("print(", "SyntaxError"),
    "raises": ("raise KeyError('a')", "KeyError: 'a'"),
    "silent": ("", "it printed ''"),
    "other": ("print('yes')", "it printed 'yes'"),
    "more": ("print('ok?')", "it printed 'ok?'"),
    "status": ("print('ok')\nraise SystemExit(2)", "exit status 2"),
    "memory": ("a = 'a' * 10**10", "oom"),
    "output": ("while True: print('ok')", "output_limit"),
    "strict": ("print('wrong no')", "it calls the expected output wrong (no)"),
}


@needs_namespaces
@pytest.mark.field_bug("S15")
@pytest.mark.parametrize("program", ["print(5, 5)", "print('x')"])
def test_a_broken_checker_is_an_error_whatever_the_program_prints(program):
    rows = {
        name: {"program": program, "checker_program": text or "pass"}
        for name, (text, _) in BROKEN.items()
    }
    for name, (verdict, reason) in verdicts(rows).items():
        assert verdict == "sandbox_error"
        assert reason.startswith("the custom checker failed: ")
        assert BROKEN[name][1] in reason


@needs_namespaces
def test_values_of_functions_and_each_test_by_itself():
    checker = (
        "import json, sys\nrow = json.load(sys.stdin)\n"
        "good = sorted(row['output']) == row['input'][0] and row['expected'] is not None\n"
        "print('ok' if good else 'wrong')"
    )
    row = {"mode": "function", "fn": "f", "checker_program": checker}
    row["tests"] = [[[[1, 2]], [2, 1]], [[[3, 4]], [3, 4]]]
    found = verdicts(
        {
            "list": {**row, "program": "def f(x): return x[::-1]"},
            "tuple": {**row, "program": "def f(x): return tuple(x)"},
            "set": {**row, "program": "def f(x): return set(x)"},
            "other": {**row, "program": "def f(x): return x[1:]"},
            "none": {**row, "program": "def f(x): pass"},
            "bytes": {**row, "program": "def f(x): return b'12'"},
            "huge": {**row, "program": "def f(x): return [10**6000]"},
            "nan": {**row, "program": "def f(x): return [float('nan')]"},
            "object": {**row, "program": "def f(x): return object()"},
        }
    )
    said = {name: verdict for name, (verdict, _) in found.items()}
    assert {said.pop(name) for name in ("list", "tuple", "set")} == {"pass"}
    assert said.pop("object") == "runtime_error"
    assert set(said.values()) == {"wrong_answer"}
    assert found["bytes"][1] == "a value of type bytes that JSON cannot carry"


@needs_namespaces
def test_the_program_sees_neither_the_checker_nor_what_is_expected():
    look = (
        "import gc, glob, os, re\n"
        "texts = [o for o in gc.get_objects() if isinstance(o, (str, dict, list, tuple))]\n"
        "files = filter(os.path.isfile, glob.glob('/box/**', recursive=True))\n"
        "texts += [open(file).read() for file in files]\n"
        "print(sum(bool(re.search('MAR[K][12]', repr(o)[:10**6])) for o in texts))"
    )
    checker = "# MARK1\nimport json, sys\n" + (
        "print('ok' if json.load(sys.stdin)['output'].strip() in ('0', 'MARK2') else 'wrong')"
    )
    row = {"program": look, "checker_program": checker, "tests": [["", "MARK2"]]}
    assert verdicts({"a": row})["a"] == ("pass", "")


@needs_namespaces
def test_a_checker_is_asked_about_a_test_once(monkeypatch):
    asked = []
    said = custom._said
    monkeypatch.setattr(custom, "_said", lambda *given: asked.append(given[3]) or said(*given))
    custom._broken.clear()
    verdicts({str(n): {"program": f"print({n}, {10 - n})"} for n in range(3)})
    assert asked == ["5 5", "0 10\n", "1 9\n", "2 8\n"]


@each(
    ("row", "message"),
    [
        ({"checker_program": None}, "needs a text 'checker_program'"),
        ({"checker_program": " "}, "needs a text 'checker_program'"),
        ({"checker": "tokens"}, "needs checker 'custom'"),
        ({"mode": "assert", "test": "f()", "entry": "f"}, "the test itself is the checker"),
        ({"mode": "function", "fn": "f", "tests": [[[1], {1}]]}, "as JSON"),
    ],
)
def test_rows_that_cannot_be_checked_are_refused(row, message):
    with pytest.raises(DataError, match=message):
        Task.parse({"id": "a", "program": "", **BASE, **row})


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_what_is_given_to_a_checker_is_json_and_stays_what_it_was(value):
    try:
        text = json.dumps(as_json(value), allow_nan=False)
    except NoJsonError:
        return
    text.encode("ascii")
    assert json.loads(text) == as_json(json.loads(text)) == as_json(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, {3, 2}), [1, [2, 3]]),
        ({1: True, None: 2}, {"1": True, "null": 2}),
        ("a\udcff\ud800b", "a\ufffd\ufffdb"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_values_as_json(value, plain):
    assert as_json(value) == plain


@each("value", [b"", 1j, 1e999, [1 << 20_000], {(1,): 2}, {1: 1, "1": 2}])
def test_values_that_are_none(value):
    with pytest.raises(NoJsonError):
        as_json([value])
