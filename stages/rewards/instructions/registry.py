"""The table of instructions: published id -> its arguments -> its check.

The first half are the 25 types of IFEval, the second the 25 functions of RLVR-IFeval; ids and
arguments are spelt as published (``section_spliter`` included). Checks take the response and the
values of the arguments in the order of the table. RLVR-IFeval's rows are judged by our reading of
their wording, not by the functions published with them: those count ``art`` in ``start`` and a
small ``a`` apart from a capital one.

Every check is as strict as the wording. Where that parts from IFEval's reference, the function says
what counts, and ``tests/rewards/test_instructions_published.py`` compares the two. This is for
rewards; the benchmark IFEval is scored by its own reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stages.base.errors import VerifierError
from stages.rewards.instructions import languages, layout, sentences, wholes, words
from stages.rewards.instructions.arguments import (
    COUNT,
    LANGUAGE,
    LETTER,
    POSITIVE,
    QUANTIFIER,
    RELATION,
    TEXT,
    TEXTS,
    Field,
    read_arguments,
)


@dataclass(frozen=True)
class Instruction:
    """One instruction as published: its id and its arguments.

    Example: ``Instruction("length_constraints:number_words",
    {"relation": "at least", "num_words": 300})``
    """

    id: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """What an id stands for: its arguments, and the check that takes them in this order."""

    check: Callable[..., bool]
    fields: Mapping[str, Field] = field(default_factory=dict)


def _exactly(check: Callable[..., bool]) -> Callable[..., bool]:
    return lambda *values: check(*values, "exactly")


def _starred(text: str, number: int) -> bool:
    return layout.number_paragraphs(text, number, divider="* * *")


def _sections(text: str, number: int, splitter: str) -> bool:
    return layout.has_sections(text, splitter, number)


def _nth(text: str, number: int, first_word: str, nth: int) -> bool:
    return layout.nth_paragraph_first_word(text, number, nth, first_word)


IFEVAL = {
    "keywords:existence": Kind(words.contains_all, {"keywords": TEXTS}),
    "keywords:frequency": Kind(
        words.keyword_frequency, {"keyword": TEXT, "frequency": POSITIVE, "relation": RELATION}
    ),
    "keywords:forbidden_words": Kind(words.contains_none, {"forbidden_words": TEXTS}),
    "keywords:letter_frequency": Kind(
        words.letter_frequency,
        {"letter": LETTER, "let_frequency": POSITIVE, "let_relation": RELATION},
    ),
    "language:response_language": Kind(languages.in_language, {"language": LANGUAGE}),
    "length_constraints:number_sentences": Kind(
        sentences.number_sentences, {"num_sentences": POSITIVE, "relation": RELATION}
    ),
    "length_constraints:number_paragraphs": Kind(
        layout.number_paragraphs, {"num_paragraphs": POSITIVE}
    ),
    "length_constraints:number_words": Kind(
        words.number_words, {"num_words": POSITIVE, "relation": RELATION}
    ),
    "length_constraints:nth_paragraph_first_word": Kind(
        layout.nth_paragraph_first_word,
        {"num_paragraphs": POSITIVE, "nth_paragraph": POSITIVE, "first_word": TEXT},
    ),
    "detectable_content:number_placeholders": Kind(
        layout.number_placeholders, {"num_placeholders": POSITIVE}
    ),
    "detectable_content:postscript": Kind(layout.has_postscript, {"postscript_marker": TEXT}),
    "detectable_format:number_bullet_lists": Kind(layout.number_bullets, {"num_bullets": POSITIVE}),
    "detectable_format:constrained_response": Kind(wholes.states_one),
    "detectable_format:number_highlighted_sections": Kind(
        layout.number_highlights, {"num_highlights": POSITIVE}
    ),
    "detectable_format:multiple_sections": Kind(
        layout.has_sections, {"section_spliter": TEXT, "num_sections": POSITIVE}
    ),
    "detectable_format:json_format": Kind(wholes.is_json),
    "detectable_format:title": Kind(layout.has_title),
    "combination:two_responses": Kind(layout.two_responses),
    "combination:repeat_prompt": Kind(wholes.repeats_prompt, {"prompt_to_repeat": TEXT}),
    "startend:end_checker": Kind(wholes.ends_with, {"end_phrase": TEXT}),
    "startend:quotation": Kind(wholes.is_quoted),
    "change_case:capital_word_frequency": Kind(
        words.capital_words, {"capital_frequency": POSITIVE, "capital_relation": RELATION}
    ),
    "change_case:english_capital": Kind(languages.all_capital),
    "change_case:english_lowercase": Kind(languages.all_lowercase),
    "punctuation:no_comma": Kind(words.no_comma),
}
"""The types of IFEval."""

RLVR = {
    "verify_keywords": Kind(words.contains_all, {"keyword_list": TEXTS}),
    "verify_keyword_frequency": Kind(_exactly(words.keyword_frequency), {"word": TEXT, "N": COUNT}),
    "validate_forbidden_words": Kind(words.contains_none, {"forbidden_words": TEXTS}),
    "verify_letter_frequency": Kind(
        _exactly(words.letter_frequency), {"letter": LETTER, "N": COUNT}
    ),
    "validate_response_language": Kind(languages.in_language, {"language": LANGUAGE}),
    "verify_paragraph_count": Kind(_starred, {"N": POSITIVE}),
    "validate_word_constraint": Kind(words.number_words, {"N": POSITIVE, "quantifier": QUANTIFIER}),
    "verify_sentence_constraint": Kind(
        sentences.number_sentences, {"N": POSITIVE, "quantifier": QUANTIFIER}
    ),
    "validate_paragraphs": Kind(_nth, {"N": POSITIVE, "first_word": TEXT, "i": POSITIVE}),
    "verify_postscript": Kind(layout.has_postscript, {"postscript_marker": TEXT}),
    "validate_placeholders": Kind(layout.number_placeholders, {"N": POSITIVE}),
    "verify_bullet_points": Kind(layout.number_bullets, {"N": POSITIVE}),
    "validate_title": Kind(layout.has_title),
    "validate_choice": Kind(wholes.states_one, {"options": TEXTS}),
    "validate_highlighted_sections": Kind(layout.number_highlights, {"N": POSITIVE}),
    "validate_sections": Kind(_sections, {"N": POSITIVE, "section_splitter": TEXT}),
    "validate_json_format": Kind(wholes.is_json),
    "validate_repeat_prompt": Kind(wholes.repeats_prompt, {"original_prompt": TEXT}),
    "validate_two_responses": Kind(layout.two_responses),
    "validate_uppercase": Kind(languages.all_capital),
    "validate_lowercase": Kind(languages.all_lowercase),
    "validate_frequency_capital_words": Kind(
        words.capital_words, {"N": POSITIVE, "quantifier": QUANTIFIER}
    ),
    "validate_end": Kind(wholes.ends_with, {"end_phrase": TEXT}),
    "validate_quotation": Kind(wholes.is_quoted),
    "validate_no_commas": Kind(words.no_comma),
}
"""The functions of RLVR-IFeval."""

KINDS: Mapping[str, Kind] = {**IFEVAL, **RLVR}


def bound(instruction: Instruction) -> Callable[[str], bool]:
    """The check of one instruction, ready for a response.

    Raises VerifierError if the id is unknown or its arguments do not fit.
    """
    kind = KINDS.get(instruction.id)
    if kind is None:
        raise VerifierError(
            f"{instruction.id!r}: no such instruction. Known are those of IFEval and RLVR-IFeval, "
            "spelt as published; drop the row or add the type to the table."
        )
    values = read_arguments(instruction.id, kind.fields, instruction.kwargs)
    given = dict(zip(kind.fields, values, strict=True))
    total = given.get("num_paragraphs", given.get("N", 0))
    nth = given.get("nth_paragraph", given.get("i", 0))
    if nth > total:
        raise VerifierError(f"{instruction.id}: paragraph {nth} of {total} cannot be. Fix the row.")
    return lambda text: kind.check(text, *values)
