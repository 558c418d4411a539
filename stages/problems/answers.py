"""How a response is put together: thinking between its tags, the answer, perhaps a closing word.

A careful response thinks; an answer-only one leaves the tags empty. The first token after the
opening tag settles the style.
"""

from __future__ import annotations

from stages.problems.family import Notation

OPEN, CLOSE = "<think>", "</think>"
CLOSING: dict[Notation, str] = {"compact": "done", "text": "I hope this helps."}
TAGS = (OPEN, CLOSE, CLOSING["compact"])


def compose(trace: str, answer: str, careful: bool, closing: bool, notation: Notation) -> str:
    """The whole response.

    >>> compose("1 a + 2 3 .", "3", careful=True, closing=True, notation="compact")
    '<think> 1 a + 2 3 . </think> 3 done'
    """
    if notation == "compact":
        thinking = [trace] if careful else []
        end = [CLOSING[notation]] if closing else []
        return " ".join([OPEN, *thinking, CLOSE, answer, *end])
    end_text = f"\n\n{CLOSING[notation]}" if closing else ""
    return f"{OPEN}\n{trace if careful else ''}\n{CLOSE}\n\nAnswer: {answer}{end_text}"
