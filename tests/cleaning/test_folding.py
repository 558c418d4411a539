"""Folding: other notation is the same text, other numbers and operators are not."""

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stages.cleaning.folding import INVISIBLE, fold
from stages.cleaning.wording import words_of
from tests.tables import each

SAME = {
    r"\frac{1}{2} of x": [
        r"\dfrac{1}{2} of $x$",
        r"\tfrac{1}{2} of \(x\)",
        r"\frac12 of x",
        r"\frac 12 of x",
        r"\frac1{2} of \mathrm{x}",
        r"\left(\frac{1}{2}\right) of x",
        r"\displaystyle\frac{1}{2}\;\text{of}\quad x",
        r"\FRAC{1}{2} OF X",
        r"\begin{align*}\frac{1}{2} of x\end{align*}",
    ],
    r"x_{1} + 3": ["x_1 + 3", r"x_1\,+\,3", r"{x}_{1}~+~3", "x_1 + 3"],
    r"a \cdot b": [r"a\times b", "a × b", "a * b", r"a \,\cdot\, b"],
    "10,000 eggs": [r"10{,}000 eggs", r"10,\!000 eggs", r"10\,000 eggs", "10000 eggs"],
    r"2\pi r and \theta": ["2πr and θ", r"2 \pi r and \vartheta"],
    r"\sqrt{2} or \sqrt3": ["√2 or √3", r"\sqrt 2 or \sqrt{3}"],
    r"60^\circ": ["60°", r"60^{\circ}"],
    "x^2 + y^{10}": ["x² + y¹⁰", "x ^ 2 + y^10", "x**2 + y**10", "x\n^\n2 + y^{ 10}"],
    "1, 2, ..., 9": [r"1, 2, \ldots, 9", r"1, 2, \cdots, 9", "1, 2, …, 9"],
    r"x \ne 3": [r"x \neq 3", "x ≠ 3"],
    "it's “so”": ['it’s "so"', "It‘s so"],
    "a < b & c": ["a&nbsp;&lt;&nbsp;b&nbsp;&amp;&nbsp;c", "a &amp;lt; b &#38; c"],
    "so long a pipe": ["so<br>long<br/>a <b>pipe</b>", "<p class='x'>so long</p>a pipe"],
    "x^2 + 1": ["x<sup>2</sup> &#43; 1", r"x\u005e2 + 1"],
    "E) taxes\nI) loans": [r"E) taxes\nI) loans", r"\nE) taxes\r\nI) loans"],
    "how old is she": [r"how old\nis\tshe", r"how\r\nold is she", "how old\n> is\n> she"],
    r"x \neq \nu \times \tau": [r"x \\neq \\nu \\times \\tau"],
    r"\left( \frac{3}{20} \right)": [r"\ left( \ frac { 3 } { 20 } \ right)", "(3/20)"],
    r"\frac{\sqrt{2}}{x^{\frac12}}": [r"√2/x^(1/2)", r"\dfrac{\sqrt2}{x^{\frac{1}{2}}}"],
    "10,000 café eggs": [r"10\\,000 cafe eggs", "10,000 cafe\u0301 eggs", "10,000 cаfе еggѕ"],
    "a common word": ["a cοmmon word", "a cοmmοn wοrd", "а common wоrd"],
    "straße": ["STRASSE", "ＳＴＲＡＳＳＥ"],
}


@each(("text", "other"), [(text, other) for text, others in SAME.items() for other in others])
def test_the_same_in_another_notation_has_the_same_words(text, other):
    assert words_of(fold(text)) == words_of(fold(other))


@each(
    ("text", "other"),
    [
        (r"\frac{1}{2}", r"\frac{1}{3}"),
        (r"\frac{12}{3}", r"\frac{1}{23}"),
        (r"\alpha 12", r"\alpha 1 2"),
        ("x^2", "x^3"),
        ("3⁴", "34"),
        ("３⁴", "34"),
        ("1,000", "1,00"),
        ("(1, 234)", "(1234)"),
        (r"\sin x", r"\cos x"),
        (r"\leftarrow x", r"\rightarrow x"),
        ("x ≠ 3", "x = 3"),
        ("2 sinαcos x", "2 sinacos x"),
        (r"x \neq u", r"x \nequ u"),
        (r"5\ left over", r"5\ over"),
        ("a &unknown; b", "a b"),
    ],
)
def test_other_numbers_and_functions_stay_others(text, other):
    assert words_of(fold(text)) != words_of(fold(other))


def test_a_greek_letter_alone_is_a_sign_and_in_a_word_a_letter():
    assert fold("α+1").split() == ["alpha", "+1"]
    assert fold("αβγ") == "αβγ"


def test_every_format_character_is_invisible():
    every = (chr(code) for code in range(sys.maxunicode + 1))
    missed = [c for c in every if unicodedata.category(c) == "Cf" and not INVISIBLE.match(c)]
    assert missed == []


@given(st.lists(st.sampled_from(["x^2", r"\frac12", "10,000", "ab", "√2", "**b**", "3 ^ 4", "–"])))
def test_words_do_not_depend_on_line_breaks(pieces):
    assert words_of(fold(" ".join(pieces))) == words_of(fold("\n".join(pieces)))
