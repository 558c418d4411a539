"""Whether an answer has been worked out: an equal expression may be nothing but the problem again.

"17 * 23" equals 391, and "What is 17 * 23?" is not answered by it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from stages.rewards.maths_nodes import InexactError, Node, UnreadableError, exact, number
from stages.rewards.maths_reading import read
from stages.rewards.maths_shapes import as_value
from stages.rewards.maths_values import Relation, Scalar, Sequence, Text, Value

SPARE = 4  # operations an answer may have besides twice those of the gold
MOST_OF_ROOT = 2  # operations of a multiple of a root or of pi
SHORTEST = 4  # signs of an expression that counts as copied
MOST_GIVEN = 40  # expressions of a problem that are read
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
LAYOUT = re.compile(r"\\(?:left|right|displaystyle|d?frac|[,;:! ()\[\]])|[\s$.{}*]")
OPERATION = re.compile(r"[-+*/^!=]|\\[a-zA-Z]")
PLAIN_CALLS = ("percent", "deg", "base", "sqrt", "root", "abs", "factorial", "binom")
GIVEN = re.compile(
    r"\$\$?([^$]{1,500})\$|\\\[(.{1,500}?)\\\]|\\\((.{1,500}?)\\\)|"
    r"((?:(?<![A-Za-z])[A-Za-z](?![A-Za-z])|\\[a-z]+|[-+*/^().{}0-9]|\s(?=[^A-Za-z]|[A-Za-z]\b))+)",
    re.DOTALL,
)
FACTOR, EXPAND = re.compile(r"(?i)\bfactor(?:i[sz]e)?\b"), re.compile(r"(?i)\bexpand\b")


def unworked(gold: Value, said: Value, written: tuple[str, str], prompt: str) -> str | None:
    """Why an answer equal to the gold is none; None if it is one.

    ``written`` holds the gold's text and the answer's. An expression of the problem is the problem
    again, also with a zero added, a one multiplied or its numbers put together; so is one with
    functions that the gold does not have and many more operations. Where the gold is a plain number
    and the problem is known, the answer is one too, or one power, factorial or binomial;
    a rounded gold may be met by a multiple of a root or of pi.
    """
    said = as_value(said)
    if isinstance(said, Text) or (isinstance(said, Scalar) and is_literal(said.node)):
        return None
    texts = [LAYOUT.sub("", text) for text in written]
    copied = texts[1] != texts[0] and len(texts[1]) >= SHORTEST and OPERATION.search(written[1])
    if copied and len(texts[1]) > len(texts[0]) and texts[1] in LAYOUT.sub("", prompt):
        return "copied from the problem"
    if isinstance(gold, Sequence) and isinstance(said, Sequence):
        return _items_unworked(gold, said, prompt)
    if not isinstance(gold, Scalar) or not isinstance(said, Scalar):
        return None
    return _scalar_unworked(gold.node, said.node, prompt)


def _items_unworked(gold: Sequence, said: Sequence, prompt: str) -> str | None:
    """Numbers side by side: where all of the gold's are plain, so are the answer's."""
    nodes = [
        [item.node for item in side.items if isinstance(item, Scalar)] for side in (gold, said)
    ]
    if len(nodes[0]) != len(gold.items) or not all(map(is_literal, nodes[0])):
        return None
    found = (_number_unworked(node, prompt) for node in nodes[1] if not is_literal(node))
    return next(filter(None, found), None)


def _scalar_unworked(gold: Node, said: Node, prompt: str) -> str | None:
    foreign = _functions(said) - _functions(gold)
    if foreign and operations(said) > 2 * operations(gold) + SPARE:
        return "not worked out"
    if is_literal(gold):
        return _number_unworked(said, prompt)
    form = simple(said)
    if form != simple(gold) and form in _given(prompt):
        return "copied from the problem"
    if FACTOR.search(prompt) and _factors(form) < _factors(simple(gold)):
        return "not factored as far as it goes"
    if EXPAND.search(prompt) and _has_products(form) and not _has_products(simple(gold)):
        return "not expanded"
    return None


def _number_unworked(said: Node, prompt: str) -> str | None:
    """Why an expression is no plain number; None for one power, factorial or binomial."""
    if not prompt.strip():
        return None
    given = Counter(Fraction(text) for text in NUMBER.findall(prompt))
    found = Counter(abs(part.value) for part in said.walk() if part.op == "num")
    if found and found <= given:
        return "made of the problem's numbers, not worked out"
    if operations(said) <= MOST_OF_ROOT and not _functions(said) and _irrational(said):
        return None
    args = said.args[1:] if _negates(said) else (said,)
    plain = all(map(is_literal, args[0].args)) if args else False
    whole = args[0].op == "pow" and abs(args[0].args[1].value) >= 2
    whole = whole and args[0].args[1].value.denominator == 1
    closed = whole or (args[0].op == "call" and args[0].name in ("factorial", "binom"))
    return None if plain and closed else "an expression that is not worked out"


def _irrational(node: Node) -> bool:
    """Whether a number has no exact value here: half of pi, which a gold may give rounded."""
    try:
        exact(node, {})
    except InexactError:
        return True
    except UnreadableError:
        return False
    return False


def simple(node: Node) -> Node:
    """An expression in one order, its numbers put together, no zeros and ones to spare."""
    args = tuple(map(simple, node.args))
    if node.name in ("sqrt", "root"):
        degree = args[1] if len(args) > 1 else number(2)
        return simple(Node("pow", (args[0], Node("div", (number(1), degree)))))
    node = replace(node, args=args)
    if node.args and all(part.op == "num" for part in args):
        try:
            return number(exact(node, {}))
        except (InexactError, UnreadableError):
            return node
    if node.op == "pow" and args[1] == number(1):
        return args[0]
    if node.op == "div" and args[1] == number(1):
        return args[0]
    return _gathered(node) if node.op in ("add", "mul") else node


def _gathered(node: Node) -> Node:
    """A sum or product without brackets of its own kind, its numbers as one, sorted."""
    parts = [
        inner for part in node.args for inner in (part.args if part.op == node.op else (part,))
    ]
    value = Fraction(node.op == "mul")
    for part in parts:
        if part.op == "num":
            value = value + part.value if node.op == "add" else value * part.value
    kept = sorted((part for part in parts if part.op != "num"), key=repr)
    if value != (node.op == "mul") or not kept:
        kept.insert(0, number(value))
    return kept[0] if len(kept) == 1 else Node(node.op, tuple(kept))


@lru_cache(maxsize=1024)
def _given(prompt: str) -> frozenset[Node]:
    """The expressions of a problem, each side of an equation for itself."""
    found = set[Node]()
    for piece in list(_pieces(prompt))[:MOST_GIVEN]:
        try:
            value = read(piece, units=False)
        except (UnreadableError, RecursionError):
            continue
        sides = value.sides if isinstance(value, Relation) else (value,)
        found.update(simple(side.node) for side in sides if isinstance(side, Scalar))
    return frozenset(found)


def _pieces(prompt: str) -> Iterator[str]:
    for match in GIVEN.finditer(prompt):
        text = next(filter(None, match.groups())).strip(" .,;\n")
        if len(text) >= SHORTEST and OPERATION.search(text):
            yield text


def _factors(node: Node) -> int:
    """How many factors with variables a product has."""
    if node.op == "mul":
        return sum(map(_factors, node.args))
    if node.op == "pow" and node.args[1].op == "num" and node.args[1].value > 1:
        return _factors(node.args[0]) * int(node.args[1].value)
    return int(node.op != "num")


def _has_products(node: Node) -> bool:
    """Whether a sum stands in a product or under a power."""
    return any(
        part.op in ("mul", "pow") and any(child.op == "add" for child in part.args)
        for part in node.walk()
    )


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
