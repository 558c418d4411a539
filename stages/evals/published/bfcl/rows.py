"""Rows of BFCL's files as problems, with their golds and the functions that they offer.

A folder is that of the published data: ``BFCL_v3_<category>.json``, golds in ``possible_answer/``
under the same names, the functions of conversations in ``multi_turn_func_doc/``. The classes behind
those functions are not data: they are looked for in ``func_source_code/`` beside the files, or
where the package that publishes the data keeps them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import parse_object, read_lines
from stages.base.records import Problem
from stages.evals.published.benchmark import problem_of
from stages.evals.published.bfcl.categories import CATEGORIES, Category, category_of
from stages.evals.published.bfcl.prompts import first_prompt, later_turns
from stages.evals.published.entries import Entry

FILES = tuple(f"{folder}BFCL_v3_*.json" for folder in ("", "data/", "bfcl_eval/data/"))
GOLDS, DOCS = "possible_answer", "multi_turn_func_doc"
SOURCES = ("func_source_code", "../eval_checker/multi_turn_eval/func_source_code")
STEMS = {
    "TwitterAPI": "posting_api",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
"""Files of classes whose name does not say it: ``GorillaFileSystem`` is in gorilla_file_system."""

WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
UNGOLDED = ("none", "some")  # tasks without a gold


def bfcl(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``id``, ``question``, and ``function`` or ``involved_classes`` and ``initial_config``.

    Rows of other categories (executable ones, SQL) are set aside. Where an id stands twice in a
    file, the second row's ends in ``#2``.
    """
    del shuffle
    name = entry.text("id")
    category = CATEGORIES.get(category_of(name))
    if category is None:
        return
    group = category_of(name)
    question = _question(entry)
    meta: dict[str, Any] = {"verifier": "calls", "group": group, "task": category.task}
    gold = None if category.task in UNGOLDED else _gold(entry, name)
    if category.task == "turns":
        meta |= _conversation(entry, question)
    else:
        meta |= {"functions": _functions(entry, category, gold), "language": category.language}
    prompt = first_prompt(question[0], meta["functions"], category)
    times = _ids(entry.path, _changed(entry.path))[name]
    if times > 1 and (number := _place_of(entry, name)) > 1:
        name = f"{name}#{number}"
    yield problem_of(name, prompt, json.dumps(gold, sort_keys=True), "agents", meta)


def beside(path: Path) -> Sequence[Path]:
    """What is read with a file of rows: its golds, the functions and the classes of its worlds."""
    found = [path.parent / GOLDS / path.name]
    if category_of(f"{path.stem.removeprefix('BFCL_v3_')}_0").startswith("multi_turn"):
        found += sorted((path.parent / DOCS).glob("*.json"))
        sources = source_folder(path.parent)
        found += sorted(sources.glob("*.py")) if sources else []
    return [one for one in found if one.is_file()]


def source_folder(data: Path) -> Path | None:
    """The folder of the classes that conversations play on, if it is there."""
    return next((data / name for name in SOURCES if (data / name).is_dir()), None)


def stem_of(name: str) -> str:
    """The file of a class, without its ending.

    >>> stem_of("GorillaFileSystem"), stem_of("MathAPI"), stem_of("TravelAPI")
    ('gorilla_file_system', 'math_api', 'travel_booking')
    """
    return STEMS.get(name) or WORD.sub("_", name).lower()


def _question(entry: Entry) -> list[list[dict[str, str]]]:
    turns = entry.get("question")
    messages = [message for turn in turns for message in turn] if _are_lists(turns) else [None]
    for message in messages:
        said = (message.get("role"), message.get("content")) if isinstance(message, dict) else (0,)
        if not all(isinstance(one, str) for one in said):
            raise DataError(
                f"{entry.where}: 'question' must be a list of turns, each a list of messages with "
                "role and content."
            )
    found: list[list[dict[str, str]]] = turns
    return found


def _are_lists(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, list) for one in value)


def _functions(entry: Entry, category: Category, gold: Any) -> list[dict[str, Any]]:
    found = entry.row.get("function")
    if not isinstance(found, list) or not all(_is_function(one) for one in found):
        raise DataError(
            f"{entry.where}: 'function' must be a list of functions with name and parameters."
        )
    names = {one["name"] for one in found}
    unknown = [one for call in gold or () for one in call if one not in names]
    if gold is not None and (not found or (unknown and len(found) > 1)):
        raise DataError(f"{entry.where}: the gold calls {unknown}, which the row does not offer.")
    if category.task == "one" and len(gold) != 1:
        raise DataError(f"{entry.where}: the gold has {len(gold)} calls where one is asked for.")
    return found


def _is_function(value: Any) -> bool:
    parameters = value.get("parameters") if isinstance(value, dict) else None
    return (
        isinstance(parameters, dict)
        and isinstance(parameters.get("properties"), dict)
        and all(isinstance(detail, dict) for detail in parameters["properties"].values())
        and isinstance(value.get("name"), str)
    )


def _gold(entry: Entry, name: str) -> Any:
    path = entry.path.parent / GOLDS / entry.path.name
    if not path.is_file():
        raise DataError(f"{entry.where}: its golds, {path}, are not there. Put them there.")
    golds = _golds(path, _changed(path))
    if name not in golds:
        raise DataError(f"{entry.where}: {path} has no gold for {name!r}.")
    return golds[name]


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns


@lru_cache(maxsize=64)
def _golds(path: Path, changed: int) -> Mapping[str, Any]:
    del changed  # a file that was written anew is read anew
    found = {}
    for number, line in read_lines(path):
        row = parse_object(path, number, line)
        calls = row.get("ground_truth")
        conversation = category_of(str(row.get("id"))).startswith("multi_turn")
        if not isinstance(calls, list) or not all(_is_gold(one, conversation) for one in calls):
            raise DataError(
                f"{path}:{number}: 'ground_truth' must be a list of calls, each an object of one "
                "name with the right values of its arguments, or of turns, each a list of calls."
            )
        found[str(row.get("id"))] = calls
    return found


def _is_gold(value: Any, conversation: bool) -> bool:
    if conversation:
        return isinstance(value, list) and all(isinstance(call, str) for call in value)
    if not isinstance(value, dict) or len(value) != 1:
        return False
    (arguments,) = value.values()
    return isinstance(arguments, dict) and all(isinstance(of, list) for of in arguments.values())


@lru_cache(maxsize=64)
def _ids(path: Path, changed: int) -> Counter[str]:
    del changed
    return Counter(_listed(path))


def _listed(path: Path) -> list[str]:
    return [str(parse_object(path, number, line).get("id")) for number, line in read_lines(path)]


def _place_of(entry: Entry, name: str) -> int:
    """How many rows up to this one have its id."""
    return _listed(entry.path)[: int(entry.name) + 1].count(name)


def _conversation(entry: Entry, question: Sequence[Sequence[Mapping[str, str]]]) -> dict[str, Any]:
    """What a conversation is played on, and what is said in its later turns."""
    classes, config = entry.texts("involved_classes"), entry.get("initial_config")
    held: Mapping[str, list[str]] = entry.row.get("missed_function") or {}
    if not isinstance(config, dict) or not isinstance(held, dict):
        raise DataError(f"{entry.where}: initial_config and missed_function must be objects.")
    docs = [doc for name in classes for doc in _docs(entry, name)]
    late = {name for names in held.values() for name in names}
    first = [doc for doc in docs if doc["name"] not in late]
    sources = source_folder(entry.path.parent)
    return {
        "functions": first,
        "names": sorted({doc["name"] for doc in docs}),
        "turns": later_turns(question[1:], docs, held),
        "classes": {name: stem_of(name) for name in classes},
        "config": config,
        "long": entry.text("id").startswith("multi_turn_long_context"),
        "sources": str(sources) if sources else "",
        "cluster": f"multi_turn_{entry.text('id').rpartition('_')[2]}",
    }


def _docs(entry: Entry, name: str) -> Sequence[Mapping[str, Any]]:
    path = entry.path.parent / DOCS / f"{stem_of(name)}.json"
    if not path.is_file():
        raise DataError(f"{entry.where}: {path}, the functions of {name}, is not there.")
    return _documented(path, _changed(path))


@lru_cache(maxsize=64)
def _documented(path: Path, changed: int) -> Sequence[Mapping[str, Any]]:
    del changed
    found = [parse_object(path, number, line) for number, line in read_lines(path)]
    if not all(_is_function(one) for one in found):
        raise DataError(f"{path}: a function has a name and parameters.")
    return found
