"""Whether an answer has been worked out: an equal expression may be nothing but the problem again.

"17 * 23" equals 391, and "What is 17 * 23?" is not answered by it.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

from stages.rewards.maths_nodes import Node
from stages.rewards.maths_shapes import as_value
from stages.rewards.maths_values import Scalar, Value

SPARE = 4  # operations an answer may have besides twice those of the gold
SHORTEST = 4  # signs of an expression that counts as copied
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
LAYOUT = re.compile(r"\\(?:left|right|displaystyle|d?frac|[,;:! ()\[\]])|[\s$.{}*]")
OPERATION = re.compile(r"[-+*/^!=]|\\[a-zA-Z]")
PLAIN_CALLS = ("percent", "deg", "base", "sqrt", "root", "abs", "factorial", "binom")


def unworked(gold: Value, said: Value, written: tuple[str, str], prompt: str) -> str | None:
    """Why an answer equal to the gold is none; None if it is one.

    ``written`` holds the gold's text and the answer's. An expression of the problem, word for word
    or with nothing but its numbers where a number is expected, is the problem again; so is one with
    functions that the gold does not have and many more operations.
    """
    said = as_value(said)
    if isinstance(said, Scalar) and is_literal(said.node):
        return None
    texts = [LAYOUT.sub("", text) for text in written]
    copied = texts[1] != texts[0] and len(texts[1]) >= SHORTEST and OPERATION.search(written[1])
    if copied and len(texts[1]) > len(texts[0]) and texts[1] in LAYOUT.sub("", prompt):
        return "copied from the problem"
    if not isinstance(gold, Scalar) or not isinstance(said, Scalar):
        return None
    foreign = _functions(said.node) - _functions(gold.node)
    if foreign and operations(said.node) > 2 * operations(gold.node) + SPARE:
        return "not worked out"
    if is_literal(gold.node) and _restates(written[1], prompt):
        return "made of the problem's numbers, not worked out"
    return None


def operations(node: Node) -> int:
    """How many operations an expression has; signs do not count."""
    own = node.op in ("add", "mul", "div", "pow", "call") and not _negates(node)
    return own + sum(map(operations, node.args))


def is_literal(node: Node) -> bool:
    """Whether a number is written out: whole, decimal, times a power of ten, a proper fraction."""
    if _negates(node):
        return is_literal(node.args[1])
    if node.op == "div" and all(part.op == "num" for part in node.args):
        above, below = (part.value for part in node.args)
        return not below or Fraction(above, below).denominator > 1
    if node.op == "mul" and node.args[0].op == "num" and node.args[1].op == "pow":
        return node.args[1].args[0].value == 10 and is_literal(node.args[1].args[1])
    return node.op == "num" or (node.op == "call" and node.name in ("percent", "deg", "base"))


def _negates(node: Node) -> bool:
    return node.op == "mul" and node.args[0].op == "num" and node.args[0].value == -1


def _functions(node: Node) -> frozenset[str]:
    calls = (part for part in node.walk() if part.op == "call")
    return frozenset(part.name for part in calls if part.name not in PLAIN_CALLS)


def _restates(answer: str, prompt: str) -> bool:
    """Whether an expression has two numbers or more, all of them the problem's."""
    found, given = Counter(NUMBER.findall(answer)), Counter(NUMBER.findall(prompt))
    return found.total() > 1 and found <= given
