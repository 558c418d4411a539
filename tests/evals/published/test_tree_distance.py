"""Tree edit distance: hand cases, and laws that hold for any trees."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.evals.published.tree_distance import Tree, distance, subtree_cost

LEAVES = st.sampled_from("abc").map(Tree)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        Tree, st.sampled_from("AM"), st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=8,
)


def chain(label: str, length: int) -> Tree:
    return Tree(label) if length == 1 else Tree(label, (chain(label, length - 1),))


@pytest.mark.parametrize(
    ("one", "two", "edits"),
    [
        (Tree("a"), Tree("a"), 0),
        (Tree("a"), Tree("b"), 1),
        (Tree("A", (Tree("a"), Tree("b"))), Tree("A", (Tree("b"),)), 1),
        (Tree("A", (Tree("a"), Tree("b"))), Tree("A", (Tree("b"), Tree("a"))), 2),
        (Tree("A", (Tree("M", (Tree("a"), Tree("b"))), Tree("c"))), Tree("A", (Tree("c"),)), 3),
        # ten nodes under the root go at once, for 5 + 0.6 * 5
        (Tree("A", (chain("x", 10), Tree("c"))), Tree("A", (Tree("c"),)), 8),
    ],
)
def test_edits_by_hand(one: Tree, two: Tree, edits: float) -> None:
    assert distance(one, two) == distance(two, one) == pytest.approx(edits)


def test_a_subtree_is_cheaper_than_its_nodes_beyond_five() -> None:
    assert [subtree_cost(size) for size in (1, 5, 6, 15)] == [1, 5, pytest.approx(5.6), 11]


@settings(max_examples=60, deadline=None)
@given(TREES, TREES)
def test_distances_are_symmetric_bounded_and_zero_for_equal_trees_alone(
    one: Tree, two: Tree
) -> None:
    found = distance(one, two)
    assert found == pytest.approx(distance(two, one))
    assert 0 <= found <= one.size + two.size
    assert (found == 0) == (one == two)
