"""Calls read from text: every form that models and APIs write, and nothing that is none."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stages.evals.published.bfcl.calls import Call, read_calls

ONE = [("f", {"a": 1})]
TWO = [("f", {"a": 1}), ("m.g", {"b": "x"})]
BOTH = "[f(a=1), m.g(b='x')]"

READ: list[tuple[str, list[tuple[str, dict[str, Any]]] | None]] = [
    (BOTH, TWO),
    (" [ f( a = 1 ) ,\n  m.g(b = 'x',) ] ", TWO),
    ("f(a=1), m.g(b='x')", TWO),
    ("f(a=1)\nm.g(b='x')", TWO),
    ("[f(a=1), m.g(b='x')", TWO),
    ("f(a=1), m.g(b='x')]", TWO),
    ("[[f(a=1), m.g(b='x')]]", TWO),
    (f"`{BOTH}`", TWO),
    (f"```\n{BOTH}\n```", TWO),
    (f"Here:\n~~~python\n{BOTH}\n~~~\nDone.", TWO),
    (f"```json\n{{}}\n```\n```\n{BOTH}\n```\nor\n```\nnothing\n```", TWO),
    (f"```\n[f(a=2)]\n```\nNo, rather\n```\n{BOTH}\n```", TWO),
    (f"The calls are:\n{BOTH}", TWO),
    ('[{"name": "f", "arguments": {"a": 1}}, {"name": "m.g", "arguments": {"b": "x"}}]', TWO),
    ('[{"f": {"a": 1}}, {"m.g": {"b": "x"}}]', TWO),
    ("[{'f': {'a': 1}}, {'m.g': {'b': 'x'}}]", TWO),
    ('{"name": "f", "parameters": {"a": 1}}', ONE),
    ('{"name": "f", "arguments": "{\\"a\\": 1}"}', ONE),
    ('[{"f": "{\\"a\\": 1}"}]', ONE),
    ('{"tool_calls": [{"id": "0", "function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]}', ONE),
    ('<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', ONE),
    ('So <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>\n<tool_call>m.g(b="x")', TWO),
    ('<function_call> {"name": "f", "arguments": {"a": 1}} <function_call> m.g(b="x")', TWO),
    (r"[some\_f(an\_a=1)]", [("some_f", {"an_a": 1})]),
    (r"[f(a='x\_y')]", [("f", {"a": r"x\_y"})]),
    ("[]", []),
    ("", None),
    ("# f(a=1)", None),
    ("[f(a=1), 5]", None),
    ("x = f(a=1)", None),
    ("f(a=1)(b=2)", None),
    ("[f(**{'a': 1})]", None),
    ("[f(a=1, a=2)]", None),
    ("I would call f(a=1), but b is missing.", None),
    ("No function fits (none at all).", None),
    ("[None]", None),
    ('{"answer": {"a": 1}}', None),
    ('["f"]', None),
    ('[{"name": "f", "description": "Adds.", "parameters": {"type": "dict"}}]', None),
    ('[{"type": "function", "id": "0", "name": "f", "arguments": {"a": 1}}]', ONE),
    ("```\n[f(a=1)]", ONE),
    ('<tool_call>{"name": "f"</tool_call>', None),
    ("[f(a=" + "[" * 100 + "]" * 100 + ")]", None),
    ('[{"f": {"a": ' + "[" * 90 + "]" * 90 + "}}]", None),
    ("[" * 60_000, None),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_what_is_read(text: str, expected: list[tuple[str, dict[str, Any]]] | None) -> None:
    found = read_calls(text)
    assert (None if found is None else [(one.name, one.arguments) for one in found]) == expected


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("-1.5", -1.5),
        ("+2", 2),
        ("[1, (2, 'a'), {'k': None, 3: True}]", [1, (2, "a"), {"k": None, 3: True}]),
        ("3 * 4 - 2**3 / 8", 11.0),
        ("7 // 2 % 2", 1),
        ("1 / 0", "1 / 0"),
        ("9**9**9", "9 ** 9 ** 9"),
        ("name", "name"),
        ("true", "true"),
        ("g(x=1)", "g(x=1)"),
        ("rows[0].id", "rows[0].id"),
        ("__import__('os').system('true')", "__import__('os').system('true')"),
        ("'a' 'b'", "ab"),
        ("b'a'", "b'a'"),
        ("f'{x}'", "f'{x}'"),
    ],
)
def test_values_are_literals_or_stay_as_written(written: str, value: Any) -> None:
    assert read_calls(f"[f(a={written})]") == [Call("f", {"a": value})]


def test_values_without_a_name_are_kept_apart() -> None:
    assert read_calls("[f(1, 'x', a=2)]") == [Call("f", {"a": 2}, (1, "x"))]


def test_numbers_beyond_all_bounds_are_no_calls_that_fail() -> None:
    assert read_calls(f"[f(a={'9' * 5000})]") is None
    (call,) = read_calls("[f(a=1e999)]") or ()
    assert math.isinf(call.arguments["a"])


LITERALS = some.recursive(
    some.none() | some.booleans() | some.integers(-(10**9), 10**9) | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=4), inner),
    max_leaves=5,
)
WORDS = some.from_regex(r"\A(?!None\Z|True\Z|False\Z)[A-Z][a-z_0-9]{0,5}\Z")


@settings(max_examples=40, deadline=None)
@given(some.lists(some.tuples(WORDS, some.dictionaries(WORDS, LITERALS, max_size=3)), min_size=1))
def test_what_is_written_is_read_again(calls: list[tuple[str, dict[str, Any]]]) -> None:
    def written(arguments: dict[str, Any]) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in arguments.items())

    expected = [Call(name, arguments) for name, arguments in calls]
    python = ", ".join(f"{name}({written(arguments)})" for name, arguments in calls)
    assert read_calls(f"[{python}]") == expected
    api = json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls])
    assert read_calls(f"```json\n{api}\n```") == expected


@settings(max_examples=60, deadline=None)
@given(some.text(alphabet="[](){}<>,=:'\"`~\\ \nafb.1*tool_c{n", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    found = read_calls(text)
    assert found is None or all(isinstance(call, Call) for call in found)
