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
