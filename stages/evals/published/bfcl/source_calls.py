"""Calls written in Java or JavaScript, and their arguments as values of the declared type.

An argument is read as source text: ``f(a="x", b=new int[]{1, 2}, c=5L)``. A text that is not
written as its declared type demands stays a text, and so is of another type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from stages.evals.published.bfcl.calls import Call

PAIRS = {"(": ")", "[": "]", "{": "}"}
QUOTES = "\"'`"
LONGEST = 10_000  # characters of a text that is read as a value of another type
MOST_BRACKETS = 200
NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\s*(?=\()")
NAMED = re.compile(r"([A-Za-z_$][\w$]*)\s*=(?![=>])\s*(.+)", re.DOTALL)
GENERIC = re.compile(r"<[\w\s,.?&<>\[\]]*>(?=\s*\()")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
WHOLE = r"-?\d+"
DECIMAL = r"-?\d+(?:\.\d+)?"
EXPONENT = rf"{DECIMAL}(?:[eE][+-]?\d+)?"
NUMBERS: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    **dict.fromkeys(("byte", "short", "integer"), (WHOLE, "", int)),
    "long": (WHOLE, "[lL]", int),
    "float": (EXPONENT, "[fF]", float),
    "double": (EXPONENT, "", float),
    "js float": (DECIMAL, "", float),
    "Bigint": (WHOLE, "n", int),
}
"""How a number of a declared type is written: its digits, what must follow them, what it is."""

TEXTS = ("String", "char")
JAVA_ARRAY = re.compile(r"new\s+[\w.]+(?:<[^(){}]*>)?\s*\[\s*\]\s*(\{.*\})", re.DOTALL)
JAVA_LIST = re.compile(r"new\s+ArrayList\s*(?:<[^(){}]*>)?\s*\((.*?)\)\s*(\{.*\})?", re.DOTALL)
JAVA_MAP = re.compile(r"new\s+HashMap\s*(?:<[^(){}]*>)?\s*\((.*?)\)\s*(\{.*\})?", re.DOTALL)
LISTED = re.compile(r"(?:Arrays\.asList|List\.of)\s*(\(.*\))", re.DOTALL)
MAPPED = re.compile(r"Map\.of\s*(\(.*\))", re.DOTALL)
ADDED = re.compile(r"(?:this\.)?(?:add|put)\s*(\(.*\))", re.DOTALL)
JS_ARRAY = re.compile(r"new\s+Array\s*(\(.*\))", re.DOTALL)


def source_calls(source: str) -> list[Call] | None:
    """The calls of a list, a bracket of which may be missing; None if it is anything else.

    Arguments are texts.

    >>> source_calls('[A.f(x="a, b", y=new int[]{1, 2})]')
    [Call(name='A.f', arguments={'x': 'a, b', 'y': 'new int[]{1, 2}'}, unnamed=())]
    """
    bare = source.strip().removeprefix("[").removesuffix("]").strip()
    if not bare and "".join(source.split()) != "[]":
        return None
    calls, at = list[Call](), 0
    while at < len(bare):
        name = NAME.match(bare, at)
        end = _closed(bare, name.end()) if name else -1
        if name is None or end < 0:
            return None
        call = _call(name[0].strip(), bare[name.end() + 1 : end])
        if call is None:
            return None
        calls.append(call)
        at = end + 1
        while at < len(bare) and bare[at] in ",; \t\r\n":
            at += 1
    return calls


def _call(name: str, written: str) -> Call | None:
    named: dict[str, str] = {}
    unnamed: list[str] = []
    for part in split(written):
        found = NAMED.fullmatch(part)
        if found is None:
            unnamed.append(unquoted(part))
        elif found[1] in named:
            return None
        else:
            named[found[1]] = unquoted(found[2].strip())
    return Call(name, named, tuple(unnamed))


def _closed(text: str, at: int) -> int:
    """Where the bracket at a place closes; -1: it does not."""
    waiting: list[str] = []
    while at < len(text):
        mark = text[at]
        if mark in QUOTES:
            at = _quoted(text, at)
            if at < 0:
                return -1
        elif mark in PAIRS:
            waiting.append(PAIRS[mark])
        elif mark in PAIRS.values():
            if not waiting or waiting.pop() != mark:
                return -1
            if not waiting:
                return at
        at += 1
    return -1


def _quoted(text: str, at: int) -> int:
    """Where the quotation that begins at a place ends; -1: it does not."""
    mark, at = text[at], at + 1
    while at < len(text) and text[at] != mark:
        at += 2 if text[at] == "\\" else 1
    return at if at < len(text) else -1


def split(text: str, mark: str = ",") -> list[str]:
    """The parts between marks that stand in no bracket, quotation or type parameter."""
    parts, start, at = list[str](), 0, 0
    while at < len(text):
        generic = GENERIC.match(text, at) if text[at] == "<" else None
        if generic is not None:
            at = generic.end() - 1
        elif text[at] in PAIRS or text[at] in QUOTES:
            end = _quoted(text, at) if text[at] in QUOTES else _closed(text, at)
            at = end if end >= 0 else len(text)
        elif text[at] == mark:
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    return [part for part in (*parts, text[start:].strip()) if part]


def unquoted(text: str) -> str:
    """What a quoted text says; a text that is not one quotation as it is."""
    if not text.startswith(tuple(QUOTES)) or _quoted(text, 0) != len(text) - 1:
        return text
    return ESCAPED.sub(lambda found: ESCAPES.get(found[1], found[1]), text[1:-1])


def java_value(text: str, declared: str, inner: str) -> Any:
    """A text as a Java value; ``inner`` is the type of an array's or a list's elements.

    >>> java_value("5L", "long", ""), java_value("5", "long", "")
    (5, '5')
    >>> java_value('new String[]{"a", "b"}', "Array", "String")
    ['a', 'b']
    """
    if _odd(text):
        return text
    if declared in NUMBERS:
        return _number(text, declared)
    if declared == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if declared in ("Array", "ArrayList"):
        parts = _java_array(text) if declared == "Array" else _java_list(text)
        if parts is None:
            return text
        return [_java_element(one, inner) for one in parts]
    if declared == "HashMap":
        pairs = _java_pairs(text)
        return text if pairs is None else dict(pairs)
    return text


def _odd(text: str) -> bool:
    """Whether a text is too long, or has too many brackets, to be any value that is asked for."""
    return len(text) > LONGEST or sum(map(text.count, PAIRS)) > MOST_BRACKETS


def _java_element(text: str, inner: str) -> Any:
    if inner in NUMBERS or inner == "boolean":
        return java_value(text, inner, "")
    return unquoted(text) if inner in TEXTS else _java_guess(text)


def _number(text: str, declared: str) -> Any:
    digits, ending, kind = NUMBERS[declared]
    found = re.fullmatch(rf"({digits}){ending}", text)
    return kind(found[1]) if found else text


def _inside(text: str) -> list[str]:
    return split(text[1:-1])


def _java_array(text: str) -> list[str] | None:
    found = JAVA_ARRAY.fullmatch(text.strip())
    return None if found is None else _inside(found[1])


def _java_list(text: str) -> list[str] | None:
    found = JAVA_LIST.fullmatch(text.strip())
    if found is None:
        return None
    if found[2]:
        return [part for added in _added(found[2]) for part in added[:1]]
    if not found[1].strip():
        return []
    listed = LISTED.fullmatch(found[1].strip())
    return None if listed is None else _inside(listed[1])


def _java_pairs(text: str) -> list[tuple[str, Any]] | None:
    found = JAVA_MAP.fullmatch(text.strip())
    if found is None:
        return None
    mapped = MAPPED.fullmatch(found[1].strip())
    flat = _inside(mapped[1]) if mapped else []
    pairs = [*zip(flat[::2], flat[1::2], strict=False), *map(tuple, _added(found[2] or ""))]
    if found[1].strip() and not mapped:
        return None
    return [(unquoted(pair[0]), _java_guess(pair[1])) for pair in pairs if len(pair) == 2]


def _added(block: str) -> Iterator[list[str]]:
    """The arguments of each call in the braces after a collection."""
    for line in split(block.strip("{} \t\r\n"), ";"):
        if found := ADDED.fullmatch(line):
            yield _inside(found[1])


def _java_guess(text: str) -> Any:
    """The value of a text whose type is not declared."""
    if text in ("true", "false"):
        return text == "true"
    for declared in ("long", "float", "integer", "double"):
        value = _number(text, declared)
        if not isinstance(value, str):
            return value
    return unquoted(text)


def javascript_value(text: str, declared: str, inner: str) -> Any:
    """A text as a JavaScript value; ``inner`` is the type of an array's elements.

    >>> javascript_value("{a: 1, 'b': [true, x]}", "dict", "")
    {'a': 1, 'b': [True, 'x']}
    """
    declared = "js float" if declared == "float" else declared
    if _odd(text):
        return text
    if declared in NUMBERS:
        return _number(text, declared)
    if declared == "String":
        return unquoted(text)
    if declared == "Boolean":
        return {"true": True, "false": False}.get(text, text)
    if declared == "array":
        parts = _js_array(text)
        if parts is None:
            return text.strip()
        return [_js_element(one, inner) for one in parts]
    if declared == "dict":
        found = _js_guess(text)
        return found if isinstance(found, dict) else text.strip()
    return text


def _js_element(text: str, inner: str) -> Any:
    if inner in NUMBERS or inner in ("Boolean", "float"):
        return javascript_value(text, inner, "")
    return unquoted(text) if inner in TEXTS else _js_guess(text)


def _js_array(text: str) -> list[str] | None:
    text = text.strip()
    if text.startswith("[") and _closed(text, 0) == len(text) - 1:
        return _inside(text)
    found = JS_ARRAY.fullmatch(text)
    return None if found is None else _inside(found[1])


def _js_guess(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    for declared in ("integer", "double"):
        value = _number(text, declared)
        if not isinstance(value, str):
            return value
    if (parts := _js_array(text)) is not None:
        return [_js_guess(part) for part in parts]
    if text.startswith("{") and _closed(text, 0) == len(text) - 1:
        pairs = [split(part, ":") for part in _inside(text)]
        if all(len(pair) > 1 for pair in pairs):
            return {unquoted(pair[0]): _js_guess(":".join(pair[1:])) for pair in pairs}
    return unquoted(text)
