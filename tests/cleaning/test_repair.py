"""Repair: invisible and broken characters are mended and counted, everything else stays."""

from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.repair import repair, repair_rows
from tests.tables import each


@each(
    ("text", "mended", "kind"),
    [
        ("a\u200bb", "ab", "format_character"),
        ("\ufeffstart", "start", "format_character"),
        ("soft\u00adhyphen", "softhyphen", "format_character"),
        ("bi\u202edi", "bidi", "format_character"),
        ("nul\x00l", "null", "control_character"),
        ("private\ue000", "private", "private_use"),
        ("non\ufdd0character", "noncharacter", "noncharacter"),
        ("one ends\x0cTwo", "one ends\nTwo", "control_character"),
        ("a\x0bb\x1fc\x1cd", "a\nb c d", "control_character"),
        ("so \x0crac{1}{2}", r"so \frac{1}{2}", "control_character"),
        ("`Ã©` is schÃ¶n", "`Ã©` is schön", "mojibake"),
        ("é is it\nschÃ©", "é is it\nsché", "mojibake"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd", "line_end"),
        ("schÃ¶n", "schön", "mojibake"),
        ("itâ\x80\x99s", "it’s", "mojibake"),
        ("schÃ\u200b¶n", "schön", "mojibake"),
        ("num\ufe0fber", "number", "invisible_mark"),
        ("num\u034fber", "number", "invisible_mark"),
        ("num\U000e0100ber", "number", "invisible_mark"),
        ("num\u3164ber", "number", "invisible_mark"),
        (
            "Was heißt â€žGrÃ¼ÃŸeâ€œ auf Englisch?",
            "Was heißt „Grüße“ auf Englisch?",
            "mojibake",
        ),
        ("Das heißt: GrÃ¼ÃŸe", "Das heißt: Grüße", "mojibake"),
        ("Für dich und fÃ¼r mich, für alle", "Für dich und für mich, für alle", "mojibake"),
        ("„Hallo“ und â€žTschÃ¼ssâ€œ", "„Hallo“ und „Tschüss“", "mojibake"),
        ("$\\alpha_i$ für schÃ¶ne `Ã©`", "$\\alpha_i$ für schöne `Ã©`", "mojibake"),
        ("\x1b[31mred\x1b[0m", "red", "terminal_sequence"),
        ("\x1b[1;32mok\x1b[0m \x1b[2K\x1b[10Adone", "ok done", "terminal_sequence"),
        ("\x1b]0;title\x07$ ls\x1b(B", "$ ls", "terminal_sequence"),
        ("5\ufe0f apples", "5 apples", "invisible_mark"),
    ],
)
def test_repairs_are_made_and_counted(text, mended, kind):
    result, counts = repair(text)
    assert result == mended
    assert counts[kind] >= 1


@each(
    "text",
    [
        'x = "“quoted”"  # ‘single’',
        r"$\alpha \leq \frac{1}{2}$ &amp; &lt;b&gt;",
        "ﬁnd the ﬂag, full width ａｂｃ",
        "family: 👨\u200d👩\u200d👧, joined: क्\u200dष",
        "tab\tand\nnewline",
        "日本語と한국어",
        "The mojibake of é is Ã©",
        "In latin-1 'Ã¼' is what you see when 'ü' is misread",
        "Grüße becomes GrÃ¼ÃŸe when UTF-8 is read as Latin-1",
        "é: Ã©",
        r"\x1b[31mred\x1b[0m and \033[0m are escapes",
        "the array a[0m] and [31m stay",
        "print('Ã©'.encode('latin1').decode('utf8'))",
        "```\nx = 'schÃ¶n'\n```",
        "new emoji \U0001fae8",
        "\u2764\ufe0f and 1\ufe0f\u20e3 and \U0001f3f3\ufe0f\u200d\U0001f308",
        "葛\U000e0100, \u2139\ufe0f, \u1820\u180b, \u1112\u1160",
    ],
)
def test_code_latex_and_scripts_are_left_alone(text):
    assert repair(text) == (text, {})


@given(
    st.text()
    | st.text("Ã¶â\x80\x99\u200b\xa0ﬁ\r\n")
    | st.text("\x1b[]0;m\x07\\a\n(B")
    | st.text("a5\u2764क\u200c\u200d\ufe0f\u034f\u1160\ue000\x00")
)
def test_repairing_twice_changes_nothing_more(text):
    once = repair(text)[0]
    assert repair(once)[0] == once


def test_rows_keep_their_other_fields_and_none_is_dropped():
    rows = [
        {"id": "a", "prompt": "nul\x00l", "response": "\x00", "note": "\x00"},
        {"id": "b", "prompt": "p", "response": "r"},
    ]
    result = repair_rows(rows)
    assert result.kept == [{**rows[0], "prompt": "null", "response": ""}, rows[1]]
    assert (result.dropped, result.repairs) == ([], {"control_character": 2})
    assert rows[0]["prompt"] == "nul\x00l"
