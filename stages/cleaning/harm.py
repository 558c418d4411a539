"""Harm: word lists find candidates, the words around them decide. Every decision names its words.

A dangerous word alone decides nothing: "kill the process", a bomb calorimeter and the toxicology of
ricin are science and code. A row goes when instructions are asked for something dangerous, when a
person or a group is threatened or despised, or when a child is sexualised, unless words of study,
protection, games, software or fiction clear it. A row whose answer refuses stays, and is counted:
what it shows is how to say no. Paraphrases outside the lists are not seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stages.cleaning.folding import unmasked, visible
from stages.cleaning.harm_languages import CYRILLIC_RULES, HAN_RULES, LANGUAGES, LATIN_RULES
from stages.cleaning.harm_refusals import refusal
from stages.cleaning.harm_rules import RULES, Rule
from stages.cleaning.harm_words import HARMLESS, PREFIX
from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "harm"
OUT_OF_REACH = (
    "paraphrases outside the word lists, requests spread over sentences, other languages, codes "
    "and "
    "spellings that hide a word, and harm that is true of the answer alone"
)
SENTENCE_END = re.compile(r"(?<=[.?!])(?<!\.\.)[\"')\]]*\s+|(?<=[。？！])")
BEGINNINGS = re.compile(rf"\b\w{{1,{PREFIX}}}")
CYRILLIC = re.compile("[а-яё]{3}")
HAN = re.compile("[\u4e00-\u9fff]")
BLANKED = re.compile(rf"\b(?:{HARMLESS})\b")
SPELLED = (*RULES, *LATIN_RULES)
BY_PREFIX: dict[str, list[int]] = {}
for _number, _rule in enumerate(SPELLED):
    for _prefix in _rule.terms.prefixes:
        BY_PREFIX.setdefault(_prefix, []).append(_number)


@dataclass(frozen=True)
class HarmDecision:
    """Why a text is harmful, or which suspicious words were harmless and what cleared them.

    ``field`` and ``refused`` are of rows: where the harm stands, and the words of the refusal for
    which the row stays all the same.
    """

    harmful: bool
    reason: str
    words: tuple[str, ...]
    cleared_by: tuple[str, ...] = ()
    field: str = ""
    refused: str = ""


def judge_harm(text: str, context: str = "") -> HarmDecision:
    """Decide on one text, sentence by sentence; ``context`` is the other text of the row."""
    plain, folded = _forms(text)
    candidates = list(_candidates(plain, folded))
    if not candidates:
        return HarmDecision(False, "no_candidate", ())
    words, cleared = dict[str, None](), dict[str, None]()
    forms = {form: _Reading(form) for form in (plain, folded)}
    for rule, form in candidates:
        named, sentences = forms[form].about(rule)
        words |= dict.fromkeys(named)
        for sentence, blanked in sentences:
            cleared |= dict.fromkeys(blanked)
            for match in rule.pattern.finditer(sentence):
                clearing = rule.clearing(match, f"{_forms(context)[0]} {plain}")
                if not clearing:
                    return HarmDecision(True, rule.reason, (_as_written(text, match.group()),))
                cleared |= dict.fromkeys(clearing)
    reason = "harmless_context" if words else "no_candidate"
    return HarmDecision(False, reason, tuple(words), tuple(cleared))


Sentence = tuple[str, tuple[str, ...]]
"""With harmless phrases blanked, and these phrases."""


class _Reading:
    """A text whose sentences are looked at only where a rule's words stand."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[list[str], list[Sentence]]] = {}
        self._sentences: dict[int, Sentence] = {}
        self._ends: list[int] = []

    def about(self, rule: Rule) -> tuple[list[str], list[Sentence]]:
        """The rule's words in the text, and the sentences that hold them."""
        key = rule.terms.pattern
        if key not in self._found:
            matches = list(rule.candidate.finditer(self._text))
            numbers = sorted({self._number(match.start()) for match in matches})
            sentences = [self._sentence(number) for number in numbers]
            self._found[key] = [match.group() for match in matches], sentences
        return self._found[key]

    def _number(self, at: int) -> int:
        if not self._ends:
            self._ends = [end.end() for end in SENTENCE_END.finditer(self._text)]
        return bisect_right(self._ends, at)

    def _sentence(self, number: int) -> Sentence:
        if number not in self._sentences:
            begin = self._ends[number - 1] if number else 0
            end = self._ends[number] if number < len(self._ends) else len(self._text)
            sentence = self._text[begin:end].rstrip()
            phrases = tuple(phrase.group() for phrase in BLANKED.finditer(sentence))
            self._sentences[number] = (BLANKED.sub(" - ", sentence), phrases)
        return self._sentences[number]


def _as_written(text: str, words: str) -> str:
    """The words with their capitals, if they stand in the text as they were found."""
    line = " ".join(text.split())
    at = line.lower().find(words)
    return words if at < 0 else line[at : at + len(words)]


def _candidates(plain: str, folded: str) -> Iterator[tuple[Rule, str]]:
    """The rules whose words may be in the text, each with the form of the text it reads."""
    beginnings = BY_PREFIX.keys() & BEGINNINGS.findall(plain)
    for number in sorted({number for prefix in beginnings for number in BY_PREFIX[prefix]}):
        yield SPELLED[number], plain
    if folded.isascii():
        return
    for script, rules in ((CYRILLIC, CYRILLIC_RULES), (HAN, HAN_RULES)):
        if script.search(folded):
            yield from ((rule, folded) for rule in rules)


def _forms(text: str) -> tuple[str, str]:
    """A text in small letters with single blanks, look-alikes as Latin letters and as they are."""
    if text.isascii():
        folded = " ".join(text.lower().split())
        return folded, folded
    folded = " ".join(visible(text).replace("’", "'").casefold().split())
    return unmasked(folded, folded), folded


def judge_row(prompt: str, response: str) -> HarmDecision:
    """Decide on a row. A refusal clears its question, its thoughts and its own sentence."""
    asked = judge_harm(prompt, response)
    said = asked if asked.harmful else judge_harm(response, prompt)
    if not said.harmful:
        return said
    field = "prompt" if said is asked else "response"
    answer = response.rpartition("</think>")[2]
    plain, folded = _forms(answer)
    refused = refusal(plain) or refusal(folded)
    if refused:
        rest = (part for part in SENTENCE_END.split(answer) if not _refuses(part))
        if not judge_harm(" ".join(rest)).harmful:
            return HarmDecision(False, said.reason, said.words, (), field, refused)
    return HarmDecision(True, said.reason, said.words, (), field)


def _refuses(sentence: str) -> bool:
    plain, folded = _forms(sentence)
    return bool(refusal(plain) or refusal(folded))


def drop_harmful(rows: Sequence[Row]) -> Filtered:
    """Drop rows whose prompt or response is harmful; refusals stay and are counted."""
    kept, dropped, refused = list[Row](), list[Dropped](), 0
    for row in rows:
        verdict = judge_row(row["prompt"], row["response"])
        if verdict.harmful:
            evidence = {"field": verdict.field, "words": list(verdict.words)}
            dropped.append(Dropped(row, STEP, verdict.reason, evidence))
        else:
            kept.append(row)
            refused += bool(verdict.refused)
    return Filtered(kept, dropped, notes={"refused": refused} if refused else {})


def describe(notes: dict[str, int]) -> dict[str, Any]:
    """For the report: what the filter looks for, what it cannot see, and refusals it let stay."""
    categories = sorted({rule.reason for rule in SPELLED})
    return {
        "refused": notes.get("refused", 0),
        "categories": categories,
        "languages": list(LANGUAGES),
        "out_of_reach": OUT_OF_REACH,
    }
