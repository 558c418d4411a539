r"""A grammar of mathematical expressions, LaTeX and plain text alike, by recursive descent.

Nothing is evaluated and nothing is skipped: a symbol without a place in the grammar makes the whole
text unreadable, so no part of an answer can go unnoticed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from stages.rewards.maths_nodes import Node, UnreadableError, call, negated, number
from stages.rewards.maths_tokens import END, MOST_DEPTH, Token, structure
from stages.rewards.units import unit_word

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
BRACKETS = {"(": ")", "[": "]", "{": "}"}
ROUNDED = {r"\lfloor": ("floor", r"\rfloor"), r"\lceil": ("ceil", r"\rceil")}
SINGLE = {"m", "g", "s", "h", "L", "l", "N", "J", "W", "V", "A", "K", "C", "F", "T", "M", "u"}
TEXT_INNER = re.compile(r"\\[A-Za-z]+\*?\s*\{([^{}]*)\}")


class Expressions:
    """Reads expressions from tokens. ``units``: whether a lone letter may be a unit of measure."""

    def __init__(self, source: str, found: list[Token], units: bool) -> None:
        self._source, self._tokens, self._units = source, found, units
        self._at = self._depth = self._bars = 0
        self._closes, self._commas = structure(found)

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
        known = self._known(word)
        if known is not None:
            return known
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
        self._closes, self._commas = structure(self._tokens)

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
        known = self._known(name)
        if known is None:
            raise UnreadableError(f"the command {self._now.text[:20]!r}")
        return known

    def _known(self, name: str) -> Node | None:
        """A constant, a function with its argument or a Greek letter; None for other names."""
        if name in GREEK:
            return self._symbol(name)
        if name not in CONSTANTS and name not in FUNCTIONS:
            return None
        command = self._now.kind == "cmd"
        self._at += 1
        if name in CONSTANTS:
            return Node("const", name=CONSTANTS[name])
        return self._root() if command and name == "sqrt" else self._applied(FUNCTIONS[name])

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
