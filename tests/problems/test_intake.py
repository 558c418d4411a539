"""Outside rows on their way into RL: no copies, nothing held out or of a benchmark, all counted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stages.base import paths
from stages.base.errors import DataError
from stages.base.records import Problem
from stages.cleaning.problem_rows import refuse_unreadable
from stages.problems.intake import Doors, output_rows, take_in
from stages.problems.registry import FAMILIES, generate, held_out
from tests.problems.rows import ROWS, source
from tests.problems.runs import Broken
from tests.problems.test_curation import strict

Rows = dict[str, list[dict]]


def doors(rows: Rows, **changes) -> Doors:
    """Rows by source; a text holds a benchmark item if it says so; long prompts do not fit."""

    def read(origin):
        for number, row in enumerate(rows[origin.name], start=1):
            yield Path(f"{origin.name}.jsonl"), number, row or None, "" if row else "not JSON"

    base = Doors(
        read,
        lambda origin, good, bad: refuse_unreadable(origin, good, bad, 0.5),
        strict,
        lambda problem: None,
        lambda texts: ["item-7" if "leaked" in prompt else "" for _, prompt, _ in texts],
        lambda prompt: len(prompt) < 200,
        Broken(),
    )
    return replace(base, **changes)


def take(rows: Rows, schemas: dict[str, str], taken=(), seen=(), modulus=10, **changes):
    sources = [source(schema, name) for name, schema in schemas.items()]
    return take_in(sources, doors(rows, **changes), taken, seen, modulus, seed=0)


def asked(*questions: str) -> list[dict]:
    return [{"problem": question, "answer": "12"} for question in questions]


@pytest.mark.field_bug("D15")
def test_copies_benchmark_texts_and_long_prompts_go_with_their_reasons():
    rows = {
        "a": asked("What is 6 + 6?", "A leaked question?", "x " * 150 + "?", "What is 5 + 7?"),
        "b": asked("what is 6+6?"),
    }
    found = take(rows, {"a": "math", "b": "math"})
    assert {one.prompt for one in found.problems} == {"What is 6 + 6?", "What is 5 + 7?"}
    assert [one.id for one in found.problems] == sorted(one.id for one in found.problems)
    assert found.figures["set_aside"] == {
        "a copy": 1,
        "no room for a response beside the prompt": 1,
        "stands in a benchmark": 1,
    }
    assert any(reason == "stands in a benchmark (item-7)" for _, reason in found.set_aside)
    assert found.figures["sources"]["a"] == {
        "problems": 4, "preferences": 0, "unreadable": 0, "kept": 2,
    }  # fmt: skip


@pytest.mark.field_bug("D12")
def test_puzzles_that_rl_has_already_or_that_are_held_out_do_not_come_in():
    drawn = generate("charge", 30, 0, "text", heldout=False, modulus=10)
    kept_out = generate("charge", 2, 0, "text", heldout=True, modulus=10)
    rows = {
        "a": [{"family": "charge", "instance": one.meta["instance"]} for one in drawn + kept_out]
    }
    found = take(rows, {"a": "logic"}, taken={one.key for one in drawn[:3]})
    assert len(found.problems) == 27
    assert not any(held_out(one.key, 10) for one in found.problems)
    assert found.figures["set_aside"] == {"a copy": 3, "held out for benchmarks": 2}
    assert all(one.family in FAMILIES for one in found.problems)


def test_golds_are_judged_by_what_is_passed_in():
    found = take({"a": asked("What is 6 + 6?")}, {"a": "math"}, fault_of=lambda problem: "odd (1)")
    assert (found.problems, found.figures["set_aside"]) == ([], {"odd": 1})


def test_what_the_sft_corpus_held_is_marked_and_stays():
    rows = {"a": asked("What is 6 + 6?", "What is 5 + 7?")}
    keys = {one.key for one in take(rows, {"a": "math"}).problems if "6" in one.prompt}
    marks = {
        one.prompt: one.meta["seen_in_sft"] for one in take(rows, {"a": "math"}, seen=keys).problems
    }
    assert marks == {"What is 6 + 6?": True, "What is 5 + 7?": False}


@pytest.mark.field_bug("D51")
def test_unreadable_rows_are_listed_with_their_place_and_refused_when_many():
    found = take({"a": [*asked("What is 6 + 6?"), {}]}, {"a": "math"})
    (left,) = found.left
    assert (left.id, left.source, left.reason) == ("a:a.jsonl:2", "a", "unreadable (not JSON)")
    assert found.figures["left_out"] == {"unreadable": 1}
    with pytest.raises(DataError, match=r"source a .*2 of 3 rows are unreadable.*2 not JSON"):
        take({"a": [*asked("What?"), {}, {}]}, {"a": "math"})
    with pytest.raises(DataError, match=r"source a .*no readable rows among 1: 1 field 'problem'"):
        take({"a": [{"text": "?"}]}, {"a": "math"})


def test_open_prompts_and_preferences_are_kept_apart_and_no_pair_comes_twice():
    leak = json.loads(json.dumps(ROWS["arena"]).replace("name a tree", "leaked"))
    rows = {"a": [ROWS["arena"], ROWS["arena"], leak], "b": asked("What is 6 + 6?")}
    found = take(rows, {"a": "arena", "b": "math"})
    assert [one.domain for one in found.problems] == ["maths"]
    assert [one.open for one in found.open] == [True]
    assert len(found.preferences) == 1
    assert found.figures["preference_copies"] == 1
    assert [left.reason for left in found.left] == ["stands in a benchmark (item-7)"]


def test_files_of_outside_rows_are_there_only_where_they_hold_something():
    graded = Problem("g", "chain", "maths", "", "", "k", "hard", 0.5)
    nothing = take({}, {})
    assert nothing.problems == []
    assert output_rows([graded], [(graded, "always solved")], nothing) == {
        "problems.jsonl": [graded.to_row()],
        "set_aside.jsonl": [{"reason": "always solved", **graded.to_row()}],
    }
    found = take({"a": [ROWS["arena"], {**ROWS["arena"], "winner": "tie"}]}, {"a": "arena"})
    told = replace(graded, id="i", domain="general")
    rows = output_rows([graded, told], [], found)
    assert [row["id"] for row in rows["problems.jsonl"]] == ["g"]
    assert [row["id"] for row in rows[paths.GENERAL]] == ["i", found.open[0].id]
    assert len(rows["preferences.jsonl"]) == len(rows["left_out.jsonl"]) == 1
    assert len(rows["set_aside.jsonl"]) == 1  # the prompt of the tie is a copy of the other


def test_the_same_files_whatever_the_order_of_rows():
    rows = asked(*(f"What is {n} + {12 - n}?" for n in range(1, 12)))
    one, other = (take({"a": order}, {"a": "math"}) for order in (rows, rows[::-1]))
    assert output_rows(one.problems, [], one) == output_rows(other.problems, [], other)
