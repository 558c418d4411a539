"""Rows as published, prompts that contradict their arguments, and whole responses."""

from __future__ import annotations

import json

import pytest

from stages.base.errors import DataError
from stages.base.records import Verdict
from stages.rewards.instructions.checking import check_instructions, judge_instructions
from stages.rewards.instructions.consistency import inconsistencies
from stages.rewards.instructions.registry import Instruction
from stages.rewards.instructions.rows import InstructionRow, read_row
from stages.rewards.router import verify
from stages.rewards.rows import problem_of
from tests.tables import each

UNUSED = ("N", "quantifier", "word", "keyword_list", "options", "letter", "i", "first_word")
IFEVAL_ROW = {
    "key": 7,
    "prompt": "Say war twice or more, without commas.",
    "instruction_id_list": ["keywords:frequency", "punctuation:no_comma"],
    "kwargs": [
        {"keyword": "war", "frequency": 2, "relation": "at least", "num_words": None},
        {"keyword": None},
    ],
}
RLVR_ROW = {
    "messages": [{"role": "user", "content": "Hi. Write at most 5 words."}],
    "ground_truth": json.dumps(
        dict.fromkeys(UNUSED)
        | {"func_name": "validate_word_constraint", "N": 5, "quantifier": "at most"}
    ),
    "dataset": "ifeval",
    "constraint_type": "Number Words",
    "constraint": "Write at most 5 words.",
}


def test_rows_of_both_data_sets_are_read_without_their_nulls():
    frequency = {"keyword": "war", "frequency": 2, "relation": "at least"}
    assert read_row(IFEVAL_ROW) == InstructionRow(
        "7",
        "Say war twice or more, without commas.",
        (Instruction("keywords:frequency", frequency), Instruction("punctuation:no_comma", {})),
    )
    assert read_row(RLVR_ROW) == InstructionRow(
        "?",
        "Hi. Write at most 5 words.",
        (Instruction("validate_word_constraint", {"N": 5, "quantifier": "at most"}),),
    )


@each(
    ("row", "change"),
    [
        (IFEVAL_ROW, {"prompt": None}),
        (IFEVAL_ROW, {"prompt": " "}),
        (IFEVAL_ROW, {"kwargs": [{}]}),
        (IFEVAL_ROW, {"kwargs": None}),
        (IFEVAL_ROW, {"kwargs": [{}, "x"]}),
        (IFEVAL_ROW, {"instruction_id_list": [1, 2]}),
        (RLVR_ROW, {"messages": []}),
        (RLVR_ROW, {"messages": "Hi"}),
        (RLVR_ROW, {"messages": [{"role": "user"}]}),
        (RLVR_ROW, {"ground_truth": "[{'instruction_id': []}]"}),
        (RLVR_ROW, {"ground_truth": "[]"}),
        (RLVR_ROW, {"ground_truth": "{}"}),
        (RLVR_ROW, {"ground_truth": None}),
        ({}, {"key": 7}),
    ],
)
def test_a_broken_row_is_one_error_with_its_key_and_no_verdict(row, change):
    broken = {**row, **change}
    with pytest.raises(DataError, match=r"^row (7|\?): "):
        read_row(broken)
    judged = judge_instructions(broken, "Hi")
    assert (judged.verdict, judged.reward) == (Verdict.ERROR, None)


@pytest.mark.parametrize(
    ("response", "ended", "verdict"),
    [
        ("<think>War, war, war.</think>War and war.", "stop", Verdict.PASS),
        ("War, war.</think>War and war.", "stop", Verdict.PASS),
        ("War and war.", "stop", Verdict.PASS),
        ("<think>War war</think>War, war.", "stop", Verdict.WRONG),
        ("<think>War war</think> ", "stop", Verdict.WRONG),
        ("", "stop", Verdict.WRONG),
        ("<think>War and war.", "stop", Verdict.TRUNCATED),
        ("<think>War</think>War and war.", "length", Verdict.TRUNCATED),
    ],
)
def test_only_what_follows_a_finished_thought_is_judged(response, ended, verdict):
    judged = verify(problem_of({"response": response, **IFEVAL_ROW, "id": "7"}), response, ended)
    assert judged.verdict is verdict
    assert judged.reward == (1.0 if verdict is Verdict.PASS else 0.0)
    assert bool(judged.reason) == (verdict is not Verdict.PASS)


def test_a_row_of_functions_is_judged_too():
    assert judge_instructions(RLVR_ROW, "Hello you").verdict is Verdict.PASS
    assert judge_instructions(RLVR_ROW, "a b c d e f").verdict is Verdict.WRONG


def test_a_row_without_its_prompt_is_judged_by_its_arguments():
    row = {name: value for name, value in IFEVAL_ROW.items() if name != "prompt"}
    assert judge_instructions(row, "War and war.").verdict is Verdict.PASS


def at_least(words: int) -> Instruction:
    return Instruction(
        "length_constraints:number_words", {"num_words": words, "relation": "at least"}
    )


@pytest.mark.field_bug("D63")
def test_a_prompt_that_says_another_number_than_its_arguments_cannot_be_judged():
    """A published row asks for 400 words and checks 336."""
    prompt = "Write a riddle. Your response must be at least 400 words and have a title."
    (note,) = inconsistencies(prompt, at_least(336))
    assert "400" in note
    assert "336" in note
    judged = check_instructions([at_least(336)], "word " * 400, prompt)
    assert (judged.verdict, judged.reward) == (Verdict.ERROR, None)
    assert note in judged.reason
    assert check_instructions([at_least(400)], "word " * 400, prompt).verdict is Verdict.PASS
    assert check_instructions([at_least(336)], "word " * 400).verdict is Verdict.PASS


@pytest.mark.field_bug("D63")
def test_a_prompt_with_the_other_bound_cannot_be_judged():
    """A published row wants a letter at least 6 times and checks for less than 6."""
    prompt = "The letter o should appear at least 6 times."
    kwargs = {"letter": "o", "let_frequency": 6, "let_relation": "less than"}
    wrong = Instruction("keywords:letter_frequency", kwargs)
    assert len(inconsistencies(prompt, wrong)) == 1
    assert check_instructions([wrong], "ooo", prompt).verdict is Verdict.ERROR
    right = Instruction(wrong.id, {**kwargs, "let_relation": "at least"})
    assert inconsistencies(prompt, right) == []


@each(
    ("prompt", "kwargs", "agree"),
    [
        ("Use 1,200 words or more.", {"num_words": 1200, "relation": "at least"}, True),
        ("Use more than 50 words.", {"num_words": 51, "relation": "at least"}, True),
        ("Use at most 150 words.", {"num_words": 151, "relation": "less than"}, True),
        ("A 300+ word story.", {"num_words": 300, "relation": "at least"}, True),
        ("Do not use more than 20 words.", {"num_words": 21, "relation": "less than"}, True),
        ("Write 20 to 25 words.", {"num_words": 26, "relation": "less than"}, True),
        ("Use fewer than ten words.", {"num_words": 10, "relation": "less than"}, True),
        ("Be brief. Name 3 cities.", {"num_words": 50, "relation": "less than"}, True),
        ("A 300+ word story.", {"num_words": 300, "relation": "less than"}, False),
        ("Use 30 words or less.", {"num_words": 30, "relation": "at least"}, False),
        ("Use fewer than ten words.", {"num_words": 12, "relation": "less than"}, False),
        ("Words: about 100 words, no more.", {"num_words": 200, "relation": "less than"}, False),
    ],
)
def test_numbers_and_bounds_are_read_as_people_write_them(prompt, kwargs, agree):
    instruction = Instruction("length_constraints:number_words", kwargs)
    assert (inconsistencies(prompt, instruction) == []) == agree


@pytest.mark.parametrize(
    ("name", "kwargs", "prompt", "other"),
    [
        ("keywords:existence", {"keywords": ["Sarah"]}, "Name sarah.", "Name Sara."),
        ("verify_keywords", {"keyword_list": ["a", "b"]}, "Say a and b.", "Say it."),
        ("startend:end_checker", {"end_phrase": "Good\nbye."}, "End: good bye.", "End: bye."),
        ("combination:repeat_prompt", {"prompt_to_repeat": "Go."}, "Go. Repeat.", "Repeat."),
        ("detectable_content:postscript", {"postscript_marker": "P.S."}, "a P.S.", "a P.P.S"),
        ("verify_bullet_points", {"N": 2}, "2 bullet points", "3 bullet points"),
    ],
)
def test_words_of_the_arguments_stand_in_the_prompt(name, kwargs, prompt, other):
    assert inconsistencies(prompt, Instruction(name, kwargs)) == []
    assert len(inconsistencies(other, Instruction(name, kwargs))) == 1


def test_a_number_beside_an_example_bullet_counts_nothing():
    instruction = Instruction("detectable_format:number_bullet_lists", {"num_bullets": 3})
    assert inconsistencies("Three names as bullets such as:\n* Bullet point 1", instruction) == []
    assert inconsistencies("Use bullets such as:\n* Bullet point 1", instruction) == []
