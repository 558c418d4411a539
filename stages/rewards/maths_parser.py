r"""A grammar of mathematical answers, LaTeX and plain text alike, by recursive descent.

Nothing is evaluated and nothing is skipped: a symbol without a place in the grammar makes the whole
text unreadable, so no part of an answer can go unnoticed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from stages.rewards.maths_nodes import Node, UnreadableError, call, negated, number
from stages.rewards.maths_tokens import END, MOST_DEPTH, Token
from stages.rewards.maths_values import (
    INFINITY,
    Interval,
    Matrix,
    Relation,
    Scalar,
    Sequence,
    Union,
    Value,
)
from stages.rewards.units import CURRENCIES, DEGREE, PERCENT, Unit, counted, parse_unit, unit_word

CONSTANTS = {"pi": "pi", "e": "e", "i": "i", "infty": "inf", "inf": "inf", "infinity": "inf"}
LETTERS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi
varphi chi psi omega Delta Omega Phi Psi Sigma Theta Lambda Gamma
"""
GREEK = frozenset(LETTERS.split())
OWN_NAMES = "sin cos tan cot sec csc sinh cosh tanh exp ln arcsin arccos arctan"
FUNCTIONS = {name: name for name in OWN_NAMES.split()}
FUNCTIONS |= {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "abs": "abs", "sqrt": "sqrt"}
FUNCTIONS |= {"floor": "floor", "ceil": "ceil", "cbrt": "cbrt", "log": "log", "lg": "lg"}
FUNCTIONS |= {"Abs": "abs"}
INVERSE = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
COMPARISONS = {"=", "!=", "<", ">", "<=", ">="}
BRACKETS = {"(": ")", "[": "]", "{": "}"}
ROUNDED = {r"\lfloor": ("floor", r"\rfloor"), r"\lceil": ("ceil", r"\rceil")}
SINGLE = {"m", "g", "s", "h", "L", "l", "N", "J", "W", "V", "A", "K", "C", "F", "T", "M", "u"}
UNCOUNTABLE = re.compile(
    r"(?i)\b(?:not|no|or|and|nor|maybe|perhaps|either|if|to|times|plus|minus|over|divided|half|"
    r"wrong|is|are|was|by|than|more|less|about|but|except|quarter|third|twice|double|squared|"
    r"cubed|percent|pairs?)\b"
)
TEXT_INNER = re.compile(r"\\[A-Za-z]+\*?\s*\{([^{}]*)\}")


class Parser:
    """Reads the tokens of one answer. ``units``: whether a lone letter may be a unit of measure."""

    def __init__(self, source: str, found: list[Token], units: bool) -> None:
        self._source, self._tokens, self._units = source, found, units
        self._at = self._depth = self._bars = 0
        self._closes, self._commas = _structure(found)

    def value(self) -> Value:
        """The whole text as one value; UnreadableError if it is not one."""
        items = [self._relation()]
        while self._separator():
            items.append(self._relation())
        if self._now.kind != "end":
            raise UnreadableError(f"{self._now.text[:20]!r} has no place in the answer")
        return items[0] if len(items) == 1 else Sequence("list", _named_alike(items))

    # --- tokens

    @property
    def _now(self) -> Token:
        return self._ahead(0)

    def _ahead(self, count: int) -> Token:
        at = self._at + count
        return self._tokens[at] if at < len(self._tokens) else END

    def _take(self, *texts: str) -> bool:
        """Step over the next token if it is one of these."""
        found = self._now.kind != "end" and self._now.text in texts
        self._at += found
        return found

    def _need(self, *texts: str) -> None:
        if not self._take(*texts):
            shown = self._now.text[:20] or "the end"
            raise UnreadableError(f"expected {texts[0]!r}, found {shown!r}")

    def _inner(self) -> str:
        """What is in a text command, or a plain word."""
        found = TEXT_INNER.fullmatch(self._now.text)
        return (found[1] if found else self._now.text).strip()

    def _separator(self) -> bool:
        """Step over what stands between the items of a list."""
        comma = self._take(",", ";")
        if self._now.kind in ("word", "text") and self._inner().lower() in ("and", "or"):
            self._at += 1
            return True
        return comma

    # --- relations and what they hold

    def _relation(self) -> Value:
        name = self._definition()
        sides: list[Value] = [name or self._union()]
        operators = list[str]()
        while self._now.text in COMPARISONS and self._now.kind == "op":
            operators.append(self._now.text)
            self._at += 1
            sides.append(self._union())
        if not operators:
            return self._member(sides[0])
        return related(sides, operators)

    def _definition(self) -> Scalar | None:
        """``f(x)`` before an equals sign, as one name."""
        pattern = [self._ahead(count) for count in range(5)]
        texts = [token.text for token in pattern]
        if texts[1:2] + texts[3:] != ["(", ")", "="] or pattern[2].kind != "word":
            return None
        if pattern[0].kind != "word" or len(texts[0]) > 1 or len(texts[2]) > 1:
            return None
        self._at += 4
        return Scalar(Node("sym", name=f"{texts[0]}({texts[2]})"))

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
        return bracketed(opening, closing, _expanded(items))

    def _matrix(self) -> Matrix:
        self._at += 1
        self._need("{")
        kind = self._now.text
        if kind not in ("pmatrix", "bmatrix", "vmatrix", "matrix", "array"):
            raise UnreadableError(f"an environment {kind[:20]!r}")
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
        sign = self._take("-") if self._ahead(1).text.strip("\\") in CURRENCIES else False
        money = CURRENCIES.get(self._now.text.strip("\\")) if self._now.kind != "end" else None
        self._at += money is not None
        node = self._scaled(self._sum())
        node = negated(node) if sign else node
        if self._take(":"):
            return Sequence("ratio", (Scalar(node), Scalar(self._sum())))
        lone = self._tokens[start : self._at]
        found = _written(node, lone)
        unit = self._unit()
        if money is not None:
            money_unit = parse_unit(money)
            if unit not in (None, money_unit) or money_unit is None:
                raise UnreadableError("two units")
            unit = money_unit
        if node.op == "call" and node.name in ("deg", "percent") and unit is None:
            return replace(_written(node.args[0], lone[:1]), unit=_MARKED[node.name])
        if node.op == "call" and node.name == "base":
            return Scalar(node, unit, int(node.args[1].value))
        if unit in (DEGREE, PERCENT):
            return replace(found, unit=unit)
        return replace(found, unit=unit)

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
            if self._now.text == ")" and "(" not in {
                token.text for token in self._tokens[start : self._at]
            }:
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

    # --- expressions

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise UnreadableError("nested too deeply")

    def _sum(self) -> Node:
        self._enter()
        terms = [self._term()]
        while self._now.text in ("+", "-", r"\pm", r"\mp"):
            sign = self._now.text
            self._at += 1
            term = self._term()
            if sign in (r"\pm", r"\mp"):
                term = Node("pm", (term,), sign[1:])
            terms.append(negated(term) if sign == "-" else term)
        self._depth -= 1
        return terms[0] if len(terms) == 1 else Node("add", tuple(terms))

    def _term(self) -> Node:
        found = self._signed()
        while True:
            if self._now.text == "/":
                self._at += 1
                found = Node("div", (found, self._signed()))
            elif self._now.text == "*":
                self._at += 1
                found = Node("mul", (found, self._signed()))
            elif self._joins(found):
                found = Node("mul", (found, self._power()))
            else:
                return found

    def _signed(self) -> Node:
        """A factor with signs before it; a plus or minus before the first is one of two."""
        sign, both = 1, ""
        while self._now.text in ("+", "-", r"\pm", r"\mp"):
            if self._now.text in (r"\pm", r"\mp"):
                both = self._now.text[1:]
            elif self._now.text == "-":
                sign = -sign
            self._at += 1
        node = self._mixed() or self._power()
        node = negated(node) if sign < 0 else node
        return Node("pm", (node,), both) if both else node

    def _mixed(self) -> Node | None:
        r"""``11 5/6`` and ``1\frac{4}{5}``: a whole number and a proper fraction."""
        whole, second = self._now, self._ahead(1)
        if whole.kind != "num" or not whole.text.isdigit():
            return None
        if second.kind == "num" and second.spaced and self._ahead(2).text == "/":
            if self._ahead(3).kind != "num":
                raise UnreadableError("two numbers side by side")
            above, below = second.text, self._ahead(3).text
            self._at += 4
        elif second.text == r"\frac":
            start = self._at
            self._at += 1
            fraction = self._power()
            parts = [part.value for part in fraction.args if part.op == "num"]
            if len(parts) < 2 or fraction.op != "div" or any(p.denominator > 1 for p in parts):
                self._at = start
                return None
            above, below = str(parts[0]), str(parts[1])
        else:
            return None
        if not (above.isdigit() and below.isdigit() and 0 < int(above) < int(below)):
            raise UnreadableError("a whole number beside a fraction that is not proper")
        return number(int(whole.text) + Fraction(int(above), int(below)))

    def _joins(self, left: Node) -> bool:
        """Whether the next token starts a factor that is multiplied without a sign."""
        token = self._now
        if token.kind == "num":
            if self._tokens[self._at - 1].kind == "num":
                raise UnreadableError("two numbers side by side")
            return self._tokens[self._at - 1].text in (")", "}")
        if token.kind == "word":
            return not self._is_unit(left)
        if token.kind == "cmd":
            return token.text[1:] in JOINING
        if token.text == "|":
            return not self._bars
        return token.text in ("(", "[", "{") and not self._commas.get(self._at)

    def _is_unit(self, left: Node) -> bool:
        """Whether the word after an expression is a unit or a thing counted, not a variable."""
        word = self._now.text
        if word.lower() in ("and", "or", "per", "percent"):
            return True
        if word in FUNCTIONS or word in CONSTANTS or word in GREEK:
            return False
        if len(word) > 3:
            return True
        if not self._units:
            return False
        if len(word) == 1:
            end = self._ahead(1)
            free = end.kind == "end" or end.text in (*",;/^=)*", "]")
            free = free or (end.kind == "word" and unit_word(end.text) is not None)
            return free and word in SINGLE and self._now.spaced and left.op in ("num", "mul", "div")
        return unit_word(word) is not None or self._now.spaced

    def _power(self) -> Node:
        self._enter()
        base = self._postfix()
        if self._now.text == "^" and self._ahead(1).text != r"\circ":
            if [self._ahead(n).text for n in (1, 2, 3)] == ["{", r"\circ", "}"]:
                self._at += 4
                base = call("deg", base)
            else:
                self._at += 1
                base = Node("pow", (base, self._exponent()))
        elif self._now.text == "^":
            self._at += 2
            base = call("deg", base)
        self._depth -= 1
        return self._marks(base)

    def _exponent(self) -> Node:
        if self._now.text == "{":
            return self._group()
        sign = self._take("-")
        found = self._power()
        return negated(found) if sign else found

    def _postfix(self) -> Node:
        return self._marks(self._primary())

    def _marks(self, found: Node) -> Node:
        """Factorials and percent signs after a factor."""
        while True:
            if self._now.text == "!":
                self._at += 1
                found = call("factorial", found)
            elif self._now.text in ("%", r"\%"):
                self._at += 1
                found = call("percent", found)
            else:
                return found

    def _primary(self) -> Node:
        token = self._now
        if token.kind == "num":
            return self._number()
        if token.kind == "word":
            return self._word()
        if token.text in ("(", "[", "{"):
            return self._group()
        if token.text == "|":
            return self._absolute()
        if token.text in ROUNDED:
            name, closing = ROUNDED[token.text]
            self._at += 1
            inner = self._sum()
            self._need(closing)
            return call(name, inner)
        if token.kind == "cmd":
            return self._command()
        raise UnreadableError(f"expected a number, found {token.text[:20] or 'the end'!r}")

    def _number(self) -> Node:
        token = self._now
        self._at += 1
        if self._now.text != "_":
            return number(Fraction(token.text))
        self._at += 1
        base = self._group() if self._now.text == "{" else self._digit()
        return numeral(token.text, base)

    def _digit(self) -> Node:
        token = self._now
        if token.kind != "num" or not token.text.isdigit():
            raise UnreadableError("expected a base")
        self._at += 1
        return number(int(token.text))

    def _group(self) -> Node:
        closing = BRACKETS[self._now.text]
        self._at += 1
        bars, self._bars = self._bars, 0
        inner = self._sum()
        self._bars = bars
        self._need(closing)
        return inner

    def _absolute(self) -> Node:
        if self._bars:
            raise UnreadableError("bars within bars")
        self._at += 1
        self._bars += 1
        inner = self._sum()
        self._bars -= 1
        self._need("|")
        return call("abs", inner)

    def _word(self) -> Node:
        word = self._now.text
        if word in CONSTANTS:
            self._at += 1
            return Node("const", name=CONSTANTS[word])
        if word in FUNCTIONS:
            self._at += 1
            return self._applied(FUNCTIONS[word])
        if word in GREEK:
            return self._symbol(word)
        if len(word) > 3:
            raise UnreadableError(f"the word {word[:20]!r}")
        if len(word) > 1:
            self._split(word)
        return self._word() if self._now.text in CONSTANTS else self._symbol(self._now.text)

    def _split(self, word: str) -> None:
        """A word of letters side by side, as so many variables."""
        token = self._now
        letters = [
            Token("word", letter, token.spaced and not n, token.start + n, token.start + n + 1)
            for n, letter in enumerate(word)
        ]
        self._tokens[self._at : self._at + 1] = letters
        self._closes, self._commas = _structure(self._tokens)

    def _symbol(self, name: str) -> Node:
        self._at += 1
        if self._now.text == "_":
            self._at += 1
            braces = self._take("{")
            if self._now.kind not in ("num", "word"):
                raise UnreadableError("expected an index")
            name = f"{name}_{self._now.text}"
            self._at += 1
            if braces:
                self._need("}")
        return Node("sym", name=name)

    def _command(self) -> Node:
        name = self._now.text[1:]
        if name in ("frac", "binom"):
            self._at += 1
            above, below = self._argument(), self._argument()
            return Node("div", (above, below)) if name == "frac" else call("binom", above, below)
        if name in CONSTANTS:
            self._at += 1
            return Node("const", name=CONSTANTS[name])
        if name in FUNCTIONS:
            self._at += 1
            return self._root() if name == "sqrt" else self._applied(FUNCTIONS[name])
        if name in GREEK:
            return self._symbol(name)
        raise UnreadableError(f"the command {self._now.text[:20]!r}")

    def _argument(self) -> Node:
        """What a command takes: a group, or one digit or letter."""
        token = self._now
        if token.text == "{":
            return self._group()
        if token.kind == "num" and token.text.isdigit() and len(token.text) > 1:
            rest = replace(token, text=token.text[1:], spaced=False, start=token.start + 1)
            self._tokens[self._at] = rest
            if len(rest.text) > 1:
                raise UnreadableError("a fraction without braces")
            return number(int(token.text[0]))
        if token.kind in ("num", "word") and len(token.text) == 1:
            return self._primary()
        if token.kind == "cmd":
            return self._command()
        raise UnreadableError("a command without its argument")

    def _root(self) -> Node:
        degree = None
        if self._now.text == "[":
            degree = self._group()
        radicand = self._primary()
        return call("sqrt", radicand) if degree is None else call("root", radicand, degree)

    def _applied(self, name: str) -> Node:
        """A function with its argument, in brackets or not; a power may stand between."""
        power = base = None
        if name == "log" and self._take("_"):
            base = self._group() if self._now.text == "{" else self._argument()
        if self._take("^"):
            power = self._exponent()
        if power == number(-1) and name in INVERSE:
            name, power = INVERSE[name], None
        if self._now.text in ("(", "{", "["):
            argument = self._group()
        elif self._now.text == "|":
            argument = self._absolute()
        else:
            argument = self._power()
            while self._now.kind in ("num", "word") or self._now.text in (r"\pi", r"\theta"):
                if self._now.text in FUNCTIONS or not self._joins(argument):
                    break
                argument = Node("mul", (argument, self._power()))
        found = _function(name, argument, base)
        return found if power is None else Node("pow", (found, power))


JOINING = {*CONSTANTS, *FUNCTIONS, *GREEK, "frac", "binom"}
_MARKED = {"deg": DEGREE, "percent": PERCENT}


def _function(name: str, argument: Node, base: Node | None) -> Node:
    if name == "exp":
        return Node("pow", (Node("const", name="e"), argument))
    if name == "cbrt":
        return call("root", argument, number(3))
    if name == "lg":
        return call("log", argument, number(10))
    if name == "log":
        return call("log", argument) if base is None else call("log", argument, base)
    return call(name, argument)


def numeral(digits: str, base: Node) -> Node:
    """A whole number in another base than ten: its value, and the base."""
    if base.op != "num" or base.value not in range(2, 11) or not digits.isdigit():
        raise UnreadableError("a numeral in a base that is not read")
    if len(digits) > 200 or max(map(int, digits)) >= base.value:
        raise UnreadableError("a digit that its base does not have")
    return call("base", number(int(digits, int(base.value))), base)


def _written(node: Node, lone: list[Token]) -> Scalar:
    """A scalar, with the decimals of its text where that is one number."""
    numbers = [token.text for token in lone if token.text not in ("+", "-", "$", r"\$", "%")]
    if len(numbers) != 1 or not re.fullmatch(r"\d*\.\d+", numbers[0]) or node.op != "num":
        return Scalar(node)
    whole, decimals = numbers[0].split(".")
    return Scalar(node, places=len(decimals), figures=len((whole + decimals).lstrip("0")))


def _structure(found: list[Token]) -> tuple[dict[int, int], dict[int, bool]]:
    """For each opening bracket, where it closes, and whether a comma stands directly in it.

    Round and square brackets may close one another: that is how half-open intervals are written.
    """
    closes, commas = dict[int, int](), dict[int, bool]()
    opened = list[int]()
    alike = {"(": ")]", "[": ")]", "{": "}", r"\{": r"\}", r"\langle": r"\rangle"}
    for at, token in enumerate(found):
        if token.text in alike:
            opened.append(at)
        elif token.text in (")", "]", "}", r"\}", r"\rangle"):
            if not opened or token.text not in alike[found[opened[-1]].text]:
                raise UnreadableError("a bracket closes that was not opened")
            closes[opened.pop()] = at
        elif token.text in (",", ";") and opened:
            commas[opened[-1]] = True
    if opened:
        raise UnreadableError("a bracket that does not close")
    return closes, commas


# --- values from their parts


def variable(value: Value) -> str | None:
    """The name, if a value is a variable and nothing else."""
    if isinstance(value, Scalar) and value.node.op == "sym" and value.unit is None:
        return value.node.name
    return None


def as_value(value: Value) -> Value:
    """The right side of an equation that gives a variable its value; any other value as it is."""
    if isinstance(value, Relation) and value.operator == "=" and len(value.sides) == 2:
        return value.sides[1] if variable(value.sides[0]) is not None else value
    return value


def with_name(value: Value, name: str) -> Value:
    """A set of numbers as the values of a variable."""
    if isinstance(value, Sequence) and value.kind in ("tuple", "bracket"):
        value = as_part(value)
    if isinstance(value, Interval | Union):
        return replace(value, name=name)
    if isinstance(value, Sequence) and value.kind == "set":
        return value
    raise UnreadableError("an element of something that is no set")


def as_part(value: Value) -> Value:
    """A part of a union: an interval or a set."""
    if isinstance(value, Interval) or (isinstance(value, Sequence) and value.kind == "set"):
        return value
    found = as_interval(value)
    if found is None:
        raise UnreadableError("a union of something that is no set")
    return found


def as_interval(value: Value) -> Interval | None:
    """A pair in brackets read as an interval; None if it is no pair of plain expressions."""
    if not isinstance(value, Sequence) or value.kind not in ("tuple", "bracket"):
        return None
    ends = [item.node for item in value.items if isinstance(item, Scalar) and item.unit is None]
    if len(value.items) != 2 or len(ends) != 2:
        return None
    closed = value.kind == "bracket"
    return Interval(ends[0], ends[1], (closed, closed))


def bracketed(opening: str, closing: str, items: tuple[Value, ...]) -> Value:
    """Items between brackets as what the brackets say."""
    if opening in (r"\{", "{"):
        return Sequence("set", items)
    kind = "bracket" if (opening, closing) == ("[", "]") else "tuple"
    found = Sequence(kind, items)
    infinite = any(_infinite(item) for item in items)
    if (opening == "[") == (closing == "]") and not infinite:
        return found
    interval = as_interval(found)
    if interval is None:
        raise UnreadableError("brackets that do not match")
    return replace(interval, closed=(opening == "[", closing == "]"))


def _infinite(item: Value) -> bool:
    return isinstance(item, Scalar) and any(part == INFINITY for part in item.node.walk())


def related(sides: list[Value], operators: list[str]) -> Value:
    """Sides with their operators: an equation, an inequality, or the interval that one states."""
    if set(operators) == {"="}:
        return Relation(tuple(sides), "=")
    if not all(isinstance(side, Scalar) for side in sides):
        raise UnreadableError("an inequality of something that is no number")
    if operators == ["!="]:
        return Relation(tuple(sides), "!=")
    if {operator[0] for operator in operators} == {">"}:
        sides, operators = sides[::-1], [operator.replace(">", "<") for operator in operators[::-1]]
    if {operator[0] for operator in operators} != {"<"} or len(sides) > 3:
        raise UnreadableError("a chain of mixed relations")
    return _range(sides, operators) or _inequality(sides, operators)


def _range(sides: list[Value], operators: list[str]) -> Interval | None:
    """The interval of a variable between constants."""
    low, middle, high = (sides if len(sides) == 3 else (None, *sides))[-3:]
    closed = [operator == "<=" for operator in operators]
    if len(sides) == 2 and variable(sides[0]) is not None:
        low, middle, high, closed = None, sides[0], sides[1], [False, *closed]
    elif len(sides) == 2:
        low, middle, high, closed = sides[0], sides[1], None, [*closed, False]
    name = None if middle is None else variable(middle)
    ends = [end for end in (low, high) if end is not None]
    if name is None or any(not isinstance(end, Scalar) or end.unit is not None for end in ends):
        return None
    if any(part.op == "sym" for end in ends if isinstance(end, Scalar) for part in end.node.walk()):
        return None
    lowest = low.node if isinstance(low, Scalar) else negated(INFINITY)
    highest = high.node if isinstance(high, Scalar) else INFINITY
    return Interval(lowest, highest, (closed[0], closed[1]), name)


def _inequality(sides: list[Value], operators: list[str]) -> Relation:
    if len(sides) > 2:
        raise UnreadableError("a chain of inequalities that is no interval")
    return Relation((sides[1], sides[0]), operators[0].replace("<", ">"))


def _named_alike(items: list[Value]) -> tuple[Value, ...]:
    """``n = 2, 3, 4``: the name before the first item is that of all."""
    first, rest = items[0], items[1:]
    if not isinstance(first, Relation) or first.operator != "=" or len(first.sides) != 2:
        return _expanded(items)
    if variable(first.sides[0]) is None or any(isinstance(item, Relation) for item in rest):
        return _expanded(items)
    named = [Relation((first.sides[0], item), "=") for item in rest]
    return _expanded([first, *named])


def _expanded(items: list[Value]) -> tuple[Value, ...]:
    """Items with each plus-or-minus as two of them."""
    found = list[Value]()
    for item in items:
        both = plus_and_minus(item)
        found += [item] if both is None else both
    return tuple(found)


def plus_and_minus(value: Value) -> list[Value] | None:
    """The two values of an expression with plus-or-minus signs; None if it has none."""
    if isinstance(value, Relation) and value.operator == "=" and len(value.sides) == 2:
        both = plus_and_minus(value.sides[1])
        return both and [Relation((value.sides[0], side), "=") for side in both]
    if not isinstance(value, Scalar) or all(part.op != "pm" for part in value.node.walk()):
        return None
    return [replace(value, node=_signed(value.node, sign)) for sign in (1, -1)]


def _signed(node: Node, sign: int) -> Node:
    if node.op == "pm":
        inner = _signed(node.args[0], sign)
        return inner if sign == (1 if node.name == "pm" else -1) else negated(inner)
    return replace(node, args=tuple(_signed(child, sign) for child in node.args))
