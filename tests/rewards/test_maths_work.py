"""An equal expression that is only the problem again is no answer to it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.maths_reading import read
from stages.rewards.maths_work import is_literal, operations, simple
from stages.rewards.science import Measured, judge_number
from tests.tables import each


@each(
    ("prompt", "gold", "said"),
    [
        ("What is $17 * 23$?", "391", "17 * 23"),
        ("What is $17 * 23$?", "391", r"23 \cdot 17"),
        ("What is 2 + 3?", "5", "2+3"),
        ("What is 100/4?", "25", r"\frac{100}{4}"),
        ("Compute $2^{10}$.", "1024", "2^{10}"),
        (r"Simplify \[\frac{\sec x}{\sin x} - \frac{\sin x}{\cos x}.\]", r"\cot x",
         r"\frac{\sec x}{\sin x} - \frac{\sin x}{\cos x}"),
        ("", r"\cot x", r"-\frac{\sin x}{\cos x} + \frac{\sec x}{\sin x}"),
        ("", "12", r"1/\cos^2 10^\circ + 1/\sin^2 20^\circ + 1/\sin^2 40^\circ"),
        ("Expand $(x+1)(x+2)$.", "x^2+3x+2", "(x+1)(x+2)"),
        ("What is $17 * 23$?", "391", "17*23+0"),
        ("What is $17 * 23$?", "391", r"1\cdot(17*23)"),
        ("What is $17 * 23$?", "391", "(17*23)^1"),
        ("What is $17 * 23$?", "391", "17(20+3)"),
        ("What is $17 * 23$?", "391", r"\lfloor 391.5 \rfloor"),
        ("Find $17 * 23$ and $1+1$.", "391, 2", "17(20+3), 2"),
        (r"Simplify $\sqrt{18}$.", r"3\sqrt{2}", r"\sqrt{18}"),
        (r"Simplify $\sqrt{18}$.", r"3\sqrt{2}", r"\sqrt{9 \cdot 2} + 0"),
        (r"Simplify $\sqrt{18}$.", r"3\sqrt{2}", "18^{1/2}"),
        ("Factor $x^2+2x+1$.", "(x+1)^2", "1+2x+x^2"),
        ("Factor x^2+2x+1.", "(x+1)^2", "x^2+2x+1"),
        ("Factor $x^2+2x+1$.", "(x+1)^2", "x(x+2)+1"),
        ("Factor $x^4-1$.", "(x-1)(x+1)(x^2+1)", "(x^2-1)(x^2+1)"),
        ("Expand $(x+1)(x+2)$.", "x^2+3x+2", "(x+2)(1+x)"),
        ("Expand $(x+1)(x+2)$.", "x^2+3x+2", "x(x+3)+2"),
    ],
)  # fmt: skip
def test_the_problem_again_is_no_answer(prompt, gold, said):
    for response in (said, rf"\boxed{{{said}}}", f"The answer is ${said}$."):
        assert judge_maths(gold, response, Asked(prompt)).reward == 0.0


@each(
    ("prompt", "gold", "said"),
    [
        ("How many subsets has a set of 10 elements?", "1024", "2^{10}"),
        ("What is 3/8 as a decimal number?", "0.375", "3/8"),
        ("Is 12 even or odd?", r"\text{even}", "even"),
        ("Which is greater, $5$ or $7$?", "7", "7"),
        ("Which is greater, $x^2$ or $x^3$?", "x^3", "x^3"),
        ("Solve $x + 3 = 8$.", "5", "x = 5"),
        ("Light goes $3.0 \\times 10^8$ m/s. How fast is it?", "3e8", r"3.0 \times 10^8"),
        ("Factor $ab+2a+5b+10$.", "(a+5)(b+2)", "(b+2)(a+5)"),
        ("Factor $x^2-4x+4$.", "(x-2)^2", "(x-2)(x-2)"),
        ("What is the mean?", r"11\frac{5}{6}", r"\frac{71}{6}"),
        ("How many pairs?", "10", r"{5 \choose 2}"),
        (r"Simplify $\sqrt{18}$.", r"3\sqrt{2}", r"\sqrt{2} \cdot 3"),
        ("", r"\cot x", r"\frac{\cos x}{\sin x}"),
        ("", "3", r"\log_2 8"),
    ],
)
def test_another_form_of_the_answer_is_one(prompt, gold, said):
    assert judge_maths(gold, rf"\boxed{{{said}}}", Asked(prompt)).verdict is Verdict.PASS


def test_a_quantity_must_be_worked_out_too():
    asked = Measured(Asked("How far does it fall in 3 s at 9.8 m/s^2, half of 9.8 * 3^2?"))
    assert judge_number("44.1 m", r"\boxed{44.1\text{ m}}", asked).verdict is Verdict.PASS
    assert judge_number("88.2", r"\boxed{9.8 \cdot 3^2}", asked).verdict is Verdict.WRONG
    other = Measured(Asked("How far is it along the arc?"))
    assert judge_number("1.57", r"\boxed{\pi/2}", other).verdict is Verdict.PASS
    assert judge_number("1.41", r"\boxed{\sqrt{2}}", other).verdict is Verdict.PASS
    assert judge_number("44.1", r"\boxed{9.8\pi \cdot 9/(2\pi)}", asked).verdict is Verdict.WRONG


def test_operations_and_literals():
    assert operations(read("2k+2").node) == 2
    assert operations(read("-5").node) == 0
    for text in ("3", "-3", "0.5", "3/8", r"-\frac{3}{8}", "1 1/2", r"2.5 \times 10^{-3}", "1e5"):
        assert is_literal(read(text).node)
    for text in ("6/3", "2+3", "2*3", "2^3", r"\sqrt{2}", "x"):
        assert not is_literal(read(text).node)


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=4), st.integers(2, 9), st.randoms())
@settings(max_examples=25, deadline=None)
def test_the_form_of_an_expression_knows_no_order_and_nothing_to_spare(letters, count, rng):
    other = rng.sample(letters, len(letters))
    for sign in "+*":
        plain = read(sign.join([*letters, str(count)])).node
        dressed = read(f"1*(({sign.join([*other, str(count - 1)])}{sign}0)^1)").node
        if sign == "+":
            dressed = read(f"1*((1+0{sign}{sign.join([*other, str(count - 1)])})^1)").node
            assert simple(plain) == simple(dressed)
        else:
            assert simple(plain) != simple(dressed)
