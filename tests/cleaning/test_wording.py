"""Words, and what stands between them."""

from hypothesis import example, given
from hypothesis import strategies as st

from stages.cleaning.wording import WORD, Wording, same_between, spans_of, words_of
from tests.tables import each

TEXTS = st.text(st.sampled_from("aB1_ -.,é中한カ²\n$\\") | st.characters(), max_size=40)


@given(TEXTS)
@example("䷀カ・゛ん")  # signs among the characters of unspaced scripts are no words
def test_the_fast_ways_find_the_same_words(text):
    words = WORD.findall(text)
    assert words_of(text) == words
    assert [text[begin:end] for begin, end in spans_of(text)] == words


@given(TEXTS)
def test_words_and_what_stands_between_them_are_the_text(text):
    wording = Wording(text)
    pieces = [wording.before(word) for word in range(len(wording.written) + 1)]
    rebuilt = pieces[0] + "".join(
        word + after for word, after in zip(wording.written, pieces[1:], strict=True)
    )
    assert rebuilt == text


@each(
    ("left", "mine", "theirs", "right", "same"),
    [
        ("12", " * ", "*", "13", True),
        ("12", " * ", " + ", "13", False),
        ("12", " – ", " - ", "13", True),
        ("5", " – ", ", ", "9", True),
        ("x2", " + ", " - ", "1", False),
        ("x", " + ", " - ", "cos", False),
        ("well", "-", " ", "known", True),
        ("digit", " - ", " ", "3", True),
        ("10", "^-", "-", "3", False),
        ("10", "^{-", "^-", "3", True),
        ("is", " **", " ", "12", True),
        ("3", "**", "^", "4", True),
        ("3", "**", "*", "4", False),
        ("x", " <= ", " < ", "7", False),
        ("50", r"\% + ", "% + ", "7", True),
    ],
)
def test_operators_between_operands_count(left, mine, theirs, right, same):
    assert same_between(left, mine, theirs, right) is same
    assert same_between(left, theirs, mine, right) is same
