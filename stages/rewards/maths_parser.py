"""A grammar of mathematical answers: lists, sets, intervals, relations, quantities with units."""

from __future__ import annotations

import re
from dataclasses import replace

from stages.rewards.maths_expressions import BRACKETS, TEXT_INNER, Expressions
from stages.rewards.maths_nodes import Node, UnreadableError, negated, number
from stages.rewards.maths_shapes import (
    alike_modulo,
    as_part,
    bracketed,
    expanded,
    named_alike,
    plus_and_minus,
    related,
    residue,
    variable,
    with_name,
)
from stages.rewards.maths_tokens import Token
from stages.rewards.maths_values import (
    INFINITY,
    Interval,
    Matrix,
    Residue,
    Scalar,
    Sequence,
    Union,
    Value,
)
from stages.rewards.units import CURRENCIES, DEGREE, PERCENT, UNITS, Unit, counted, parse_unit

SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
COMPARISONS = {"=", "!=", "<", ">", "<=", ">=", r"\approx"}
UNCOUNTABLE = re.compile(
    r"(?i)\b(?:not|no|or|and|nor|maybe|perhaps|either|if|to|plus|minus|over|divided|half|"
    r"wrong|is|are|was|by|than|less|about|but|except|quarter|third|twice|double|squared|"
    r"cubed|percent|factorial|root|gross|score|fold|choose|mod|modulo|power|squares?|base|"
    r"(?:ten|hundred|thousand|four|fif|six|seven|eigh|nin)ths?)\b"
)
MARKED = {"deg": DEGREE, "percent": PERCENT}


class Parser(Expressions):
    """Reads one answer from its tokens."""

    def value(self) -> Value:
        """The whole text as one value; UnreadableError if it is not one."""
        items, between = [self._relation()], list[str]()
        while found := self._separator():
            between.append(found)
            items.append(self._relation())
        if self._now.kind != "end":
            raise UnreadableError(f"{self._now.text[:20]!r} has no place in the answer")
        if isinstance(items[-1], Residue):
            items = alike_modulo(items, items[-1].modulus)
        if len(items) == 1:
            return items[0]
        return Sequence("list", named_alike(items), set(between) == {"or"})

    def _separator(self) -> str:
        """Step over what stands between the items of a list; the last word or sign of it."""
        comma = "," if self._take(",", ";") else ""
        word = self._inner().lower() if self._now.kind in ("word", "text") else ""
        if word not in ("and", "or"):
            return comma
        self._at += 1
        return word

    # --- relations and what they hold

    def _relation(self) -> Value:
        name = self._definition()
        sides: list[Value] = [name or self._union()]
        operators, moduli = list[str](), self._modulus()
        while self._now.text in COMPARISONS:
            operators.append(self._now.text)
            self._at += 1
            sides.append(self._union())
            moduli |= self._modulus()
        if moduli:
            if len(moduli) > 1 or not {*operators} <= {"="}:
                raise UnreadableError("more than one congruence")
            modulus = moduli.pop()
            last = plus_and_minus(sides[-1]) or [sides[-1]]
            found = tuple(residue([*sides[:-1], each], modulus) for each in last)
            return found[0] if len(found) == 1 else Sequence("list", found)
        if not operators:
            return self._member(sides[0])
        return related(sides, operators)

    def _modulus(self) -> set[int]:
        """The modulus after a side of a congruence, if there is one."""
        if not self._take(r"\mod"):
            return set()
        self._at += 1
        return {int(self._tokens[self._at - 1].text)}

    def _definition(self) -> Scalar | None:
        """``f(x)`` or the inverse of f before an equals sign, as one name."""
        texts = [self._ahead(count).text for count in range(10)]
        inverse = texts[1:6] == ["^", "{", "-", "1", "}"]
        opened = 6 if inverse else 1
        called, bracket, argument, *end = texts[0], *texts[opened : opened + 4]
        letters = called.isalpha() and argument.isalpha() and len(called) == len(argument) == 1
        if not letters or [bracket, *end] != ["(", ")", "="]:
            return None
        self._at += opened + 3
        return Scalar(Node("sym", name=f"{called}{'^-1' * inverse}({argument})"))

    def _member(self, left: Value) -> Value:
        if not self._take(r"\in"):
            return left
        name = variable(left)
        right = self._union()
        if name is None:
            raise UnreadableError("only a variable can be an element")
        return with_name(right, name)

    def _union(self) -> Value:
        parts = [self._operand()]
        while self._take(r"\cup"):
            parts.append(self._operand())
        return parts[0] if len(parts) == 1 else Union(tuple(map(as_part, parts)))

    def _operand(self) -> Value:
        token = self._now
        if token.text in (r"\emptyset", r"\varnothing"):
            self._at += 1
            return Sequence("set", ())
        if token.text == r"\mathbb" and [self._ahead(n).text for n in (1, 2, 3)] == ["{", "R", "}"]:
            self._at += 4
            return Interval(negated(INFINITY), INFINITY, (False, False))
        if token.text == r"\begin":
            return self._matrix()
        if token.text in ("(", "[") and self._ahead(1).text == r"\begin":
            self._at += 1
            matrix = self._matrix()
            self._need(BRACKETS[token.text])
            return matrix
        if token.text in (r"\{", r"\langle") or (
            token.text in BRACKETS and self._commas.get(self._at)
        ):
            return self._sequence()
        return self._scalar()

    def _sequence(self) -> Value:
        """``(a, b)``, ``[a, b)``, a set: which it is shows in its brackets."""
        opening, end = self._now.text, self._closes.get(self._at)
        if end is None:
            raise UnreadableError("a bracket that does not close")
        self._enter()
        self._at += 1
        items = list[Value]()
        while self._at < end:
            items.append(self._relation() if opening == r"\{" else self._union())
            if self._at < end and not self._take(",", ";"):
                raise UnreadableError("expected a comma between brackets")
        self._depth -= 1
        closing = self._tokens[end].text
        self._at = end + 1
        return bracketed(opening, closing, expanded(items))

    def _matrix(self) -> Matrix:
        self._at += 1
        self._need("{")
        kind = self._now.text
        if kind not in ("pmatrix", "bmatrix", "vmatrix", "matrix", "array"):
            raise UnreadableError(f"an environment {kind[:20]!r}")
        self._at += 1
        self._need("}")
        if kind == "array":
            self._need("{")
            while self._now.kind == "word" or self._now.text == "|":
                self._at += 1
            self._need("}")
        rows, row = list[tuple[Node, ...]](), list[Node]()
        while True:
            row.append(self._sum())
            if self._take("&"):
                continue
            rows.append(tuple(row))
            row = []
            if not self._take("\\\\") or self._now.text == r"\end":
                break
        self._need(r"\end")
        self._need("{")
        self._need(kind)
        self._need("}")
        if len({len(row) for row in rows}) != 1:
            raise UnreadableError("a matrix with rows of different lengths")
        return Matrix(tuple(rows))

    # --- one number or expression, with what is measured

    def _scalar(self) -> Value:
        start = self._at
        sign = self._ahead(1).text in CURRENCIES and self._take("-")
        money = CURRENCIES.get(self._now.text)
        self._at += money is not None
        node = self._scaled(self._sum())
        node = negated(node) if sign else node
        if self._take(":") or self._to():
            return Sequence("ratio", (Scalar(node), Scalar(self._sum())))
        lone = self._tokens[start : self._at]
        found = _written(node, lone)
        unit = self._unit()
        if money is not None and unit is not None:
            raise UnreadableError("two units")
        unit = unit or (None if money is None else UNITS[money])
        if unit is None and (marked := _marked(node)) is not None:
            inner, unit = marked
            plain = [token for token in lone[:2] if token.text not in ("+", "-")]
            return replace(_written(inner, plain[:1]), unit=unit)
        if node.op == "call" and node.name == "base":
            return Scalar(node, unit, int(node.args[1].value))
        return replace(found, unit=unit)

    def _to(self) -> bool:
        """Step over the "to" of a ratio."""
        found = self._now.kind in ("word", "text") and self._inner() == "to"
        self._at += found
        return found

    def _scaled(self, node: Node) -> Node:
        """A number with its thousands or millions in words."""
        while self._now.kind in ("word", "text") and self._inner().lower() in SCALES:
            node = Node("mul", (node, number(SCALES[self._inner().lower()])))
            self._at += 1
        return node

    def _unit(self) -> Unit | None:
        """The unit after a number: all words up to the next sign that is none of a unit's."""
        start = self._at
        first = self._now
        if first.kind not in ("word", "text") and first.text not in (r"\mu", r"\Omega"):
            return None
        if self._inner().lower() in ("and", "or"):
            return None
        while self._now.kind in ("word", "text") or self._now.text in (*"^/*{}()-", r"\mu"):
            if self._inner().lower() in ("and", "or"):
                break
            so_far = {token.text for token in self._tokens[start : self._at]}
            if self._now.text == ")" and "(" not in so_far:
                break
            power = self._now.text == "^"
            self._at += 1
            if power:
                self._take("{")
                self._take("-")
                self._at += self._now.kind == "num"
        words = self._source[first.start : self._tokens[self._at - 1].end]
        unit = parse_unit(words)
        if unit is not None:
            return unit
        said = TEXT_INNER.sub(r" \1 ", words)
        if re.fullmatch(r"[A-Za-z /-]+", said) and not UNCOUNTABLE.search(said):
            return counted(said)
        raise UnreadableError(f"{words[:40]!r} is no unit")


def _marked(node: Node) -> tuple[Node, Unit] | None:
    """What has a sign for degrees or percent at its end, without it, and the unit; also below 0."""
    minus = node.op == "mul" and len(node.args) == 2 and node.args[0] == number(-1)
    of = node.args[1] if minus else node
    if of.op != "call" or of.name not in MARKED:
        return None
    return (negated(of.args[0]) if minus else of.args[0]), MARKED[of.name]


def _written(node: Node, lone: list[Token]) -> Scalar:
    """A scalar, with the decimals of its text where that is one number."""
    numbers = [token.text for token in lone if token.text not in ("+", "-", "$", r"\$", "%")]
    if len(numbers) != 1 or not re.fullmatch(r"\d*\.\d+", numbers[0]) or node.op != "num":
        return Scalar(node)
    whole, decimals = numbers[0].split(".")
    return Scalar(node, places=len(decimals), figures=len((whole + decimals).lstrip("0")))
