"""Yes and no, however they are explained."""

from __future__ import annotations

from stages.base.records import Verdict
from stages.rewards.rows import default_verifier
from stages.rewards.science import judge_text
from stages.rewards.yes_no import answered, is_yes_or_no
from tests.tables import each

OTHER = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
DRESSES = [
    "{}", "{}.", "{}!", "**{}**", "{}, because heat rises.", "Answer: {}", "The answer is {}.",
    r"\boxed{{\text{{{}}}}}", "{}. Heat rises.", "{}.\n\nHeat rises.", "**{}**, since heat rises.",
]  # fmt: skip


@each("dress", DRESSES)
@each("gold", list(OTHER))
def test_the_word_counts_in_every_dress_and_its_opposite_in_none(gold, dress):
    for word in (gold, gold.title(), gold.upper()):
        assert judge_text(gold, dress.format(word)).verdict is Verdict.PASS
        assert judge_text(OTHER[gold], dress.format(word)).reward == 0.0


@each("said", [
    "{} or {o}", "{}, but {o} at night.", "{}. Wait, {o}.", "{}\n{o}", "Not {}.", "{}?",
    "{}, maybe.", "{}. However, the answer is {o}.",
])  # fmt: skip
@each("gold", list(OTHER))
def test_both_words_or_doubt_never_pass(gold, said):
    assert judge_text(gold, said.format(gold, o=OTHER[gold])).reward == 0.0


def test_an_explanation_that_says_the_opposite_stays():
    assert answered("Yes, it will not.") == "Yes, it will not."
    assert answered("No, it does.") == "No, it does."


def test_a_gold_of_science_that_is_one_is_no_product_of_letters():
    for gold in ("no", "No", "yes", "true", "NaCl", "CO2"):
        assert default_verifier({"id": "a", "domain": "science", "gold": gold}) == "text"
    assert default_verifier({"id": "a", "domain": "science", "gold": "PV"}) == "maths"
    assert default_verifier({"id": "a", "domain": "chemistry", "gold": "CO"}) == "text"
    assert not is_yes_or_no("nobelium")
