"""The rules of IFEval as published, where they part from the wording too."""

from __future__ import annotations

from typing import Any

import pytest

from stages.base.errors import VerifierError
from stages.evals.published.ifeval_rules import RULES, check_of
from stages.rewards.instructions.registry import IFEVAL, Instruction
from tests.tables import each

LEAST = {"relation": "at least"}
LESS = {"relation": "less than"}
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    # id, arguments, a text that follows, one that does not
    ("keywords:existence", {"keywords": ["art", "B"]}, "Start a Bee", "Start a see"),
    ("keywords:frequency", {"keyword": "cat", "frequency": 2, **LEAST}, "Cats concat", "cats"),
    ("keywords:frequency", {"keyword": "cat", "frequency": 2, **LESS}, "cats", "a cat, a CAT"),
    ("keywords:forbidden_words", {"forbidden_words": ["art"]}, "Start", "No ART."),
    ("length_constraints:number_words", {"num_words": 4, **LEAST}, "it's well-known", "one two"),
    ("length_constraints:number_words", {"num_words": 2, **LESS}, "one", "it's"),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "***a ***b", "a ****** b"),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a] [b]", "[a]\n[b"),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "a\np. s. b", "ps b"),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "P.P. S b", "P.S. b"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* a\n - b", "* a\n**b**"),
    (
        "detectable_format:constrained_response",
        {},
        "Well. My answer is no. Yes.",
        "my answer is no",
    ),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*a* **b**", "*a* **"),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Section", "num_sections": 2},
        "Section 1\na\nSection 2",
        "Section one, Section 2",
    ),
    ("detectable_format:json_format", {}, '```json\n{"a": 1}\n```', "{a: 1}"),
    ("detectable_format:title", {}, "So <<a title>> it is", "<< >>"),
    ("combination:two_responses", {}, "a\n******\nb", "a\n******\na"),
    ("combination:two_responses", {}, "******a******b******", "a******\n******b"),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Say it."}, "SAY IT. So", "I say it."),
    ("startend:end_checker", {"end_phrase": "The end."}, 'a the end."', "the end. a"),
    ("startend:quotation", {}, ' "a" b"', '"'),
    ("change_case:english_lowercase", {}, "this is surely a plain english text", "This is not"),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "at least"},
        "NASA and I",
        "NASA and i",
    ),
    ("punctuation:no_comma", {}, "a，b", "1,000"),
]
CASES += [
    (
        "keywords:letter_frequency",
        {"letter": "a", "let_frequency": 2, "let_relation": "at least"},
        "Aa",
        "a",
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "so"},
        "a\nb\n\n'So, c",
        "so\n\na",
    ),
]


@each(("name", "arguments", "follows", "does_not"), CASES)
def test_what_follows_and_what_does_not(name, arguments, follows, does_not):
    check = check_of(Instruction(name, arguments))
    assert check(follows)
    assert not check(does_not)


def test_every_rule_is_of_an_instruction_of_ifeval():
    assert set(IFEVAL) - set(RULES) == {
        "language:response_language", "length_constraints:number_sentences"
    }  # fmt: skip
    assert set(RULES) <= set(IFEVAL)


def test_english_in_capitals_is_what_the_detector_takes_for_english():
    check = check_of(Instruction("change_case:english_capital"))
    assert check("THIS IS A TEXT OF SEVERAL WORDS WHICH IS SURELY ENGLISH AND NOTHING ELSE")
    assert not check("This is not")


def test_another_instruction_is_none():
    with pytest.raises(VerifierError, match="no instruction of IFEval"):
        check_of(Instruction("validate_end", {"end_phrase": "x"}))
