"""Whether a prompt says what the arguments of its instruction say.

Published rows disagree with themselves now and then: the prompt asks for 400 words, the arguments
for 336; for a letter "at least" 6 times, where the arguments have "less than". No response can be
judged by such a row. The test is one of plain contradiction: a prompt that names no number or
direction near what is counted is left alone.

* A word, phrase, marker or request in the arguments must stand in the prompt.
* If numbers stand near what is counted, one of them must be the argument, or next to it where it is
  a bound: "more than 50" is "at least 51", "at most 150" is "less than 151".
* If such a number stands with a direction ("at least", "or fewer"), the relation must have it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stages.rewards.instructions.registry import Instruction, bound
from stages.rewards.instructions.words import folded

QUOTED = (
    "keywords", "keyword", "forbidden_words", "postscript_marker", "section_spliter", "first_word",
    "prompt_to_repeat", "end_phrase", "keyword_list", "word", "section_splitter",
    "original_prompt", "options",
)  # fmt: skip
"""Arguments that are words of the prompt."""

NUMBERS = (
    "frequency", "let_frequency", "num_sentences", "num_paragraphs", "num_words",
    "num_placeholders", "num_bullets", "num_highlights", "num_sections", "capital_frequency", "N",
)  # fmt: skip
"""Arguments that are the number of something."""

RELATIONS = ("relation", "let_relation", "capital_relation", "quantifier")

WORDS = r"\bwords?\b"
SENTENCES = r"\bsentences?\b"
PARAGRAPHS = r"\b(?:paragraph|section|part|stanza)s?\b"
SECTIONS = r"\b(?:section|part)s?\b"
PLACEHOLDERS = r"\bplaceholders?\b"
BULLETS = r"\bbullets?\b"
TIMES = r"\b(?:times?|once|twice)\b"
CAPITALS = r"\b(?:words|times)\b"
BOUNDED = (PLACEHOLDERS, SECTIONS)  # "at least", though no argument says so
COUNTED: Mapping[str, str] = {
    "length_constraints:number_words": WORDS,
    "validate_word_constraint": WORDS,
    "length_constraints:number_sentences": SENTENCES,
    "verify_sentence_constraint": SENTENCES,
    "length_constraints:number_paragraphs": PARAGRAPHS,
    "verify_paragraph_count": PARAGRAPHS,
    "length_constraints:nth_paragraph_first_word": PARAGRAPHS,
    "validate_paragraphs": PARAGRAPHS,
    "detectable_content:number_placeholders": PLACEHOLDERS,
    "validate_placeholders": PLACEHOLDERS,
    "detectable_format:number_bullet_lists": BULLETS,
    "verify_bullet_points": BULLETS,
    "detectable_format:number_highlighted_sections": SECTIONS,
    "validate_highlighted_sections": SECTIONS,
    "detectable_format:multiple_sections": SECTIONS,
    "validate_sections": SECTIONS,
    "keywords:frequency": TIMES,
    "verify_keyword_frequency": TIMES,
    "keywords:letter_frequency": TIMES,
    "verify_letter_frequency": TIMES,
    "change_case:capital_word_frequency": CAPITALS,
    "validate_frequency_capital_words": CAPITALS,
}
"""What a prompt calls that which an instruction counts."""

UP_TO_TWENTY = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
SPELT = {word: number for number, word in enumerate(UP_TO_TWENTY.split())} | {
    "once": 1, "twice": 2, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100,
}  # fmt: skip
NUMBER = re.compile(rf"\b(?:\d[\d,]{{0,11}}(?!\d)|(?:{'|'.join(SPELT)})\b)")
NEGATED = re.compile(r"\b(?:avoid\w*|not|never|no|\w+n['’]t|without)\b")
LOWER = re.compile(r"(?:at least|more than|minimum of)\s*$")
UPPER = re.compile(r"(?:less than|fewer than|at most|under|up to)\s*$")
LOWER_AFTER = re.compile(r"\+|(?:\s+\w+)?\s+or more\b")
UPPER_AFTER = re.compile(r"(?:\s+\w+)?\s+or (?:less|fewer)\b")
BEFORE = 30  # characters in which a number belongs to what is counted after it
AFTER = 15  # the same, in a prompt that puts the number last: "sentences should be 5"
LEFT = 40  # characters before a number in which its direction stands, or what turns it round


def inconsistencies(prompt: str, instruction: Instruction) -> list[str]:
    """What in an instruction's arguments the prompt contradicts, in words; empty if nothing.

    Raises VerifierError if the instruction cannot be checked at all (``registry.bound``).
    """
    bound(instruction)
    kwargs = {key: value for key, value in instruction.kwargs.items() if value is not None}
    notes = [*_unquoted(prompt, kwargs), *_miscounted(prompt, instruction.id, kwargs)]
    return [f"{instruction.id}: {note}" for note in notes]


def _unquoted(prompt: str, kwargs: Mapping[str, Any]) -> Iterator[str]:
    """Words of the arguments that the prompt does not have."""
    said = _flat(prompt)
    for key in QUOTED:
        value = kwargs.get(key, [])
        for text in [value] if isinstance(value, str) else value:
            if _flat(str(text)) not in said:
                yield f"the prompt does not say {text!r} ({key})"


def _flat(text: str) -> str:
    return " ".join(folded(text).split())


def _miscounted(prompt: str, name: str, kwargs: Mapping[str, Any]) -> Iterator[str]:
    """A number, or its direction, that the prompt has otherwise."""
    number = next((kwargs[key] for key in NUMBERS if key in kwargs), None)
    relation = next((kwargs[key] for key in RELATIONS if key in kwargs), "")
    implied = relation == "at least" and number == 1  # "use some words in capitals"
    if name not in COUNTED or not isinstance(number, int) or implied:
        return
    said = prompt.lower()
    found = list(_numbers_near(said, COUNTED[name]))
    slack = 1 if relation or COUNTED[name] in BOUNDED else 0
    fitting = [place for value, place in found if abs(value - number) <= slack]
    if found and not fitting:
        values = sorted({value for value, _ in found})
        yield f"the prompt says {' or '.join(map(str, values))}, the arguments {number}"
    directions = {_direction(said, place) for place in fitting} - {""}
    wanted = {"at least": "lower", "less than": "upper", "at most": "upper"}.get(relation, "")
    if wanted and directions and wanted not in directions:
        yield f"the prompt has {number} as the other bound, the arguments say {relation!r}"


def _numbers_near(said: str, counted: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Numbers near what is counted, with their places. "Bullet point 1" counts nothing."""
    spans = [(noun.start() - BEFORE, noun.end()) for noun in re.finditer(counted, said)]
    reach = 0 if counted in (BULLETS, PLACEHOLDERS, SECTIONS) else AFTER
    for place in NUMBER.finditer(said):
        if any(start <= place.start() and place.end() <= end + reach for start, end in spans):
            text = place[0].replace(",", "")
            yield SPELT[text] if text in SPELT else int(text), place


def _direction(said: str, place: re.Match[str]) -> str:
    """Which bound the words around a number make it: lower, upper, or "" for neither."""
    before, after = said[max(0, place.start() - LEFT) : place.start()], place.end()
    if NEGATED.search(before):
        return ""
    if LOWER.search(before) or LOWER_AFTER.match(said, after):
        return "lower"
    return "upper" if UPPER.search(before) or UPPER_AFTER.match(said, after) else ""
