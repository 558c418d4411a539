"""Mathematics: what is the same passes in any form, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.rewards.maths import judge_maths, read_gold
from stages.rewards.maths_quantities import Asked
from stages.rewards.units import PERCENT, parse_unit
from tests.tables import each

DRESSES = (
    r"So it is \boxed{%s}.",
    "The final answer is $%s$.",
    "Final answer: **%s**",
    "We do as we are told.\n\n%s",
)


def verdict(gold: str, response: str, asked: Asked | None = None) -> Verdict:
    return judge_maths(gold, response, asked or Asked()).verdict


def pairs(table: str) -> list[tuple[str, str]]:
    lines = (line.partition(" ¦ ") for line in table.strip().splitlines())
    return [(gold.strip(), said.strip()) for gold, _, said in lines]


# Verdicts that checkers in use got wrong, or once did.
KNOWN_SAME = r"""
71/6 ¦ 11 5/6
(0,12.5) ¦ 0<x<12.5
[\sqrt2,\infty) ¦ m>=sqrt2
[sqrt2,inf) ¦ m>=sqrt2
1/sqrt(n) ¦ sqrt(1/n)
e^16-1 ¦ -1+exp(16)
\pi/2 ¦ pi/2
14-i ¦ 14.0 + -1.0i
(3,pi/2) ¦ (3,90deg)
2x+4y-3=0 ¦ y=-x/2+3/4
1/12 ¦ 0.0833333333333333
(1,9/2) ¦ (1,4.5)
34x+45y-20z+100=0 ¦ -34x-45y+20z-100=0
1,-2 ¦ -2,1
500 cm ¦ 5 m
"""
KNOWN_DIFFERENT = r"""
1/2004! ¦ 1/2006!
1/2^99 ¦ 1/2^98
1/2^{99} ¦ 1/2^{98}
(2^2005+1)/(3*2^2006) ¦ 1/(3*2^2006)
1-1/\mathrm{e} ¦ 1+1/\mathrm{e}
f(x)=0 ¦ \forall x>0, f(x)=0
50 ¦ 50\%
5 cm ¦ 5 m
(1,2) ¦ {1,2}
n=2,3,4 ¦ n=1,2,3
D=(0,1) ¦ D=(0,1.5)
12:00 ¦ 1:00
{1331,1728} ¦ 1728
3x-y+13=0 ¦ 3x+4y+14=0
63/400 ¦ 64/400
2 ¦ 2 2/3
10 ¦ 4 10/3
2516_8 ¦ 2516
2516_8 ¦ 1358
"""


@each("dress", DRESSES)
@each(("gold", "said"), pairs(KNOWN_SAME))
def test_equal_answers_that_checkers_missed(gold, said, dress):
    assert verdict(gold, dress % said) is Verdict.PASS


@pytest.mark.field_bug("E18", "E19")
@each("dress", DRESSES)
@each(("gold", "said"), pairs(KNOWN_DIFFERENT))
def test_different_answers_that_checkers_passed(gold, said, dress):
    assert verdict(gold, dress % said) in (Verdict.WRONG, Verdict.UNPARSED)


SAME = r"""
\frac{1}{2} ¦ .5
1\frac45 ¦ 9/5
\dfrac{17}{50} ¦ 0.34
10,\!080 ¦ 10080
11,\! 111,\! 111,\! 100 ¦ 11111111100
1,234,567 ¦ 1234567
\$32,\!348 ¦ 32348
\$18.90 ¦ 18.9
18 ¦ $18
p-q ¦ -(q-p)
2k+2 ¦ 2(k+1)
(a+5)(b+2) ¦ ab+2a+5b+10
\cot x ¦ \frac{\cos x}{\sin x}
11 \sqrt{5} + 11 ¦ 11(\sqrt5+1)
\frac{\sqrt{3}}{3} ¦ 1/\sqrt{3}
1 \pm \sqrt{19} ¦ 1-\sqrt{19}, 1+\sqrt{19}
\{1\pm\sqrt{5},-2\} ¦ -2, 1+\sqrt5, 1-\sqrt5
\begin{pmatrix} -1/3 \\ 2/3 \\ 5/3 \end{pmatrix} ¦ (-1/3,2/3,5/3)
\begin{pmatrix} -1 & 0 \\ 0 & -1 \end{pmatrix} ¦ \begin{bmatrix}-1&0\\0&-1\end{bmatrix}
864 \mbox{ inches}^2 ¦ 864
864 \mbox{ inches}^2 ¦ 6 square feet
5.4 \text{ cents} ¦ \$0.054
90^\circ ¦ 90
90^\circ ¦ \pi/2
90 ¦ 90^\circ
50\% ¦ 0.5
0.5 ¦ 50\%
(-\infty,2)\cup(3,\infty) ¦ x<2 or x>3
x \in [-2,7] ¦ -2 \le x \le 7
x \in [-2,7] ¦ [-2,7]
(2,\infty) ¦ x > 2
x=5 ¦ 5
5 ¦ x=5
x^2+1 ¦ f(x) = x^2 + 1
y=2x+3 ¦ 2x - y + 3 = 0
x+y>2 ¦ 2 - y < x
1,-2 ¦ x=1 \text{ or } x=-2
n=2,3,4 ¦ 4, 3, 2
\text{Evelyn} ¦ Evelyn
\text{(C)} ¦ C
\text{(C)} ¦ \textbf{(C)}\ 12
\text{no solution} ¦ No solution
\sqrt{2} ¦ 1.41421356237
0 ¦ \sqrt2+\sqrt3-\sqrt{5+2\sqrt6}
\sqrt[3]{-8} ¦ -2
(-8)^{1/3} ¦ -2
\ln 2 ¦ \log 2
2 ¦ \log 100
3 ¦ \log_2 8
5|x| ¦ |5x|
2\cdot 10^5 ¦ 2e5
2 million ¦ 2000000
2^{10} ¦ 1024
\binom{5}{2} ¦ 10
\lfloor 3.7 \rfloor ¦ 3
2½ ¦ 5/2
x² ¦ x^2
8 ¦ 5 + 3 = 8
(-1)^n ¦ \cos(\pi n)
(1,2) ¦ (x,y) = (1,2)
(x,y) = (1,2) ¦ (1,2)
x/2 ¦ f^{-1}(x) = \frac{x}{2}
1/11 ¦ 0.\overline{09}
0.1\overline{6} ¦ \frac{1}{6}
5000 ¦ $5,000
5000 ¦ \$5{,}000
\infty ¦ +\infty
10 ¦ \dbinom{5}{2}
5,-3 ¦ x \in \{5,-3\}
"""
DIFFERENT = r"""
(1,234) ¦ 1234
1/12 ¦ 0.0833
1/3 ¦ 0.33
\sqrt{2} ¦ 1.414
e^{-2000} ¦ e^{-2001}
3R^2 ¦ 3r^2
y=2x+3 ¦ 2x+3
x=5 ¦ y=5
5 ¦ x>5
(1,2) ¦ 1,2
(1,2) ¦ [1,2]
(1,2) ¦ (2,1)
(1,2) ¦ x=2, y=1
(0,1] ¦ (0,1)
(0,1] ¦ 0<=x<1
x>2 ¦ y>2
\{1,2\} ¦ \{1,2,3\}
\{1,2\} ¦ \{1\}
1,2 ¦ 1,1,2
1,-2 ¦ x=1, y=-2
\{5\} ¦ 5
\begin{pmatrix}1\\2\end{pmatrix} ¦ \begin{pmatrix}1&2\end{pmatrix}
5 cm ¦ 5 cm^2
5 cm ¦ 5 kg
5 ¦ 5 cm
50\% ¦ 50
18 ¦ 18 eggs
18 ¦ 18 dozen
\$5 ¦ €5
\text{(C)} ¦ B
\text{(C)} ¦ (C) or (D)
\text{east} ¦ west
x ¦ \sqrt{x^2}
\ln x^2 ¦ 2\ln x
\ln|x| ¦ \ln x
8 ¦ 4 + 3 = 8
4 ¦ 4 + 3
x^2=4 ¦ x=2
x+y=2 ¦ x+y>2
x+y>2 ¦ x+y<2
1 ¦ 0^0
2 ¦ 1/0
52_8 ¦ 52_9
(1,2) ¦ (x,y) = (2,1)
(1,2) ¦ (1,2) = (1,2,3)
\infty ¦ -\infty
1/11 ¦ 0.\overline{9}
f^{-1}(x) = x ¦ f(x) = x
2 ¦ ≠ 2
2 ¦ ~2
"""


@pytest.mark.field_bug("E20")
@each(("gold", "said"), pairs(SAME))
def test_the_same_in_another_form_passes(gold, said):
    for dress in DRESSES[:2]:
        assert verdict(gold, dress % said) is Verdict.PASS


@pytest.mark.field_bug("E20")
@each(("gold", "said"), pairs(DIFFERENT))
def test_what_only_looks_alike_does_not_pass(gold, said):
    for dress in DRESSES:
        assert verdict(gold, dress % said) in (Verdict.WRONG, Verdict.UNPARSED)


def test_the_problem_says_which_unit_may_be_added():
    eggs = Asked("How many eggs does she sell a day?")
    assert verdict("18", "The answer is 18 apples.", eggs) is Verdict.WRONG
    assert verdict("18", "The answer is 18 eggs.", eggs) is Verdict.PASS
    assert verdict("18", "The answer is 18 dozen eggs.", eggs) is not Verdict.PASS
    length = Asked("How long is it in centimeters?")
    assert verdict("5", r"\boxed{5\text{ cm}}", length) is Verdict.PASS
    assert verdict("5", r"\boxed{5\text{ m}}", length) is Verdict.WRONG
    both = Asked("It is 3 meters high. How wide is it, in cm?")
    assert verdict("5", r"\boxed{5\text{ cm}}", both) is Verdict.WRONG  # which one is asked?
    given_unit = Asked(unit=parse_unit("cm"))
    assert verdict("5", "The answer is 0.05 m.", given_unit) is Verdict.PASS
    assert verdict("5", "The answer is 5 m.", given_unit) is Verdict.WRONG


def test_a_percent_sign_may_be_added_where_a_percentage_is_asked_for():
    for asked in (Asked("What percent of them are red?"), Asked(unit=PERCENT)):
        assert verdict("50", r"\boxed{50\%}", asked) is Verdict.PASS
        assert verdict("50", r"\boxed{0.5}", asked) is Verdict.WRONG
    assert verdict("50", r"\boxed{50\%}") is Verdict.WRONG


def test_a_base_may_be_left_out_where_the_problem_names_it():
    for prompt in ("Express your answer in base $8$.", "Give it in base eight."):
        assert verdict("2516_8", r"\boxed{2516}", Asked(prompt)) is Verdict.PASS
        assert verdict("2516_8", r"\boxed{1358}", Asked(prompt)) is Verdict.WRONG
        assert verdict("2516_8", r"\boxed{2516_9}", Asked(prompt)) is Verdict.WRONG
    assert verdict("2516_8", r"\boxed{2516}", Asked("Give it in base 9.")) is Verdict.WRONG


def test_a_gold_that_cannot_be_read_is_the_checkers_failure():
    for gold in (r"\int_0^1 x\,dx", "", "{1", "?", "9" * 5000):
        with pytest.raises(VerifierError, match="Rewrite it or drop"):
            read_gold(gold)
        with pytest.raises(VerifierError):
            judge_maths(gold, r"\boxed{1}", Asked())


NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.tuples(st.integers(1, 99), st.integers(2, 99)).map(lambda t: rf"\frac{{{t[0]}}}{{{t[1]}}}"),
    st.integers(2, 99).map(lambda n: rf"\sqrt{{{n}}}"),
    st.integers(1, 9).map(lambda n: rf"{n}\pi"),
)
TWISTS = ("-({})", "{} + 1", "2({}) + 1", "({})^2 + 2", "{}, {}", "({}, {})", r"{} \text{{ or }} 7")


@given(number=NUMBERS, dress=st.sampled_from(DRESSES))
def test_any_number_passes_against_itself_in_any_dress(number, dress):
    assert verdict(number, dress % number) is Verdict.PASS


@given(number=NUMBERS.filter(lambda text: text not in ("0", "-1")), twist=st.sampled_from(TWISTS))
def test_no_twisted_number_passes(number, twist):
    said = twist.format(number, number)
    assert verdict(number, rf"\boxed{{{said}}}") is not Verdict.PASS


@given(values=st.lists(st.integers(-9, 9), min_size=2, max_size=5, unique=True), data=st.data())
def test_sets_have_no_order_and_tuples_do(values, data):
    other = data.draw(st.permutations(values))
    texts = [", ".join(map(str, each)) for each in (values, other)]
    same = rf"\boxed{{\{{{texts[1]}\}}}}"
    assert verdict(rf"\{{{texts[0]}\}}", same) is Verdict.PASS
    expected = Verdict.PASS if values == other else Verdict.WRONG
    assert verdict(f"({texts[0]})", rf"\boxed{{({texts[1]})}}") is expected


def test_only_a_number_without_end_is_rounded():
    assert judge_maths("1234567890.5", "1234567890.46", Asked()).reward == 0.0
    assert judge_maths("1234567890.46", "1234567890.5", Asked()).reward == 0.0
    assert judge_maths(r"\frac{1}{3}", "0.3333333333", Asked()).reward == 1.0


def test_a_noun_that_the_problem_only_mentions_is_not_the_unit():
    assert judge_maths("5", "5 dogs", Asked("How many cats? He has dogs.")).reward == 0.0
    assert judge_maths("5", "5 cats", Asked("How many cats? He has dogs.")).reward == 1.0
    assert judge_maths("5", "5 dogs", Asked("He has dogs. How many are there?")).reward == 1.0


@pytest.mark.parametrize("gold", [
    r"\frac{1}{0}", "0^0", "10^{10^{10}}", "100000!", r"1, \frac{1}{0}", "x = 1/0",
])  # fmt: skip
def test_a_gold_that_nothing_can_meet_is_an_error(gold):
    with pytest.raises(VerifierError, match="cannot be read"):
        read_gold(gold)
