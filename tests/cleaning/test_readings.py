"""Readings: what a tokeniser cuts and what is shuffled reads the same, prose as it is."""

from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.disguises import shuffled, tokenised
from stages.cleaning.folding import fold
from stages.cleaning.readings import joined, ordered, readings
from stages.cleaning.wording import words_of
from tests.tables import each

FACTORS = ["ab", "x", "2ab", "3", "ABC", r"\sin x", r"\frac12xy", "x^2y", r"\pi r", "+", "(", ")"]


@given(st.lists(st.sampled_from(FACTORS), min_size=1, max_size=6).map(" ".join))
def test_a_cut_formula_reads_as_the_whole_one(formula):
    text = f"Let ${formula}$ be."
    assert words_of(fold(joined(tokenised(text)))) == words_of(fold(joined(text)))


@each(
    ("text", "whole"),
    [
        (r"$x \cdot y$ and $A\,B$", "$xy$ and $AB$"),
        (r"$\sin x y + \ sin x$ or $2 \pi r$", r"$\sin xy + \ sin x$ or $2 \pi r$"),
        (r"\(x^{2} y\) \[\int x d x\]", r"\(x^2y\) \[\int xdx\]"),
        (r"$x \in A B$ if $n \bmod m$, $x in y z$", r"$x \in AB$ if $n \bmod m$, $x in yz$"),
        (r"$3 \cdot 4 + 5 6$", r"$3 \cdot 4 + 5 6$"),
        ("I a m on plan A B", "I a m on plan A B"),
        (
            "A book costs $4. A pen costs $1 less than a b",
            "A book costs $4. A pen costs $1 less than a b",
        ),
    ],
)
def test_products_are_joined_in_formulas_alone(text, whole):
    assert joined(text) == whole


@each(
    "text",
    [
        "plan A B testing",
        "It costs $5 and $7 a day.",
        "a) x\nb) y",
        "$xy=21$",
        "Vitamin C a day",
        "\\",
        "$",
    ],
)
def test_most_texts_have_one_reading(text):
    assert readings(text) == (text,)


@given(st.permutations(["Accra", "-3", "Bamako, Mali", "3 or $xy$"]), st.sampled_from(["\n", " "]))
def test_the_order_of_options_does_not_matter(options, between):
    texts = [
        "Which?\n"
        + between.join(f"({letter}) {each}" for letter, each in zip("ABCD", own, strict=True))
        for own in (options, sorted(options))
    ]
    assert ordered(texts[0]) == ordered(texts[1])
    assert ordered(ordered(texts[0])) == ordered(texts[0])
    assert ordered(joined(texts[0])) in readings(texts[0])


@given(st.text(st.sampled_from("aA bB)(.\nC$cD\\:xé"), max_size=40))
def test_ordering_keeps_every_sign(text):
    assert sorted(ordered(text)) == sorted(text)


def test_the_gate_shuffles_only_options():
    assert shuffled("Is?\n(A) x\n(B) y\n(C) z\nEnd") == "Is?\n(A) z\n(B) y\n(C) x\nEnd"
    assert shuffled("A. x\nC. y") == "A. x\nC. y"


def test_words_and_prices_are_not_cut():
    text = r"It costs $5 and an old man has $7; $\text{if } \sin x$"
    assert tokenised(text).replace(" ", "") == text.replace(" ", "")
    assert tokenised("costs $5 and a pen $7") == "costs $5 and a pen $7"
