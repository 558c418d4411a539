"""Golds that are yes or no, true or false: the word may begin a sentence that explains it."""

from __future__ import annotations

import re

from stages.rewards.formulas import folded

OPPOSITES = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
EITHER = re.compile(
    r"(?P<before>(?:^|[\n.:{]|\b(?i:is))[\s*_\"'(]{0,6})(?P<word>(?i:yes|no|true|false))"
    r"(?P<after>[*_\"')]{0,3})(?:[,;:!]|\s?[–—]|\s-)[*_]{0,3}\s+(?P<why>[^.!?\n{}]{1,300})(?=[.!?\n}]|$)"
)
DOUBT = re.compile(
    r"(?i)\b(?:yes|no|true|false|but|however|maybe|perhaps|possibly|probably|or|might|could|wait|"
    r"actually|unless|except|although|though|depend\w*|if|wrong|mistake|correction|sorry|rather|"
    r"instead)\b"
)
DENIED = re.compile(r"(?i)\b(?:not|never|cannot|none|neither)\b|n't\b")
AFFIRMED = re.compile(
    r"(?i)(?:it|they|that|this|he|she|there|we|you|i)\s+"
    r"(?:is|are|was|were|do|does|did|will|would|can|has|have)(?:\s+\w+)?"
)
ALONE = re.compile(r"(?i)[\s*_\"'(]*(yes|no|true|false)\b[\s*_\"')]*(?:[.!\n]|$)")
MARKED = re.compile(r"(?i)\\boxed|\banswer\b|####|<answer>")


def is_yes_or_no(gold: str) -> bool:
    """Whether a gold is one of the four words."""
    return folded(gold) in OPPOSITES


def answered(text: str) -> str:
    """A response in which an explained yes or no stands alone.

    An explanation that says the opposite ("No, it will."), or doubts, stays where it is.

    >>> answered("No, it will not."), answered("No, it will.")
    ('Answer: No.', 'No, it will.')
    """
    plain = EITHER.sub(_alone, text.strip()).strip()
    first = ALONE.match(plain)
    if not first or MARKED.search(plain):
        return plain
    rest = plain[first.end() :]
    if DOUBT.search(rest):
        return plain  # the reader of conclusions decides what it states
    return f"Answer: {first[1]}."


def _alone(found: re.Match[str]) -> str:
    word, why = found["word"].casefold(), found["why"].strip(" *_")
    denied = DENIED.search(why) is not None
    against = denied if word in ("yes", "true") else AFFIRMED.fullmatch(why) and not denied
    if against or DOUBT.search(why):
        return found[0]
    return f"{found['before']}{found['word']}{found['after']}"
