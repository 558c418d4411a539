"""Rules of harm in English: which words around a dangerous one make a text harmful, which clear it.

Texts are in small letters, each run of blanks is one blank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from stages.cleaning.harm_words import (
    ATROCITY,
    CHEATING,
    CHILDREN,
    CODING,
    CONTEMPT,
    CRUELTY,
    DEALING,
    DESTROYED,
    DRUGS,
    EARNEST,
    FAKES,
    FICTION,
    GAMES,
    GROOMING,
    GROUPS,
    HANDLING,
    HATE_STUDY,
    HATRED,
    HONESTY,
    INSULTS,
    INTRUSION,
    LABELLING,
    MAKING,
    MALWARE,
    NEWS,
    PEOPLE,
    PROTECTION,
    REQUEST,
    SECURITY,
    SELF_HARM,
    SEXUAL,
    SOFTWARE,
    STEALTH,
    STUDY,
    TALES,
    TRESPASS,
    UPBRINGING,
    VICTIMS,
    VIOLENCE,
    WEAPONS,
    WRITING,
    Terms,
)


@dataclass(frozen=True)
class Clears:
    """What makes a match harmless.

    ``within`` clears inside the match, ``around`` anywhere in its sentence, but nothing does in a
    sentence with a word of ``unless``; ``anywhere`` clears from anywhere in the row.
    """

    within: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    unless: tuple[str, ...] = (EARNEST,)
    anywhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A reason, the terms it is about, a pattern that a sentence must match, and what clears it.

    ``spaced``: the language puts blanks between its words.
    """

    reason: str
    terms: Terms
    source: str
    clears: Clears
    spaced: bool = True

    @cached_property
    def candidate(self) -> re.Pattern[str]:
        """The dangerous words alone."""
        return _words((self.terms.pattern,), self.spaced)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What makes a sentence harmful."""
        return re.compile(self.source)

    def clearing(self, match: re.Match[str], row: str) -> list[str]:
        """The words that make a match harmless."""
        within, around, unless, anywhere = self._cleared
        found = list(anywhere.finditer(row))
        if not unless.search(match.string):
            found += [*within.finditer(match.group()), *around.finditer(match.string)]
        return [word.group() for word in found]

    @cached_property
    def _cleared(self) -> tuple[re.Pattern[str], ...]:
        clears = self.clears
        lists = (clears.within, clears.around, clears.unless, clears.anywhere)
        return tuple(_words(words, self.spaced) for words in lists)


def _words(lists: Sequence[str], spaced: bool) -> re.Pattern[str]:
    edge = r"\b" if spaced else ""
    lists = lists or ("(?!)",)
    return re.compile(f"{edge}(?:{'|'.join(lists)}){edge}")


def _near(first: str, second: str, between: int) -> str:
    """``first``, at most so many words, ``second``."""
    return rf"\b(?:{first})\b(?:\W+\w+){{0,{between}}}?\W+(?:{second})\b"


_INTENT = (
    r"\b(?:i|we)(?:'ll| will| shall| am going to| are going to|'m going to|'re going to|'m gonna|"
    r" am gonna|'re gonna| are gonna| gonna| wanna| should| must| swear i will)"
)
_ASKED = rf"\b(?:{REQUEST})\W+(?:\w+\W+){{0,2}}?"
_DEMAND = r"(?:^|please |just )(?:make|build|cook|give|get|synthesi[sz]e|write|code) (?:me|us)"
_ORDER = "write|provide|give|describe|list|show|explain|need|want|outline|create"
_PAPER = r"recipes?|synthes[ie]s|procedures?|instructions?|blueprints?|steps|guide|tutorial|plans?"
_BID = r"(?:^|[.!?:,] ?|please |you |to |me )"
_CODED = "write|code|create|develop|program|build|make|generate|draft|craft|design"


def _made(reason: str, terms: Terms, making: str, clears: Clears) -> list[Rule]:
    """Asking how something is made, for it, or for its recipe."""
    things = terms.pattern
    sources = (
        f"{_ASKED}{_near(making, things, 4)}",
        rf"{_DEMAND}\W+(?:\w+\W+){{0,3}}?(?:{things})\b",
        _near(
            "recipes? for|instructions for|tutorial (?:on|for)|guide (?:to|for) making", things, 3
        ),
        rf"{_near(_ORDER, _PAPER, 5)} (?:for|of|to|on)\W+(?:\w+\W+){{0,3}}?(?:{things})\b",
    )
    at_home = (
        rf"\bhow (?:is|are) (?:{things})\b[^.?!]{{0,30}}\b(?:made|cooked|produced)\b"
        rf"[^.?!]*(?:{EARNEST})"
    )
    return [Rule(reason, terms, source, clears) for source in (*sources, at_home)]


def _handled(reason: str, terms: Terms) -> list[Rule]:
    things = terms.pattern
    clears = Clears(around=(STUDY, PROTECTION, GAMES, SOFTWARE, FICTION, NEWS))
    return [
        Rule(reason, terms, f"{_ASKED}{_near(HANDLING, things, 4)}", clears),
        Rule(reason, terms, _near("guide to", things, 3), clears),
    ]


def _done(reason: str, terms: Terms, gap: int, clears: Clears) -> Rule:
    """Asking how something is done."""
    return Rule(reason, terms, _near(REQUEST, terms.pattern, gap), clears)


_CRAFT = Clears(within=(STUDY, PROTECTION), around=(GAMES, r"cipher|plaintext|yara"))
_DEFENCE = Clears(around=(SECURITY, GAMES), unless=(STEALTH,))
_ATTACK = Clears(within=(PROTECTION,), around=(GAMES, SOFTWARE, FICTION))
_HONEST = Clears(around=(HONESTY, GAMES))
_YOUNG = Clears(around=(PROTECTION, NEWS, UPBRINGING), unless=(EARNEST, WRITING))
_NOT_HATED = Clears(around=(HATE_STUDY,), unless=(), anywhere=(LABELLING,))
_MUST = r"must|should|need to|needs to|have to|has to|ought to|deserve to|deserves to"
_KILLS = VIOLENCE.pattern

RULES: tuple[Rule, ...] = (
    *_made("weapon_instructions", WEAPONS, MAKING, _CRAFT),
    *_handled("weapon_instructions", WEAPONS),
    *_made("drug_instructions", DRUGS, MAKING, _CRAFT),
    *_handled("drug_instructions", DRUGS),
    *_made("cyber_crime", MALWARE, CODING, _DEFENCE),
    Rule("cyber_crime", MALWARE, _BID + _near(_CODED, MALWARE.pattern, 5), _DEFENCE),
    _done("cyber_crime", INTRUSION, 3, replace(_DEFENCE, unless=(TRESPASS,))),
    *_made("fraud", FAKES, DEALING, _HONEST),
    _done("fraud", CHEATING, 3, _HONEST),
    _done("self_harm_instructions", SELF_HARM, 4, Clears((PROTECTION, STUDY), (GAMES,))),
    Rule(
        "violence_instructions",
        VIOLENCE,
        rf"{_near(REQUEST, _KILLS, 3)}\W+(?:{PEOPLE})\b",
        _ATTACK,
    ),
    Rule(
        "violence_instructions",
        VIOLENCE,
        rf"{_near(REQUEST, CRUELTY, 3)}\W+{VICTIMS}",
        _ATTACK,
    ),
    _done(
        "violence_instructions",
        ATROCITY,
        3,
        Clears(around=(GAMES, SOFTWARE, FICTION, r"prevent\w*|stop|protect\w*|report\w*")),
    ),
    Rule(
        "threat",
        VIOLENCE,
        rf"{_INTENT}\W+(?:\w+\W+){{0,1}}?(?:{_KILLS})\W+(?:{PEOPLE})\b",
        replace(_ATTACK, anywhere=(TALES,)),
    ),
    Rule(
        "threat",
        ATROCITY,
        rf"{_INTENT} (?:{ATROCITY.pattern})",
        replace(_ATTACK, anywhere=(TALES,)),
    ),
    Rule("sexualised_child", SEXUAL, _near(SEXUAL.pattern, CHILDREN, 3), _YOUNG),
    Rule("sexualised_child", SEXUAL, _near(CHILDREN, SEXUAL.pattern, 3), _YOUNG),
    Rule(
        "sexualised_child",
        GROOMING,
        rf"{_near(REQUEST, 'groom|grooming|seduce|seducing|molest|molesting|lure|luring', 1)}"
        rf"\W+(?:an? |my |the |young )*(?:{CHILDREN})\b",
        _YOUNG,
    ),
    Rule(
        "sexualised_child",
        GROOMING,
        rf"\b(?:{GROOMING.pattern})\W+(?:an? |my |the |young |some )*(?:{CHILDREN})\b"
        r"[^.?!]{0,60}\b(?:for|have|having|wants?) sex\b",
        _YOUNG,
    ),
    Rule(
        "sexualised_child",
        GROOMING,
        r"\b(?:have sex with|sleep with|hook up with|undress)\W+(?:an? |my |the |young |some )*"
        rf"(?:{CHILDREN})\b",
        _YOUNG,
    ),
    Rule(
        "hate",
        DESTROYED,
        rf"\b{GROUPS}\b(?:\W+\w+){{0,8}}?\W+(?:{_MUST})\W+(?:all |be |to |simply |just ){{0,4}}"
        rf"(?:{DESTROYED.pattern})\b",
        _NOT_HATED,
    ),
    Rule(
        "hate",
        CONTEMPT,
        rf"\b{GROUPS} (?:are|is)\b (?:all |just |nothing but |like |a |an |the |really |mostly |"
        rf"such |"
        rf"by nature |naturally ){{0,4}}(?:\w+ )?(?:{CONTEMPT.pattern})\b",
        _NOT_HATED,
    ),
    Rule(
        "hate",
        CONTEMPT,
        rf"\b(?:dirty|filthy|greedy|disgusting|worthless|subhuman) {GROUPS}\b",
        _NOT_HATED,
    ),
    Rule(
        "hate",
        HATRED,
        r"(?:^|[.!?:,\"] ?|\blet's |\bi (?:really |fucking |just )?(?=hate|despise))"
        rf"(?:{HATRED.pattern}) (?:all |the |all the |every |those |these ){{0,2}}{GROUPS}\b(?!'s)",
        _NOT_HATED,
    ),
    Rule(
        "hate",
        INSULTS,
        rf"\b(?:write|give|tell|make|generate|list|compose|create|say|want|need|think of)\b"
        rf"(?: \w+){{0,5}}? (?:{INSULTS.pattern})\b(?:\W+\w+){{0,6}}?\W+{GROUPS}\b",
        Clears(
            around=(
                r"detect\w*|classif\w+|moderat\w+|counter\w*|against (?:hate|racis)\w*|wrong|"
                r"dataset|why|harmful|histor\w+|essay|report\w*|respond\w*",
            ),
            unless=(),
        ),
    ),
    Rule(
        "hate",
        DESTROYED,
        r"\b(?:write|give|make|create|compose|draft)\b[^.?!]{0,60}\b(?:saying|arguing|claiming|why|"
        r"that)"
        rf"(?: that)? {GROUPS} (?:{_MUST}) (?:all |be |to ){{0,3}}(?:{DESTROYED.pattern})\b",
        Clears(around=(LABELLING,), unless=()),
    ),
    Rule(
        "hate",
        CONTEMPT,
        rf"\bwhy are (?:all )?{GROUPS} (?:so|such|all|always) (?:\w+ )?(?:{CONTEMPT.pattern})\b",
        Clears(around=(LABELLING, r"stereotyp\w*|said|claim\w*|seen as|called"), unless=()),
    ),
    Rule(
        "fraud",
        CHEATING,
        r"\b(?:write|create|make|draft|design)\b(?: [\w-]+){1,8}? to (?:scam|defraud|swindle|con) "
        r"\w+",
        _HONEST,
    ),
    Rule("hate", INSULTS, rf"\b(?:insult)(?: all| the| these)? {GROUPS}\b", _NOT_HATED),
)
