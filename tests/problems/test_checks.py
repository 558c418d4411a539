"""Checkers accept every valid alternative and reject near misses."""

from stages.problems.chain import ChainInstance
from stages.problems.charge import ChargeInstance
from stages.problems.countdown import CountdownInstance, signed_terms
from stages.problems.knights import KnightsInstance
from stages.problems.lists import ListsInstance
from stages.problems.registry import FAMILIES
from tests.tables import each

CHAIN = ChainInstance(8, (("+", 4), ("+", 1), ("-", 5)))
LISTS = ListsInstance((4, 2, 4, 7), ("rot", "dec"))
CHARGE = ChargeInstance((("Na", 1), ("Mg", 2), ("Ni", 1)))
KNIGHTS = KnightsInstance("or", "k", (("n", 0), ("k", 1)))
COUNTDOWN = CountdownInstance((3, 4, 8), 7)
INSTANCES = {
    "chain": CHAIN,
    "lists": LISTS,
    "charge": CHARGE,
    "knights": KNIGHTS,
    "countdown": COUNTDOWN,
}

RIGHT = [
    ("chain", "compact", "8"),
    ("chain", "text", "8."),
    ("chain", "text", "The number is **8**"),
    ("chain", "text", "3 - 5 = -2, so 8"),
    ("lists", "compact", "1 3 6 3"),
    ("lists", "text", "[1, 3, 6, 3]"),
    ("lists", "text", "It prints [1,3,6,3]."),
    ("lists", "text", "1, 3, 6, 3"),
    ("charge", "compact", "+2"),
    ("charge", "compact", "2"),
    ("charge", "text", "2+"),
    ("charge", "text", "a net charge of +2"),
    ("knights", "compact", "3 k"),
    ("knights", "text", "3, knight"),
    ("knights", "text", "3 knights; David is a **knight**."),
    ("knights", "text", "3, and David is not a knave"),
    ("countdown", "compact", "3 + 8 - 4"),
    ("countdown", "compact", "8 - 4 + 3"),
    ("countdown", "compact", "- 4 + 3 + 8"),
    ("countdown", "text", "8-(4-3)"),
    ("countdown", "text", "(3 + 8) - 4 = 7."),
    ("countdown", "text", "7 = 3 + 8 - 4"),
    ("countdown", "text", "3 + 8 - 4 = 11 - 4 = 7"),
    ("countdown", "text", "[3 + 8] - 4 = 7"),
    ("countdown", "text", "One way: `3 - (4 - 8)`"),
]
WRONG = [
    ("chain", "compact", "9"),
    ("chain", "compact", "18"),
    ("chain", "compact", "-2"),
    ("chain", "compact", "8 8"),
    ("chain", "compact", "eight"),
    ("chain", "text", "7 or 8"),
    ("chain", "text", "7, 8"),
    ("chain", "text", "8.5"),
    ("chain", "text", "8%"),
    ("chain", "text", "1/8"),
    ("chain", "text", "8/1"),
    ("lists", "compact", "1 3 6"),
    ("lists", "compact", "1363"),
    ("lists", "compact", "1 3 3 6"),
    ("lists", "text", "[1, 3, 6, 3, 0]"),
    ("lists", "text", "[1, 3, 6, 3"),
    ("charge", "compact", "-2"),
    ("charge", "text", "2-"),
    ("charge", "text", "+2 or -2"),
    ("knights", "compact", "3 n"),
    ("knights", "compact", "2 k"),
    ("knights", "compact", "3"),
    ("knights", "text", "3, not a knight"),
    ("knights", "text", "3, knight or knave"),
    ("countdown", "compact", "3 + 4"),
    ("countdown", "compact", "7 = 3 + 8 - 4"),
    ("countdown", "text", "8 = 3 + 8 - 4"),
    ("countdown", "text", "3 + 8 - 4 = 11 + 4 = 7"),
    ("countdown", "text", "7 = 7"),
    ("countdown", "text", "7 = 11 - 4"),
    ("countdown", "compact", "7"),
    ("countdown", "compact", "8 - 4 + 3 + 3 - 3"),
    ("countdown", "compact", "3 + 4 + 8"),
    ("countdown", "text", "3 + 8 - 4 = 8"),
    ("countdown", "text", "3 * 8 - 4"),
    ("countdown", "text", "34 - 8"),
    ("countdown", "text", "__import__('os').system('true')"),
    ("countdown", "text", "3 + 8 - 4 ** 1"),
]


@each(("name", "notation", "text"), RIGHT)
def test_valid_alternatives_pass(name, notation, text):
    assert FAMILIES[name].check(INSTANCES[name], text, notation)


@each(("name", "notation", "text"), WRONG)
def test_near_misses_fail(name, notation, text):
    assert not FAMILIES[name].check(INSTANCES[name], text, notation)


@each(
    ("text", "terms"),
    [
        ("8 - (3 - 4)", (8, -3, 4)),
        ("-(2 - (3 + 1)) - 5", (-2, 3, 1, -5)),
        ("8 - -3", (8, 3)),
        ("((8))", (8,)),
        ("8 -", None),
        ("8 3", None),
        ("(8 + 3", None),
        ("8 + 3)", None),
        ("()", None),
        ("8 + + 3", None),
        ("", None),
        ("(" * 100 + "1" + ")" * 100, None),
        ("9" * 5000, None),
    ],
)
def test_sums_are_read_with_signs_and_brackets(text, terms):
    assert signed_terms(text) == terms
