"""Calls written in Java and JavaScript: their parts, and values by declared type."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stages.evals.published.bfcl.calls import Call
from stages.evals.published.bfcl.source_calls import (
    java_value,
    javascript_value,
    source_calls,
    split,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[A.f(x="a, b", y=c)]', [("A.f", {"x": "a, b", "y": "c"})]),
        ("f(x=1)]", [("f", {"x": "1"})]),
        ("[f(x=1), g()]", [("f", {"x": "1"}), ("g", {})]),
        (
            '[f(m=new HashMap<String, Object>() {{ put("a", 1); }}, n=2L)]',
            [("f", {"m": 'new HashMap<String, Object>() {{ put("a", 1); }}', "n": "2L"})],
        ),
        ("[f(cb=(a, b) => a + b, n='it\\'s')]", [("f", {"cb": "(a, b) => a + b", "n": "it's"})]),
        ('[f(x="a" + "b")]', [("f", {"x": '"a" + "b"'})]),
        ('[f(x="say \\"hi\\"")]', [("f", {"x": 'say "hi"'})]),
        ("[]", []),
        ("[", None),
        ("[f(x=1]", None),
        ("[f(x=1, x=2)]", None),
        ("No function fits (none).", None),
    ],
)
def test_the_parts_of_calls(text: str, expected: list[tuple[str, dict[str, str]]] | None) -> None:
    found = source_calls(text)
    assert (None if found is None else [(one.name, one.arguments) for one in found]) == expected


def test_what_has_no_name_is_kept_apart() -> None:
    (call,) = source_calls('[f("x", a == b, c=1)]') or ()
    assert (call.unnamed, call.arguments) == (("x", "a == b"), {"c": "1"})


@pytest.mark.parametrize(
    ("text", "declared", "inner", "value"),
    [
        ("5", "integer", "", 5),
        ("5.0", "integer", "", "5.0"),
        ("5L", "long", "", 5),
        ("5", "long", "", "5"),
        ("1.5f", "float", "", 1.5),
        ("1.5", "float", "", "1.5"),
        ("-2e3", "double", "", -2000.0),
        ("true", "boolean", "", True),
        ("True", "boolean", "", "True"),
        ("5", "String", "", "5"),
        ("x.y()", "any", "", "x.y()"),
        ('new String[]{"a", "b,c"}', "Array", "String", ["a", "b,c"]),
        ("new int[] {1, 2}", "Array", "integer", [1, 2]),
        ("new int[]{}", "Array", "integer", []),
        ("new int[]{1, x}", "Array", "integer", [1, "x"]),
        ("{1, 2}", "Array", "integer", "{1, 2}"),
        ('new ArrayList<>(Arrays.asList("a", "b"))', "ArrayList", "String", ["a", "b"]),
        ("new ArrayList<Long>(List.of(1L, 2L))", "ArrayList", "long", [1, 2]),
        ("new ArrayList<>() {{ add(1); add(2); }}", "ArrayList", "integer", [1, 2]),
        ("new ArrayList<String>()", "ArrayList", "String", []),
        ('new ArrayList<>(Arrays.asList("a", 1, true))', "ArrayList", "any", ["a", 1, True]),
        ("Arrays.asList(1)", "ArrayList", "integer", "Arrays.asList(1)"),
        (
            'new HashMap<String, Object>() {{ put("k", "v;w"); put("n", 2L); }}',
            "HashMap",
            "",
            {"k": "v;w", "n": 2},
        ),
        ('new HashMap<>(Map.of("k", true))', "HashMap", "", {"k": True}),
        ("new HashMap<>()", "HashMap", "", {}),
        ("new HashMap<>(other)", "HashMap", "", "new HashMap<>(other)"),
    ],
)
def test_values_of_java(text: str, declared: str, inner: str, value: Any) -> None:
    found = java_value(text, declared, inner)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "declared", "inner", "value"),
    [
        ("5", "integer", "", 5),
        ("5", "float", "", 5.0),
        ("5n", "Bigint", "", 5),
        ("5", "Bigint", "", "5"),
        ("false", "Boolean", "", False),
        ("a", "String", "", "a"),
        ("'a'", "String", "", "a"),
        ("['a', \"b\"]", "array", "String", ["a", "b"]),
        ("new Array(1, 2)", "array", "integer", [1, 2]),
        ("[1, 2]", "array", "float", [1.0, 2.0]),
        ("[[1, 2], [3]]", "array", "array", [[1, 2], [3]]),
        ("[]", "array", "String", []),
        ("list", "array", "String", "list"),
        ("{a: 1, 'b c': [true, x], d: {e: 'f:g'}}", "dict", "",
         {"a": 1, "b c": [True, "x"], "d": {"e": "f:g"}}),
        ("{}", "dict", "", {}),
        ("options", "dict", "", "options"),
        ("() => 1", "any", "", "() => 1"),
        ("[" * 5000, "array", "array", "[" * 5000),
    ],
)  # fmt: skip
def test_values_of_javascript(text: str, declared: str, inner: str, value: Any) -> None:
    found = javascript_value(text, declared, inner)
    assert (type(found), found) == (type(value), value)


VALUES = (type(None), bool, int, float, str, list, dict)


@settings(max_examples=60, deadline=None)
@given(some.text(alphabet="[](){}<>,;=:'\"`\\ newArrayListput1L", max_size=50))
def test_no_text_breaks_the_readers(text: str) -> None:
    calls = source_calls(text)
    assert calls is None or all(isinstance(call, Call) for call in calls)
    for declared in ("Array", "ArrayList", "HashMap", "long"):
        assert isinstance(java_value(f"new {text}", declared, "String"), VALUES)
    for declared in ("array", "dict", "float"):
        assert isinstance(javascript_value(text, declared, ""), VALUES)


@pytest.mark.parametrize("text", ["(" * 50_000, "(<," * 20_000, "new HashMap(){" * 4_000])
def test_texts_made_to_be_slow_are_not(text: str) -> None:
    before = time.process_time()
    split(text)
    source_calls(f"f({text})")
    java_value(text, "HashMap", "")
    assert time.process_time() - before < 1
