"""Answers as reasoning models phrase them: tables, lists, JSON, LaTeX, prose; right and wrong.

They stand in ``phrasings.txt``, by family, for the instances of ``test_fooling``: an answer a
line, ``⏎`` for a line break in it.
"""

from pathlib import Path

import pytest

from stages.base.records import Verdict
from stages.problems.registry import FAMILIES
from tests.rewards.test_fooling import verdict
from tests.tables import each

pytestmark = pytest.mark.slow  # many cases

HEAD = "%% "


def cases(wanted):
    """Family and answer of each line under a heading ``%% family wanted``."""
    found, family, kind = [], "", ""
    for line in (Path(__file__).parent / "phrasings.txt").read_text("utf-8").splitlines():
        if line.startswith(HEAD):
            family, kind = line.removeprefix(HEAD).split()
        elif kind == wanted:
            found.append((family, line.replace("⏎", "\n")))
    return found


RIGHT, WRONG = cases("right"), cases("wrong")


@each("name", list(FAMILIES))
def test_every_family_has_twenty_of_each(name):
    for table in (RIGHT, WRONG):
        assert len({answer for family, answer in table if family == name}) >= 20


@each(("name", "answer"), RIGHT)
def test_a_right_answer_passes_as_models_phrase_it(name, answer):
    assert verdict(name, answer) is Verdict.PASS


@each(("name", "answer"), WRONG)
def test_a_wrong_or_doubtful_answer_never_passes_in_the_same_dress(name, answer):
    assert verdict(name, answer) in (Verdict.WRONG, Verdict.UNPARSED)
