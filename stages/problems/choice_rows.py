"""Multiple choice in the layouts of the public sets; the letter version, before it is rewritten."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from stages.base.errors import DataError
from stages.base.seeds import seeded_random
from stages.problems.outside import Draft, Fields, Parsed, Unfit, digest, text

LABEL = re.compile(r"\A\s*\(?([A-J])(?:[).:]|\s*\Z)\s*")
CHOOSE = "Answer with the letter of the right option."


def choice(fields: Fields) -> list[Parsed]:
    """Question, options (a list, a mapping of letters, or ``{text, label}``) and which is right.

    The right one is a letter, an index from 0 or the text of an option: MMLU, ARC, MMLU-Pro, GPQA
    after their export.
    """
    options = _options(fields)
    if len(options) < 2:
        return [Unfit("fewer than two options")]
    right = _right(fields, options)
    return [_draft(text(fields, "question", "problem", "input"), list(options.values()), right)]


def sciq(fields: Fields) -> list[Parsed]:
    """SciQ: the right answer and three distractors in fields of their own, in no telling order."""
    question, right = text(fields, "question"), text(fields, "correct_answer")
    options = [right, *(text(fields, f"distractor{number}") for number in (1, 2, 3))]
    if len(set(options)) < len(options):
        return [Unfit("two options are alike")]
    seeded_random(0, "options", digest(question)).shuffle(options)
    return [_draft(question, options, options.index(right))]


def _draft(question: str, options: list[str], right: int) -> Draft | Unfit:
    if len({option.casefold() for option in options}) < len(options):
        return Unfit("two options are alike")
    letters = ascii_uppercase[: len(options)]
    listed = "\n".join(f"{at}. {said}" for at, said in zip(letters, options, strict=True))
    prompt = f"{question}\n\n{listed}\n\n{CHOOSE}"
    meta = {"question": question, "options": options}
    return Draft(prompt, letters[right], "choice", meta)


def _options(fields: Fields) -> dict[str, str]:
    """Texts of the options under their letters."""
    found = fields.get("options", fields.get("choices"))
    if isinstance(found, Mapping) and isinstance(found.get("text"), list):
        found = dict(zip(found.get("label") or (), found["text"], strict=False))
    if isinstance(found, list) and len(found) <= len(ascii_uppercase):
        found = dict(zip(ascii_uppercase, map(_bare, enumerate(found)), strict=False))
    if not isinstance(found, Mapping):
        raise DataError("field 'options' or 'choices' is missing, or too many to have letters")
    options = {str(name): said for name, said in found.items() if said is not None}
    if len(options) > len(ascii_uppercase):
        raise DataError("field 'options' or 'choices' holds more options than there are letters")
    if not all(isinstance(said, str) and said.strip() for said in options.values()):
        raise DataError("field 'options' or 'choices' holds an option that is no text")
    return {name: said.strip() for name, said in options.items()}


def _bare(numbered: tuple[int, Any]) -> Any:
    """An option of a list without the letter it begins with, where that is its own."""
    number, said = numbered
    found = LABEL.match(said) if isinstance(said, str) else None
    own = found is not None and number < 10 and found[1] == ascii_uppercase[number]
    return said[found.end() :] if found and own else said


def _right(fields: Fields, options: Mapping[str, str]) -> int:
    names = list(options)
    for name in ("answerKey", "answer", "answer_letter", "answer_index", "label", "target"):
        value = fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
            return value
        if isinstance(value, str):
            stated = LABEL.match(value)
            for candidate in (value.strip(), stated[1] if stated else ""):
                if candidate in names:
                    return names.index(candidate)
            if value.strip() in options.values():
                return list(options.values()).index(value.strip())
    raise DataError("no field 'answer' names one of the options")
