"""Expressions as simplified trees, in a process that is bounded."""

from __future__ import annotations

import io
import json

import pytest

from stages.evals.published.expression_trees import serve, simplified_tree
from stages.rewards.maths_nodes import Node, UnreadableError, number
from stages.rewards.maths_reading import read
from stages.rewards.maths_values import Scalar


def node(text: str) -> Node:
    value = read(text, units=False)
    assert isinstance(value, Scalar)
    return value.node


def answered(found: Node, seconds: float = 5.0) -> dict[str, object]:
    out = io.StringIO()
    serve([json.dumps({"node": found.to_row(), "seconds": seconds})], out)
    return json.loads(out.getvalue())  # type: ignore[no-any-return]


def test_equal_expressions_become_one_tree_of_numbers_symbols_and_operators() -> None:
    one, two = (answered(node(text))["tree"] for text in ("m g - g m/2", r"\frac{gm}{2}"))
    assert one == two == ["operator Mul", ["number 1/2"], ["symbol g"], ["symbol m"]]
    assert answered(node(r"\sqrt{x^2}"))["tree"] == ["symbol x"]  # positive, as in physics
    assert answered(node(r"\cos(2t)"))["tree"] == [
        "function cos", ["operator Mul", ["number 2"], ["symbol t"]],
    ]  # fmt: skip


def test_what_has_no_tree_says_why() -> None:
    assert "no place" in str(answered(Node("pm", (number(1),), "pm"))["why"])
    assert "zoo" not in answered(node("x/1"))
    assert "no place" in str(answered(Node("div", (number(1), number(0))))["why"])


def test_an_expression_of_too_many_parts_is_not_asked_for() -> None:
    with pytest.raises(UnreadableError, match="too many parts"):
        simplified_tree(Node("add", tuple(number(place) for place in range(500))))
