"""How far one tree is from another: edits of nodes, and of whole subtrees at a discount.

The algorithm of Zhang and Shasha (SIAM J. Comput. 18, 1989) with two operations more: a subtree may
be inserted or deleted whole, for less than its nodes one by one (PHYBench, arXiv 2504.16074).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

BAR, SLOPE = 5.0, 0.6
"""A subtree of more nodes than the bar costs the bar, and the slope for each node beyond it."""


@dataclass(frozen=True)
class Tree:
    """A labelled, ordered tree."""

    label: str
    children: tuple[Tree, ...] = ()

    @property
    def size(self) -> int:
        """The number of nodes."""
        return 1 + sum(child.size for child in self.children)


@dataclass
class Ordered:
    """A tree in postorder: labels, the place of each node's leftmost leaf, costs of subtrees."""

    labels: list[str] = field(default_factory=list)
    leftmost: list[int] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add(self, tree: Tree) -> int:
        """Append a tree; its size."""
        start, size = len(self.labels), 1 + sum(map(self.add, tree.children))
        self.labels.append(tree.label)
        self.leftmost.append(start)
        self.costs.append(subtree_cost(size))
        return size

    @property
    def keyroots(self) -> list[int]:
        """The last node with each leftmost leaf."""
        return sorted({leaf: at for at, leaf in enumerate(self.leftmost)}.values())


def subtree_cost(size: int) -> float:
    """What it costs to insert or delete a subtree of so many nodes."""
    return min(float(size), SLOPE * (size - BAR) + BAR)


def distance(one: Tree, two: Tree) -> float:
    """The least cost of edits that make one tree the other; a node costs 1, a subtree less.

    >>> distance(Tree("a", (Tree("b"), Tree("c"))), Tree("a", (Tree("b"), Tree("d"))))
    1.0
    """
    left, right = Ordered(), Ordered()
    left.add(one)
    right.add(two)
    trees = np.zeros((len(left.labels), len(right.labels)))
    for above in left.keyroots:
        for below in right.keyroots:
            _forests(left, right, (above, below), trees)
    return float(trees[-1, -1])


def _forests(left: Ordered, right: Ordered, roots: tuple[int, int], trees: np.ndarray) -> None:
    """Fill in the distances of the subtrees on the leftmost paths of two keyroots."""
    first, second = left.leftmost[roots[0]], right.leftmost[roots[1]]
    # best[i, j]: of the forests up to, not including, nodes first + i and second + j
    best = np.zeros((roots[0] - first + 2, roots[1] - second + 2))
    for at in range(first, roots[0] + 1):
        best[at - first + 1, 0] = best[left.leftmost[at] - first, 0] + left.costs[at]
    for at in range(second, roots[1] + 1):
        best[0, at - second + 1] = best[0, right.leftmost[at] - second] + right.costs[at]
    for here in range(first, roots[0] + 1):
        for there in range(second, roots[1] + 1):
            i, j = here - first + 1, there - second + 1
            whole_i, whole_j = left.leftmost[here] - first, right.leftmost[there] - second
            least = min(
                best[i - 1, j] + 1,
                best[i, j - 1] + 1,
                best[whole_i, j] + left.costs[here],
                best[i, whole_j] + right.costs[there],
            )
            if whole_i == 0 and whole_j == 0:
                changed = float(left.labels[here] != right.labels[there])
                trees[here, there] = best[i, j] = min(least, best[i - 1, j - 1] + changed)
            else:
                best[i, j] = min(least, best[whole_i, whole_j] + trees[here, there])
