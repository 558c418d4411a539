"""Whether calls are those of a gold, which lists for every argument the values that are right.

The published rules: a name and its arguments, none missing and none beyond the gold's, each of the
declared type. "" among the values: the argument may be left out. A whole number does for a float,
at the top only. Texts are equal but for case, blanks and ``,./-_*^``, and quotes of either kind.
Lists keep their order, and their texts are folded; so are those in dictionaries, whose keys are all
there unless "" is among their values. A gold of another type than the declared one stands for a
variable, and is met exactly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from stages.evals.published.bfcl.calls import Call
from stages.evals.published.bfcl.categories import Language
from stages.evals.published.bfcl.source_calls import java_value, javascript_value

OPTIONAL = ""
SHOWN = 80  # characters of a value in a reason
FOLDED = re.compile(r"[ ,./\-_*^]")
ANY = "any"
KINDS: Mapping[str, type] = {
    **dict.fromkeys(("integer", "byte", "short", "long", "Bigint"), int),
    **dict.fromkeys((ANY, "string", "String", "char"), str),
    **dict.fromkeys(("boolean", "Boolean"), bool),
    **dict.fromkeys(("float", "double"), float),
    **dict.fromkeys(("array", "tuple", "Array", "ArrayList", "Queue", "Stack"), list),
    **dict.fromkeys(("dict", "HashMap", "Hashtable"), dict),
}
"""What a value of a declared type is."""

Gold = Mapping[str, Sequence[Any]]
"""The right values of each argument."""


def mismatch(
    calls: Sequence[Call],
    golds: Sequence[Mapping[str, Gold]],
    functions: Sequence[Mapping[str, Any]],
    language: Language = "python",
) -> str:
    """Why calls are not those of the gold, in any order; "" if they are."""
    if len(calls) != len(golds):
        return f"{len(calls)} calls, not {len(golds)}"
    faults = [
        [_fault(call, name, gold, functions, language) for call in calls]
        for one in golds
        for name, gold in one.items()
    ]
    if _all_paired([[not fault for fault in of] for of in faults]):
        return ""
    alone = next((of for of in faults if all(of)), faults[0])
    return alone[0] if len(calls) == 1 else f"no call fits one of the gold's; the first: {alone[0]}"


def impossible(golds: Sequence[Mapping[str, Gold]], functions: Sequence[Mapping[str, Any]]) -> str:
    """Why no call at all can be that of a gold, or ""."""
    for one in golds:
        for name, gold in one.items():
            parameters = _described(name, functions)["parameters"]
            for parameter in parameters.get("required", ()):
                if not gold.get(parameter):
                    return f"{name} requires {parameter!r}, and no value of it is right"
            for parameter, values in gold.items():
                if OPTIONAL not in values and parameter not in parameters["properties"]:
                    return f"{parameter!r} must be given, and {name} has no such parameter"
    return ""


def _all_paired(fits: Sequence[Sequence[bool]]) -> bool:
    """Whether every gold has a call of its own that fits it (augmenting paths)."""
    owner: dict[int, int] = {}

    def placed(gold: int, seen: set[int]) -> bool:
        for call, fit in enumerate(fits[gold]):
            if fit and call not in seen:
                seen.add(call)
                if call not in owner or placed(owner[call], seen):
                    owner[call] = gold
                    return True
        return False

    return all(placed(gold, set()) for gold in range(len(fits)))


def _fault(
    call: Call, name: str, gold: Gold, functions: Sequence[Mapping[str, Any]], language: Language
) -> str:
    """What is wrong with a call, or ""."""
    function = _described(name, functions)
    wanted = str(function["name"])
    if call.name != wanted and call.name != wanted.replace(".", "_"):  # APIs allow no dots
        return f"{call.name!r} is called, not {wanted!r}"
    if call.unnamed:
        return f"{wanted}: a value without a name"
    declared, given = function["parameters"]["properties"], call.arguments
    for parameter in function["parameters"].get("required", ()):
        if parameter not in given:
            return f"{wanted}: {parameter!r} is required"
    for parameter, value in given.items():
        if parameter not in declared or parameter not in gold:
            return f"{wanted}: {parameter!r} is not asked for"
        detail, options = declared[parameter], gold[parameter]
        if not _right(_typed(value, detail, language), detail, options):
            return f"{wanted}: {parameter!r} is {value!r:.{SHOWN}}, not of {options!r:.{SHOWN}}"
    left = [one for one, values in gold.items() if one not in given and OPTIONAL not in values]
    return f"{wanted}: {left[0]!r} is missing" if left else ""


def _described(name: str, functions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The function that a gold calls: where only one is offered, it is that, however named."""
    if len(functions) == 1:
        return functions[0]
    return next(function for function in functions if function["name"] == name)


def _typed(value: Any, detail: Mapping[str, Any], language: Language) -> Any:
    """A value as what its language and declared type make of it."""
    declared, inner = detail.get("type", ""), _inner(detail)
    if language == "python":
        if declared == "tuple" and isinstance(value, tuple):
            return list(value)
        return float(value) if declared == "float" and type(value) is int else value
    convert = java_value if language == "java" else javascript_value
    if isinstance(value, bool):  # of JSON
        value = str(value).lower()
    elif isinstance(value, int | float):
        value = str(value)
    return convert(value, declared, inner) if isinstance(value, str) else value


def _inner(detail: Mapping[str, Any]) -> str:
    items = detail.get("items")
    return str(items.get("type", "")) if isinstance(items, Mapping) else ""


def _right(value: Any, detail: Mapping[str, Any], options: Sequence[Any]) -> bool:
    """Whether a value is of the declared type and among the right ones."""
    kind = KINDS.get(str(detail.get("type")), str)
    inner = KINDS.get(_inner(detail)) if kind is list and _inner(detail) != ANY else None
    gold_kind = _kind_of(options)
    if type(value) is kind:
        if inner is not None and not _elements_fit(value, inner, options):
            return False
        variable = gold_kind not in (None, kind)
    elif gold_kind is not None and type(value) is gold_kind:
        variable = True
    else:
        return False
    if variable:
        return any(same(value, option) for option in options)
    if kind is dict:
        return any(_dict_right(value, option) for option in options if option != OPTIONAL)
    if kind is list and inner is dict:
        return any(_dicts_right(value, option) for option in options)
    if value == [] and OPTIONAL in options:
        return True
    return any(same(folded(value), folded(option)) for option in options)


def _kind_of(options: Sequence[Any]) -> type | None:
    return next((type(option) for option in options if option != OPTIONAL), None)


def _elements_fit(value: Any, inner: type, options: Sequence[Any]) -> bool:
    """Whether elements are of the declared type, or of that of an option's; one level deep."""
    return any(
        not isinstance(option, list)
        or all(type(one) is inner or type(one) is _kind_of(option) for one in value)
        for option in options
    )


def folded(value: Any) -> Any:
    """A text, or a list's texts, as they are compared.

    >>> folded("San-Francisco, CA"), folded(["It's", 2])
    ('sanfranciscoca', ['it"s', 2])
    """
    if isinstance(value, list):
        return [folded(one) if isinstance(one, str) else one for one in value]
    return FOLDED.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def same(one: Any, two: Any) -> bool:
    """Equal, numbers by value; true and false are no numbers."""
    if isinstance(one, list | tuple) and type(one) is type(two):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    return bool(one == two) and isinstance(one, bool) == isinstance(two, bool)


def _dict_right(value: Any, option: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(option, dict):
        return False
    right = {key: of if isinstance(of, list) else [of] for key, of in option.items()}
    if any(key not in right for key in value):
        return False
    if any(key not in value and OPTIONAL not in of for key, of in right.items()):
        return False
    return all(
        any(same(_folded_text(one), _folded_text(of)) for of in right[key])
        for key, one in value.items()
    )


def _folded_text(value: Any) -> Any:
    return folded(value) if isinstance(value, str) else value


def _dicts_right(value: Any, option: Any) -> bool:
    if len(value) != len(option):
        return False
    return all(_dict_right(one, of) for one, of in zip(value, option, strict=True))
