r"""Which of several boxes count: those of steps on the way to a final one do not."""

from __future__ import annotations

import re

from stages.rewards.extraction import REVISED, unboxed

STEP = re.compile(r"(?im)(?:^|[.;!?])\W*step\s*\W?(?:\d+|[ivx]+|one|two|three|four)\b")
CLOSED = re.compile(r"[.!?]\s")
FINAL = re.compile(r"(?i)\bfinal(?:ly)?\b")
CONCLUDES = re.compile(
    r"(?i)\b(?:answer|final(?:ly)?|result|total|in\s+all|altogether|conclusion)\b"
)
OPTIONS = re.compile(r"(?i)\b(?:options?|candidates?|guess(?:es)?|possibilit(?:y|ies)|either)\b")


def kept_boxes(text: str, found: list[tuple[int, str, int]]) -> list[str]:
    """The contents of the boxes that count: the last, and those that no words or steps end."""
    kept, last = list[str](), 0
    for start, content, end in found:
        if REVISED.search(text, last, start):
            kept = []
        kept.append(unboxed(content))
        last = end
    if len(kept) < 2:
        return kept
    ends = [0, *(end for _, _, end in found)]
    leads = [text[before:start] for before, (start, _, _) in zip(ends, found, strict=False)]
    stepwise = all(map(STEP.search, leads[:-1]))
    *earlier, to_last = (CLOSED.split(lead)[-1] for lead in leads)
    final = FINAL.search(to_last) and not any(map(CONCLUDES.search, earlier))
    counts = (stepwise and CONCLUDES.search(to_last)) or final
    return kept[-1:] if counts and not OPTIONS.search(text) else kept
