"""Near deduplication: like rows go, each verified; rows that state something else stay."""

import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import ConfigError
from stages.base.params import NearDedup
from stages.cleaning import text_pairs
from stages.cleaning.near_dedup import prints
from stages.cleaning.slips import only_slips
from stages.cleaning.statement import statement
from tests.cleaning.streams import DROP, Outcome, row
from tests.tables import each

ROOT = Path(__file__).resolve().parents[2]
WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in ("ai", "o", "en", "ur") for c in ("s", "t", "mel")]
SURE = NearDedup(bands=64, band_rows=2, repeated_keys="drop")  # misses no pair worth a mention


def near(rows, settings=DROP, **more):
    return Outcome(rows, steps=("near_dedup",), near=settings, **more)


def text(seed, length=120):
    rng = random.Random(seed)
    return [rng.choice(WORDS) for _ in range(length)]


def edited(parts, edits, seed=0):
    """The words with so many of them replaced."""
    rng, parts = random.Random(seed), list(parts)
    for at in rng.sample(range(len(parts)), edits):
        parts[at] = f"{parts[at]}{rng.choice(WORDS)}"
    return parts


def plain_jaccard(one, other, length=5):
    """By the definition, with no code of ours."""
    sets = []
    for item in (one, other):
        found = re.findall(r"[0-9a-z]+", f"{item['prompt']} {item['response']}".lower())
        sets.append({tuple(found[at : at + length]) for at in range(len(found) - length + 1)})
    return len(sets[0] & sets[1]) / max(1, len(sets[0] | sets[1]))


def as_row(row_id, parts, **more):
    prompt, response = (" ".join(some) for some in (parts[:40], parts[40:]))
    return row(row_id, f"{prompt}. Tell of it.", f"{response}. That is all.", **more)


def test_a_nearly_equal_row_goes_with_evidence_a_person_can_check():
    first, second = as_row("a", text(2)), as_row("b", edited(text(2), 2))
    result = near([second, first])
    assert result.ids == ["a"]
    (item,) = result.dropped
    assert (item["step"], item["reason"]) == ("near_dedup", "same_text_nearly")
    evidence = item["evidence"]
    assert evidence["same_as"] == "a"
    assert evidence["jaccard"] == round(plain_jaccard(first, second), 4) > 0.8
    assert evidence["text"] in second[evidence["field"]]
    assert evidence["same_as_text"] in first[evidence["field"]]
    assert evidence["text"] != evidence["same_as_text"]
    assert item["row"] == second


@pytest.mark.field_bug("D24")
def test_the_first_row_of_all_can_be_the_one_that_stays_and_the_one_that_goes():
    one, other = as_row("a", text(1)), as_row("b", edited(text(1), 1))
    assert near([one, other]).same_as == {"b": "a"}
    assert near([other, one]).same_as == {"b": "a"}


@pytest.mark.field_bug("D33")
def test_nearly_all_pairs_above_the_threshold_are_found():
    rows, pairs = [], []
    for seed in range(260):
        base = text(seed, 200)
        one, other = as_row(f"{seed}a", base), as_row(f"{seed}b", edited(base, seed % 5, seed))
        if plain_jaccard(one, other) >= 0.8:
            pairs.append((len(rows), len(rows) + 1))
        rows += [one, other]
    found = prints(rows, NearDedup()).bands
    assert len(pairs) > 200
    assert sum((found[a] == found[b]).any() for a, b in pairs) >= 0.98 * len(pairs)


def word_problems(count):
    return [
        row(
            f"p{number:03d}",
            f"A farmer has {number + 3} sheep and buys {number % 17 + 2} more of them at a market "
            "in the town beside the river, then sells a part of the flock to a neighbour who lives "
            "on the hill. How large is the flock that is still with the farmer in the evening?",
            "We begin with the flock as it was in the morning, then we put to it what was bought "
            "at the market, and then we take away what the neighbour got in the end. That leaves "
            f"{number * 7 % 11} for sure, so the answer is {2 * number + 5}.",
        )
        for number in range(count)
    ]


def sudokus(count):
    rows = []
    for number in range(count):
        rng = random.Random(number)
        grid = "\n".join(" ".join(rng.choice("123456789_") for _ in range(9)) for _ in range(9))
        rows.append(row(f"s{number:03d}", f"Fill in the grid so that all holds:\n{grid}", grid))
    return rows


@pytest.mark.field_bug("D19")
def test_problems_of_one_template_that_differ_in_numbers_all_stay_and_cost_no_comparison():
    result = near(word_problems(500) + sudokus(200))
    assert len(result.kept) == 700
    assert result.near["pairs_compared"] == 0
    assert result.near["largest_cluster"] == 1


@pytest.mark.field_bug("D20")
@each(
    ("here", "there"),
    [("+", "-"), ("is", "is not"), ("France", "Spain"), ("<", ">"), ("all", "none")],
)
def test_a_changed_sign_name_or_negation_keeps_rows_apart(here, there):
    body = " ".join(text(3, 160))
    rows = [row("a", f"{body} x {here} y", body), row("b", f"{body} x {there} y", body)]
    assert plain_jaccard(*rows) > 0.9
    assert near(rows).ids == ["a", "b"]


def test_a_set_phrase_at_the_end_of_a_short_prompt_makes_no_other_row():
    answer = " ".join(text(4, 200))
    phrase = r" Please reason step by step, and put your final answer within \boxed{}."
    ask = "How many positive divisors does the number 5040 have?"
    assert near([row("a", ask, answer), row("b", ask + phrase, answer)]).same_as == {"b": "a"}


@pytest.mark.field_bug("D20")
def test_a_response_under_another_prompt_is_no_duplicate():
    answer = " ".join(text(4, 200))
    rows = [row("a", "Tell of the house by the lake", answer), row("b", "Sort a list", answer)]
    assert plain_jaccard(*rows) > 0.8
    assert near(rows).ids == ["a", "b"]


@pytest.mark.field_bug("D20")
def test_responses_that_differ_below_the_same_long_instructions_are_no_duplicates():
    prompt, answer = " ".join(text(4, 1600)), text(5, 150)
    other = [word for pair in zip(answer[1::2], answer[::2], strict=True) for word in pair]
    rows = [row("a", prompt, " ".join(answer)), row("b", prompt, " ".join(other))]
    assert plain_jaccard(*rows) > 0.8
    assert near(rows).ids == ["a", "b"]


def test_a_row_that_loops_does_not_stand_for_one_that_does_not():
    answer = text(6, 100)
    looped = row("a", "q", " ".join([*answer, *answer[-4:] * 30]))
    rows = [looped, row("b", "q", " ".join(answer))]
    assert plain_jaccard(*rows) > 0.9
    assert near(rows).ids == ["a", "b"]
    assert Outcome(rows, steps=("near_dedup", "quality")).ids == ["b"]


@pytest.mark.field_bug("D18", "D31")
def test_there_are_no_chains():
    base = text(5, 150)
    middle = edited(base, 2, 1)
    far = edited(middle, 2, 2)
    a, b, c = as_row("a", base), as_row("b", middle), as_row("c", far)
    assert plain_jaccard(a, b) >= 0.8
    assert plain_jaccard(b, c) >= 0.8
    assert plain_jaccard(a, c) < 0.8
    result = near([c, b, a], SURE)
    assert sorted(result.ids) == ["a", "c"]
    assert result.same_as == {"b": "a"}


def test_a_row_that_is_like_two_names_the_smaller_id():
    base = text(6, 150)
    rows = [as_row("a", edited(base, 2, 1)), as_row("b", edited(base, 2, 2)), as_row("c", base)]
    assert plain_jaccard(rows[0], rows[1]) < 0.8
    assert near(rows[::-1], SURE).same_as == {"c": "a"}


@pytest.mark.field_bug("D28", "D29")
def test_texts_without_a_shingle_are_like_nothing():
    rows = [row("a", "cat", ""), row("b", "dog", ""), row("c", "", ""), row("d", "", " ")]
    result = near([*rows, row("e", "!?", "...")])
    assert len(result.kept) == 5
    assert result.near["rows_left_to_exact_dedup"] == {"too_short": 5}


def test_a_row_in_capitals_is_that_in_small_letters_unless_names_differ():
    one = as_row("a", ["Alice", *text(1), "Alice"])
    loud = row("b", one["prompt"].upper(), one["response"])
    other = as_row("c", ["Bob", *text(1), "Bob"])
    assert near([one, loud, other]).same_as == {"b": "a"}
    assert near([loud | {"id": "0"}, one, other]).same_as == {"a": "0"}
    assert near([loud, other]).ids == ["b", "c"]


def test_puzzles_under_the_same_words_all_stay():
    rows = []
    for number in range(60):
        rng = random.Random(number)
        maze = "\n".join("".join(rng.choices("#.", k=7)) for _ in range(7))
        moves = ", ".join(rng.choice(("up", "down", "left")) for _ in range(9))
        ask = (
            f"Find the way through the maze. {' '.join(text(1, 60))}.\n\n{maze}\n\nGive the moves."
        )
        rows.append(row(f"{number}", ask, f"{' '.join(text(2, 80))}. These are: {moves}."))
    assert len(near(rows).kept) == 60


@pytest.mark.field_bug("D19")
def test_rows_of_a_template_are_left_to_exact_deduplication():
    rows = [as_row("a", text(7), domain="logic"), as_row("b", text(7), domain="logic")]
    assert near(rows).ids == ["a", "b"]
    assert near(rows).near["rows_left_to_exact_dedup"] == {"templated": 2}
    named = NearDedup(templated_domains=("other",))
    assert near(rows, named).ids == ["a"]
    assert Outcome(rows, steps=("exact_dedup", "near_dedup")).ids == ["a"]


@pytest.mark.field_bug("D19")
def test_for_rows_with_a_key_the_key_stands_for_the_prompt():
    same = text(8)
    rows = [
        as_row("b", same, key="k1"),
        row("a", "Another order", as_row("b", same)["response"], key="k1"),
        as_row("c", same, key="k2"),  # the same text, another problem
        row("d", "Another order", "another solution", key="k1"),
    ]
    result = near(rows)
    assert sorted(result.ids) == ["a", "c", "d"]
    (item,) = result.dropped
    assert (item["reason"], item["evidence"]["key"]) == ("same_key_and_response", "k1")
    assert near(rows, NearDedup()).ids == ["b", "a", "c", "d"]  # repeated_keys: keep


def is_like(one, other):
    here, there = statement(one), statement(other)
    return (
        plain_jaccard(one, other) >= 0.8
        and here.fixed == there.fixed
        and (
            here.asked == there.asked
            or only_slips(here.asked, there.asked, *map(said, (one, other)))
        )
    )


def said(item):
    return Counter(re.findall(r"\w+", f"{item['prompt']} {item['response']}".lower())).__getitem__


variants = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(0, 9)), min_size=2, max_size=9
)


@pytest.mark.field_bug("D18", "D20", "D21", "D26", "D29", "D30", "D31")
@settings(max_examples=25, deadline=None)
@given(chosen=variants, data=st.data())
def test_it_is_the_plain_rule_by_rising_id_whatever_order_and_processes(chosen, data):
    rows = [
        as_row(f"{number}", edited(text(seed, 110), edits, salt))
        for number, (seed, edits, salt) in enumerate(chosen)
    ]
    kept = []
    for item in rows:
        if not any(is_like(item, other) for other in kept):
            kept.append(item)
    result = near(data.draw(st.permutations(rows)), SURE)
    assert sorted(result.ids) == [item["id"] for item in kept]
    assert not any(is_like(*pair) for pair in combinations(result.kept, 2))
    assert set(result.same_as.values()) <= set(result.ids)  # nobody's duplicate is lost with it
    assert len(result.kept) + len(result.dropped) == len(rows)
    by_id = {item["id"]: item for item in rows}
    for gone, stays in result.same_as.items():
        assert stays < gone
        assert is_like(by_id[gone], by_id[stays])


@pytest.mark.field_bug("D21", "D26")
def test_processes_and_stretches_make_no_difference(monkeypatch):
    rows = [as_row(f"{n:03d}", edited(text(n % 20, 100), n % 3, n)) for n in range(80)]
    once = near(rows)
    assert once.dropped
    monkeypatch.setattr("stages.cleaning.steps.SHARD_ROWS", 7)
    monkeypatch.setattr(text_pairs, "CHUNK", 3)
    monkeypatch.setattr(text_pairs, "HELD_SHINGLES", 1)
    for workers in (1, 2):
        again = near(rows, workers=workers)
        assert (again.bytes, again.near) == (once.bytes, once.near)


@pytest.mark.field_bug("D32")
def test_one_run_leaves_nothing_to_the_next():
    rows = [as_row("a", text(9)), as_row("b", edited(text(9), 1))]
    assert [near(rows).ids, near(rows[1:]).ids, near(rows).ids] == [["a"], ["b"], ["a"]]


SCRIPT = """
from tests.cleaning.test_near_dedup import as_row, edited, near, text
rows = [as_row(f"{n:02d}", edited(text(n % 9, 100), n % 3, n)) for n in range(40)]
print(near(rows).same_as)
"""


@pytest.mark.field_bug("D35")
@pytest.mark.slow
def test_survivors_do_not_depend_on_the_hash_seed():
    found = []
    for seed in ("0", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", SCRIPT]
        found.append(subprocess.check_output(command, env=environment, cwd=ROOT))
    assert found[0] == found[1] != b"{}\n"


@pytest.mark.field_bug("D18")
def test_a_large_cluster_is_told(monkeypatch, capsys):
    monkeypatch.setattr(text_pairs, "LARGE_CLUSTER", 10)
    monkeypatch.setattr("stages.cleaning.near_dedup.LARGE_CLUSTER", 10)
    result = near([as_row(f"{n:02d}", text(1)) for n in range(12)])
    assert result.near["largest_cluster"] == 12
    told = capsys.readouterr().err
    assert "12 rows together" in told
    assert "12 rows count as one" in told


@pytest.mark.field_bug("D25", "D33")
def test_the_shares_that_the_bands_find_are_told_and_reported(capsys):
    result = near([as_row("a", text(1))])
    assert result.near["found_share_at_jaccard"] == {"0.7": 0.7871, "0.8": 0.9855, "0.9": 1.0}
    assert "0.986 at 0.8" in capsys.readouterr().err


@pytest.mark.field_bug("D25", "D33")
@pytest.mark.parametrize("shape", [(8, 14), (9, 13), (13, 60)])
def test_bands_that_miss_what_they_are_for_are_refused(shape):
    with pytest.raises(ConfigError, match=r"find only \d+% of pairs"):
        NearDedup(bands=shape[0], band_rows=shape[1])


@pytest.mark.field_bug("D3")
def test_the_threshold_decides_which_rows_go():
    one, other = as_row("a", text(2)), as_row("b", edited(text(2), 2))
    similar = plain_jaccard(one, other)
    for threshold, left in ((similar - 0.01, ["a"]), (similar + 0.01, ["a", "b"])):
        assert near([one, other], replace(SURE, jaccard=threshold)).ids == left


@pytest.mark.field_bug("D27")
def test_what_is_held_of_a_row_does_not_grow_with_the_hashes_of_a_band():
    """9,000 hashes of each of 20 million rows, all held at once, once filled 700 GB."""
    rows = [as_row(str(n), text(n)) for n in range(20)]
    held = [
        sum(
            value.nbytes for value in vars(prints(rows, shape)).values() if hasattr(value, "nbytes")
        )
        for shape in (SURE, replace(SURE, band_rows=8))
    ]
    assert held[0] == held[1]


@pytest.mark.field_bug("D34")
def test_the_index_takes_eight_bytes_a_band_and_row():
    found = prints([as_row(str(n), text(n)) for n in range(50)], NearDedup())
    assert found.bands.nbytes == 50 * 18 * 8
    assert found.texts.dtype == np.int64
