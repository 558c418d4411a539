"""Quality: useless rows go with a reason, the others stay as they are."""

import pytest

from stages.cleaning.quality import quality


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("<think> I wonder", "unclosed_thinking"),
        ("<think> a <think> b </think> c", "unclosed_thinking"),
        ("a </think> b", "malformed_thinking"),
        ("<think> a </think> b </think> c", "malformed_thinking"),
        ("<think> a </think>  ", "no_final_answer"),
        ("   ", "empty_response"),
        ("wait no " * 20, "repetition"),
        ("\ufffd" * 5 + "abc", "unreadable_characters"),
    ],
)
def test_useless_rows_go_with_a_reason(response, reason):
    row = {"id": "1", "domain": "maths", "prompt": "p", "response": response}
    result = quality([row])
    assert not result.kept
    assert result.dropped[0].reason == reason


@pytest.mark.parametrize(
    "response",
    [
        "<think> a </think> b",
        "<think> </think> b",
        "no thinking at all",
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        "| - | - | - | - | - | - | - | - | - |",
        "so " * 5 + "that is it",
    ],
)
def test_useful_rows_stay(response):
    row = {"id": "1", "domain": "maths", "prompt": "p", "response": response}
    assert quality([row]).kept == [row]


SENTENCE = "Let me check it once more because I am not sure about it at all and should verify it. "


@pytest.mark.parametrize(
    "response",
    [
        "ha" * 500,
        "我想想。" * 500,
        "嗯" * 300,
        "x=1;" * 2000,
        SENTENCE * 30,
        "".join(f"Step {number}: let me check. " for number in range(300)),
        "```\n" + "x = x + 1\n" * 200,
    ],
)
def test_loops_without_blanks_and_of_long_blocks_are_repetition(response):
    row = {"id": "1", "domain": "maths", "prompt": "p", "response": f"So {response}"}
    assert [item.reason for item in quality([row]).dropped] == ["repetition"]


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        ("Add one often.", "```python\n" + "x = x + 1\n" * 12 + "```"),
        ("Write 'I will not talk' 20 times.", "I will not talk\n" * 20),
        ("Write 'I will not talk' twenty times.", "I will not talk\n" * 20),
        ("What does the tag do?", "A model ends its thoughts with `</think>`, after `<think>`."),
        ("What ends it?", "<think> a </think> It is `</think>` that ends them."),
        ("Count.", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, " * 9),
    ],
)
def test_what_repeats_for_good_reason_and_talk_about_tags_stay(prompt, response):
    row = {"id": "1", "domain": "maths", "prompt": prompt, "response": response}
    assert quality([row]).kept == [row]


def test_more_repeats_than_were_asked_for_are_a_loop():
    row = {"id": "1", "domain": "other", "prompt": "Say it 20 times.", "response": "So it is " * 40}
    assert quality([row]).dropped[0].reason == "repetition"
