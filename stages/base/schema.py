"""Strict reading of parameters: mappings into frozen dataclasses, every complaint with its key.

Unknown keys, wrong types and out-of-range values are refused, and so are the names ``size`` and
``nfiles`` at any depth: DVC's run cache leaves keys of these names out, so that a changed value
would silently restore old outputs (treeverse/dvc#10296).
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from stages.base.errors import ConfigError

RESERVED = {"size", "nfiles"}
ABSENT = "ABSENT"
"""A dataclass may hold, under this name, well-known keys it does not have, each with the reason."""

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of a number: at least ``ge``, more than ``gt``, at most ``le``, less than ``lt``.

    Written into the type: ``epochs: Annotated[int, Limits(ge=1)]``.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None

    def check(self, value: float, path: str) -> None:
        """Raise ConfigError naming the key if ``value`` is outside."""
        if self.ge is not None and value < self.ge:
            raise ConfigError(f"{path}: {value} is below the least allowed, {self.ge}.")
        if self.gt is not None and value <= self.gt:
            raise ConfigError(f"{path}: {value} must be more than {self.gt}.")
        if self.le is not None and value > self.le:
            raise ConfigError(f"{path}: {value} is above the most allowed, {self.le}.")
        if self.lt is not None and value >= self.lt:
            raise ConfigError(f"{path}: {value} must be less than {self.lt}.")


Natural = Annotated[int, Limits(ge=0)]
Count = Annotated[int, Limits(ge=1)]
Positive = Annotated[float, Limits(gt=0)]
NonNegative = Annotated[float, Limits(ge=0)]
Share = Annotated[float, Limits(ge=0, le=1)]
Beta = Annotated[float, Limits(ge=0, lt=1)]


def refuse_reserved(value: object, path: str = "") -> None:
    """Raise ConfigError if a reserved name stands anywhere in a parameter tree."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            where = f"{path}.{key}" if path else str(key)
            if key in RESERVED:
                raise ConfigError(
                    f"{where}: the name '{key}' is reserved (DVC's run cache ignores it and would "
                    "restore stale outputs). Choose another name."
                )
            refuse_reserved(inner, where)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            refuse_reserved(inner, f"{path}[{index}]")


def parse(kind: type[T], value: object, path: str) -> T:
    """Build the dataclass ``kind`` from a mapping; ``path`` is the key it was found under."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: expected a section of keys, found {_describe(value)}.")
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for key in value:
        _refuse_unknown(key, kind, path)
    built: dict[str, Any] = {}
    for name, field in fields.items():
        where = f"{path}.{name}"
        if name in value:
            built[name] = _convert(hints[name], value[name], where)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ConfigError(f"{where}: missing. Give {_wanted(hints[name])}.")
    try:
        return kind(**built)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def refuse_unknown(kind: type, value: object, path: str) -> None:
    """Raise ConfigError if a key of nested sections is none of the dataclass ``kind``.

    For parts of a profile, whose missing keys and null values mean nothing yet.
    """
    if not isinstance(value, Mapping):
        return
    hints = typing.get_type_hints(kind)
    for key, inner in value.items():
        _refuse_unknown(key, kind, path)
        parts = {f"{path}.{key}": inner}
        if get_origin(hints[key]) is dict and isinstance(inner, Mapping):
            parts = {f"{path}.{key}.{name}": part for name, part in inner.items()}
        for section in (hints[key], *get_args(hints[key])):
            if isinstance(section, type) and dataclasses.is_dataclass(section):
                for place, part in parts.items():
                    refuse_unknown(section, part, place)


def _refuse_unknown(key: object, kind: type, path: str) -> None:
    known = [field.name for field in dataclasses.fields(kind)]
    if key not in known:
        absent: Mapping[object, str] = getattr(kind, ABSENT, {})
        if key in absent:
            raise ConfigError(f"{path}.{key}: {absent[key]}")
        raise ConfigError(f"{path}.{key}: unknown key.{meant(key, known, 'Known keys')}")


def meant(name: object, known: Iterable[str], listed: str = "Known") -> str:
    """The end of a message about an unknown name: the closest known one, else all of them.

    >>> meant("gsm", ["math", "gsm8k"])
    " Did you mean 'gsm8k'?"
    """
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    return f" Did you mean '{close[0]}'?" if close else f" {listed}: {', '.join(names)}."


def _wanted(hint: Any) -> str:
    """What a key takes, in words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Annotated, types.UnionType, typing.Union):
        return _wanted(next(arg for arg in arguments if arg is not type(None)))
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if origin is dict or dataclasses.is_dataclass(hint):
        return "a section of keys"
    return "a list" if origin is tuple else getattr(hint, "__name__", str(hint))


def _describe(value: object) -> str:
    return "nothing" if value is None else f"{value!r} ({type(value).__name__})"


def _convert(hint: Any, value: object, path: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        number = _convert(arguments[0], value, path)
        arguments[1].check(number, path)
        return number
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return parse(hint, value, path)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{path}: {value!r} is not one of {', '.join(map(str, arguments))}.")
        return value
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in arguments:
            return None
        return _convert(next(arg for arg in arguments if arg is not type(None)), value, path)
    if origin is dict:
        return _convert_mapping(arguments, value, path)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ConfigError(f"{path}: expected a list, found {_describe(value)}.")
        kinds = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        if len(value) != len(kinds):
            raise ConfigError(f"{path}: expected {len(kinds)} values, found {len(value)}.")
        pairs = enumerate(zip(kinds, value, strict=True))
        return tuple(_convert(kind, item, f"{path}[{i}]") for i, (kind, item) in pairs)
    return _convert_scalar(hint, value, path)


def _convert_mapping(arguments: tuple[Any, ...], value: object, path: str) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: expected a section of keys, found {_describe(value)}.")
    if arguments[1] is Any:
        return dict(value)
    key_kind, value_kind = arguments
    return {
        _convert(key_kind, key, f"{path}.{key}"): _convert(value_kind, item, f"{path}.{key}")
        for key, item in value.items()
    }


def _convert_scalar(hint: Any, value: object, path: str) -> Any:
    if hint is float and isinstance(value, int | float | str) and not isinstance(value, bool):
        # YAML 1.1 reads 2e-4 as text because it has no dot; nobody means text here.
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = None
        if number is not None and not math.isfinite(number):
            raise ConfigError(f"{path}: not {'a number' if math.isnan(number) else 'finite'}.")
        if number is not None:
            return number
    if (
        isinstance(hint, type)
        and isinstance(value, hint)
        and (hint is bool) == isinstance(value, bool)
    ):
        return value
    wanted = getattr(hint, "__name__", str(hint))
    raise ConfigError(f"{path}: expected {wanted}, found {_describe(value)}.")
