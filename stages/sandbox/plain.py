"""Plain values as bytes, exactly typed: what functions in a cell take and give.

``None``, ``bool``, ``int``, ``float``, ``str``, ``bytes``, ``complex``, ``list``, ``tuple``,
``dict``, ``set`` and ``frozenset`` themselves, no subclasses: an object that claims to equal
everything is no plain value. The bytes are JSON of ``[tag, payload]``, so that 1, 1.0 and True, a
tuple and a list stay what they are, and nothing is ever unpickled.
"""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 200


class NotPlainError(ValueError):
    """A value of another type, too deep, or bytes that are no value."""


def encode(value: object) -> bytes:
    """The value as bytes; NotPlainError names the type that is none."""
    return json.dumps(_tagged(value, 0), ensure_ascii=True, allow_nan=False).encode("ascii")


def decode(data: bytes) -> Any:
    """The value again; NotPlainError for bytes that ``encode`` does not make."""
    try:
        return _untagged(json.loads(data.decode("ascii")), 0)
    except (ValueError, RecursionError, TypeError, IndexError, KeyError) as error:
        raise NotPlainError(f"no plain value ({type(error).__name__})") from error


def _tagged(value: Any, depth: int) -> list[Any]:
    if depth > DEEPEST:
        raise NotPlainError(f"nested more than {DEEPEST} levels deep")
    kind, inner = type(value), depth + 1
    if kind in _WRITTEN:
        return [*_WRITTEN[kind](value)]
    if kind in _MEMBERS:
        return [_MEMBERS[kind], [_tagged(one, inner) for one in value]]
    if kind is dict:
        pairs = [[_tagged(key, inner), _tagged(one, inner)] for key, one in value.items()]
        return ["d", pairs]
    raise NotPlainError(f"a value of type {kind.__name__} is not plain data")


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
        return _KINDS[tag](_untagged(one, inner) for one in members)
    if tag == "d":
        (pairs,) = payload
        return {_untagged(key, inner): _untagged(one, inner) for key, one in pairs}
    return _SCALARS[tag](*payload)


_SCALARS: dict[str, Any] = {
    "n": lambda: None,
    "b": bool,
    "i": lambda text: int(text, 16),
    "f": float.fromhex,
    "c": lambda real, imaginary: complex(float.fromhex(real), float.fromhex(imaginary)),
    "s": str,
    "y": bytes.fromhex,
}
