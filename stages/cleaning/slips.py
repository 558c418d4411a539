"""Whether what two rows ask differs by slips only.

A question with another word in it is another question: the row that asks it speaks of that word,
or the other row speaks of it. A word that comes once, where the other row has a different one or
none, and that neither row speaks of anywhere else, is a slip of one who wrote the text down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

MOST = 0.2  # of the words may be slips; one always may


Count = Callable[[str], int]
"""How often a word comes in a row."""


def only_slips(one: Sequence[str], other: Sequence[str], said: Count, said_there: Count) -> bool:
    """Whether two lists of words that are asked differ by slips only; the counts are the rows'."""
    slips = 0
    for same, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if same == "equal":
            continue
        slips += max(b - a, d - c)
        if not (_foreign(one[a:b], said, said_there) or _foreign(other[c:d], said_there, said)):
            return False
    return slips <= max(1, MOST * max(len(one), len(other)))


def _foreign(part: Sequence[str], own: Count, others: Count) -> bool:
    """Whether these are words, and no row speaks of them anywhere else."""
    return bool(part) and all(
        word.isalpha() and own(word) == 1 and not others(word) for word in part
    )
