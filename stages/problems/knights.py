"""Knights and Knaves (logic): who tells the truth among 4 to 6 people.

A says "I am a knave or B is q" or "I am a knave and B is q", which settles A and B; each later
person is spoken of by one who is settled already, so there is exactly one solution.

In English an answer is the number of knights and the type of the last person, or the type of
everyone by name: a list, a table or sentences. Then all of them must be right.

Compact: ``who or k c n A d k B .`` (``c n A``: A says that C is a knave) ->
``A k 1 B k 2 c n A k C n 2 d k B k D k 3 .`` -> ``3 k``: number of knights, type of the last
person. The forms "label claim SPEAKER" and "NAME type count" never collide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from stages.problems.family import Family, Notation
from stages.problems.wording import LONGEST, harmless, plain

PEOPLE = "ABCDEF"
NAMES = ("Anna", "Ben", "Clara", "David", "Emma", "Frank")
TYPES = {"k": "knight", "n": "knave"}
OPPOSITE = {"k": "n", "n": "k"}
AROUND = r"[a-z'\s,;.:()]*?"
COUNT = (
    r"(?<![^\s(:])(?P<count>[0-9]{1,9})"
    r"(?:(?<=\b1)\s+knight(?=\s*[,;.:]|\s+and\b)|(?![.,]?[0-9]|\w))"
)
KIND = r"\b(?P<no>not\s+(?:an?\s+)?)?(?P<kind>knight|knave)\b"
STATED = tuple(
    re.compile(f"(?P<lead>{AROUND}){first}(?P<link>{AROUND}){second}(?P<tail>{AROUND})")
    for first, second in ((COUNT, KIND), (KIND, COUNT))
)
NAMED = rf"\b(?:{'|'.join(map(str.lower, NAMES))})\b"
NAME_LIST = rf"(?P<names>{NAMED}(?:(?:[ \t]*,[ \t]*|[ \t]+)(?:and[ \t]+)?{NAMED})*)"
LINK = r"[ \t:|=(-]*(?:(?:is|are|must be)\b)?[ \t:|=(]*"
BY_TYPE = re.compile(
    r"(?m)(?:^|(?<=[;.,]))[ \t]*(?:and[ \t]+)?(?:the[ \t]+)?(?P<kind>knight|knave)s?[ \t]*"
    rf"(?::|\b(?:is|are)\b)[ \t]*{NAME_LIST}"
)
BY_NAME = re.compile(rf"{NAME_LIST}{LINK}(?P<no>not\s+)?(?:an?\s+)?(?P<kind>knight|knave)s?\b\)?")
RULED = re.compile(r"[\s|:+-]*|\W*(?:person|name|inhabitant)\W+(?:type|kind|role|identity)\W*")
SQUARE = str.maketrans("[]", "()")
ITEM = re.compile(r"(?m)^\s*(?:[-*•]|[0-9]{1,2}[.)])\s|\|")
KNIGHTS = re.compile(r"\b(?P<count>[0-9])\s+knights?\b")
LEADS = ("knights", "speaker", "person", "he", "she", "exactly", "count", "type")
Said = tuple[int, str, str | None]
Roster = tuple[tuple[str, str], ...]
"""Names and types, in the order of names."""


@dataclass(frozen=True)
class Both:
    """Everyone's type, and the answer that was asked for."""

    roster: Roster
    said: Said


@dataclass(frozen=True)
class KnightsInstance:
    """A's joint (``or``/``and``) and claim about B; then ``(claim, speaker index)`` a person."""

    joint: str
    claim: str
    said: tuple[tuple[str, int], ...]

    def types(self) -> list[str]:
        """``k`` or ``n`` of each person, A first."""
        types = {"or": ["k", self.claim], "and": ["n", OPPOSITE[self.claim]]}[self.joint]
        for claim, speaker in self.said:
            types.append(claim if types[speaker] == "k" else OPPOSITE[claim])
        return types


class Knights(Family[KnightsInstance]):
    """Knights and Knaves with one solution by construction."""

    name = "knights"
    domain = "logic"
    kind = KnightsInstance
    words = ("who", "or", "and", "k", "n", *"cdef", *PEOPLE, ".", *(str(n) for n in range(7)))

    def sample(self, rng: Random) -> KnightsInstance:
        """4 to 6 people, drawn again until there are knights and knaves among them."""
        while True:
            people = rng.randint(4, 6)
            said = tuple((rng.choice("kn"), rng.randrange(person)) for person in range(2, people))
            instance = KnightsInstance(rng.choice(("or", "and")), rng.choice("kn"), said)
            if {*instance.types()} == {"k", "n"}:
                return instance

    def key(self, instance: KnightsInstance) -> str:
        """All statements, in order."""
        said = (f"{claim}{PEOPLE[speaker]}" for claim, speaker in instance.said)
        return "|".join([self.name, instance.joint, instance.claim, *said])

    def difficulty(self, instance: KnightsInstance) -> str:
        """Number of people."""
        return f"{len(instance.said) + 2} people"

    def prompt(self, instance: KnightsInstance, notation: Notation) -> str:
        """A's statement, then one about each later person."""
        later = list(enumerate(instance.said, start=2))
        if notation == "compact":
            said = (f"{PEOPLE[who].lower()} {claim} {PEOPLE[by]}" for who, (claim, by) in later)
            return " ".join(["who", instance.joint, instance.claim, *said, "."])
        people, last = NAMES[: len(instance.said) + 2], NAMES[len(instance.said) + 1]
        lines = [
            f"{', '.join(people[:-1])} and {last} are each a knight, who always tells the truth, "
            "or a knave, who always lies.",
            f'Anna says: "I am a knave {instance.joint} Ben is a {TYPES[instance.claim]}."',
            *(f'{NAMES[by]} says: "{NAMES[who]} is a {TYPES[c]}."' for who, (c, by) in later),
            f"How many knights are there, and is {last} a knight or a knave? "
            "Reply with the number and the word, such as: 2, knave",
        ]
        return "\n".join(lines)

    def trace(self, instance: KnightsInstance, notation: Notation, rng: Random) -> str:
        """Settle the people in turn, counting knights."""
        del rng
        types = instance.types()
        counts = [types[: end + 1].count("k") for end in range(len(types))]
        later = list(enumerate(instance.said, start=2))
        if notation == "compact":
            first = [f"{PEOPLE[who]} {types[who]} {counts[who]}" for who in (0, 1)]
            steps = (
                f"{PEOPLE[who].lower()} {claim} {PEOPLE[by]} {types[by]} "
                f"{PEOPLE[who]} {types[who]} {counts[who]}"
                for who, (claim, by) in later
            )
            return " ".join([*first, *steps, "."])
        lines = [_opening(instance.joint, types)]
        lines += [_deduction(who, claim, by, types, counts) for who, (claim, by) in later]
        return "\n".join(lines)

    def answer(self, instance: KnightsInstance, notation: Notation) -> str:
        """Number of knights and type of the last person."""
        types = instance.types()
        if notation == "compact":
            return f"{types.count('k')} {types[-1]}"
        return f"{types.count('k')}, {TYPES[types[-1]]}"

    def read(self, text: str, notation: Notation) -> Said | None:
        """A number, a type, and whose it is said to be; "is not a knave" is a knight."""
        if notation == "compact":
            found = re.fullmatch(r"\s*([0-9])\s+([kn])\s*", text)
            return (int(found[1]), found[2], None) if found else None
        said = "" if len(text) > LONGEST else plain(text).translate(SQUARE)
        matches = (pattern.fullmatch(said) for pattern in STATED)
        return next((read for match in matches if match and (read := _said(match))), None)

    def read_block(self, text: str) -> Roster | Said | Both | None:
        """The type of everyone by name, perhaps with the answer asked for on the last line.

        Without a roster the text may be that answer on several lines. None if anyone is left out or
        comes twice.
        """
        if len(text) > LONGEST:
            return None
        lines = [line for line in plain(text).splitlines() if not RULED.fullmatch(line)]
        said = re.sub(r"\bisn't\b", "is not", re.sub(r"\baren't\b", "are not", "\n".join(lines)))
        if roster := _roster(said):
            return roster
        before, broken, last = said.rpartition("\n")
        roster, end = _roster(before), self.read(last, "text")
        if roster and end:
            return Both(roster, end)
        return self.read(text, "text") if broken else None

    def right(self, instance: KnightsInstance, answer: Any) -> bool:
        """Number and type of the last person, or everyone's type; if both are said, both."""
        types = instance.types()
        if isinstance(answer, Both):
            return self.right(instance, answer.roster) and self.right(instance, answer.said)
        if isinstance(answer[0], tuple):
            return bool(answer == tuple(zip(NAMES, types, strict=False)))
        count, kind, name = answer
        person = name in (None, NAMES[len(types) - 1])
        return bool(person and (count, kind) == (types.count("k"), types[-1]))


def _said(found: re.Match[str]) -> Said | None:
    """What a match states, unless words around it could change that or name several people."""
    around = f"{found['lead']} {found['link']} {found['tail']}"
    names = {name for name in NAMES if re.search(rf"\b{name.lower()}\b", around)}
    if len(names) > 1 or not harmless(around, (*LEADS, *map(str.lower, names))):
        return None
    letter = "k" if found["kind"] == "knight" else "n"
    return (
        int(found["count"]),
        OPPOSITE[letter] if found["no"] else letter,
        min(names, default=None),
    )


def _roster(said: str) -> Roster | None:
    """Everyone's type, if the text has nothing else but their number and harmless words.

    Of a few people it is none: "1 knight, and David is a knight" speaks of all of them otherwise.
    """
    types: dict[str, str] = {}
    for pattern in (BY_TYPE, BY_NAME):
        for found in pattern.finditer(said):
            letter = "k" if found["kind"] == "knight" else "n"
            letter = OPPOSITE[letter] if found.groupdict().get("no") else letter
            for name in re.findall(NAMED, found["names"]):
                if name in types:
                    return None
                types[name] = letter
        said = pattern.sub(" ", said)
    counts = KNIGHTS.findall(said)
    rest = ITEM.sub(" ", KNIGHTS.sub(" ", said))
    knights = str([*types.values()].count("k"))
    named = NAMES[: len(types)]
    whole = len(types) > 1 and {*map(str.lower, named)} == types.keys()
    if not whole or counts not in ([], [knights]) or not harmless(rest, LEADS):
        return None
    return tuple((name, types[name.lower()]) for name in named)


def _opening(joint: str, types: list[str]) -> str:
    if joint == "or":
        reason = (
            "If Anna were a knave, her first part would be true and so would the whole, which a "
            "knave cannot say. So Anna is a knight, and the second part must hold"
        )
    else:
        reason = (
            "A knight cannot call herself a knave, so Anna is a knave and the whole is false; its "
            "first part is true, so the second is false"
        )
    return f"{reason}: Ben is a {TYPES[types[1]]}. Knights so far: {types[:2].count('k')}."


def _deduction(who: int, claim: str, by: int, types: list[str], counts: list[int]) -> str:
    honest = "tells the truth" if types[by] == "k" else "lies"
    return (
        f"{NAMES[by]} is a {TYPES[types[by]]} and {honest} in calling {NAMES[who]} a "
        f"{TYPES[claim]}: {NAMES[who]} is a {TYPES[types[who]]}. Knights so far: {counts[who]}."
    )
