"""Multiple choice made open-ended, where the answer stands without the options.

A guess among four letters is right one time in four, and a letter teaches little. A question is
rewritten only if nothing in it leans on the options and its answer is a thing of its own that a
rule can check; else the reason says what was in the way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stages.base.records import Problem
from stages.problems.outside import digest, text_key

LONGEST_WORDS = 6  # of an answer in words; longer ones can be right in too many wordings
LONGEST_NUMBER = 60  # characters, its unit included

STEMS = re.compile(
    r"\bof (?:the )?(?:following|above|below|these|those|listed|options?|choices?)\b"
    r"|\b(?:the )?following (?:is|are|statements?|options?|choices?|would|could|can|does|do|was|"
    r"were|has|have|best|most|might|may|will|compounds?|pairs?|sequences?|substances?)\b"
    r"|\b(?:options?|choices?|statements? (?:i+|[a-d1-4]))\b"
    r"|\b(?:select|choose|pick|mark|match|classify|identify) (?:the|one|all|an?)\b"
    r"|\b(?:best|most closely|most nearly|most likely|least likely)\b"
    r"|\b(?:except|true or false|correct statement|incorrect statement|not true|is true|are true|"
    r"is false|is correct|is incorrect)\b"
    r"|\b(?:which|who|where)\b[^.?!]*\b(?:would|could|might|may)\b"
    r"|[:_]\s*\Z|_{2,}|\.{3}",
    re.IGNORECASE,
)
REFERS = re.compile(
    r"\b(?:none|all|both|any|neither|either|two|some) (?:of |the )*(?:above|below|these|those|them|"
    r"preceding|others?|options?|choices?)\b"
    r"|\A\(?[a-j]\)?(?: (?:and|or|&) \(?[a-j]\)?)+\Z"
    r"|\A(?:i{1,3}|iv|v)(?:,? (?:and|or|&) (?:i{1,3}|iv|v)| only)"
    r"|\b(?:both|neither|either|only) \(?[a-j]\)?\b"
    r"|\b(?:option|choice|statement) \(?[a-j1-9]\)?\b"
    r"|\bcannot be determined\b|\bnot enough information\b|\bno change\b",
    re.IGNORECASE,
)
TRUTH_WORDS = """
true false yes no correct incorrect agree disagree always never sometimes maybe
increase decrease increases decreases same
"""
TRUTH = frozenset(TRUTH_WORDS.split())
QUESTION = re.compile(
    r"\?|\b(?:calculate|compute|find|determine|name|give|state|what|how)\b", re.IGNORECASE
)
POINTING = re.compile(
    r"\b(?:it|they|this|that|he|she|its|their|former|latter|same|other|others|above)\b",
    re.IGNORECASE,
)
UNIT = r"[a-zA-Z%°µμΩ]{1,4}(?:\^?\{?-?[0-9]\}?)?"
NUMBER = re.compile(
    r"[+-]?(?:[0-9][0-9,]*)?\.?[0-9]+"
    r"(?:\s*(?:e|(?:x|\\times|×|\*)\s*10\s*\^?)\s*\{?[+-]?[0-9]+\}?)?"
    rf"(?:\s*{UNIT}(?:[ /*·]{{1,3}}{UNIT}){{0,4}})?"
)


@dataclass(frozen=True)
class Rewritten:
    """The open-ended problem, or why there is none."""

    problem: Problem | None
    reason: str = ""


def open_ended(problem: Problem) -> Rewritten:
    """A multiple-choice problem (family ``choice``) without its options."""
    question, options = problem.meta["question"], list(problem.meta["options"])
    answer = options["ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(problem.answer)].strip().rstrip(".")
    reason = leaning(question, options) or not_self_contained(answer, options)
    if reason:
        return Rewritten(None, reason)
    meta = {name: value for name, value in problem.meta.items() if name != "question"}
    source = problem.meta["source"]
    meta["verifier"] = "number" if is_number(answer) else "text"
    fresh = replace(
        problem,
        id=f"{source}-{digest(question, answer)}",
        family="open_ended",
        prompt=question,
        answer=answer,
        key=text_key(question),
        meta={**meta, "letter_version": problem.id},
    )
    return Rewritten(fresh)


def leaning(question: str, options: Sequence[str]) -> str:
    """What in a question needs the options to be read; empty if nothing does."""
    found = STEMS.search(question)
    if found:
        return f"the question leans on its options ('{found[0].strip()[:40]}')"
    if any(REFERS.search(option) for option in options):
        return "an option refers to other options"
    return "" if QUESTION.search(question) else "the question is an open sentence"


def is_number(answer: str) -> bool:
    """Whether an answer is a number, perhaps with a unit.

    >>> [is_number(text) for text in ("9.8 m/s^2", "6 kg m/s", "3 x 10^8", "two", "6 brown dogs")]
    [True, True, True, False, False]
    """
    return len(answer) <= LONGEST_NUMBER and NUMBER.fullmatch(answer) is not None


def not_self_contained(answer: str, options: Sequence[str]) -> str:
    """Why an answer does not stand by itself; empty if it does."""
    words = re.findall(r"[^\W\d_]+", answer.lower())
    if is_number(answer):
        return ""
    if len(answer) < 2 or not words:
        return "the answer is no word and no number"
    if set(words) & TRUTH:
        return "the answer is a judgement of the kind true or false"
    if len(answer.split()) > LONGEST_WORDS:
        return "the answer is too long to check by rule"
    if POINTING.search(answer):
        return "the answer points at something outside itself"
    others = [option.strip().lower() for option in options if option.strip() != answer]
    near = [other for other in others if answer.lower() in other or other in answer.lower()]
    return "another option contains the answer" if near else ""
