"""Parameters are read strictly: each complaint names the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pytest

from stages.base.errors import ConfigError
from stages.base.schema import Limits, parse, refuse_reserved, refuse_unknown
from tests.tables import each


@dataclass(frozen=True)
class Inner:
    rate: Annotated[float, Limits(gt=0, le=1)]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outer:
    inner: Inner
    mode: Literal["a", "b"]
    shares: dict[str, float]
    flag: bool = False
    limit: Annotated[int, Limits(ge=1)] | None = None


GOOD = {"inner": {"rate": 0.5, "names": ["x"]}, "mode": "a", "shares": {"maths": 1}}


def test_a_good_section_becomes_the_dataclass() -> None:
    parsed = parse(Outer, GOOD, "stage")
    assert parsed == Outer(Inner(0.5, ("x",)), "a", {"maths": 1.0})


@each(
    ("change", "message"),
    [
        ({"mod": "a"}, r"stage\.mod: unknown key\. Did you mean 'mode'"),
        ({"mode": "c"}, r"stage\.mode: 'c' is not one of a, b"),
        ({"flag": 1}, r"stage\.flag: expected bool, found 1 \(int\)"),
        ({"limit": True}, r"stage\.limit: expected int, found True"),
        ({"limit": 0}, r"stage\.limit: 0 is below the least allowed, 1"),
        ({"limit": 1.5}, r"stage\.limit: expected int, found 1\.5"),
        ({"inner": {"rate": 0}}, r"stage\.inner\.rate: 0\.0 must be more than 0"),
        ({"inner": {"rate": 2}}, r"stage\.inner\.rate: 2\.0 is above the most allowed, 1"),
        ({"inner": {"rate": float("nan")}}, r"stage\.inner\.rate: not a number"),
        ({"inner": {"rate": "fast"}}, r"stage\.inner\.rate: expected float, found 'fast'"),
        ({"inner": {"rate": 1, "names": "x"}}, r"stage\.inner\.names: expected a list"),
        ({"inner": 3}, r"stage\.inner: expected a section of keys"),
        ({"shares": {"maths": "x"}}, r"stage\.shares\.maths: expected float"),
        ({"shares": None}, r"stage\.shares: expected a section of keys, found nothing"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse(Outer, GOOD | change, "stage")


@dataclass(frozen=True)
class Telling:
    """Says why a well-known key is none of its own."""

    ABSENT: ClassVar[Mapping[str, str]] = {"gone": "it was never here. Leave it out."}

    here: int = 1


@pytest.mark.parametrize("check", [parse, refuse_unknown])
def test_a_well_known_key_is_refused_with_its_reason_and_others_as_ever(check) -> None:
    with pytest.raises(ConfigError, match=r"s\.gone: it was never here\. Leave it out\."):
        check(Telling, {"gone": 1}, "s")
    with pytest.raises(ConfigError, match=r"s\.hre: unknown key\. Did you mean 'here'"):
        check(Telling, {"hre": 1}, "s")
    with pytest.raises(ConfigError, match=r"s\.ABSENT: unknown key\. Known keys: here"):
        check(Telling, {"ABSENT": {}}, "s")
    assert parse(Telling, {"here": 2}, "s").here == 2


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("mode", "one of a, b"), ("shares", "a section of keys"), ("inner", "a section of keys")],
)
def test_a_missing_key_is_named_with_what_it_takes(name: str, wanted: str) -> None:
    with pytest.raises(ConfigError, match=rf"stage\.{name}: missing\. Give {wanted}\."):
        parse(Outer, {key: value for key, value in GOOD.items() if key != name}, "stage")
    with pytest.raises(ConfigError, match=r"stage\.rate: missing\. Give float\."):
        parse(Inner, {}, "stage")


def test_numbers_without_a_dot_in_scientific_notation_are_numbers() -> None:
    assert parse(Inner, {"rate": "2e-4"}, "s").rate == 2e-4


@pytest.mark.parametrize("name", ["size", "nfiles"])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_names_that_dvc_ignores_are_refused_at_any_depth(name: str, depth: int) -> None:
    tree: object = {name: 1}
    for _ in range(depth):
        tree = {"deep": [tree]}
    with pytest.raises(ConfigError, match=f"the name '{name}' is reserved"):
        refuse_reserved(tree)
