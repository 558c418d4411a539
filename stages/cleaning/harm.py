"""Harm: word lists find candidates, the words around them decide. Every decision names its words.

A dangerous word alone decides nothing: "kill the process", a bomb calorimeter and the toxicology of
ricin are science and code. A row goes when instructions are asked for something dangerous, when a
person is threatened, or when a child is sexualised. Paraphrases outside the lists are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "harm"
WINDOW = 6  # words between a request and its object

REQUEST = (
    "how to|how do i|how can i|how would i|ways to|help me|teach me|instructions (?:for|to|on)|"
    "steps to|guide to|recipe for|tell me how to|show me how to|explain how to|i want to|we will"
)
MAKING = (
    "make|making|build|building|synthesi[sz]e|cook|construct|assemble|produce|get|buy|plant|use"
)
WEAPONS = (
    "pipe bombs?|nail bombs?|car bombs?|dirty bombs?|bombs?|explosives?|grenades?|nerve agents?|"
    "sarin|vx gas|mustard gas|ricin|anthrax|chemical weapons?|biological weapons?|bioweapons?|"
    "crystal meth|methamphetamine|molotov cocktails?|ghost guns?|ransomware|keyloggers?"
)
VIOLENCE = "kill|murder|poison|stab|strangle|rape|torture|kidnap|assassinate|behead|lynch"
PEOPLE = (
    "you|him|her|them|someone|somebody|people|persons?|myself|yourself|himself|herself|"
    "(?:my|your|his|her|their|the|a|an|all) (?:wife|husband|girlfriend|boyfriend|ex|neighbou?rs?|"
    "boss|mother|father|parents?|child|children|kids?|women|woman|men|man|girls?|boys?|family|"
    "teacher|classmates?|coworkers?|jews?|muslims?|christians?|immigrants?|blacks?|whites?|gays?)"
)
CHILDREN = "child|children|minors?|underage|preteens?|little (?:girls?|boys?)|toddlers?|kids?"
SEXUAL = "sexual|sex|naked|nude|porn|pornographic|erotic|sexy"
SELF_HARM = "kill myself|end my life|commit suicide|hang myself|cut myself|overdose on"
SAFE = (
    "calorimet|fork bomb|zip bomb|logic bomb|cherry bomb|bath bomb|photobomb|bomb shelter|bomb "
    "disposal|defus|prevent|protect|avoid|detect|treat|antidote|toxicolog|mechanism of|histor|novel|"
    "child process|kill(?:s|ed|ing)? (?:the |a |all |its )?(?:child|parent|process|thread|job|task|"
    "server|session|switch|signal)|sex ratio|sex education|sexual reproduction|abuse prevention"
)


@dataclass(frozen=True)
class Rule:
    """A pattern and the reason it stands for; ``forgiving`` rules yield to a safe context."""

    reason: str
    pattern: re.Pattern[str]
    forgiving: bool = True


def _near(first: str, second: str, window: int = WINDOW) -> str:
    return rf"\b(?:{first})\b(?:\W+\w+){{0,{window}}}?\W+(?:{second})\b"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CANDIDATE = _compiled(rf"\b(?:{WEAPONS}|{VIOLENCE}|{SELF_HARM}|{SEXUAL})\b")
CONTEXT = _compiled(SAFE)
RULES = (
    Rule(
        "weapon_instructions",
        _compiled(rf"\b(?:{REQUEST})\W+(?:\w+\W+){{0,2}}?{_near(MAKING, WEAPONS)}"),
    ),
    Rule("weapon_instructions", _compiled(_near(f"recipe for|instructions for", WEAPONS, 3))),
    Rule("violence_instructions", _compiled(rf"{_near(REQUEST, VIOLENCE, 2)}\W+(?:{PEOPLE})\b")),
    Rule(
        "threat",
        _compiled(rf"\b(?:i|we)(?:'ll| will| am going to| are going to|'m going to| should| must)"
                  rf"\W+(?:\w+\W+){{0,1}}?(?:{VIOLENCE})\W+(?:{PEOPLE})\b"),
        forgiving=False,
    ),
    Rule("self_harm_instructions", _compiled(_near(REQUEST, SELF_HARM, 4))),
    Rule("sexualised_child", _compiled(_near(SEXUAL, CHILDREN, 3)), forgiving=True),
    Rule("sexualised_child", _compiled(_near(CHILDREN, SEXUAL, 3)), forgiving=True),
)  # fmt: skip


@dataclass(frozen=True)
class HarmDecision:
    """Why a text is harmful, or which suspicious words were found harmless."""

    harmful: bool
    reason: str
    words: tuple[str, ...]


def judge_harm(text: str) -> HarmDecision:
    """Decide on one text. Safe words count within 40 characters around the match."""
    candidates = tuple(dict.fromkeys(found.lower() for found in CANDIDATE.findall(text)))
    if not candidates:
        return HarmDecision(False, "no_candidate", ())
    for rule in RULES:
        for match in rule.pattern.finditer(text):
            around = text[max(0, match.start() - 40) : match.end() + 40]
            if not (rule.forgiving and CONTEXT.search(around)):
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
