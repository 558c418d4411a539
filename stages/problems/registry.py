"""The table of families, and how problems are drawn from one without ever meeting held-out ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.records import Problem
from stages.base.schema import meant
from stages.base.seeds import seeded_random
from stages.problems.answers import TAGS
from stages.problems.chain import Chain
from stages.problems.charge import Charge
from stages.problems.countdown import Countdown
from stages.problems.family import Family, Notation
from stages.problems.game24 import Game24
from stages.problems.knights import Knights
from stages.problems.lists import Lists
from stages.problems.maze import Maze
from stages.problems.pattern import Pattern
from stages.problems.sudoku import Sudoku

FAMILIES: dict[str, Family[Any]] = {
    family.name: family
    for family in (
        *(Chain(), Countdown(), Charge(), Lists(), Knights()),
        *(Sudoku(), Maze(), Game24(), Pattern()),
    )
}
"""New families come last, with new compact words that sort after "who": then the tokenizer, which
numbers words in sorted order, gives every older word the same id as before."""

SFT_DOMAINS = {"logic": "other"}
"""The SFT mixture counts logic under ``other`` (paper: maths, STEM, code, other)."""

MISSES = 5_000
"""So many draws in a row without a fresh key mean that a family is exhausted."""


def require_known(families: Iterable[str], where: str) -> None:
    """ConfigError if a profile names a family that does not exist."""
    for name in families:
        if name not in FAMILIES:
            raise ConfigError(f"{where}: unknown family '{name}'.{meant(name, FAMILIES)}")


def compact_vocabulary() -> list[str]:
    """Every word the compact notation can contain, in a fixed order, each once."""
    words = [word for family in FAMILIES.values() for word in family.words]
    return list(dict.fromkeys([*TAGS, *words]))


def held_out(key: str, modulus: int) -> bool:
    """Whether a key lies in the part of key space kept for benchmarks (one in ``modulus``)."""
    return zlib.crc32(key.encode()) % modulus == 0


def generate(
    family: str,
    count: int,
    seed: int,
    notation: Notation,
    heldout: bool,
    modulus: int,
    split: str = "train",
    repeat: bool = False,
) -> list[Problem]:
    """``count`` problems, all held out or none, one problem in ``modulus`` keys being held out.

    Keys differ, unless ``repeat`` lets them come again (in another wording, perhaps). A larger
    ``count`` gives the same first problems. DataError when the family has no fresh key left.
    """
    require_known([family], "generate")
    kind = FAMILIES[family]
    rng = seeded_random(seed, "problems", family, split)
    seen, found, misses = set[str](), list[Problem](), 0
    while len(found) < count:
        instance = kind.draw(rng, notation)
        key = kind.key(instance)
        if key in seen or held_out(key, modulus) != heldout:
            misses += 1
            if misses == MISSES:
                kept = "held-out" if heldout else "training"
                raise DataError(
                    f"family {family}, split {split}: no fresh {kept} key in {MISSES} draws; "
                    f"{len(found)} of {count} problems made. Ask for fewer."
                )
            continue
        misses = 0
        if not repeat:
            seen.add(key)
        problem_id = f"{family}-{split}-{len(found):06d}"
        found.append(_problem(kind, instance, key, problem_id, notation))
    return found


def _problem(
    kind: Family[Any], instance: Any, key: str, problem_id: str, notation: Notation
) -> Problem:
    return Problem(
        id=problem_id,
        family=kind.name,
        domain=kind.domain,
        prompt=kind.prompt(instance, notation),
        answer=kind.answer(instance, notation),
        key=key,
        difficulty=kind.difficulty(instance),
        meta={"notation": notation, "instance": dict(vars(instance))},
    )


def instance_of(problem: Problem) -> tuple[Family[Any], Any, Notation]:
    """Family, instance and notation of a problem; VerifierError if they are not to be had."""
    if problem.family not in FAMILIES:
        known = meant(problem.family, FAMILIES)
        raise VerifierError(f"{problem.id}: no checker for family '{problem.family}'.{known}")
    kind, meta = FAMILIES[problem.family], problem.meta
    if not isinstance(meta, Mapping):
        raise VerifierError(f"{problem.id}: meta is no mapping.")
    notation, values = meta.get("notation"), meta.get("instance")
    if notation not in ("compact", "text") or not isinstance(values, dict):
        raise VerifierError(
            f"{problem.id}: a problem of a family needs its 'instance', a section of values, and "
            "the 'notation', compact or text."
        )
    return kind, kind.load(values), notation
