"""The letter of a choice, as people write it."""

from __future__ import annotations

import re

from stages.problems.wording import LATEX_TEXT, tidy

CHOICE = re.compile(r"[(\[]?([A-Za-z])(?:[)\].:]+|\s+-(?=\s)|(?=\s+\()|(?=$))(?P<option>\s+\S.*)?")
CHOSEN = re.compile(
    r"(?i)^(?:I(?:'m|\s+am)\s+(?:confident|sure|certain)(?:\s+that)?\s+)?"
    r"(?:(?:the|so|thus|therefore|hence),?\s+)*"
    r"(?:(?:best|most\s+(?:likely|appropriate|accurate)|correct|right)\s+)?"
    r"(?:(?:answer|option|choice|letter)(?:\s+is)?:?\s+(?:(?:option|choice|letter)\s+)?|(?:I|we)\s+(?:would\s+)?"
    r"(?:choose|select|pick|go\s+with)\s+(?:(?:option|choice|answer)\s+)?)|"
    r"(?<=[A-Z)])\W{0,3}\s+is\s+(?:the\s+)?(?:correct|right|best)(?:\s+(?:answer|option|choice|one))?$"
)
REASON = re.compile(
    r"^(\W?([A-Z])\W{0,3}?),?\s+(?:not\s+\W?(?!\2)[A-Z]\W?|(?:because|since|as)\s+"
    r"(?!.*(?:(?<![0-9]\s)\b(?!I\b)[A-Z]\b|(?i:\b(?:or|but|except|however|wait|actually|instead|rather|sorry|"
    r"correction|mistaken?|wrong|incorrect|false|maybe|perhaps|unless)\b)|"
    r"\bnot\s+(?:the\s+)?(?:correct|right|true|answer|possible|it|this|that)\b)).*)$"
)
OPTION = re.compile(r"^[\s,/&|;(]*[A-Z]\b|\(?\b[A-Z]\)|\bor\b|\band\b|\bbut\b|\bexcept\b")


def stated_choice(text: str) -> str | None:
    """The letter that a sentence chooses; None if it chooses none, or more than one.

    >>> stated_choice("The best option is C."), stated_choice("D is correct"), stated_choice("A")
    ('C', 'D', 'A')
    """
    return read_choice(REASON.sub(r"\1", CHOSEN.sub("", text.strip(" $*_`\"'."))))


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
