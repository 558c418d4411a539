"""Expressions simplified by SymPy, as trees; a process of its own, for simplifying may not end.

``python -m stages.evals.published.expression_trees`` answers one JSON line with one. Expressions
come as the nodes of our own grammar, never as text, and all symbols are positive, as they are in
physics. What is not simplified in its time stays as it is written, and the answer says so.
"""

from __future__ import annotations

import atexit
import json
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FrameType
from typing import IO, Any

import sympy  # type: ignore[import-untyped]

from stages.evals.published.tree_distance import Tree
from stages.rewards.maths_nodes import Node, UnreadableError
from stages.rewards.maths_pool import Pool

COMMAND = (
    "env",
    "PYTHONHASHSEED=0",
    sys.executable,
    "-m",
    "stages.evals.published.expression_trees",
)
CPU_SECONDS = 10.0  # for one expression
PATIENCE = 60.0  # seconds
MEMORY = 1 << 31  # bytes of address space
MOST_NODES = 400
FAILURES = (ValueError, TypeError, ArithmeticError, AttributeError, RecursionError, MemoryError)
"""What SymPy raises for expressions it cannot handle."""

CONSTANTS = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "cot": sympy.cot, "sec": sympy.sec,
    "csc": sympy.csc, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh,
    "arcsin": sympy.asin, "arccos": sympy.acos, "arctan": sympy.atan, "ln": sympy.log,
    "log": sympy.log, "sqrt": sympy.sqrt, "abs": sympy.Abs, "floor": sympy.floor,
    "ceil": sympy.ceiling, "factorial": sympy.factorial, "binom": sympy.binomial,
    "root": lambda radicand, degree: sympy.Pow(radicand, 1 / degree),
    "percent": lambda value: value / 100,
    "deg": lambda value: value * sympy.pi / 180,
}  # fmt: skip


class TooLongError(Exception):
    """The time for one expression is over."""


def expression(node: Node) -> Any:
    """A SymPy expression; UnreadableError for what has no place in one."""
    if node.op == "num":
        return sympy.Rational(node.value.numerator, node.value.denominator)
    if node.op == "sym":
        return sympy.Symbol(node.name)
    if node.op == "const":
        return CONSTANTS[node.name]
    inner = [expression(child) for child in node.args]
    if node.op == "call" and node.name in FUNCTIONS:
        return FUNCTIONS[node.name](*inner)
    made = {"add": sympy.Add, "mul": sympy.Mul, "pow": sympy.Pow}.get(node.op)
    if node.op == "div":
        return inner[0] / inner[1]
    if made is None:
        raise UnreadableError(f"{node.name or node.op} has no place in an expression tree")
    return made(*inner)


def tree(found: Any) -> Tree:
    """The tree of an expression: numbers and symbols are leaves, labels begin with their kind."""
    if isinstance(found, sympy.Symbol):
        return Tree(f"symbol {found}")
    if isinstance(found, sympy.Number | sympy.NumberSymbol) or found is sympy.I:
        return Tree(f"number {found}")
    if not isinstance(found, sympy.Add | sympy.Mul | sympy.Pow | sympy.Function):
        raise UnreadableError(f"{type(found).__name__} has no place in an expression tree")
    kind = "function" if isinstance(found, sympy.Function) else "operator"
    return Tree(f"{kind} {found.func.__name__}", tuple(map(tree, found.args)))


def _too_long(signum: int, frame: FrameType | None) -> None:
    del signum, frame
    raise TooLongError


def answer(row: Mapping[str, Any]) -> dict[str, Any]:
    """The simplified tree of ``row["node"]``, as nested lists, and whether it is simplified."""
    found, simplified = expression(Node.from_row(row["node"])), False
    plain, names = sympy.posify(found)
    signal.setitimer(signal.ITIMER_PROF, row["seconds"])
    try:
        found, simplified = sympy.simplify(plain).subs(names), True
    except TooLongError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"tree": _row(tree(found)), "simplified": simplified}


def _row(found: Tree) -> list[Any]:
    return [found.label, *map(_row, found.children)]


def _tree(row: list[Any]) -> Tree:
    return Tree(row[0], tuple(map(_tree, row[1:])))


def serve(rows: Iterable[str], answers: IO[str]) -> None:
    """Answer each question; one that cannot be answered says why."""
    for line in rows:
        try:
            found = answer(json.loads(line))
        except (UnreadableError, *FAILURES) as error:
            found = {"why": str(error) or type(error).__name__}
        answers.write(json.dumps(found) + "\n")
        answers.flush()


POOL = Pool(COMMAND, PATIENCE)
atexit.register(POOL.close)


def simplified_tree(node: Node, seconds: float = CPU_SECONDS) -> tuple[Tree, bool]:
    """The tree of an expression, and whether there was time to simplify it.

    UnreadableError if it has none, TimeLimitError if the process had to be ended.
    """
    if sum(1 for _ in node.walk()) > MOST_NODES:
        raise UnreadableError("an expression of too many parts")
    found = json.loads(POOL.ask(json.dumps({"node": node.to_row(), "seconds": seconds})))
    if "why" in found:
        raise UnreadableError(found["why"])
    return _tree(found["tree"]), bool(found["simplified"])


def main() -> None:
    """Serve standard input within bounds of memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, _too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
