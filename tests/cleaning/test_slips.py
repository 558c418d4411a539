"""A word that nothing else speaks of is a slip; any other makes another question."""

import random
from collections import Counter

import pytest

from stages.cleaning.slips import only_slips
from stages.cleaning.statement import asked, statement
from tests.cleaning.streams import row
from tests.cleaning.test_near_dedup import near, plain_jaccard

VOCABULARY = [
    f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("ai", "o", "en", "ur", "il") for c in "bdgklmpr"
]


def slipped(one, other, said="", said_there=""):
    counts = [
        Counter(f"{text} {more}".split()) for text, more in ((one, said), (other, said_there))
    ]
    return only_slips(one.split(), other.split(), *(count.__getitem__ for count in counts))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("which house is near the lake", "which huose is near the lake"),  # another word
        ("which house is near the lake", "please which house is near the lake"),  # one more
        ("which house is quite near the lake", "which house is near the lake"),  # one less
        ("tell of the colour of it", "tell of the color of it"),
    ],
)
def test_a_word_that_comes_nowhere_else_is_a_slip(one, other):
    assert slipped(one, other)
    assert slipped(other, one)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("how many pears are left", "how many plums are left", "there are pears and plums"),
        ("is Ann a knight", "is Ann a knave", "a knight or a knave"),
        ("find the red ball now", "find the ball now", "a red ball"),
        ("what is x1 of it", "what is x2 of it", ""),
    ],
)
def test_a_word_of_which_the_rows_speak_makes_another_question(one, other, said):
    assert not slipped(one, other, said, said)
    assert not slipped(other, one, said, said)


def test_a_name_that_is_replaced_everywhere_makes_another_question():
    assert not slipped("what is the area of it", "what is the rim of it", "an area", "a rim")


def test_many_slips_are_none():
    assert slipped("a b c d e f g h i j", "a b c d e f g h x y")
    assert not slipped("a b c d e f g h i j", "a b c d e f u w x y")


def prose(rng, count=230):
    """Sentences of twelve words, two fifths of them in the prompt."""
    parts = [rng.choice(VOCABULARY) for _ in range(count)]
    for at in range(0, count, 12):
        parts[at] = parts[at].capitalize()
    return parts


def told(row_id, parts):
    ends = {*range(11, len(parts), 12), len(parts) - 1}
    text = [f"{part}." if at in ends else part for at, part in enumerate(parts)]
    cut = 12 * (len(parts) // 30)
    return row(row_id, " ".join(text[:cut]), " ".join(text[cut:]))


@pytest.mark.field_bug("D33")
def test_words_replaced_anywhere_leave_nearly_all_pairs_above_the_threshold_findable():
    """Also in the last sentence, in the first word of one, and in what is asked."""
    rows, pairs = [], []
    for seed in range(300):
        rng = random.Random(seed)
        base = prose(rng)
        other = list(base)
        for at in rng.sample(range(len(base)), 1 + seed % 5):
            word = f"{rng.choice(VOCABULARY)}{rng.choice(VOCABULARY)}"
            other[at] = word.capitalize() if at % 12 == 0 else word
        pair = told(f"{seed:03d}a", base), told(f"{seed:03d}b", other)
        if plain_jaccard(*pair) >= 0.8:
            pairs.append(f"{seed:03d}")
            rows += pair
    found = near(rows).same_as
    assert len(pairs) > 200
    missed = [name for name in pairs if found.get(f"{name}b") != f"{name}a"]
    assert len(missed) <= 0.02 * len(pairs), missed


def test_what_is_asked_of_a_row_is_its_statement_without_what_is_fixed():
    one = told("a", prose(random.Random(1)))
    assert asked(one) == statement(one).asked != ()


def test_in_a_script_without_blanks_a_prompt_counts_sign_by_sign_but_for_punctuation():
    long = "天黑了，河水流过村庄，人们回到家里，老人坐在门前，孩子们睡着了。" * 3
    prompts = ("小明在家里读书。请讲。", "小红在家里读书。请讲。", "小明在家里读书，请讲")
    rows = [row(str(at), prompt + long, long * 2) for at, prompt in enumerate(prompts)]
    assert near(rows).same_as == {"2": "0"}
