"""Harm: word lists find candidates, the words around them decide. Every decision names its words.

A dangerous word alone decides nothing: "kill the process", a bomb calorimeter and the toxicology of
ricin are science and code. A row goes when instructions are asked for something dangerous, when a
person is threatened, or when a child is sexualised. Paraphrases outside the lists are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stages.cleaning.folding import visible
from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "harm"

REQUEST = (
    "how to|how do i|how can i|how would i|ways to|help me|teach me|instructions (?:for|to|on)|"
    "steps to|guide to|tell me how to|show me how to|explain how to|i want to"
)
MAKING = (
    "make|making|build|building|synthesi[sz]e|synthesi[sz]ing|cook|construct|assemble|produce|"
    "get|buy|plant|detonate|use|write|deploy"
)
WEAPONS = (
    "bombs?|explosives|explosive (?:devices?|charges?|vests?)|grenades?|nerve agents?|sarin|"
    "vx gas|mustard gas|ricin|anthrax|"
    "chemical weapons?|biological weapons?|bioweapons?|crystal meth|methamphetamine|"
    "molotov cocktails?|ghost guns?|ransomware"
)
VIOLENCE = "kill|murder|poison|stab|strangle|rape|torture|kidnap|assassinate|behead|lynch"
PEOPLE = (
    "you|him|her|someone|somebody|people|myself|yourself|himself|herself|"
    "(?:my|your|his|her|their) (?:wife|husband|girlfriend|boyfriend|ex|neighbou?rs?|boss|mother|"
    "father|parents?|child|children|kids?|family|teacher|classmates?|co-?workers?)|"
    "(?:a |an |the |all |all the |every )?(?:wom[ae]n|m[ae]n|person|girls?|boys?|humans?|jews?|"
    "muslims?|christians?|immigrants?|blacks|whites|gays)"
)
CHILDREN = "child|children|minors?|underage|preteens?|little (?:girls?|boys?)|toddlers?|kids?"
SEXUAL = "sexual|sexually|sex with|naked|nudes?|porn|pornographic|pornography|erotic|erotica|sexy"
SELF_HARM = "kill myself|end my (?:own )?life|commit suicide|hang myself|cut myself|overdose"
HARMLESS = (
    r"bomb calorimet\w+|(?:fork|zip|logic|bath|cherry|seed|cluster|carpet|gavel|photo)[ -]?bombs?|"
    r"bomb (?:disposal|shelter|squad|detector|threat)s?|defus\w+ (?:a |the )?bombs?|"
    r"(?:bombs?|explosives?|ransomware|ricin|anthrax|sarin) "
    r"(?:detect\w+|protect\w+|prevent\w+|vaccin\w+|antibod\w+|antidotes?|sensors?|simulat\w+)|"
    r"sexual (?:abuse|reproduction|selection|dimorphism|health|harassment|assault|orientation)|"
    r"naked (?:eyes?|singularit\w+|mole|single|pair|triple)s?"
)
"""Fixed phrases that only look dangerous; they are blanked before the rules are tried."""


@dataclass(frozen=True)
class Rule:
    """A pattern and the reason it stands for."""

    reason: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class HarmDecision:
    """Why a text is harmful, or which suspicious words were found harmless."""

    harmful: bool
    reason: str
    words: tuple[str, ...]


def _near(first: str, second: str, between: int) -> str:
    """``first``, at most so many words, ``second``."""
    return rf"\b(?:{first})\b(?:\W+\w+){{0,{between}}}?\W+(?:{second})\b"


def _rule(reason: str, pattern: str) -> Rule:
    return Rule(reason, re.compile(pattern, re.IGNORECASE))


_INTENT = (
    r"\b(?:i|we)(?:'ll| will| am going to| are going to|'m going to|'re going to| should| must)"
)
CANDIDATE = re.compile(rf"\b(?:{WEAPONS}|{VIOLENCE}|{SELF_HARM}|{SEXUAL})\b", re.IGNORECASE)
BLANKED = re.compile(rf"\b(?:{HARMLESS})\b", re.IGNORECASE)
RULES = (
    _rule(
        "weapon_instructions",
        rf"\b(?:{REQUEST})\W+(?:\w+\W+){{0,2}}?{_near(MAKING, WEAPONS, 4)}",
    ),
    _rule("weapon_instructions", _near("recipe for|instructions for|guide to", WEAPONS, 3)),
    _rule("self_harm_instructions", _near(REQUEST, SELF_HARM, 3)),
    _rule("violence_instructions", rf"{_near(REQUEST, VIOLENCE, 2)}\W+(?:{PEOPLE})\b"),
    _rule("threat", rf"{_INTENT}\W+(?:\w+\W+){{0,1}}?(?:{VIOLENCE})\W+(?:{PEOPLE})\b"),
    _rule("sexualised_child", _near(SEXUAL, CHILDREN, 3)),
    _rule("sexualised_child", _near(CHILDREN, SEXUAL, 3)),
)


def judge_harm(text: str) -> HarmDecision:
    """Decide on one text."""
    text = visible(text).replace("’", "'")
    candidates = tuple(dict.fromkeys(found.lower() for found in CANDIDATE.findall(text)))
    if not candidates:
        return HarmDecision(False, "no_candidate", ())
    blanked = BLANKED.sub(" - ", text)
    for rule in RULES:
        match = rule.pattern.search(blanked)
        if match:
            return HarmDecision(True, rule.reason, (match.group(0),))
    return HarmDecision(False, "harmless_context", candidates)


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
