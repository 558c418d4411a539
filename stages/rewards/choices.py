"""The letter of a choice, as people write it."""

from __future__ import annotations

import re

from stages.problems.wording import LATEX_TEXT, tidy

CHOICE = re.compile(r"[(\[]?([A-Za-z])(?:[)\].:]+|\s+-(?=\s)|(?=$))(?P<option>\s+\S.*)?")
OPTION = re.compile(r"^[\s,/&|;(]*[A-Z]\b|\(?\b[A-Z]\)|\bor\b|\band\b|\bbut\b|\bexcept\b")


def read_choice(text: str) -> str | None:
    """The capital letter a text chooses, alone or before the words of its option; None if none.

    >>> read_choice("(b)"), read_choice("C. the ellipse"), read_choice("(A) or (B)")
    ('B', 'C', None)
    """
    plain = LATEX_TEXT.sub(r" \1 ", tidy(text)).replace("\\", " ").strip(" $*_`\"'.")
    found = CHOICE.fullmatch(plain)
    if found is None or (found["option"] and OPTION.search(found["option"])):
        return None
    return found[1].upper()
