"""Whether two expressions are the same, by their values to 200 digits; a process of its own.

``python -m stages.rewards.maths_identity`` answers one JSON line with one. Expressions come as
trees, never as text. Two that agree to 120 digits wherever they are compared count as the same:
simplification by rules would find fewer identities, and may not end. A question that takes more
than its CPU time ends the process.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import IO, Any

import mpmath  # type: ignore[import-untyped]

from stages.rewards.maths_nodes import (
    InexactError,
    Node,
    UnreadableError,
    exact,
    has_constant,
    points,
    symbols,
)

COARSE, FINE = 60, 200  # decimal digits; what shrinks from one to the other is a zero
AGREE = 120  # digits
MOST_SIZE = 10**6  # binary logarithm of any value on the way
MOST_ANGLE = 4_000  # binary logarithm of the argument of a sine
MOST_GAMMA = 10**5
CPU_SECONDS = 2.0
MEMORY = 1 << 30  # bytes of address space
FEWEST = 2  # points at which expressions with variables must be comparable
UNDEFINED = (ValueError, ZeroDivisionError, OverflowError, TypeError)

Number = Any  # an mpf or mpc


def value(node: Node, at: Mapping[str, Fraction]) -> Number:
    """The value of an expression; UnreadableError where it is undefined or too big."""
    if node.op == "num":
        return _ratio(node.value)
    if node.op == "sym":
        return _ratio(at[node.name])
    if node.op == "const":
        return _constant(node.name)
    if node.op == "pow":
        return _bounded(_power(node, at))
    values = [value(child, at) for child in node.args]
    if node.op == "add":
        return _bounded(mpmath.fsum(values))
    if node.op == "mul":
        return _bounded(mpmath.fprod(values))
    if node.op == "div":
        return _bounded(values[0] / _nonzero(values[1]))
    if node.op == "call" and node.name in FUNCTIONS:
        return _bounded(FUNCTIONS[node.name](*values))
    raise UnreadableError(f"{node.name or node.op} has no value")


def _ratio(found: Fraction) -> Number:
    return mpmath.mpf(found.numerator) / found.denominator


def _constant(name: str) -> Number:
    if name == "inf":
        raise UnreadableError("infinity in an expression")
    return {"pi": +mpmath.pi, "e": +mpmath.e, "i": mpmath.mpc(0, 1)}[name]


def _nonzero(found: Number) -> Number:
    if not found:
        raise UnreadableError("a division by zero")
    return found


def _bounded(found: Number, most: int = MOST_SIZE) -> Number:
    if not mpmath.isfinite(found):
        raise UnreadableError("a value that is not finite")
    if found and abs(mpmath.mag(found)) > most:
        raise UnreadableError("a value too big to compute")
    return found


def _is_real(found: Number) -> bool:
    size = mpmath.mpf(10) ** (-mpmath.mp.dps // 2)
    return bool(abs(mpmath.im(found)) <= size * max(1, abs(mpmath.re(found))))


def _power(node: Node, at: Mapping[str, Fraction]) -> Number:
    base = value(node.args[0], at)
    try:
        ratio = exact(node.args[1], at)
    except InexactError:
        ratio = None
    exponent = value(node.args[1], at) if ratio is None else _ratio(ratio)
    if not base:
        if ratio is None or ratio <= 0:
            raise UnreadableError("zero to a power that is not positive")
        return base
    _bounded(abs(exponent) * mpmath.log(abs(base)) if abs(base) != 1 else base, MOST_ANGLE)
    if abs(exponent) * abs(mpmath.log(abs(base))) > MOST_SIZE:
        raise UnreadableError("a power too big to compute")
    if ratio is not None and ratio.denominator == 1:
        return base ** int(ratio)
    if ratio is not None and ratio.denominator % 2 and _is_real(base) and mpmath.re(base) < 0:
        size = mpmath.power(-mpmath.re(base), exponent)
        return -size if ratio.numerator % 2 else size
    return mpmath.power(base, exponent)


def _root(radicand: Number, degree: Number) -> Number:
    if not mpmath.isint(degree) or not 2 <= degree <= 64:
        raise UnreadableError("a root of a degree that is not read")
    if int(degree) % 2 and _is_real(radicand) and mpmath.re(radicand) < 0:
        return -mpmath.root(-mpmath.re(radicand), int(degree))
    return mpmath.root(radicand, int(degree))


def _angle(function: Callable[[Number], Number]) -> Callable[[Number], Number]:
    def bounded(angle: Number) -> Number:
        return function(_bounded(angle, MOST_ANGLE))

    return bounded


def _gamma(function: Callable[..., Number]) -> Callable[..., Number]:
    def bounded(*values: Number) -> Number:
        if any(abs(item) > MOST_GAMMA for item in values):
            raise UnreadableError("a factorial too big to compute")
        return function(*values)

    return bounded


def _whole(function: Callable[[Number], Number]) -> Callable[[Number], Number]:
    def real(found: Number) -> Number:
        if not _is_real(found):
            raise UnreadableError("rounding of a complex number")
        return function(mpmath.re(found))

    return real


def _log(argument: Number, base: Number) -> Number:
    return mpmath.log(_nonzero(argument)) / _nonzero(mpmath.log(_nonzero(base)))


FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "sin": _angle(mpmath.sin),
    "cos": _angle(mpmath.cos),
    "tan": _angle(mpmath.tan),
    "cot": _angle(mpmath.cot),
    "sec": _angle(mpmath.sec),
    "csc": _angle(mpmath.csc),
    "sinh": _angle(mpmath.sinh),
    "cosh": _angle(mpmath.cosh),
    "tanh": _angle(mpmath.tanh),
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "ln": lambda found: mpmath.log(_nonzero(found)),
    "log": _log,  # with a base; see maths_pool.holds for one without
    "sqrt": mpmath.sqrt,
    "root": _root,
    "abs": abs,
    "floor": _whole(mpmath.floor),
    "ceil": _whole(mpmath.ceil),
    "factorial": _gamma(mpmath.factorial),
    "binom": _gamma(mpmath.binomial),
    "percent": lambda found: found / 100,
    "deg": lambda found: found * mpmath.pi / 180,
    "base": lambda found, _base: found,
}


def _values(node: Node, at: Mapping[str, Fraction]) -> tuple[Number, Number] | None:
    """The value to few and to many digits; None where there is none."""
    try:
        with mpmath.workdps(COARSE):
            coarse = value(node, at)
        return coarse, value(node, at)
    except UNDEFINED:
        return None


def _vanishes(found: tuple[Number, Number]) -> bool:
    coarse, fine = map(abs, found)
    tiny = mpmath.mpf(10) ** -(COARSE // 2)
    return bool(fine <= tiny**4 and coarse <= tiny and (not fine or fine <= coarse * tiny**3))


def _agree(one: tuple[Number, Number], other: tuple[Number, Number]) -> bool:
    size = max(abs(one[1]), abs(other[1]))
    close = abs(one[1] - other[1]) <= size * mpmath.mpf(10) ** -AGREE
    return bool(close) or (_vanishes(one) and _vanishes(other))


def same(gold: Node, said: Node) -> str:
    """``same`` or ``different``, compared where the gold is defined and, unless it has i, real.

    UnreadableError if there are too few such points.
    """
    names = symbols(gold) | symbols(said)
    everywhere, compared = has_constant(gold, "i") or not names, 0
    for at in points(names) if names else [{}]:
        expected = _values(gold, at)
        if expected is None or not (everywhere or _is_real(expected[1])):
            continue
        found = _values(said, at)
        if found is None and not names:
            raise UnreadableError("the answer has no value that can be computed")
        if found is None or not _agree(expected, found):
            return "different"
        compared += 1
    if compared < (FEWEST if names else 1):
        raise UnreadableError("too few points at which the expressions can be compared")
    return "same"


def proportional(gold: Node, said: Node, positive: bool) -> str:
    """Whether one expression is a constant, not zero, times the other; ``positive``: above zero."""
    names = symbols(gold) | symbols(said)
    ratios = list[tuple[Number, Number]]()
    for at in points(names):
        expected, found = _values(gold, at), _values(said, at)
        if expected is None or found is None or _vanishes(expected) or _vanishes(found):
            if (expected is None) != (found is None):
                return "different"
            continue
        ratios.append((found[0] / expected[0], found[1] / expected[1]))
    if len(ratios) < FEWEST:
        raise UnreadableError("too few points at which the equations can be compared")
    if not all(_agree(ratios[0], ratio) for ratio in ratios[1:]):
        return "different"
    above = _is_real(ratios[0][1]) and mpmath.re(ratios[0][1]) > 0
    return "same" if above or not positive else "different"


def within(gold: Node, said: Node, margin: Fraction, relative: bool) -> str:
    """Whether two constants differ by no more than a margin, or that share of the gold."""
    expected, found = value(gold, {}), value(said, {})
    allowed = _ratio(margin) * (abs(expected) if relative else 1)
    return "same" if abs(expected - found) <= allowed else "different"


def answer(row: Mapping[str, Any]) -> str:
    """What a question comes to."""
    gold, said = Node.from_row(row["gold"]), Node.from_row(row["said"])
    with mpmath.workdps(FINE):
        if row["ask"] == "same":
            return same(gold, said)
        if row["ask"] in ("factor", "positive"):
            return proportional(gold, said, row["ask"] == "positive")
        return within(gold, said, Fraction(row["margin"]), row["ask"] == "relative")


def serve(rows: Iterable[str], answers: IO[str]) -> None:
    """Answer each question; one that cannot be answered says why."""
    for line in rows:
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # its default action ends the process
        try:
            found = {"found": answer(json.loads(line)), "why": ""}
        except (*UNDEFINED, RecursionError, MemoryError) as error:
            found = {"found": "undecided", "why": str(error) or type(error).__name__}
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(json.dumps(found) + "\n")
        answers.flush()


def main() -> None:
    """Serve standard input within bounds of memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
