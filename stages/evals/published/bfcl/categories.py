"""The categories of BFCL v3: what is asked of each, and how they make one score.

overall = the mean of three groups, each a share: non-live, the mean of simple (itself the mean of
Python, Java and JavaScript), multiple, parallel, parallel multiple and irrelevance; live, over all
its rows; multi-turn, the mean of its four categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Task = Literal["one", "any_order", "none", "some", "turns"]
Language = Literal["python", "java", "javascript"]


@dataclass(frozen=True)
class Category:
    """What an answer must hold, and where its rows are averaged.

    ``task``: the calls of the gold ("one", or several in "any_order"), no call ("none"), "some"
    call, or the calls of a conversation ("turns"). Rows of one ``part`` of a ``group`` count alike,
    unless its categories are averaged first: then each is a part of its ``own``.
    """

    task: Task
    group: str
    part: str
    own: str = ""
    language: Language = "python"


def _simple(language: Language) -> Category:
    return Category("one", "non_live", "simple", language, language)


def _turns(name: str) -> Category:
    return Category("turns", "multi_turn", name)


CATEGORIES = {
    "simple": _simple("python"),
    "java": _simple("java"),
    "javascript": _simple("javascript"),
    "multiple": Category("one", "non_live", "multiple"),
    "parallel": Category("any_order", "non_live", "parallel"),
    "parallel_multiple": Category("any_order", "non_live", "parallel_multiple"),
    "irrelevance": Category("none", "non_live", "irrelevance"),
    "live_simple": Category("one", "live", "live"),
    "live_multiple": Category("one", "live", "live"),
    "live_parallel": Category("any_order", "live", "live"),
    "live_parallel_multiple": Category("any_order", "live", "live"),
    "live_irrelevance": Category("none", "live", "live"),
    "live_relevance": Category("some", "live", "live"),
    "multi_turn_base": _turns("base"),
    "multi_turn_miss_func": _turns("miss_func"),
    "multi_turn_miss_param": _turns("miss_param"),
    "multi_turn_long_context": _turns("long_context"),
}
GROUPS = ("non_live", "live", "multi_turn")


def category_of(name: str) -> str:
    """The category that an id names, known or not.

    >>> category_of("live_simple_3-2-0"), category_of("multi_turn_base_7"), category_of("x")
    ('live_simple', 'multi_turn_base', '')
    """
    return name.rpartition("_")[0]
