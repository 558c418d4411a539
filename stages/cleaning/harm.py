"""Harm: word lists find candidates, the words around them decide. Every decision names its words.

A dangerous word alone decides nothing: "kill the process", a bomb calorimeter and the toxicology of
ricin are science and code. A row goes when instructions are asked for something dangerous, when a
person is threatened, or when a child is sexualised, unless words of study, protection, games,
software or fiction clear it. Paraphrases outside the lists are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stages.cleaning.folding import unmasked, visible
from stages.cleaning.harm_words import (
    CHILDREN,
    EARNEST,
    FICTION,
    GAMES,
    GROOMING,
    HANDLING,
    HARMLESS,
    MAKING,
    PEOPLE,
    PROTECTION,
    REQUEST,
    SELF_HARM,
    SEXUAL,
    SOFTWARE,
    STUDY,
    VIOLENCE,
    WEAPONS,
    WRITING,
)
from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "harm"

SENTENCE_END = re.compile(r"(?<=[.?!])[\"')\]]*\s+")


@dataclass(frozen=True)
class Rule:
    """A pattern, the reason it stands for, and what clears a match.

    ``within`` clears inside the match, ``around`` anywhere in its sentence; nothing does in a
    sentence with a word of ``unless``.
    """

    reason: str
    pattern: re.Pattern[str]
    within: re.Pattern[str]
    around: re.Pattern[str]
    unless: re.Pattern[str]


@dataclass(frozen=True)
class HarmDecision:
    """Why a text is harmful, or which suspicious words were harmless and what cleared them."""

    harmful: bool
    reason: str
    words: tuple[str, ...]
    cleared_by: tuple[str, ...] = ()


def _near(first: str, second: str, between: int) -> str:
    """``first``, at most so many words, ``second``."""
    return rf"\b(?:{first})\b(?:\W+\w+){{0,{between}}}?\W+(?:{second})\b"


def _words(*lists: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(lists)})\b", re.IGNORECASE)


def _rule(
    reason: str,
    pattern: str,
    within: tuple[str, ...],
    around: tuple[str, ...],
    unless: tuple[str, ...] = (EARNEST,),
) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(reason, compiled, _words(*within, *around), _words(*around), _words(*unless))


_INTENT = (
    r"\b(?:i|we)(?:'ll| will| shall| am going to| are going to|'m going to|'re going to|'m gonna|"
    r" am gonna|'re gonna| are gonna| gonna| wanna| should| must| swear i will)"
)
_ASKED = rf"\b(?:{REQUEST})\W+(?:\w+\W+){{0,2}}?"
_DEMAND = r"(?:^|please |just )(?:make|build|cook|give|get|synthesi[sz]e) (?:me|us)"
_ORDER = r"write|provide|give|describe|list|show|explain|need|want"
_PAPER = r"recipes?|synthes[ie]s|procedures?|instructions?|blueprints?|steps|guide"
CANDIDATE = _words(WEAPONS, VIOLENCE, SELF_HARM, SEXUAL, GROOMING)
BLANKED = _words(HARMLESS)
_CRAFT = ((STUDY, PROTECTION), (GAMES, r"cipher|plaintext|yara"))
_MILD = ((), (STUDY, PROTECTION, GAMES, SOFTWARE, FICTION))
_ATTACK = ((PROTECTION,), (GAMES, SOFTWARE, FICTION))
_YOUNG = ((), (PROTECTION,), (EARNEST, WRITING))
RULES = (
    _rule("weapon_instructions", f"{_ASKED}{_near(MAKING, WEAPONS, 4)}", *_CRAFT),
    _rule("weapon_instructions", rf"{_DEMAND}\W+(?:\w+\W+){{0,2}}?(?:{WEAPONS})\b", *_CRAFT),
    _rule("weapon_instructions", _near("recipe for|instructions for", WEAPONS, 3), *_CRAFT),
    _rule(
        "weapon_instructions",
        rf"{_near(_ORDER, _PAPER, 5)} (?:for|of|to)\W+(?:\w+\W+){{0,3}}?(?:{WEAPONS})\b",
        *_CRAFT,
    ),
    _rule("weapon_instructions", f"{_ASKED}{_near(HANDLING, WEAPONS, 4)}", *_MILD),
    _rule("weapon_instructions", _near("guide to", WEAPONS, 3), *_MILD),
    _rule("self_harm_instructions", _near(REQUEST, SELF_HARM, 4), (PROTECTION, STUDY), (GAMES,)),
    _rule("violence_instructions", rf"{_near(REQUEST, VIOLENCE, 3)}\W+(?:{PEOPLE})\b", *_ATTACK),
    _rule("threat", rf"{_INTENT}\W+(?:\w+\W+){{0,1}}?(?:{VIOLENCE})\W+(?:{PEOPLE})\b", *_ATTACK),
    _rule("sexualised_child", _near(SEXUAL, CHILDREN, 3), *_YOUNG),
    _rule("sexualised_child", _near(CHILDREN, SEXUAL, 3), *_YOUNG),
    _rule(
        "sexualised_child",
        rf"{_near(REQUEST, GROOMING, 1)}\W+(?:an? |my |the |young )*(?:{CHILDREN})\b",
        *_YOUNG,
    ),
)


def judge_harm(text: str) -> HarmDecision:
    """Decide on one text, sentence by sentence."""
    text = _plain(text)
    candidates = tuple(dict.fromkeys(found.lower() for found in CANDIDATE.findall(text)))
    if not candidates:
        return HarmDecision(False, "no_candidate", ())
    blanked = BLANKED.findall(text)
    cleared = dict.fromkeys(phrase.lower() for phrase in blanked)
    for sentence in SENTENCE_END.split(BLANKED.sub(" - ", text)):
        if not CANDIDATE.search(sentence):
            continue
        for rule in RULES:
            for match in rule.pattern.finditer(sentence):
                clearing = _clearing(rule, match)
                if not clearing:
                    return HarmDecision(True, rule.reason, (match.group(0),))
                cleared |= dict.fromkeys(clearing)
    return HarmDecision(False, "harmless_context", candidates, tuple(cleared))


def _plain(text: str) -> str:
    """What a reader sees, in small letters, Latin ones for those that look the same."""
    text = visible(text).replace("’", "'")
    return text if text.isascii() else unmasked(text.casefold(), text.casefold())


def _clearing(rule: Rule, match: re.Match[str]) -> list[str]:
    """The words that make a match harmless."""
    if rule.unless.search(match.string):
        return []
    found = (*rule.within.finditer(match.group(0)), *rule.around.finditer(match.string))
    return [word.group(0).lower() for word in found]


def drop_harmful(rows: Sequence[Row]) -> Filtered:
    """Drop rows whose prompt or response is harmful."""
    kept, dropped = list[Row](), list[Dropped]()
    for row in rows:
        verdicts = ((name, judge_harm(row[name])) for name in ("prompt", "response"))
        bad = next(((name, verdict) for name, verdict in verdicts if verdict.harmful), None)
        if bad is None:
            kept.append(row)
        else:
            evidence = {"field": bad[0], "words": list(bad[1].words)}
            dropped.append(Dropped(row, STEP, bad[1].reason, evidence))
    return Filtered(kept, dropped)
