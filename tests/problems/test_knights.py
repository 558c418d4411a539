"""Knights and Knaves: puzzles worth asking, and answers about everyone by name."""

import random
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from stages.problems.family import Family
from stages.problems.knights import NAMES, TYPES, Knights, KnightsInstance
from tests.tables import each

FAMILY: Family = Knights()
FOUR = KnightsInstance("or", "n", (("k", 1), ("k", 0)))  # Anna k, Ben n, Clara n, David k


def statements(instance):
    """What each speaker says, as a speaker and a test of a world."""
    joint = any if instance.joint == "or" else all
    yield 0, lambda world: joint((world[0] == "n", world[1] == instance.claim))
    for who, (claim, by) in enumerate(instance.said, start=2):
        yield by, lambda world, who=who, claim=claim: world[who] == claim


@given(seed=st.integers(0, 10**6))
def test_puzzles_are_not_trivial_and_have_one_solution(seed):
    instance = FAMILY.sample(random.Random(seed))
    types = tuple(instance.types())
    assert {*types} == {"k", "n"}
    worlds = list(product("kn", repeat=len(types)))
    said = list(statements(instance))
    for _, statement in said:  # no statement holds, or fails, whoever is what
        assert {statement(world) for world in worlds} == {True, False}
    models = [w for w in worlds if all((w[by] == "k") == holds(w) for by, holds in said)]
    assert models == [types]
    assert all(by != who for who, (_, by) in enumerate(instance.said, start=2))


FORMS = {
    "sentence": "Anna is a knight, Ben is a knave, Clara is a knave and David is a knight.",
    "not": "Anna is not a knave. Ben is not a knight. Clara isn't a knight. David is a knight.",
    "groups": "Anna and David are knights, and Ben and Clara are knaves.",
    "types first": "Knights: Anna, David\nKnaves: Ben, Clara",
    "types in a sentence": "The knights are Anna and David; the knaves are Ben and Clara.",
    "list": "- **Anna**: knight\n- **Ben**: knave\n- **Clara**: knave\n- **David**: knight",
    "numbered": "1. Anna: knight\n2. Ben: knave\n3. Clara: knave\n4. David: knight",
    "table": "| Person | Type |\n|---|---|\n| Anna | knight |\n| Ben | knave |\n"
    "| Clara | **knave** |\n| David | knight |",
    "brackets": "Anna (knight), Ben (knave), Clara (knave), David (knight)",
    "other order": "David is a knight, Anna is a knight, Clara is a knave, Ben is a knave",
    "with the number": "Anna: knight\nBen: knave\nClara: knave\nDavid: knight\n2 knights.",
    "capitals": "ANNA: KNIGHT, BEN: KNAVE, CLARA: KNAVE, DAVID: KNIGHT",
}


@each("form", FORMS)
def test_everyone_by_name_is_an_answer(form):
    answer = FAMILY.read_block(FORMS[form])
    assert answer == tuple(zip(NAMES, "knnk", strict=False))
    assert FAMILY.right(FOUR, answer)


ROSTER = "Anna: knight\nBen: knave\nClara: knave\nDavid: knight"


@each(
    ("said", "right"),
    [
        (f"{ROSTER}\n\n2, knight", True),
        (f"{ROSTER}\n\n**2, knight**", True),
        (f"{ROSTER}\nSo there are 2 knights, and David is a knight.", True),
        ("Number of knights: 2\nDavid: knight", True),
        ("knights: 2, David: knight", True),
        ("[2, knight]", True),
        (f"{ROSTER}\n\n3, knight", False),
        (f"{ROSTER}\n\n2, knave", False),
        (f"{ROSTER}\n\n2, Clara is a knight", False),
        (
            ROSTER.replace("Ben: knave", "Ben: knight").replace("Anna: knight", "Anna: knave")
            + "\n\n2, knight",
            False,
        ),
        ("Number of knights: 2\nClara: knight", False),
        ("Number of knaves: 2\nDavid: knight", False),
        ("[2, knight, knave]", False),
    ],
)
def test_everyone_by_name_and_what_was_asked_must_both_be_right(said, right):
    answer = FAMILY.read_block(said) or FAMILY.read(said, "text")
    assert (answer is not None and FAMILY.right(FOUR, answer)) is right


@given(seed=st.integers(0, 10**6), form=st.sampled_from(["{} is a {}", "{}: {}", "| {} | {} |"]))
@settings(settings.get_profile("costly"))
def test_one_person_wrong_is_all_wrong_without_partial_credit(seed, form):
    rng = random.Random(seed)
    instance = FAMILY.sample(rng)
    types = instance.types()

    def told(kinds):
        pairs = zip(NAMES, kinds, strict=False)
        return "\n".join(form.format(name, TYPES[kind]) for name, kind in pairs)

    assert FAMILY.right(instance, FAMILY.read_block(told(types)))
    wrong = rng.randrange(len(types))
    types[wrong] = "n" if types[wrong] == "k" else "k"
    assert not FAMILY.right(instance, FAMILY.read_block(told(types)))
    assert not FAMILY.right(instance, FAMILY.read_block(told(types[:-1])))


@each(
    "said",
    [
        "Anna is a knight or Ben is a knave",
        "Anna is a knight, Ben is a knave, Anna is a knave",
        "Anna: knight/knave, Ben: knave",
        "Anna: knight, knave, Ben: knave",
        "Anna is not not a knight, Ben is a knave",
        "Neither Anna nor Ben are knights",
        "Anna is no knight, Ben is a knave",
        "perhaps Anna is a knight, Ben is a knave",
        "Anna is a knight, Ben is a knave: 2 knights",
        "Anna is a knight? Ben is a knave",
        "Ben is a knave, Clara is a knave",
        "David is a knight and there is 1 knight",
        "2, knight",
    ],
)
def test_what_is_no_plain_list_of_everyone_is_not_read_as_one(said):
    assert FAMILY.read_block(said) is None
