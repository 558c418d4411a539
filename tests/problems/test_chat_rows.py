"""General prompts and preferences: one question each, references kept, ties without a winner."""

from __future__ import annotations

import json

import pytest

from tests.problems.rows import ROWS, parsed


def test_a_system_turn_stands_before_the_question():
    (problem,) = parsed("autoif", ROWS["autoif"]).problems
    assert problem.prompt == "Answer in capitals.\n\nName a colour."
    assert (problem.answer, problem.open) == ("BLUE", True)


def test_conversations_of_more_questions_are_set_aside():
    said = ROWS["magpie"]["conversations"]
    found = parsed("magpie", {"conversations": said * 2})
    assert found.unfit[0].reason == "not a conversation of one question"


@pytest.mark.parametrize(
    ("row", "prompt", "reference"),
    [
        (ROWS["wmt"], "Translate from German into English.\n\nGuten Morgen.", "Good morning."),
        ({"lg": "en-zh", "en": "Hi.", "zh": "你好。"},
         "Translate from English into Chinese.\n\nHi.", "你好。"),
    ],
)  # fmt: skip
def test_a_translation_goes_from_the_first_language_to_the_second(row, prompt, reference):
    (problem,) = parsed("wmt", row).problems
    assert (problem.prompt, problem.answer) == (prompt, reference)


@pytest.mark.parametrize(
    "row", [{"translation": {"de": "x"}}, {"lg": "en-xx", "en": "a", "xx": "b"}, {"lg": "en"}]
)
def test_a_pair_of_unknown_languages_is_unreadable(row):
    assert "no pair of known languages" in parsed("wmt", row).unreadable[0][2]


def test_arguments_that_tables_fill_with_null_are_not_given():
    (told,) = parsed("ifeval", ROWS["ifeval"]).problems
    assert told.meta["instructions"] == {
        "prompt": told.prompt, "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}],
    }  # fmt: skip
    (other,) = parsed("rlvr_ifeval", ROWS["rlvr_ifeval"]).problems
    truth = json.loads(other.meta["instructions"]["ground_truth"])
    assert truth == {"func_name": "validate_lowercase"}
    assert not other.open


@pytest.mark.parametrize(
    "changes", [{"instruction_id_list": []}, {"kwargs": []}, {"instruction_id_list": [3]}]
)
def test_instructions_need_an_id_and_arguments_each(changes):
    assert parsed("ifeval", {**ROWS["ifeval"], **changes}).unreadable


def test_the_winner_of_an_arena_row_is_chosen_and_its_prompt_a_general_one():
    found = parsed("arena", ROWS["arena"])
    (pair,), (prompt,) = found.preferences, found.problems
    assert (pair.chosen, pair.rejected) == ("Oak.", "No.")
    assert pair.prompt == prompt.prompt == "Hi, name a tree."
    assert pair.meta["language"] == "english"
    other = parsed("arena", {**ROWS["arena"], "winner": "model_a"}).preferences[0]
    assert (other.chosen, other.rejected) == ("No.", "Oak.")


@pytest.mark.parametrize("winner", ["tie", "tie (bothbad)", "both_bad"])
def test_a_tie_is_no_preference_but_its_prompt_counts(winner):
    found = parsed("arena", {**ROWS["arena"], "winner": winner})
    assert found.preferences == []
    assert [left.reason for left in found.unfit] == ["a tie: no preference"]
    assert len(found.problems) == 1


def test_an_unknown_winner_is_unreadable_and_pictures_are_set_aside():
    assert parsed("arena", {**ROWS["arena"], "winner": "model_c"}).unreadable
    asked = {"role": "user", "content": [{"type": "text", "text": "Hi, name a tree."},
                                         {"type": "image", "image": "x"}]}  # fmt: skip
    row = {**ROWS["arena"], "conversation_a": [asked, ROWS["arena"]["conversation_a"][1]]}
    assert parsed("arena", row).unfit[0].reason == "the prompt needs a picture"


def test_forum_answers_are_ranked_and_their_markup_goes():
    (pair,) = parsed("stackoverflow", ROWS["stackoverflow"]).preferences
    assert pair.prompt == "How do I x < y?"
    assert (pair.chosen, pair.rejected) == ("Like this.", "No.")
    alike = [{**answer, "pm_score": 2} for answer in ROWS["stackoverflow"]["answers"]]
    found = parsed("stackoverflow", {**ROWS["stackoverflow"], "answers": alike})
    assert found.preferences == []
    assert found.problems[0].answer == "Like this."
