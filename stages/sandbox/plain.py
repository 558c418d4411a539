"""Plain values as bytes, exactly typed: what functions in a cell take and give.

``None``, ``bool``, ``int``, ``float``, ``str``, ``bytes``, ``complex``, ``list``, ``tuple``,
``dict``, ``set`` and ``frozenset`` themselves: of an object that claims to equal everything nothing
arrives but what it holds. The bytes are JSON of ``[tag, payload]``, so that 1, 1.0 and True, a
tuple and a list stay what they are, and nothing is ever unpickled.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

DEEPEST = 200
ALIKE = 100


class NotPlainError(ValueError):
    """A value of another type, too deep, or bytes that are no value."""


def encode(value: object, exact: bool = True) -> bytes:
    """The value as bytes; NotPlainError names the type that is none.

    Unless ``exact``, an object of a subclass (a ``Counter``, a named tuple) goes as its plain base.
    """
    return json.dumps(_tagged(value, 0, exact), ensure_ascii=True, allow_nan=False).encode("ascii")


def decode(data: bytes) -> Any:
    """The value again; NotPlainError for bytes that ``encode`` does not make."""
    try:
        return _untagged(json.loads(data.decode("ascii")), 0)
    except (ValueError, RecursionError, TypeError, LookupError, ArithmeticError) as error:
        raise NotPlainError(f"no plain value ({type(error).__name__})") from error


def _tagged(value: Any, depth: int, exact: bool) -> list[Any]:
    if depth > DEEPEST:
        raise NotPlainError(f"nested more than {DEEPEST} levels deep")
    kind, inner = type(value), depth + 1
    if kind in _WRITTEN:
        return [*_WRITTEN[kind](value)]
    if kind in _MEMBERS:
        return [_MEMBERS[kind], [_tagged(one, inner, exact) for one in value]]
    if kind is dict:
        pairs = [
            [_tagged(key, inner, exact), _tagged(one, inner, exact)] for key, one in value.items()
        ]
        return ["d", pairs]
    for base, based in () if exact else _BASED:
        if isinstance(value, base):
            return _tagged(based(value), depth, exact)
    raise NotPlainError(f"a value of type {kind.__name__} is not plain data")


_BASED: list[tuple[type, Any]] = [
    (int, int.__int__),
    (float, float.__float__),
    (complex, complex.__complex__),
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (list, lambda value: list(list.__iter__(value))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
]
"""What an object of a subclass holds, whatever that does of its own."""

_WRITTEN: dict[type, Any] = {
    type(None): lambda _: ["n"],
    bool: lambda value: ["b", int(value)],
    int: lambda value: ["i", hex(value)],  # decimal digits of a large one take too long
    float: lambda value: ["f", value.hex()],
    complex: lambda value: ["c", value.real.hex(), value.imag.hex()],
    str: lambda value: ["s", value],
    bytes: lambda value: ["y", value.hex()],
}
_MEMBERS: dict[type, str] = {list: "l", tuple: "t", set: "e", frozenset: "z"}
_KINDS = {tag: kind for kind, tag in _MEMBERS.items()}


def _untagged(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise NotPlainError(f"nested more than {DEEPEST} levels deep")
    tag, payload = value[0], value[1:]
    inner = depth + 1
    if tag in _KINDS:
        (members,) = payload
        found = [_untagged(one, inner) for one in members]
        return _KINDS[tag](found if tag in "lt" else _spread(found))
    if tag == "d":
        (pairs,) = payload
        keys = _spread([_untagged(key, inner) for key, _ in pairs])
        return dict(zip(keys, [_untagged(one, inner) for _, one in pairs], strict=True))
    return _SCALARS[tag](*payload)


def _spread(keys: list[Any]) -> list[Any]:
    """The keys, unless so many have one hash that a table of them would take hours to fill."""
    if len(keys) > ALIKE and max(Counter(map(hash, keys)).values()) > ALIKE:
        raise NotPlainError(f"more than {ALIKE} members with one hash")
    return keys


_SCALARS: dict[str, Any] = {
    "n": lambda: None,
    "b": bool,
    "i": lambda text: int(text, 16),
    "f": float.fromhex,
    "c": lambda real, imaginary: complex(float.fromhex(real), float.fromhex(imaginary)),
    "s": str,
    "y": bytes.fromhex,
}
