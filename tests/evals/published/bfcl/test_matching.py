"""Calls against golds: the published rules, one by one; several calls in any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stages.evals.published.bfcl.calls import Call
from stages.evals.published.bfcl.categories import Language
from stages.evals.published.bfcl.matching import impossible, mismatch


def function(
    types: Mapping[str, Any], required: Sequence[str] = (), name: str = "f"
) -> dict[str, Any]:
    """``types``: a declared type, or [type of a list, type of its elements]."""
    details = {
        key: {"type": of[0], "items": {"type": of[1]}} if isinstance(of, list) else {"type": of}
        for key, of in types.items()
    }
    return {"name": name, "parameters": {"properties": details, "required": list(required)}}


def fits(value: Any, options: Sequence[Any], declared: Any, language: Language = "python") -> bool:
    described = [function({"a": declared})]
    return not mismatch([Call("f", {"a": value})], [{"f": {"a": options}}], described, language)


STRINGS = ["array", "string"]
FLOATS = ["array", "float"]
DICTS = ["array", "dict"]


@pytest.mark.parametrize(
    ("value", "options", "declared", "expected"),
    [
        # types
        (5, [5], "integer", True),
        (5.0, [5], "integer", False),
        ("5", [5], "integer", False),
        (True, [1], "integer", False),
        (1, [True], "boolean", False),
        (5, [5.0], "float", True),
        (5, [5], "float", True),
        (5.5, [5.5, 6.0], "float", True),
        (6, [5.5], "float", False),
        (None, [None], "string", True),
        # texts: case, blanks, punctuation, quotes
        ("San-Francisco  ca", ["San Francisco, CA"], "string", True),
        ("it's", ['It"s'], "string", True),
        ("a;b", ["a:b"], "string", False),
        ("New York", ["NYC", "New York"], "string", True),
        ("New", ["New York"], "string", False),
        ("", ["x", ""], "string", True),
        # lists and tuples
        (["B", "a."], [["b", "a"]], STRINGS, True),
        (["a", "b"], [["b", "a"]], STRINGS, False),
        (["a"], [["a", "b"]], STRINGS, False),
        ([], [["a"], ""], STRINGS, True),
        ([], [["a"]], STRINGS, False),
        ([1, 2], [[1.0, 2.0]], FLOATS, False),
        ([1, 2], [[1, 2]], FLOATS, True),
        ([1.0, 2.0], [[1, 2]], FLOATS, True),
        (("a", "b"), [["a", "b"]], STRINGS, False),
        (("a", "b"), [["a", "b"]], ["tuple", "string"], True),
        (["a", "b"], [["a", "b"]], ["tuple", "string"], True),
        ([["a", 1]], [[["a", 1]]], ["array", "array"], True),
        # dictionaries
        ({"k": "A b"}, [{"k": ["ab"]}], "dict", True),
        ({"k": "x"}, [{"k": ["ab"]}], "dict", False),
        ({"k": 1, "more": 2}, [{"k": [1]}], "dict", False),
        ({}, [{"k": [1]}], "dict", False),
        ({}, [{"k": [1, ""]}], "dict", True),
        ({"k": True}, [{"k": [1]}], "dict", False),
        ({"k": {"x": 1.0}}, [{"k": [{"x": 1}]}], "dict", True),
        ({"k": ["a", "b"]}, [{"k": [["a", "b"]]}], "dict", True),
        ({"k": "v"}, [{"k": "v"}], "dict", True),
        ({"k": 2}, [{"k": [1]}, {"k": [2]}, ""], "dict", True),
        ([{"k": 1}, {"k": 2}], [[{"k": [1]}, {"k": [2]}]], DICTS, True),
        ([{"k": 2}, {"k": 1}], [[{"k": [1]}, {"k": [2]}]], DICTS, False),
        ([{"k": 1}], [[{"k": [1]}, {"k": [2]}]], DICTS, False),
        # a gold of another type stands for a variable, and is met exactly
        ("user_id", ["user_id"], "integer", True),
        ("User id", ["user_id"], "integer", False),
        (7, ["user_id"], "integer", False),
    ],
)
def test_the_rules(value: Any, options: Sequence[Any], declared: Any, expected: bool) -> None:
    assert fits(value, options, declared) is expected


@pytest.mark.parametrize(
    ("language", "value", "options", "declared", "expected"),
    [
        ("java", "5L", [5], "long", True),
        ("java", "5", [5], "long", False),
        ("java", 'new String[]{"A", "b"}', [["a", "b"]], ["Array", "String"], True),
        ("java", ["a", "b"], [["a", "b"]], ["Array", "String"], True),
        ("java", 'new Object[]{"a", 1, true}', [["a", 1, True]], ["Array", "any"], True),
        ("java", True, [True], "boolean", True),
        ("java", "Point(1, 2)", ["new Point(1,2)"], "any", False),
        ("java", "new Point( 1,2 )", ["new Point(1, 2)"], "any", True),
        ("javascript", "{x: 1}", [{"x": [1]}], "dict", True),
        ("javascript", "[1, 2]", [[1.0, 2.0]], ["array", "float"], True),
        ("javascript", "point", ["point"], "dict", True),
        ("javascript", "5", [5], "Bigint", False),
    ],
)
def test_values_of_other_languages(
    language: Language, value: Any, options: Sequence[Any], declared: Any, expected: bool
) -> None:
    assert fits(value, options, declared, language) is expected


DESCRIBED = [
    function({"a": "integer", "b": "string"}, ["a"], "m.f"),
    function({"a": "integer"}, ["a"], "g"),
]
GOLD = [{"m.f": {"a": [1], "b": ["x", ""]}}]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (Call("m.f", {"a": 1}), ""),
        (Call("m.f", {"a": 1, "b": "X"}), ""),
        (Call("m_f", {"a": 1}), ""),
        (Call("f", {"a": 1}), "'f' is called, not 'm.f'"),
        (Call("g", {"a": 1}), "'g' is called, not 'm.f'"),
        (Call("m.f", {}), "'a' is required"),
        (Call("m.f", {"a": 1, "c": 2}), "'c' is not asked for"),
        (Call("m.f", {"a": 2}), "'a' is 2, not of [1]"),
        (Call("m.f", {"a": 1}, ("x",)), "a value without a name"),
    ],
)
def test_names_and_arguments(call: Call, said: str) -> None:
    found = mismatch([call], GOLD, DESCRIBED)
    assert said in found
    assert bool(found) is bool(said)


def test_what_the_gold_does_not_let_out_is_missing() -> None:
    described = [function({"a": "integer", "b": "integer"}, ["a"])]
    gold = [{"f": {"a": [1], "b": [2]}}]
    assert "'b' is missing" in mismatch([Call("f", {"a": 1})], gold, described)


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ({"a": [1], "b": ["x"]}, ""),
        ({"a": [1], "c": [1, ""]}, ""),
        ({"b": ["x"]}, "requires 'a'"),
        ({"a": []}, "requires 'a'"),
        ({"a": [1], "c": [1]}, "has no such parameter"),
    ],
)
def test_golds_that_nobody_can_meet_are_found(gold: dict[str, list[Any]], said: str) -> None:
    found = impossible([{"m.f": gold}], DESCRIBED)
    assert said in found
    assert bool(found) is bool(said)


def test_the_number_of_calls_counts() -> None:
    call = Call("m.f", {"a": 1})
    assert mismatch([call, call], GOLD, DESCRIBED) == "2 calls, not 1"
    assert mismatch([], GOLD, DESCRIBED) == "0 calls, not 1"


def test_calls_are_given_to_golds_so_that_all_fit() -> None:
    # the first call fits both golds: taken in order, it would be used up by the first
    described = [function({"a": "integer"})]
    golds = [{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}]
    calls = [Call("f", {"a": 1}), Call("f", {"a": 2})]
    assert mismatch(calls, golds, described) == ""
    assert "no call fits" in mismatch([Call("f", {"a": 2})] * 2, golds, described)
    assert "no call fits" in mismatch([Call("f", {"a": 1}), Call("f", {"a": 3})], golds, described)


@settings(max_examples=30, deadline=None)
@given(some.lists(some.integers(0, 3), min_size=1, max_size=5), some.randoms(use_true_random=False))
def test_any_order_is_right_and_no_other_calls(numbers: list[int], random: Any) -> None:
    described = [function({"a": "integer"})]
    golds = [{"f": {"a": [number]}} for number in numbers]
    calls = [Call("f", {"a": number}) for number in numbers]
    random.shuffle(calls)
    assert mismatch(calls, golds, described) == ""
    other = [*calls[1:], Call("f", {"a": 4})]
    assert mismatch(other, golds, described) != ""
