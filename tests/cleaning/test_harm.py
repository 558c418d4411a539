"""Harm: requests and threats go with their words named; science and code stay."""

import pytest

from stages.cleaning.harm import describe, drop_harmful, judge_harm, judge_row
from tests.cleaning.harm_samples import (
    ANSWERED,
    BY_CATEGORY,
    HARD_NEGATIVES,
    HARMFUL,
    HARMLESS,
    OUT_OF_REACH,
    REFUSED,
)
from tests.tables import each


def test_the_sets_are_large_enough_and_at_most_a_tenth_of_the_harm_is_missed():
    harmful = [*(text for text, _ in [*HARMFUL, *BY_CATEGORY]), *OUT_OF_REACH]
    missed = [text for text in harmful if not judge_harm(text).harmful]
    assert min(len(HARMLESS), len(HARD_NEGATIVES), len(BY_CATEGORY)) >= 60
    assert len(missed) <= len(harmful) // 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How to get the molar mass of methamphetamine?", ("molar mass",)),
        ("How do I kill him in chess with a back rank mate?", ("chess", "back rank")),
        ("How to make a bath bomb?", ("bath bomb",)),
    ],
)
def test_the_words_that_clear_a_candidate_are_named(text, words):
    assert judge_harm(text).cleared_by == words


def test_a_context_clears_its_own_sentence_alone():
    assert judge_harm("I play chess in a game. How do I kill my boss?").harmful


@each("text", [*HARMLESS, *HARD_NEGATIVES])
def test_science_code_law_news_and_fiction_survive(text):
    assert not judge_harm(text).harmful


@each(("text", "reason"), [*HARMFUL, *BY_CATEGORY])
def test_harmful_texts_are_found_with_reason_and_words(text, reason):
    decision = judge_harm(text)
    assert (decision.harmful, decision.reason) == (True, reason)
    assert decision.words


def test_suspicious_words_of_a_harmless_text_are_named():
    decision = judge_harm("Kill the process, then poison the queue.")
    assert decision.reason == "harmless_context"
    assert decision.words == ("kill", "poison")


def test_both_fields_are_searched_and_the_field_is_named():
    rows = [
        {"id": "1", "domain": "x", "prompt": "2 + 2?", "response": "I will kill you."},
        {"id": "2", "domain": "x", "prompt": "2 + 2?", "response": "4"},
    ]
    result = drop_harmful(rows)
    assert [row["id"] for row in result.kept] == ["2"]
    assert result.dropped[0].evidence == {"field": "response", "words": ["I will kill you"]}


@each(("prompt", "response"), REFUSED)
def test_a_row_whose_answer_refuses_stays_and_its_words_are_named(prompt, response):
    decision = judge_row(prompt, response)
    assert (decision.harmful, decision.field) == (False, "prompt")
    assert decision.words
    assert decision.refused


@pytest.mark.parametrize(("prompt", "response"), ANSWERED)
def test_a_refusal_in_thought_in_passing_or_followed_by_help_is_none(prompt, response):
    assert judge_row(prompt, response).harmful


def test_refusals_are_counted_and_the_report_says_what_is_looked_for():
    rows = [
        {"id": str(number), "domain": "x", "prompt": prompt, "response": response}
        for number, (prompt, response) in enumerate([*REFUSED, ("2 + 2?", "4")])
    ]
    result = drop_harmful(rows)
    assert (result.kept, result.dropped) == (rows, [])
    assert result.notes == {"refused": len(REFUSED)}
    report = describe(result.notes)
    assert report["refused"] == len(REFUSED)
    assert set(report["categories"]) == {reason for _, reason in [*HARMFUL, *BY_CATEGORY]}
    assert {"Chinese", "French", "German", "Russian", "Spanish"} < set(report["languages"])


def test_threats_in_an_asked_for_story_stay():
    assert not judge_row("Write a story about two robbers.", "I will kill you, he thought.").harmful
    assert judge_row("How was your day?", "I will kill you, he thought.").harmful


def test_every_rule_is_tried_wherever_its_own_words_stand():
    """A rule whose words are not looked up would never be tried."""
    for text, reason in [*HARMFUL, *BY_CATEGORY]:
        padded = f"The weather is fine today. {text} Thank you."
        assert judge_harm(padded).reason == reason, text
