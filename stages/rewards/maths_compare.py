"""Whether an answer is the gold: types first, then units, then exact values, then identities.

Each function gives None where the two are the same, else in words what differs.
"""

from __future__ import annotations

import re
from fractions import Fraction

from stages.rewards.maths_nodes import (
    InexactError,
    Node,
    UnreadableError,
    exact,
    has_constant,
    minus,
    number,
    points,
    symbols,
)
from stages.rewards.maths_pool import holds
from stages.rewards.maths_quantities import Asked, comparable
from stages.rewards.maths_shapes import as_interval, variable
from stages.rewards.maths_tokens import BASES
from stages.rewards.maths_values import (
    ABOUT,
    INFINITY,
    Interval,
    Matrix,
    Relation,
    Residue,
    Scalar,
    Sequence,
    Text,
    Union,
    Value,
    decimal_matches,
)

MOST_ITEMS = 40
ANOTHER = "another value"
BASE = re.compile(r"(?i)\bbase[- ]\$?_?([0-9]{1,2}|[a-z]+)\b")


def difference(gold: Value, said: Value, asked: Asked) -> str | None:
    """What keeps an answer from being the gold; None if nothing does.

    Raises UnreadableError where that cannot be decided, TimeLimitError where it takes too long.
    """
    either = (gold, said)
    if any(isinstance(side, Residue) for side in either):
        return _residues(gold, said, asked)
    if any(isinstance(side, Relation) for side in either):
        return _relations(gold, said, asked)
    if any(isinstance(side, Interval) for side in either):
        return _intervals(gold, said)
    if any(isinstance(side, Text) for side in either):
        return _texts(gold, said)
    if any(isinstance(side, Matrix) for side in either):
        return _matrices(gold, said, asked)
    return _of_one_type(gold, said, asked)


def _of_one_type(gold: Value, said: Value, asked: Asked) -> str | None:
    if isinstance(gold, Scalar) and isinstance(said, Scalar):
        return _scalars(gold, said, asked)
    if isinstance(gold, Scalar) and isinstance(said, Sequence) and said.either:
        return next((why for item in said.items if (why := difference(gold, item, asked))), None)
    if isinstance(gold, Union) and isinstance(said, Union):
        return _unions(gold, said, asked)
    if isinstance(gold, Sequence) and isinstance(said, Sequence):
        return _sequences(gold, said, asked)
    return f"{_kind(said)} where {_kind(gold)} is expected"


def _kind(value: Value) -> str:
    name = value.kind if isinstance(value, Sequence) else type(value).__name__.lower()
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


# --- scalars


def _scalars(gold: Scalar, said: Scalar, asked: Asked) -> str | None:
    if said.base is None and _in_base_asked(gold, said, asked):
        return None
    if gold.base != said.base:
        return f"written in base {said.base or 10}, not {gold.base or 10}"
    if gold.unit is None and said.unit is None:
        return _plain(gold, said)
    pairs = comparable(gold, said, asked)
    if isinstance(pairs, str):
        return pairs
    return None if any(_plain(one, other) is None for one, other in pairs) else ANOTHER


def _in_base_asked(gold: Scalar, said: Scalar, asked: Asked) -> bool:
    """Whether digits without a base are the gold's, where the problem names the base."""
    named = {
        int(base) if base.isdigit() else BASES.get(base.lower())
        for base in BASE.findall(asked.prompt)
    }
    if gold.base is None or gold.base not in named or said.unit or said.node.op != "num":
        return False
    digits = str(said.node.value)
    if len(digits) > 200 or not digits.isdigit() or max(map(int, digits)) >= gold.base:
        return False
    return int(digits, gold.base) == exact(gold.node, {})


def _plain(gold: Scalar, said: Scalar) -> str | None:
    """Two numbers or expressions without units."""
    if same_node(gold.node, said.node) or _rounds(said, gold.node) or _rounds(gold, said.node):
        return None
    return ANOTHER


def _rounds(written: Scalar, node: Node) -> bool:
    """Whether a decimal of ten figures or more is a constant, rounded."""
    if written.places is None or written.figures < 10 or symbols(node):
        return False
    try:
        return decimal_matches(written, exact(node, {}))
    except InexactError:
        return holds("within", node, written.node, Fraction(1, 2 * 10**written.places))


def same_node(gold: Node, said: Node) -> bool:
    """Whether two expressions have the same value wherever the gold is defined."""
    ends = _end(gold), _end(said)
    if ends != (None, None):
        return ends[0] == ends[1]
    try:
        return _same_exactly(gold, said)
    except InexactError:
        return holds("same", gold, said)


def _end(node: Node) -> int | None:
    """The sign of infinity; None for what is finite."""
    if not has_constant(node, "inf"):
        return None
    if node == INFINITY:
        return 1
    if node.op == "mul" and node.args[1:] == (INFINITY,) and node.args[0].op == "num":
        return 1 if node.args[0].value > 0 else -1
    raise UnreadableError("infinity in an expression")


def _same_exactly(gold: Node, said: Node) -> bool:
    names = symbols(gold) | symbols(said)
    if not names:
        return exact(gold, {}) == exact(said, {})
    compared = 0
    for at in points(names):
        try:
            expected = exact(gold, at)
        except UnreadableError:
            continue
        try:
            if expected != exact(said, at):
                return False
        except UnreadableError:
            return False
        compared += 1
    if compared < 2:
        raise UnreadableError("too few points at which the expressions can be compared")
    return True


# --- relations


def _relations(gold: Value, said: Value, asked: Asked) -> str | None:
    if any(isinstance(side, Relation) and side.operator == ABOUT for side in (gold, said)):
        return _approximated(gold, said, asked)
    if isinstance(gold, Relation) and isinstance(said, Relation):
        return _two_relations(_shortened(gold), _shortened(said), asked)
    if isinstance(gold, Relation):
        name = _defined(gold)
        stated = gold.sides[-1]
        constant = not isinstance(stated, Scalar) or not symbols(stated.node)
        if name is None or not (constant or "(" in name):
            return f"{_kind(said)} where an equation is expected"
        return difference(stated, said, asked)
    assert isinstance(said, Relation)
    if said.operator != "=":
        return f"an inequality where {_kind(gold)} is expected"
    said = _shortened(said)
    name = _defined(said)
    if name is None:
        return _true_equation(gold, said, asked)
    if isinstance(gold, Scalar) and name in symbols(gold.node):
        return f"an equation where {_kind(gold)} is expected"
    return difference(gold, said.sides[-1], asked)


def _approximated(gold: Value, said: Value, asked: Asked) -> str | None:
    """A value and a decimal near it, either of which may be the answer if that is so."""
    if isinstance(gold, Relation) and gold.operator == ABOUT:
        return difference(gold.sides[0], said, asked)
    assert isinstance(said, Relation)
    *exactly, about = said.sides
    if not isinstance(about, Scalar) or about.node.op != "num":
        return "an approximation that is no decimal number"
    margin = Fraction(1, 10**about.places if about.places else 2)  # rounded, or only cut off
    for side in exactly:
        if not isinstance(side, Scalar) or symbols(side.node) or side.unit != about.unit:
            return f"{_kind(side)} beside a decimal number"
        if not holds("within", side.node, about.node, margin):
            return "an approximation that does not hold"
        if difference(exactly[0], side, Asked()) is not None:
            return "an equation that does not hold"
    why = difference(gold, exactly[0], asked)
    return why and difference(gold, about, asked)


def _sum_asked_for(side: Value, asked: Asked) -> bool:
    """Whether it is a sum of variables that the problem names: "find m + n"."""
    if not isinstance(side, Scalar) or side.node.op != "add":
        return False
    parts = [part.name for part in side.node.args if part.op == "sym"]
    if len(parts) != len(side.node.args):
        return False
    written = r"\s*\+\s*".join(map(re.escape, parts))
    return re.search(rf"(?<![\w^)}}]){written}(?![\w^({{])", asked.prompt) is not None


def _true_equation(gold: Value, said: Relation, asked: Asked) -> str | None:
    """An equation of values, not of a variable: it must hold, and its last side be the answer.

    Or one of the sum that the problem asks for.
    """
    if isinstance(gold, Scalar) and _sum_asked_for(said.sides[0], asked):
        return difference(gold, said.sides[-1], asked)
    if any(not isinstance(side, Scalar) or symbols(side.node) for side in said.sides):
        return f"an equation where {_kind(gold)} is expected"
    if difference(said.sides[0], said.sides[-1], Asked()) is not None:
        return "an equation that does not hold"
    return difference(gold, said.sides[-1], asked)


def _shortened(found: Relation) -> Relation:
    """A chain of equations as its first and last side; all in between must equal the last."""
    for side in found.sides[1:-1] if len(found.sides) > 2 else ():
        if difference(side, found.sides[-1], Asked()) is not None:
            raise UnreadableError("a chain of equations that does not hold")
    return Relation((found.sides[0], found.sides[-1]), found.operator)


def _defined(found: Relation) -> str | None:
    """The variable or function that an equation gives a value."""
    return variable(found.sides[0]) if found.operator == "=" else None


def _two_relations(gold: Relation, said: Relation, asked: Asked) -> str | None:
    if gold.operator != said.operator:
        return f"'{said.operator}' where '{gold.operator}' is expected"
    name = _defined(gold)
    alike = name is not None and name == _defined(said)
    if alike and difference(gold.sides[-1], said.sides[-1], asked) is None:
        return None
    sides = [node for found in (gold, said) for node in map(_plain_node, found.sides) if node]
    if len(sides) != 4:
        return ANOTHER
    ask = "factor" if gold.operator in ("=", "!=") else "positive"
    gold_node, said_node = minus(sides[0], sides[1]), minus(sides[2], sides[3])
    if not symbols(gold_node) or not symbols(said_node):
        return "an equation without a variable"
    return None if holds(ask, gold_node, said_node) else "another equation"


def _plain_node(side: Value) -> Node | None:
    return side.node if isinstance(side, Scalar) and side.bare else None


def _residues(gold: Value, said: Value, asked: Asked) -> str | None:
    """Without a modulus, the number that is written; with it, one nearer to zero than that.

    "12 (mod 7)" is no answer to what 12 is modulo 7, "-2 (mod 7)" is one.
    """
    if isinstance(gold, Residue) and isinstance(said, Residue):
        if gold.modulus != said.modulus:
            return f"modulo {said.modulus}, not {gold.modulus}"
        if gold.name and said.name and gold.name != said.name:
            return f"about {said.name}, not {gold.name}"
        reduced = said.value == gold.value or abs(said.value) < gold.modulus
        same = reduced and (gold.value - said.value) % gold.modulus == 0
        return None if same else ANOTHER
    return difference(_written(gold), _written(said), asked)


def _written(side: Value) -> Value:
    """The number of a residue, given to its variable if it has one; other values as they are."""
    if not isinstance(side, Residue):
        return side
    found = Scalar(number(side.value))
    return Relation((Scalar(Node("sym", name=side.name)), found), "=") if side.name else found


# --- intervals, sequences, matrices, words


def _intervals(gold: Value, said: Value) -> str | None:
    one = gold if isinstance(gold, Interval) else as_interval(gold)
    other = said if isinstance(said, Interval) else as_interval(said)
    if one is None or other is None:
        return f"{_kind(said)} where {_kind(gold)} is expected"
    if one.name and other.name and one.name != other.name:
        return f"about {other.name}, not {one.name}"
    for end, found, *closed in zip(
        (one.low, one.high), (other.low, other.high), one.closed, other.closed, strict=True
    ):
        if not same_node(end, found):
            return "another interval"
        if closed[0] != closed[1] and _end(end) is None:
            return "an end that is open in one and closed in the other"
    return None


def _unions(gold: Union, said: Union, asked: Asked) -> str | None:
    if gold.name and said.name and gold.name != said.name:
        return f"about {said.name}, not {gold.name}"
    return _unordered(gold.parts, said.parts, asked)


def _sequences(gold: Sequence, said: Sequence, asked: Asked) -> str | None:
    loose = ("set", "list")
    if gold.kind in loose and said.kind in loose:
        once = "set" in (gold.kind, said.kind)
        return _unordered(gold.items, said.items, asked, once)
    kinds = {gold.kind, said.kind}
    long = kinds == {"tuple", "bracket"} and len(gold.items) > 2
    if len(kinds) > 1 and not long:
        return f"{_kind(said)} where {_kind(gold)} is expected"
    if len(gold.items) != len(said.items):
        return f"{len(said.items)} items instead of {len(gold.items)}"
    pairs = zip(gold.items, said.items, strict=True)
    return next((why for one, other in pairs if (why := difference(one, other, asked))), None)


def _unordered(
    gold: tuple[Value, ...], said: tuple[Value, ...], asked: Asked, once: bool = False
) -> str | None:
    """Every item of one must be an item of the other; ``once``: repeated ones count once."""
    if max(len(gold), len(said)) > MOST_ITEMS:
        raise UnreadableError("more items than are compared")
    if not once and len(gold) != len(said):
        return f"{len(said)} items instead of {len(gold)}"
    names = {name for item in said if isinstance(item, Relation) and (name := _defined(item))}
    if len(names) > 1 and not any(isinstance(item, Relation) for item in gold):
        return "values of different variables"
    left = list(said)
    for item in gold:
        found = [at for at, other in enumerate(left) if difference(item, other, asked) is None]
        if not found:
            seen = once and any(difference(item, other, asked) is None for other in said)
            if not seen:
                return "an item is missing or another one"
        for at in reversed(found if once else found[:1]):
            del left[at]
    return "an item too many" if left else None


def _matrices(gold: Value, said: Value, asked: Asked) -> str | None:
    """Entry by entry; a column is the vector that a tuple writes."""
    one, other = _rows(gold), _rows(said)
    if one is None or other is None:
        return f"{_kind(said)} where {_kind(gold)} is expected"
    if [len(row) for row in one] != [len(row) for row in other]:
        return "a matrix of another shape"
    pairs = [pair for rows in zip(one, other, strict=True) for pair in zip(*rows, strict=True)]
    return next((why for pair in pairs if (why := _scalars(*pair, asked))), None)


def _rows(value: Value) -> list[list[Scalar]] | None:
    if isinstance(value, Matrix):
        return [[Scalar(node) for node in row] for row in value.rows]
    if isinstance(value, Sequence) and value.kind == "tuple":
        items = [item for item in value.items if isinstance(item, Scalar)]
        return [[item] for item in items] if len(items) == len(value.items) else None
    return None


def _texts(gold: Value, said: Value) -> str | None:
    one, other = words_of(gold), words_of(said)
    if one is None or other is None:
        return f"{_kind(said)} where {_kind(gold)} is expected"
    return None if one.replace(" ", "") == other.replace(" ", "") else "other words"


def words_of(value: Value) -> str | None:
    """Words; a capital letter alone, which names a choice, is read as a variable."""
    if isinstance(value, Text):
        return value.words
    name = variable(value)
    return name if name is not None and len(name) == 1 and name.isupper() else None
