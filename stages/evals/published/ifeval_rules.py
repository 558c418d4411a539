r"""The rules of IFEval as its authors check them, for the benchmark alone.

Rewards read instructions by their wording (``stages.rewards.instructions``), so that no reading of
theirs can be exploited. A score is to be compared with published ones, so here a keyword is also
found inside of a word, words are runs of ``\w``, bullets are lines that begin with ``*`` or ``-``,
and so on. Sentences are counted as for rewards: the authors' splitter is a download.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from nltk.tokenize import NLTKWordTokenizer  # type: ignore[import-untyped]

from stages.base.errors import VerifierError
from stages.rewards.instructions.arguments import read_arguments
from stages.rewards.instructions.languages import ENGLISH, detected
from stages.rewards.instructions.registry import IFEVAL, Instruction
from stages.rewards.instructions.wholes import ANSWERS

DIVIDER = re.compile(r"\s?\*{3}\s?")
BULLETS = re.compile(r"^\s*\*[^*].*$", re.MULTILINE), re.compile(r"^\s*-.*$", re.MULTILINE)
HIGHLIGHTS = re.compile(r"\*([^\n*]*)\*"), re.compile(r"\*\*([^\n*]*)\*\*")
PLACEHOLDER = re.compile(r"\[.*?\]")
TITLE = re.compile(r"<<([^\n]+)>>")
FENCE = re.compile(r"```(?:json|Json|JSON)?")
POSTSCRIPTS = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
TWO = "******"
FIRST_WORD = re.compile(r"[^.,?!'\"]*")

Check = Callable[[str], bool]


def check_of(instruction: Instruction) -> Check:
    """The check of one instruction; VerifierError if it is none of IFEval or lacks arguments."""
    kind = IFEVAL.get(instruction.id)
    if kind is None:
        raise VerifierError(f"{instruction.id!r}: no instruction of IFEval. Drop the row.")
    values = read_arguments(instruction.id, kind.fields, instruction.kwargs)
    rule = RULES.get(instruction.id, kind.check)
    return lambda text: rule(text, *values)


def _compared(count: int, relation: str, number: int) -> bool:
    return count < number if relation == "less than" else count >= number


def _existence(text: str, keywords: Sequence[str]) -> bool:
    return all(keyword.lower() in text.lower() for keyword in keywords)


def _frequency(text: str, keyword: str, number: int, relation: str) -> bool:
    return _compared(text.lower().count(keyword.lower()), relation, number)


def _forbidden(text: str, words: Sequence[str]) -> bool:
    return not any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in words)


def _number_words(text: str, number: int, relation: str) -> bool:
    return _compared(len(re.findall(r"\w+", text)), relation, number)


def _paragraphs(text: str, number: int) -> bool:
    parts = [part.strip() for part in DIVIDER.split(text)]
    return all(parts[1:-1]) and len(list(filter(None, parts))) == number


def _nth_paragraph(text: str, number: int, nth: int, first_word: str) -> bool:
    parts = [part.strip() for part in text.split("\n\n")]
    count = len(list(filter(None, parts)))
    if nth > count or not parts[nth - 1]:
        return False
    found = FIRST_WORD.match(parts[nth - 1].split()[0].lstrip("'").lstrip('"'))
    return count == number and found is not None and found[0].lower() == first_word.lower()


def _placeholders(text: str, number: int) -> bool:
    return len(PLACEHOLDER.findall(text)) >= number


def _postscript(text: str, marker: str) -> bool:
    written = POSTSCRIPTS.get(marker.strip(), re.escape(marker.strip().lower()))
    return re.search(written, text.lower()) is not None


def _bullets(text: str, number: int) -> bool:
    return sum(len(bullet.findall(text)) for bullet in BULLETS) == number


def _constrained(text: str) -> bool:
    return any(answer in text for answer in ANSWERS)


def _highlights(text: str, number: int) -> bool:
    found = [inner for mark in HIGHLIGHTS for inner in mark.findall(text)]
    return len([inner for inner in found if inner.strip()]) >= number


def _sections(text: str, splitter: str, number: int) -> bool:
    return len(re.findall(rf"{re.escape(splitter)}\s?\d+", text)) >= number


def _json(text: str) -> bool:
    text = text.strip()
    opened = FENCE.match(text)
    try:
        json.loads(text[opened.end() if opened else 0 :].removesuffix("```").strip())
    except (ValueError, RecursionError):
        return False
    return True


def _title(text: str) -> bool:
    return any(found.strip("<> ") for found in TITLE.findall(text))


def _two_responses(text: str) -> bool:
    parts = [part.strip() for part in text.split(TWO)]
    said = list(filter(None, parts))
    return all(parts[1:-1]) and len(said) == 2 and said[0] != said[1]


def _repeats(text: str, prompt: str) -> bool:
    return text.strip().lower().startswith(prompt.strip().lower())


def _ends(text: str, phrase: str) -> bool:
    return text.strip().strip('"').lower().endswith(phrase.strip().lower())


def _quoted(text: str) -> bool:
    text = text.strip()
    return len(text) > 1 and text[0] == text[-1] == '"'


def _letters(text: str, letter: str, number: int, relation: str) -> bool:
    return _compared(text.lower().count(letter.lower()), relation, number)


def _capitals(text: str, number: int, relation: str) -> bool:
    words = NLTKWordTokenizer().tokenize(text)
    return _compared(sum(map(str.isupper, words)), relation, number)


def _english(text: str) -> bool:
    """English as langdetect sees it in this very case; a text it cannot judge is taken for it."""
    return detected(text) in (ENGLISH, None)


RULES: Mapping[str, Callable[..., bool]] = {
    "keywords:existence": _existence,
    "keywords:frequency": _frequency,
    "keywords:forbidden_words": _forbidden,
    "keywords:letter_frequency": _letters,
    "length_constraints:number_words": _number_words,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:nth_paragraph_first_word": _nth_paragraph,
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:constrained_response": _constrained,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:json_format": _json,
    "detectable_format:title": _title,
    "combination:two_responses": _two_responses,
    "combination:repeat_prompt": _repeats,
    "startend:end_checker": _ends,
    "startend:quotation": _quoted,
    "change_case:capital_word_frequency": _capitals,
    "change_case:english_capital": lambda text: text.isupper() and _english(text),
    "change_case:english_lowercase": lambda text: text.islower() and _english(text),
    "punctuation:no_comma": lambda text: "," not in text,
}
"""By id; the others are checked as for rewards."""
