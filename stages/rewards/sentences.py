r"""The one value that a plain last sentence states: "The total is 72.", "Total: 72".

Only sentences of a set form count: a subject without numbers, one of a list of verbs, and then
nothing but the value. What negates, hedges, compares or ranks ("the smallest number") is none.
"""

from __future__ import annotations

import re

from stages.problems.wording import DOUBT
from stages.rewards.extraction import OTHER_QUANTITY

LONGEST = 300  # characters of a sentence
LEAD = r"(?:(?:so|thus|hence|therefore|then|finally|overall|consequently|in\s+total),?\s+){0,3}"
VERBS = r"""
is are was were equals will costs? sold sells earns earned pays paid spends spent weighs needs takes
makes made earns receives received uses used eats
ate drinks reads has have gets got bought buys saves saved will\s+be is\s+equal\s+to comes\s+to
(?:arrives|leaves|ends|finishes)\s+at
"""
RESULTS = """
total result sum value solution conclusion difference product quotient remainder outcome probability
average area volume
"""
PLAIN = re.compile(
    rf"(?i:{LEAD})(?P<name>(?:(?i:the|this|that|its|their|his|her|it|each|every|she|he|they|there)|"
    r"[A-Z][a-z]{2,15}(?=\s\w))(?![A-Za-z])(?:[A-Za-z' ,()-]|\$[A-Za-z\\{}()' ]{1,20}\$){0,120}?)"
    rf"\s*\b(?:{'|'.join(VERBS.split())})\s+(?:(?i:a\s+total\s+of|exactly|just)\s+)?(?P<value>\S.*)"
)
LABELLED = re.compile(
    rf"(?i){LEAD}(?:the\s+)?(?P<name>(?:final\s+|overall\s+|total\s+)?"
    rf"(?:{'|'.join(RESULTS.split())}))(?:\s+(?:of|number)\s[a-z ]{{1,40}})?\s*:\s*(?P<value>\S.*)"
)
RANKED = re.compile(
    r"(?i)\b(?:worst|best|(?:least|greatest|lowest|highest|smallest|largest)(?!\s+common\b)|biggest|fewest|"
    r"first|second|third|fourth|next|previous|initial(?:ly)?|original(?:ly)?|start(?:s|ed)?|old|"
    r"others?|rest|given|assum\w+|suppos\w+|would|should|seems?|when|because|where|which|"
    r"claims?|says?|thinks?|said|told|incomplete|partial|bounds?|traps?|tempting|naive|sub\s?total|so-called|estimate[ds]?)\b"
)
CHANGED = re.compile(
    r"(?i)\b(?:squared|cubed|doubled|tripled|halved|(?:plus|minus|times|divided\s+by|multiplied\s+by)\s+"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|itself|that))\b"
)
"""What makes another value of the one that a sentence names."""
SIMPLY = re.compile(r"(?i)\b(?:approximately|about|roughly|least(?=\s+common))\b")
OTHERS = (RANKED, CHANGED, OTHER_QUANTITY)
ENDS = re.compile(r"\s+(?:altogether|in\s+(?:total|all)|overall)$")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\\$(*])|\n")
WHOLE = re.compile(r"(?i)^(?:the|its|their|this|that|correct|final|right|actual)\s+")


def plain_value(sentence: str) -> tuple[str, str] | None:
    """What a plain sentence is about, and the value it states; None if it is of no such form.

    >>> plain_value("So the total is 72."), plain_value("The smallest number is 3.")
    (('total', '72'), None)
    """
    sentence = sentence.strip()
    if len(sentence) > LONGEST or DOUBT.search(SIMPLY.sub("", sentence)):
        return None
    found = LABELLED.fullmatch(sentence) or PLAIN.fullmatch(sentence)
    if found is None or any(other.search(found["name"]) for other in OTHERS):
        return None
    value = ENDS.sub("", found["value"].rstrip(".! ")).strip("*_ ")
    name = WHOLE.sub("", WHOLE.sub("", found["name"].strip().casefold()))
    return (name, value) if value else None


def plain_statement(lines: list[str]) -> tuple[str, tuple[str, ...]] | None:
    """The value of the last sentence, and the values that earlier ones give to the same thing."""
    sentences = [part for line in lines for part in SENTENCE.split(line) if part.strip()]
    last = plain_value(sentences[-1]) if sentences else None
    if last is None:
        return None
    earlier = filter(None, map(plain_value, sentences[:-1]))
    alike = (value for name, value in earlier if name == last[0] and value != last[1])
    return last[1], tuple(dict.fromkeys(alike))
