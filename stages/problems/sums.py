"""Sums of integers as people write them: signs, brackets, and equations between them."""

from __future__ import annotations

import re

MAX_DEPTH = 16
Signed = tuple[int, ...]


def signed_terms(text: str) -> Signed | None:
    """The terms of a sum of integers with their signs, brackets resolved; None if it is not one.

    >>> signed_terms("8 - (3 - 4)")
    (8, -3, 4)
    """
    tokens = re.findall(r"[0-9]+|\S", text)
    if not tokens or any(not re.fullmatch(r"[0-9]{1,6}|[-+()]", token) for token in tokens):
        return None
    terms: list[int] = []
    signs = [1]
    sign, operand_due = 1, True
    for token in tokens:
        if token in "+-" and operand_due and token == "+":
            return None
        if token in "+-":
            negative = sign if operand_due else 1
            sign, operand_due = -negative if token == "-" else 1, True
        elif token == ")":
            if operand_due or len(signs) == 1:
                return None
            signs.pop()
        elif not operand_due:
            return None
        elif token == "(":
            signs.append(signs[-1] * sign)
            sign = 1
        else:
            terms.append(signs[-1] * sign * int(token))
            sign, operand_due = 1, False
        if len(signs) > MAX_DEPTH:
            return None
    return None if operand_due or len(signs) > 1 else tuple(terms)


def total(text: str) -> int | None:
    """What a sum comes to, a plus before its first number allowed; None if the text is not one.

    >>> total("3 - 5")
    -2
    """
    terms = signed_terms(re.sub(r"(^|\()\s*\+", r"\1", text))
    return None if terms is None else sum(terms)


def true_equation(text: str) -> bool:
    """Whether a text is an equation of two or more sums that all come to the same.

    >>> true_equation("3 - 5 = -2"), true_equation("4 + 0 = 3"), true_equation("4")
    (True, False, False)
    """
    totals = [total(side) for side in text.split("=")]
    return len(totals) > 1 and totals[0] is not None and len(set(totals)) == 1
