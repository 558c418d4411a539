"""Every family: instances, notations, worked solutions, canonical keys."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.problems.answers import TAGS, compose
from stages.problems.chain import ChainInstance
from stages.problems.charge import ChargeInstance
from stages.problems.countdown import CountdownInstance
from stages.problems.knights import KnightsInstance
from stages.problems.lists import ListsInstance
from stages.problems.registry import FAMILIES, compact_vocabulary

EXAMPLES = [
    (
        "chain",
        ChainInstance(8, (("+", 4), ("+", 1), ("-", 5))),
        "calc a + 4 b + 1 c - 5 . 8",
        "8 a + 4 2 b + 1 3 c - 5 8 .",
        "8",
    ),
    (
        "lists",
        ListsInstance((4, 2, 4, 7), ("rot", "dec")),
        "run a rot b dec . 4 2 4 7",
        "4 2 4 7 a rot 2 4 7 4 b dec 1 3 6 3 .",
        "1 3 6 3",
    ),
    (
        "charge",
        ChargeInstance((("Na", 1), ("Mg", 2), ("Ni", 1))),
        "net a Na 1 b Mg 2 c Ni 1 .",
        "a Na 1 +1 +1 b Mg 2 +4 +5 c Ni 1 -3 +2 .",
        "+2",
    ),
    (
        "knights",
        KnightsInstance("or", "k", (("n", 0), ("k", 1))),
        "who or k c n A d k B .",
        "A k 1 B k 2 c n A k C n 2 d k B k D k 3 .",
        "3 k",
    ),
]
families = pytest.mark.parametrize("name", list(FAMILIES))
notations = pytest.mark.parametrize("notation", ["compact", "text"])


@pytest.mark.parametrize(("name", "instance", "prompt", "trace", "answer"), EXAMPLES)
def test_compact_notation_is_as_documented(name, instance, prompt, trace, answer):
    family = FAMILIES[name]
    assert family.prompt(instance, "compact") == prompt
    assert family.worked(instance, "compact", random.Random(0)) == (trace, answer)


@families
@notations
@given(seed=st.integers(0, 10**6))
@settings(settings.get_profile("costly"))
def test_both_answers_of_a_family_pass_its_own_check(name, notation, seed):
    family, rng = FAMILIES[name], random.Random(seed)
    instance = family.sample(rng)
    _, worked = family.worked(instance, notation, rng)
    assert family.check(instance, worked, notation)
    assert family.check(instance, family.answer(instance, notation), notation)


@families
@given(seed=st.integers(0, 10**6))
@settings(settings.get_profile("costly"))
def test_compact_texts_keep_to_the_vocabulary(name, seed):
    family, rng = FAMILIES[name], random.Random(seed)
    instance = family.sample(rng)
    trace, answer = family.worked(instance, "compact", rng)
    response = compose(trace, answer, careful=True, closing=True, notation="compact")
    used = {*family.prompt(instance, "compact").split(), *response.split()}
    assert used <= {*family.words, *TAGS}


@families
@given(seed=st.integers(0, 10**6))
@settings(settings.get_profile("costly"))
def test_an_instance_survives_json(name, seed):
    from dataclasses import asdict

    family = FAMILIES[name]
    instance = family.sample(random.Random(seed))
    assert family.load(json.loads(json.dumps(asdict(instance)))) == instance


def test_the_vocabulary_is_small_and_has_no_word_twice():
    words = compact_vocabulary()
    assert len(words) == len(set(words))
    assert 90 <= len(words) <= 150
    assert all(word == word.strip() and " " not in word for word in words)


def test_charge_key_forgets_the_order_of_terms_and_chain_key_does_not():
    charge, chain = FAMILIES["charge"], FAMILIES["chain"]
    terms = (("Na", 1), ("Mg", 2), ("Ni", 1))
    assert charge.key(ChargeInstance(terms)) == charge.key(ChargeInstance(terms[::-1]))
    steps = (("+", 4), ("-", 1))
    assert chain.key(ChainInstance(1, steps)) != chain.key(ChainInstance(1, steps[::-1]))


def test_countdown_key_forgets_the_order_of_numbers():
    key = FAMILIES["countdown"].key
    assert key(CountdownInstance((3, 8, 4), 7)) == key(CountdownInstance((4, 3, 8), 7))


def test_charge_totals_stay_within_their_tokens():
    family, rng = FAMILIES["charge"], random.Random(1)
    assert all(max(map(abs, family.sample(rng).totals())) <= 9 for _ in range(500))


@given(seed=st.integers(0, 10**6))
def test_knights_have_exactly_one_consistent_world(seed):
    from itertools import product

    instance = FAMILIES["knights"].sample(random.Random(seed))

    def consistent(world):
        b_claim = world[1] == instance.claim
        whole = world[0] == "n" or b_claim
        if instance.joint == "and":
            whole = world[0] == "n" and b_claim
        said = enumerate(instance.said, start=2)
        return (world[0] == "k") == whole and all(
            (world[by] == "k") == (world[who] == claim) for who, (claim, by) in said
        )

    worlds = [w for w in product("kn", repeat=len(instance.said) + 2) if consistent(w)]
    assert worlds == [tuple(instance.types())]


@given(seed=st.integers(0, 10**6))
def test_a_countdown_search_stops_at_the_first_fit(seed):
    from stages.problems.countdown import search

    rng = random.Random(seed)
    instance = FAMILIES["countdown"].sample(rng)
    *failed, found = [sum(signed) for signed in search(instance, rng)]
    assert found == instance.target
    assert instance.target not in failed


def test_the_python_program_of_a_list_prompt_prints_the_answer():
    import contextlib
    import io

    family, rng = FAMILIES["lists"], random.Random(3)
    for _ in range(50):
        instance = family.sample(rng)
        program = family.prompt(instance, "text").split("\n\n", 1)[1]
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(program, {})
        assert shown.getvalue().strip() == family.answer(instance, "text")
