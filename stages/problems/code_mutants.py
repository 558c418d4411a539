"""Wrong copies of a right program: one small slip each, as people and models make them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from stages.base.errors import DataError
from stages.base.seeds import seeded_random

BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
EDGE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
CALLED = {"min": "max", "max": "min", "all": "any", "any": "all", "floor": "ceil", "ceil": "floor"}


def mutants(program: str, most: int, seed: int, item: str) -> list[str]:
    """At most ``most`` different wrong copies, drawn by seed; DataError if it is no Python 3.

    Slips: an operator, a comparison at its edge or negated, a constant off by one, ``and`` for
    ``or``, a range one shorter or longer, ``min`` for ``max`` and the like.
    """
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"the reference is no Python 3 ({error})") from error
    same = ast.unparse(tree)
    sites = [
        (at, slip) for at, node in enumerate(ast.walk(tree)) for slip in range(len(_slips(node)))
    ]
    seeded_random(seed, "mutants", item).shuffle(sites)
    found = dict.fromkeys(_changed(tree, at, slip) for at, slip in sites[: 4 * most])
    return [text for text in found if text != same][:most]


def constants(program: str) -> list[int]:
    """The whole numbers that stand in a program, each once: where its cases part."""
    found = {
        node.value
        for node in ast.walk(ast.parse(program))
        if isinstance(node, ast.Constant) and type(node.value) is int
    }
    return sorted(found)


def _changed(tree: ast.Module, at: int, slip: int) -> str:
    fresh = copy.deepcopy(tree)
    node = next(node for number, node in enumerate(ast.walk(fresh)) if number == at)
    _apply(node, _slips(node)[slip])
    return ast.unparse(ast.fix_missing_locations(fresh))


def _slips(node: ast.AST) -> list[str]:
    """Names of the slips a node allows, in a fixed order."""
    return list(_allowed(node))


def _allowed(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in BINARY:
        yield "operator"
    if isinstance(node, ast.Compare):
        yield from (f"edge {n}" for n, op in enumerate(node.ops) if type(op) in EDGE)
        yield from (f"negate {n}" for n, op in enumerate(node.ops) if type(op) in NEGATED)
    if isinstance(node, ast.BoolOp):
        yield "boolean"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "flip"
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield from ("more", "less")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        yield from ("longer", "shorter") if node.args else ()
    if isinstance(node, ast.Name) and node.id in CALLED:
        yield "call"


def _apply(node: ast.AST, slip: str) -> None:
    name, _, which = slip.partition(" ")
    if isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = BINARY[type(node.op)]()
    elif isinstance(node, ast.Compare):
        table = EDGE if name == "edge" else NEGATED
        node.ops[int(which)] = table[type(node.ops[int(which)])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value = {"flip": not node.value, "more": node.value + 1, "less": node.value - 1}[name]
    elif isinstance(node, ast.Name):
        node.id = CALLED[node.id]
    elif isinstance(node, ast.Call):
        at = 0 if len(node.args) == 1 else 1
        sign = ast.Add() if name == "longer" else ast.Sub()
        node.args[at] = ast.BinOp(node.args[at], sign, ast.Constant(1))
