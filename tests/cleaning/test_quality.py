"""Quality: invisible and broken characters are mended, useless rows go with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.quality import quality, repair


@pytest.mark.parametrize(
    ("text", "mended", "kind"),
    [
        ("a\u200bb", "ab", "format_character"),
        ("\ufeffstart", "start", "format_character"),
        ("soft\u00adhyphen", "softhyphen", "format_character"),
        ("bi\u202edi", "bidi", "format_character"),
        ("nul\x00l", "null", "control_character"),
        ("private\ue000", "private", "private_use"),
        ("non\ufdd0character", "noncharacter", "noncharacter"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd", "line_end"),
        ("schÃ¶n", "schön", "mojibake"),
        ("itâ\x80\x99s", "it’s", "mojibake"),
        ("schÃ\u200b¶n", "schön", "mojibake"),
    ],
)
def test_repairs_are_made_and_counted(text, mended, kind):
    result, counts = repair(text)
    assert result == mended
    assert counts[kind] >= 1


@pytest.mark.parametrize(
    "text",
    [
        'x = "“quoted”"  # ‘single’',
        r"$\alpha \leq \frac{1}{2}$ &amp; &lt;b&gt;",
        "ﬁnd the ﬂag, full width ａｂｃ",
        "family: 👨\u200d👩\u200d👧, joined: क्\u200dष",
        "tab\tand\nnewline",
        "日本語と한국어",
        "new emoji \U0001fae8",
    ],
)
def test_code_latex_and_scripts_are_left_alone(text):
    assert repair(text) == (text, {})


@given(st.text() | st.text("Ã¶â\x80\x99\u200b\xa0ﬁ\r\n"))
def test_repairing_twice_changes_nothing_more(text):
    once = repair(text)[0]
    assert repair(once)[0] == once


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
