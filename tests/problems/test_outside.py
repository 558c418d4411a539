"""Outside rows become problems with ids and keys from their content, or say why not."""

from __future__ import annotations

import doctest
import importlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import ConfigError
from stages.problems.outside import parse_rows, text_key
from stages.problems.schemas import DOMAINS, SCHEMAS, require_usable
from tests.problems.rows import ROWS, parsed, source
from tests.tables import each


@pytest.mark.parametrize("module", ["outside", "maths_rows", "open_ended", "curation"])
def test_examples_in_docstrings_hold(module):
    assert doctest.testmod(importlib.import_module(f"stages.problems.{module}")).failed == 0


@each("schema", SCHEMAS)
def test_every_schema_reads_its_row_and_says_where_it_came_from(schema):
    found = parsed(schema, ROWS[schema], licence="MIT")
    assert (found.unreadable, found.unfit) == ([], [])
    (problem,) = found.problems
    assert problem.id.startswith("s-")
    assert problem.key
    meta = problem.meta
    assert (meta["source"], meta["schema"], meta["licence"]) == ("s", schema, "MIT")
    assert meta["notation"] == "text"
    assert ("verifier" in meta) == (schema != "logic")  # a family checks its own
    assert meta["language"]


@each("schema", SCHEMAS)
@each("row", [{}, {"question": 5.5}, {"problem": ["x"], "prompt": {}}])
def test_a_row_of_another_schema_is_unreadable_with_a_reason(schema, row):
    found = parsed(schema, row)
    assert found.problems == found.preferences == []
    ((file, number, reason),) = found.unreadable
    assert (file.name, number) == ("a.jsonl", 1)
    assert reason


@pytest.mark.parametrize("schema", SCHEMAS)
@given(data=st.data())
@settings(settings.get_profile("costly"))
def test_no_parser_breaks_on_fields_of_other_types(schema, data):
    """A row is read, set aside or refused in words; nothing else is raised."""
    odd = st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.just([]), st.just({}),
        st.just([{}]), st.just(["["]), st.just("{"), st.just([[1]]),
    )  # fmt: skip
    name = data.draw(st.sampled_from(sorted(ROWS[schema])))
    found = parsed(schema, {**ROWS[schema], name: data.draw(odd)})
    assert found.problems or found.preferences or found.unfit or found.unreadable


def test_what_the_reader_could_not_read_stays_unreadable_and_rows_are_counted_to_the_limit():
    raws = [(Path("a"), 1, None, "not JSON"), *((Path("a"), n, ROWS["math"], "") for n in (2, 3))]
    found = parse_rows(source("math", rows=2), SCHEMAS["math"], raws)
    assert found.unreadable == [(Path("a"), 1, "not JSON")]
    assert len(found.problems) == 1


def test_ids_do_not_depend_on_place_or_neighbours():
    rows = [{"problem": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(5)]
    forward, backward = parsed("math", *rows), parsed("math", *rows[::-1])
    assert {one.id for one in forward.problems} == {one.id for one in backward.problems}
    assert len({one.id for one in forward.problems}) == 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Find  x:\n $x+1=2$.", "find x: $x + 1 = 2$."),
        (r"Is $\left( x \right)$ odd?", "Is $( x )$ odd?"),
        ("Ｆｉｎｄ ２ ＋ ２", "find 2 + 2"),
        ("soft\u00adhyphen of x", "softhyphen of x"),
        ("What is x²?", "What is $x^2$?"),
        ("What is x^{12}?", "what is x^12"),
        ("Is “it” so?", 'is "it" so?'),
    ],
)
def test_the_key_of_a_text_folds_width_case_space_and_dress(one, other):
    assert text_key(one) == text_key(other)


@each(
    ("one", "other"),
    [
        ("Ann has 3 pens.", "Ann has 4 pens."),
        ("What is 1.5 + 1?", "What is 15 + 1?"),
        ("x > 2", "x < 2"),
        ("x + 2", "x - 2"),
        ("2^10", "2*10"),
        ("f(1, 23)", "f(12, 3)"),
        ("What is 10²?", "What is 102?"),
        ("What is 2½ + 1?", "What is 21/2 + 1?"),
        ("x ≤ 2", "x ≥ 2"),
        ("√2", "2"),
        ("f'(x)", "f(x)"),
        ("٣ + 1", "٤ + 1"),
        ("A ∪ B", "A ∩ B"),
    ],
)
def test_the_key_of_a_text_keeps_numbers_and_signs(one, other):
    """Folding numbers to one sign once took 698 of 700 different problems for copies."""
    assert text_key(one) != text_key(other)


def test_prompts_without_words_too_long_or_with_pictures_are_set_aside():
    rows = [
        {"problem": "?!", "answer": "1"},
        {"problem": "x" * 20_001, "answer": "1"},
        {"problem": "See ![](a.png). What is it?", "answer": "1"},
    ]
    assert [left.reason for left in parsed("math", *rows).unfit] == [
        "the prompt holds no word",
        "the prompt has more than 20000 characters",
        "the prompt needs a picture",
    ]


def test_licence_and_language_of_a_row_go_before_those_of_its_source():
    row = {**ROWS["math"], "license": "CC0", "lang": "EN"}
    meta = parsed("math", row, licence="MIT").problems[0].meta
    assert (meta["licence"], meta["language"]) == ("CC0", "en")
    assert parsed("zhihu", ROWS["zhihu"]).problems[0].meta["language"] == "zh"


@pytest.mark.parametrize(
    ("origin", "notation", "why"),
    [
        (
            replace(source("math"), schema="maths"),
            "text",
            r"source s: schema 'maths' is unknown.*Did you mean 'math'",
        ),
        (source("arena", domain="code"), "text", "are of domain general, not 'code'"),
        (source("math"), "compact", "holds English, and run.notation is 'compact'"),
    ],
)
def test_sources_that_could_only_be_refused_are_refused_before_they_are_read(origin, notation, why):
    with pytest.raises(ConfigError, match=f"here: .*{why}"):
        require_usable([origin], "here", notation)


def refused(name: str, domain: str) -> bool:
    try:
        require_usable([source(name, domain=domain)], "here", "text")
    except ConfigError:
        return True
    return False


def test_every_schema_is_usable_in_its_domains_and_in_no_other():
    domains = {domain for fitting in DOMAINS.values() for domain in fitting}
    for name, schema in SCHEMAS.items():
        taken = {domain for domain in domains if not refused(name, domain)}
        assert taken == DOMAINS[schema.kind]
