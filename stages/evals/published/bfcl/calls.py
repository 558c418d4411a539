"""Calls of functions, read from what a model wrote; nothing is evaluated.

Calls are a list as Python writes it, ``[f(a=1), g(b="x")]``, with or without brackets, or JSON as
APIs write it: ``[{"name": "f", "arguments": {"a": 1}}]`` or ``[{"f": {"a": 1}}]``. They are the
whole answer; else the last fenced block that can be read; else all that follows from a line that
opens a bracket; else what stands between tags, ``<tool_call>`` or ``<function_call>``.
"""

from __future__ import annotations

import ast
import json
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LONGEST = 50_000  # characters of an answer that is read
DEEPEST = 50  # lists and dictionaries within one another
MOST_STARTS = 20  # lines that open a bracket, tried in one answer
LARGEST = 10**18  # of a number that is worked out
TAGGED = re.compile(
    r"<(tool_call|function_call)>(.*?)(?:</\1>|(?=<(?:tool|function)_call>)|\Z)", re.DOTALL
)
ESCAPED = "\\_"  # an underscore in Markdown
FENCE = re.compile(r"[ \t]*(```+|~~~+)")
OPENED = re.compile(r"(?m)^[ \t]*(?=\[)")
ARGUMENTS = ("arguments", "parameters")
BESIDE = {"name", "id", "type", *ARGUMENTS}  # of a call in JSON; more is in a description of one
FAILS = (SyntaxError, TypeError, ValueError, RecursionError, MemoryError)
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True)
class Call:
    """A call as written: a dotted name, values by name, and values that stand without one."""

    name: str
    arguments: Mapping[str, Any]
    unnamed: Sequence[Any] = field(default=())


Reader = Callable[[str], list[Call] | None]


def read_calls(text: str, read: Reader | None = None) -> list[Call] | None:
    r"""The calls that an answer consists of; None if it is something else.

    ``read`` reads calls that are not JSON; without one, Python's.

    >>> [call.name for call in read_calls("Sure:\n```\n[a.f(x=1), g()]\n```") or ()]
    ['a.f', 'g']
    >>> read_calls('[{"name": "f", "arguments": {"x": true}}]')
    [Call(name='f', arguments={'x': True}, unnamed=())]
    >>> read_calls("[]"), read_calls("I would call f(x=1) if I could.")
    ([], None)
    """
    if len(text) > LONGEST:
        return None
    for source in filter(None, _places(text)):
        for reader in (_json_calls, read or python_calls):
            found = reader(source)
            if found is not None:
                return _shallow(found)
    tagged = _shallow(_tagged(text, read or python_calls))
    if tagged is None and ESCAPED in text:
        return read_calls(text.replace(ESCAPED, "_"), read)
    return tagged


def _shallow(calls: list[Call] | None) -> list[Call] | None:
    """The calls, unless a value in them is nested more deeply than any that is asked for."""
    values = [one for call in calls or () for one in (*call.arguments.values(), *call.unnamed)]
    for _ in range(DEEPEST):
        inner = [one for one in values if isinstance(one, list | tuple | dict)]
        values = [x for one in inner for x in (one.values() if isinstance(one, dict) else one)]
    return None if values else calls


def _places(text: str) -> Iterator[str]:
    """Where the calls may stand, the likeliest first."""
    yield text.strip().strip("`").strip()
    yield from reversed(_blocks(text))
    yield from (text[found.end() :].strip() for found in list(OPENED.finditer(text))[:MOST_STARTS])


def _blocks(text: str) -> list[str]:
    """What stands in each closed fenced block."""
    found, inside, fence = list[str](), list[str](), ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if not fence:
            fence, inside = (mark[1] if mark else ""), []
        elif mark and mark[1].startswith(fence) and not line.strip(" \t\r" + fence[0]):
            found.append("\n".join(inside).strip())
            fence = ""
        else:
            inside.append(line)
    return found


def _tagged(text: str, read: Reader) -> list[Call] | None:
    """The calls of all tags together; None if there are none or one cannot be read."""
    found: list[Call] = []
    tags = [tag[2].strip() for tag in TAGGED.finditer(text)]
    for tag in tags:
        calls = _json_calls(tag)
        calls = read(tag) if calls is None else calls
        if calls is None:
            return None
        found += calls
    return found if tags else None


def _json_calls(source: str) -> list[Call] | None:
    if not source.startswith(("[", "{")):
        return None
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        value = _literal(source)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    items = value if isinstance(value, list) else [value]
    named = isinstance(value, list)  # {"f": {...}} alone may be any object
    calls = [_json_call(item, named) for item in items]
    return None if None in calls else [call for call in calls if call is not None]


def _literal(source: str) -> Any:
    """A list of dictionaries as Python prints it; None for anything else."""
    if not source.startswith(("[{", "{")):
        return None
    try:
        return ast.literal_eval(source)
    except FAILS:
        return None


def _json_call(item: Any, named: bool) -> Call | None:
    if isinstance(item, dict) and isinstance(item.get("function"), dict):
        item = item["function"]
    if not isinstance(item, dict):
        return None
    given = next((item[key] for key in ARGUMENTS if key in item), None)
    name = item.get("name")
    if not isinstance(name, str) and len(item) == 1 and named:
        ((name, given),) = item.items()
    elif given is None or item.keys() - BESIDE:
        return None
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return None
    if not isinstance(name, str) or not isinstance(given, dict):
        return None
    return Call(name, given)


def python_calls(source: str) -> list[Call] | None:
    """Calls as Python writes them; a bracket may be missing at either end, or stand twice."""
    bare = source.strip("[]' \n")
    for written in (source, f"[{source}", f"{source}]", f"[{bare}]"):
        try:
            with warnings.catch_warnings():  # of odd escapes in texts
                warnings.simplefilter("ignore")
                body = ast.parse(written).body
            if body:  # not a comment alone
                return [_call(node) for line in body for node in _elements(line)]
        except FAILS:
            continue
    return None


def _elements(line: ast.stmt) -> list[ast.expr]:
    if not isinstance(line, ast.Expr):
        raise TypeError("a statement")
    value = line.value
    return value.elts if isinstance(value, ast.List | ast.Tuple) else [value]


def _call(node: ast.expr) -> Call:
    if not isinstance(node, ast.Call):
        raise TypeError("no call")
    parts, function = list[str](), node.func
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        raise TypeError("a call of something without a name")
    named = {argument.arg: _value(argument.value) for argument in node.keywords}
    if None in named or len(named) < len(node.keywords):
        raise SyntaxError("arguments that are unpacked, or given twice")
    name = ".".join([function.id, *reversed(parts)])
    arguments = {name: value for name, value in named.items() if name is not None}
    return Call(name, arguments, tuple(_value(argument) for argument in node.args))


def _value(node: ast.expr) -> Any:
    """A literal as its value, sums of numbers worked out; anything else as it is written."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.List(elts=elements):
            return [_value(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(element) for element in elements)
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {_key(key): _value(value) for key, value in pairs if key is not None}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
            value = _value(inner)
            if type(value) in (int, float):
                return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right):
            value = _worked_out(_value(left), op, _value(right))
            if value is not None:
                return value
    return ast.unparse(node)


def _key(node: ast.expr) -> Any:
    value = _value(node)
    return value if isinstance(value, str | int | float | None) else ast.unparse(node)


def _worked_out(left: Any, op: ast.operator, right: Any) -> int | float | None:
    """The value of a sum of two numbers; None if it is none, or out of all bounds."""
    function = OPERATORS.get(type(op))
    if function is None or type(left) not in (int, float) or type(right) not in (int, float):
        return None
    if isinstance(op, ast.Pow) and not (abs(left) <= LARGEST and abs(right) <= 64):
        return None
    try:
        value = function(left, right)
    except ArithmeticError:
        return None
    return value if isinstance(value, int | float) and abs(value) <= LARGEST**4 else None
