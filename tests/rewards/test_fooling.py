"""English answers: plain ones pass however they are dressed, and two-faced ones never do."""

import dataclasses
import itertools
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stages.base.params import Phase
from stages.base.records import Problem, Verdict
from stages.problems.corpus import sft_row
from stages.problems.grids import lined, read_compact, slashed
from stages.problems.knights import NAMES, TYPES
from stages.problems.registry import FAMILIES, generate, instance_of
from stages.rewards.extraction import split_closing
from stages.rewards.preference import closes_well
from stages.rewards.router import verify
from tests.tables import each

INSTANCES = {
    "chain": {"start": 5, "steps": [["+", 3], ["-", 5]]},
    "charge": {"terms": [["Al", 2], ["Li", 1], ["Ni", 2]]},
    "negative": {"terms": [["Al", 1], ["Ox", 2]]},
    "knights": {"joint": "or", "claim": "k", "said": [["n", 0], ["k", 1]]},
    "lists": {"digits": [6, 5, 6, 8], "operations": ["rev", "rev"]},
    "countdown": {"numbers": [1, 6, 1], "target": 8},
    "sudoku": {"rows": [[3, 1, 2, 4], [0, 2, 0, 0], [0, 0, 0, 1], [1, 0, 3, 0]]},
    "maze": {"rows": ["S#G", ".#.", "..."]},
    "game24": {"numbers": [4, 1, 8, 7]},
    "pattern": {
        "examples": [
            [[[1, 0, 2], [0, 3, 0]], [[2, 0, 1], [0, 3, 0]]],
            [[[4, 4, 0], [0, 0, 5]], [[0, 4, 4], [5, 0, 0]]],
        ],
        "question": [[1, 2, 0], [0, 3, 5]],
        "solution": [[0, 2, 1], [5, 3, 0]],
    },
}
GOLD = {
    "chain": "3",
    "charge": "+1",
    "negative": "-1",
    "knights": "3, knight",
    "lists": "[6, 5, 6, 8]",
    "countdown": "1 + 6 + 1",
    "sudoku": "3 1 2 4 / 4 2 1 3 / 2 3 4 1 / 1 4 3 2",
    "maze": "D D R R U U",
    "game24": "(8 - 4) * (7 - 1)",
    "pattern": "0 2 1 / 5 3 0",
}


def problem(name):
    family = "charge" if name == "negative" else name
    meta = {"notation": "text", "instance": INSTANCES[name]}
    return Problem(name, family, "maths", "?", GOLD[name], name, meta=meta)


PROBLEMS = {name: problem(name) for name in GOLD}


def verdict(name, answer):
    return verify(PROBLEMS[name], f"<think>\nhm\n</think>\n\n{answer}", "stop").verdict


DRESSES = [
    "{}",
    "{}.",
    "The answer is {}.",
    "Answer: {}",
    "**Answer:** {}",
    "**Answer: {}**",
    "**Answer:** **{}**",
    "So the final answer is {}.",
    "So the final answer is **{}**.",
    "The final answer is:\n\n{}",
    "### Final Answer\n\n{}",
    "**{}**",
    "`{}`",
    "${}$",
    '"{}"',
    "```\n{}\n```",
    "\\boxed{{{}}}",
    "The final answer is $\\boxed{{{}}}$.",
    "$$\n\\boxed{{{}}}\n$$",
    "\\[ \\boxed{{{}}} \\]",
    "First we look at what is not given. Then we do the rest: \\boxed{{{}}}",
    "Answer: {}\n\nI hope this helps.",
]


@each("name", list(GOLD))
def test_a_right_answer_passes_in_any_usual_dress(name):
    dressed = [dress.format(GOLD[name]) for dress in DRESSES]
    refused = [said for said in dressed if verdict(name, said) is not Verdict.PASS]
    assert not refused, "\n\n".join(refused)


PLAIN = {
    "chain": """x = 3¦So x = 3¦8 - 5 = 3¦8 - 5 = 3\n3¦5 + 3 = 8\n8 - 5 = 3\n\nSo the answer is 3.
        ¦Therefore, the number left at the end is 3.¦After all the steps, the number is 3.
        ¦3 is left at the end.¦(3)¦\\(3\\)¦- Answer: 3¦\\boxed{\\text{3}}¦a value of \\boxed{3}
        ¦The answer equals 3¦Answer: 4\nNo, wait.\nAnswer: 3¦\\boxed{4}, no: \\boxed{3}""",
    "charge": """1¦1+¦¹⁺¦plus 1¦positive 1¦+1 e¦1e¦1 positive charge¦(+6) + (+1) - 6 = +1
        ¦The particle has a net charge of 1+.""",
    "negative": """minus 1¦negative 1¦- 1¦—1¦1 -¦1-¦1−¦‐1¦‑1¦‒1¦–1¦−1¦⁻1¦1⁻¦-\u200b1¦➖1¦\u00ad1
        ¦The net charge is minus 1.¦1 negative charge¦minus\n1¦-\n\n1¦\\boxed{1}-""",
    "knights": """3 and the speaker is a knight¦There are 3 knights, and David is a knight.
        ¦There are 3 knights. David is a **knight**.¦\\boxed{3, \\text{knight}}¦3,knight
        ¦David is a knight and there are 3 knights.¦3 knights; David is not a knave
        ¦The number of knights is 3, and David is a knight.
        ¦Anna is a knight, Ben is a knight, Clara is a knave, and David is a knight.
        ¦I looked at everyone in turn.\n\nAnswer:\n- Anna: knight\n- Ben: knight\n- Clara: knave
        - David: knight¦| Anna | **knight** |\n|---|---|\n| Ben | knight |\n| Clara | knave |
        | David | knight |¦Anna, Ben and David are knights.\nClara is not a knight.
        ¦Clara is a knave, not a knight.\n3 knights, and David is a knight""",
    "lists": """It prints [6,5,6,8]¦x = [6, 5, 6, 8]¦The output is:\n```python\n[6, 5, 6, 8]\n```
        ¦print(x) prints [6, 5, 6, 8]¦6 5 6 8¦(6, 5, 6, 8)""",
    "countdown": """1 + 6 + 1 = 8¦The answer is 1 + 6 + 1 = 8.¦$\\boxed{1 + 6 + 1} = 8$
        ¦One way is: `6 + 1 + 1`¦6 plus 1 plus 1¦1 + 6 + 1 equals 8¦1+6-1 = 6\n1 + 6 + 1 = 8""",
    "sudoku": """3124\n4213\n2341\n1432¦[[3,1,2,4],[4,2,1,3],[2,3,4,1],[1,4,3,2]]
        ¦Here is the completed grid:\n\n3 1 2 4\n4 2 1 3\n2 3 4 1\n1 4 3 2
        ¦3 1 2 4\n4 2 1 3\n2 3 4 1\n1 4 3 2\n\nEvery row, column and box holds each digit once.
        ¦|3|1|2|4|\n|---|---|---|---|\n|4|2|1|3|\n|2|3|4|1|\n|1|4|3|2|
        ¦```\n3 1 | 2 4\n4 2 | 1 3\n----+----\n2 3 | 4 1\n1 4 | 3 2\n```
        ¦The puzzle:\n3 1 2 4\n_ 2 _ _\n_ _ _ 1\n1 _ 3 _\n\nThe solution:\n3124\n4213\n2341\n1432
        ¦It is not hard.\n\nThe rows follow.\n\nAnswer:\n3 1 2 4\n4 2 1 3\n2 3 4 1\n1 4 3 2
        ¦**Answer:** **3124/4213/2341/1432**¦\\boxed{3124 / 4213 / 2341 / 1432}
        ¦4 4 4 4\n4 4 4 4\n4 4 4 4\n4 4 4 4\nAnswer: 3124/4213/2341/1432""",
    "maze": """DDRRUU¦down, down, right, right, up, up¦The shortest path is D, D, R, R, U, U.
        ¦↓ ↓ → → ↑ ↑¦D → D → R → R → U → U¦There are 6 moves.\n\nD D R R U U""",
    "game24": """(8-4)*(7-1)¦(8 - 4) × (7 - 1) = 24¦8 / 1 * (7 - 4)¦8 - 4 = 4\n(8-4)*(7-1) = 24
        ¦The expression is **(8-4)*(7-1)**.¦\\boxed{(8-4)\\times(7-1)}
        ¦I tried 8*7-4*1 first.\nAnswer: 8*(7-4)/1""",
    "pattern": """021\n530¦0 2 1\n5 3 0¦[[0, 2, 1], [5, 3, 0]]¦|0|2|1|\n|---|---|---|\n|5|3|0|
        ¦Each row is mirrored.\n\nThe test output is:\n0 2 1\n5 3 0¦Row 1: 0 2 1\nRow 2: 5 3 0""",
}
FOOLS = {
    "chain": """not 3¦It is not 3¦It is 4, not 3¦4|3¦4?3¦maybe 4 maybe 3¦4, perhaps 3¦3?¦3!¦.3
        ¦between 0 and 3¦4e3¦3x¦x3¦3^2¦4 + 0 = 3¦10 - 3¦3/1¦~~3~~¦≠ 3¦answer ≠: 3¦3 \u0338¦3;4
        ¦less than 3¦three or 3¦twice 3¦3 times 2¦It is 4, so 3¦It is 4. 3¦4\n3¦minus\n3¦-\n3
        ¦The answer is not\n3¦The answer is not:\n\n3¦negative\n\n3¦Answer: 3\nNo, it is 4
        ¦Answer: 3\nIt is 4.¦Answer: 3\n4¦Answer: 3\nx = 4¦4 </think>\n3¦Answer: 3 or 4
        ¦<think> 4 </think> 3¦-\\boxed{3}¦1\\boxed{3}¦\\boxed{3}4¦\\boxed{3}\\%¦not \\boxed{3}
        ¦minus \\boxed{3}¦negative: \\boxed{3}¦It is 4, \\boxed{3}¦\\boxed{4} or \\boxed{3}
        ¦\\boxed{4} \\boxed{3}¦\\boxed{4}\n\\boxed{3}¦\\boxed{3} is wrong¦\\boxed{3}. No, it is 4
        ¦\\boxed{3}\n4¦\\boxed{4} = 3¦Is it \\boxed{3}?¦\\boxedfoo{3}¦!= \\boxed{3}¦\\neq \\boxed{3}
        ¦- 3¦—3¦‑3¦3%""",
    "charge": """minus 1¦negative 1¦- 1¦-(+1)¦—1¦1 -¦‐1¦‑1¦‒1¦―1¦- +1¦+-1¦±1¦1e-¦1 minus¦¯1¦ー1
        ¦-\\boxed{1}¦\\boxed{1}-¦\\boxed{1} negative¦\\boxed{1}^-¦1^{-}¦\u00ad1¦➖1¦⁻1¦minus\n1
        ¦negative charge of 1¦the negative of 1¦1 negative charge¦-1 or +1¦-\u200b1¦-\u20281""",
    "negative": "1¦+1¦plus 1¦-(-1)¦not -1¦positive 1¦-1 or +1",
    "knights": """3, isn't a knight¦3, is never a knight¦3, no knight¦3, not a knight¦-3, knight
        ¦3, neither a knave nor a knight¦0000000030, knight¦3, knight?¦3, knave, knight¦—3, knight
        ¦3, knave/knight¦3, knightknave knight¦3, not the knight¦4, 3, knight¦3 knaves, knight
        ¦3, Anna is a knight¦3, non-knight¦3.5, knight¦13, knight¦3, not not a knight
        ¦Anna is a knight, Ben is a knight, Clara is a knight, and David is a knight.
        ¦Anna, Ben and David are knights.¦Anna, Ben and David are knights, Clara a knave or knight
        ¦Anna, Ben and David are not knights, Clara is a knave¦Anna, Ben, Clara, David are knights
        ¦- Anna: knight\n- Ben: knight\n- Clara: knave\n- David: knight\n\nNo, David: knave
        ¦- Anna: knight\n- Ben: knight\n- Clara: knave\n- David: knight\n4 knights""",
    "lists": """not [6, 5, 6, 8]¦[0,0,0,0] or [6, 5, 6, 8]¦[6, 5, 6, 8] or [0,0,0,0]¦-[6, 5, 6, 8]
        ¦[6, 5, 6, 8][0]¦[6, 5, 6, 8]?¦[6 * 5, 6, 8]¦reverse of [6, 5, 6, 8]¦x != [6, 5, 6, 8]
        ¦[0,0,0,0]\n[6, 5, 6, 8]¦[6, 5, 6, 8]8¦[-6, 5, 6, 8]""",
    "countdown": """not: 1 + 6 + 1¦1 + 6 - 1\n1 + 6 + 1¦1 + 6 + 1 = 9¦1 + 6 + 1 ≠ 8¦-(1 + 6 + 1)
        ¦1 + 6 + 1 or 1¦any but 1 + 6 + 1¦1 + 6 + 1 = -\t8¦1 + 6 + 1 = minus 8""",
    "sudoku": """3 1 2 4\n_ 2 _ _\n_ _ _ 1\n1 _ 3 _¦3124/0200/0001/1030¦3124/4213/2341/1423
        ¦3124\n4213\n2341\n1432\n\n3124\n4213\n2341\n1423¦3124/4213/2341¦3124421323411423
        ¦3124/4213/2341/1432 or 4213/3124/2341/1432¦It is not this:\n3124\n4213\n2341\n1432
        ¦3124\n4213\n2341\n1432\n\nNo, wait, that is wrong.¦3124/4213/2341/1432?
        ¦1234\n4213\n2341\n1432\nor this:\n3124/4213/2341/1432
        ¦1 2 3 4\n4 2 1 3\n2 3 4 1\n1 4 3 2\n\n3124/4213/2341/1432
        ¦Answer: 3124/4213/2341/1432\n1234/4213/2341/1432¦-3124/4213/2341/1432
        ¦~~3124/4213/2341/1432~~
        ¦All digits from 1 to 4¦3¦3 1 2 4""",
    "maze": """6¦R R¦D D R R U¦D D R R U U U D¦D D R U R U¦D D R R U U or R R¦not D D R R U U
        ¦D D R R U U?¦R R\nD D R R U U¦D D R R U U is wrong¦↘ ↗¦D D R R U U\nNo, R R
        ¦D D R R U U, perhaps¦(2, 0) (2, 2) (0, 2)""",
    "game24": """6*4*1*1¦24¦8*(7-4)¦(8-4)*(7-1)*1¦8*7-4*8¦(8-4)*(7-1) = 25¦not (8-4)*(7-1)
        ¦(8-4)*(7-1) or 6*4¦6*4*1*1\n(8-4)*(7-1)¦(8-4)*(7-1)?¦(8-4)**(7-1)¦8//1*(7-4)¦eval('24')
        ¦(8-4)*(7-1)\nNo, 6*4¦-\\boxed{(8-4)*(7-1)}¦84-71+11¦(8-4)*(7-1)/(1-1)""",
    "pattern": """1 2 0 / 0 3 5¦2 0 1 / 0 3 0¦0 2 1¦0 2 1 / 5 3 1¦0 2 / 1 5 / 3 0¦021530¦0 2 1 5 3 0
        ¦0 2 1 / 5 3 0 or 1 2 0 / 0 3 5¦not 0 2 1 / 5 3 0¦0 2 1 / 5 3 0?
        ¦1 2 0\n0 3 5\nthen\n0 2 1\n5 3 0
        ¦0 2 1\n5 3 0\nNo, the rows are wrong.¦It is not\n0 2 1\n5 3 0¦0 2 1 0 / 5 3 0 0
        ¦1 2 0\n0 3 5\n0 2 1 / 5 3 0""",
}


def judged(table, name):
    """Verdict of each answer between broken bars, blanks around those aside."""
    return {answer: verdict(name, answer) for answer in re.split(r"\s*¦\s*", table[name])}


@each("name", list(GOLD))
def test_plain_phrasings_pass(name):
    refused = [said for said, found in judged(PLAIN, name).items() if found is not Verdict.PASS]
    assert not refused, "\n\n".join(refused)


@each("name", list(GOLD))
def test_two_faced_answers_never_pass(name):
    right = (Verdict.WRONG, Verdict.UNPARSED)
    fooled = [said for said, found in judged(FOOLS, name).items() if found not in right]
    assert not fooled, "\n\n".join(fooled)


def test_hedges_and_negations_are_unreadable_rather_than_wrong():
    for answer in ("It is not 3", "4, perhaps 3", "4|3", "3 or 4", "4\n3"):
        assert verdict("chain", answer) is Verdict.UNPARSED


TWISTS = ["not {}", "{} or {}", "never {}", "{}?", "anything but {}", "{} is wrong", "un{}", "¬{}"]


@pytest.mark.parametrize("name", list(FAMILIES))
@given(seed=st.integers(0, 10**6))
@settings(settings.get_profile("costly"))
def test_a_twisted_right_answer_is_never_right(name, seed):
    (drawn,) = generate(name, 1, seed, "text", False, 10)
    for twist, lead in itertools.product(TWISTS, ("", "The answer is ", "Answer: ")):
        said = f"</think> {lead}{twist.format(drawn.answer, drawn.answer)}"
        assert verify(drawn, said, "stop").verdict is Verdict.UNPARSED, said


@pytest.mark.parametrize("name", list(FAMILIES))
@given(seed=st.integers(0, 10**6), split=st.sampled_from([", ", " ", " / ", "; ", "\n", "|", "?"]))
@settings(settings.get_profile("costly"))
def test_two_candidates_never_pass(name, seed, split):
    one, two = generate(name, 2, seed, "text", False, 10)
    assume(one.answer != two.answer)
    for said in (f"{one.answer}{split}{two.answer}", f"{two.answer}{split}{one.answer}"):
        assert verify(one, f"</think> {said}", "stop").verdict is not Verdict.PASS


PAIRS = [
    "[{w}, {r}]",
    "[{w}], [{r}]",
    "{w} → {r}",
    "{w} = {r}",
    "({w}) {r}",
    "- {w}\n- {r}",
    "1. {w}\n2. {r}",
    "**{w}**\n\n**{r}**",
    "{w} ✓\n{r} ✓",
    "{r}\n\nCheck: {w}",
    "{r}\n\n{w}",
    "Option 1: {w}\nOption 2: {r}",
    "```\n{w}\n```\n```\n{r}\n```",
    "| {w} |\n|---|\n| {r} |",
    "<answer>{w}</answer><answer>{r}</answer>",
    '{{"first": "{w}", "second": "{r}"}}',
    '{{"answer": "{w}"}}\n{{"answer": "{r}"}}',
    "\\boxed{{{w}, {r}}}",
    "\\boxed{{{w}}} \\boxed{{{r}}}",
    "\\boxed{{{r}}}\n{w}",
]


@pytest.mark.parametrize("name", list(FAMILIES))
@given(seed=st.integers(0, 10**6))
@settings(max_examples=6, deadline=None)
def test_two_answers_in_one_dress_never_pass(name, seed):
    one, two = generate(name, 2, seed, "text", False, 10)
    family, instance, _ = instance_of(one)
    assume(not family.check(instance, two.answer, "text"))
    rights = {one.answer, one.answer.replace(" / ", "\n"), one.answer.replace(" ", "")}
    said = [pair.format(w=two.answer, r=right) for pair in PAIRS for right in rights]
    assert not [text for text in said if passes(one, text)]


def table(grid):
    rows = ["|" + "|".join(map(str, row)) + "|" for row in grid]
    return "\n".join([rows[0], "|-" * len(grid[0]) + "|", *rows[1:]])


GRID_FORMS = (slashed, lined, table, lambda grid: str([list(row) for row in grid]))


@given(
    seed=st.integers(0, 10**6),
    forms=st.tuples(st.sampled_from(GRID_FORMS), st.sampled_from(GRID_FORMS)),
    split=st.sampled_from(["\n", "\n\n", "\nor\n", "\nThen:\n", " ", "; ", "\n---\n", " or "]),
    lead=st.sampled_from(["", "Answer: ", "Answer:\n", "The grid is:\n"]),
)
@settings(settings.get_profile("costly"))
@pytest.mark.parametrize("name", ["sudoku", "pattern"])
def test_two_grids_never_pass_however_they_are_set(name, seed, forms, split, lead):
    one, two = generate(name, 2, seed, "compact", False, 10)
    one = dataclasses.replace(one, meta={**one.meta, "notation": "text"})
    grids = [read_compact(one.answer), read_compact(two.answer)]
    assume(grids[0] != grids[1])
    first, second = forms[0], forms[1]
    assert passes(one, lead + first(grids[0]))
    assert not passes(one, f"{lead}{first(grids[0])}{split}{second(grids[1])}")
    assert not passes(one, f"{lead}{first(grids[1])}{split}{second(grids[0])}")


@given(
    seed=st.integers(0, 10**6),
    form=st.sampled_from(["{} is a {}.", "- {}: {}", "| {} | **{}** |"]),
    split=st.sampled_from(["\n", "\nor\n", "\n\n", "\nThen:\n"]),
)
@settings(settings.get_profile("costly"))
def test_two_lists_of_everyone_never_pass(seed, form, split):
    one, two = generate("knights", 2, seed, "text", False, 10)
    told = [
        "\n".join(form.format(name, TYPES[kind]) for name, kind in zip(NAMES, types, strict=False))
        for types in (instance_of(drawn)[1].types() for drawn in (one, two))
    ]
    assume(told[0] != told[1])
    assert passes(one, told[0])
    assert not passes(one, f"{told[0]}{split}{told[1]}")
    assert not passes(one, f"{told[1]}{split}{told[0]}")


def passes(drawn, said):
    return verify(drawn, f"</think> {said}", "stop").verdict is Verdict.PASS


@pytest.mark.parametrize("name", list(FAMILIES))
@pytest.mark.parametrize("notation", ["compact", "text"])
@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_every_generated_solution_passes(name, notation, count):
    style = Phase(share=1.0, careful=0.5, closing=0.5)
    count = count // 10 if name == "sudoku" and notation == "text" else count
    for drawn in generate(name, count, 1, notation, False, 10, repeat=True):
        row = sft_row(drawn, 0, style, 1)
        assert verify(drawn, row["response"], "stop").verdict is Verdict.PASS
        assert closes_well(drawn, row["response"], "stop").reward == float(row["closing"])


@given(closings=st.integers(0, 4), blank=st.sampled_from([" ", "\n", "\t "]))
def test_closing_words_are_counted(closings, blank):
    text = blank.join(["8", *["done"] * closings])
    assert split_closing(text + blank, "compact") == ("8", closings)
    assert split_closing("8done", "compact") == ("8done", 0)
