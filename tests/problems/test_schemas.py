"""The page on RL data lists the schemas, and says of each which fields its rows need."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.problems.schemas import DOMAINS, SCHEMAS
from tests.problems.rows import ROWS
from tests.tables import each

PAGE = Path(__file__).resolve().parents[2] / "docs/algorithms/rl_data.md"
TEXT = PAGE.read_text(encoding="utf-8")
LINES = re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \| (.+?) \|", TEXT, re.MULTILINE)


def needed(cell: str) -> list[list[str]]:
    """Fields a row must have, each as the names it may stand under; notes do not count."""
    bare = re.sub(r"\([^)]*\)|, .*?(?=;|$)| with .*?(?=;|$)", "", cell)
    return [re.findall(r"`(\w+)`", part) for part in bare.split(";")]


def test_the_page_lists_every_schema_with_its_domains() -> None:
    listed = {name: set(domains.split(", ")) for name, domains, _ in LINES}
    assert listed == {name: DOMAINS[schema.kind] for name, schema in SCHEMAS.items()}


@each(("name", "cell"), [(name, cell) for name, _, cell in LINES])
def test_the_fields_on_the_page_are_those_that_are_needed(name: str, cell: str) -> None:
    row, parse = ROWS[name], SCHEMAS[name].parse
    parse(row)
    for names in needed(cell):
        assert names
        (present,) = [one for one in names if one in row]
        without = {key: value for key, value in row.items() if key != present}
        with pytest.raises(DataError):
            parse(without)
        for other in names:
            parse({**without, other: row[present]})


def test_the_page_names_every_field_of_a_problem() -> None:
    section = TEXT.partition("## A row of `problems.jsonl`")[2].partition("## Rules")[0]
    named = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(named)) == [field.name for field in fields(Problem)]
