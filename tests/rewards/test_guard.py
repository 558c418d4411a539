"""A verifier never raises: what a model writes is judged, a broken checker or problem is ERROR."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.problems.countdown import Countdown
from stages.problems.registry import FAMILIES, generate
from stages.rewards.guard import FAILURES
from stages.rewards.preference import closes_well
from stages.rewards.router import verify
from tests.tables import each

SCORERS = (verify, closes_well)
DRAWN = [
    generate(name, 1, 0, notation, False, 10)[0]
    for name in FAMILIES
    for notation in ("compact", "text")
]
COUNTDOWN = generate("countdown", 1, 0, "compact", False, 10)[0]
BLANKS = [chr(code) for code in range(0x3001) if chr(code).isspace()]
SYMBOLS = [*"0123456789+-=()[]{},.:;/%*$`?!_|", "−", "‑", "½", "²", "٣", "\ud800", "\x00"]
WORDS = [
    "\\boxed{",
    "answer is ",
    "Answer:",
    "knight",
    "knave",
    "not ",
    "minus ",
    " or ",
    "so ",
    "e",
]
ENDS = ["done", "</think>", "<think>", "I hope this helps."]
PIECES = st.sampled_from([*BLANKS, *SYMBOLS, *WORDS, *ENDS])


@given(text=st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join)))
def test_no_text_breaks_a_scorer(text):
    for problem in DRAWN:
        for score in SCORERS:
            for response in (f"</think>{text}", f"</think> {problem.answer}{text}"):
                assert score(problem, response, "stop").verdict is not Verdict.ERROR


@pytest.mark.parametrize("notation", ["compact", "text"])
def test_whatever_blank_stands_before_a_claimed_value(notation):
    meta = {**COUNTDOWN.meta, "notation": notation}
    problem = dataclasses.replace(COUNTDOWN, meta=meta)
    target = COUNTDOWN.meta["instance"]["target"]
    said = {blank: f"</think> {COUNTDOWN.answer} = -{blank}{target}" for blank in BLANKS}
    found = {blank: verify(problem, text, "stop").verdict for blank, text in said.items()}
    assert not [hex(ord(blank)) for blank in BLANKS if found[blank] is not Verdict.WRONG]


@each(
    ("family", "instance"),
    [
        ("countdown", {"numbers": None, "target": 8}),
        ("countdown", {"numbers": 3, "target": 8}),
        ("countdown", {"numbers": ["a"], "target": 8}),
        ("countdown", {"numbers": [1, 6, 1], "target": None}),
        ("countdown", {"numbers": [1, 6, 1], "target": 100}),
        ("countdown", {"numbers": [], "target": 0}),
        ("countdown", {"numbers": [1] * 40, "target": 0}),
        ("countdown", {"numbers": [True, 6, 1], "target": 8}),
        ("countdown", {"numbers": [1, 6, 1], "target": 8, "more": 1}),
        ("chain", {"start": 3, "steps": [["*", 3]]}),
        ("chain", {"start": 3, "steps": []}),
        ("chain", {"start": 3, "steps": [["+", 3, 1]]}),
        ("charge", {"terms": [["Xx", 1]]}),
        ("charge", {"terms": [["Na", "2"]]}),
        ("lists", {"digits": [], "operations": ["rev"]}),
        ("lists", {"digits": [1, 2, 3, 4], "operations": ["sort"]}),
        ("knights", {"joint": "xor", "claim": "k", "said": []}),
        ("knights", {"joint": "or", "claim": "k", "said": [["k", 7]]}),
        ("sudoku", {"rows": [[0] * 4] * 4}),
        ("sudoku", {"rows": "1234"}),
        ("sudoku", {"rows": []}),
        ("maze", {"rows": ["S#G"]}),
        ("maze", {"rows": [["S", "G"], [".", "."]]}),
        ("game24", {"numbers": [1, 1, 1, 1]}),
        ("game24", {"numbers": [4, 1, 8, "7"]}),
        ("pattern", {"examples": [], "question": [[1]], "solution": [[1]]}),
        ("pattern", {"examples": [[[[1, 2], [3, 4]]]], "question": [[1]], "solution": [[1]]}),
    ],
)
@each("notation", ["compact", "text"])
def test_a_broken_problem_is_an_error_and_never_a_wrong_answer(family, instance, notation):
    meta = {"notation": notation, "instance": instance}
    problem = dataclasses.replace(COUNTDOWN, family=family, meta=meta)
    for score in SCORERS:
        judgement = score(problem, "</think> 1 + 6 + 1", "stop")
        assert judgement.verdict is Verdict.ERROR
        assert judgement.reward is None
        assert judgement.reason


@pytest.mark.parametrize("meta", [None, [], "x", {"notation": ["text"], "instance": {}}])
def test_a_problem_with_odd_meta_is_an_error(meta):
    problem = dataclasses.replace(COUNTDOWN, meta=meta)
    for score in SCORERS:
        assert score(problem, "</think> 1", "stop").verdict is Verdict.ERROR


@pytest.mark.field_bug("S15")
@pytest.mark.parametrize("failure", FAILURES)
def test_a_checker_that_fails_is_an_error_with_its_reason(failure, monkeypatch):
    def fails(self, text, notation):
        if text == "boom":
            raise failure("x" * 1000)
        return original(self, text, notation)

    original = Countdown.read
    monkeypatch.setattr(Countdown, "read", fails)
    for score in SCORERS:
        judgement = score(COUNTDOWN, "</think> boom", "stop")
        assert (judgement.verdict, judgement.reward) == (Verdict.ERROR, None)
        assert failure.__name__ in judgement.reason
        assert len(judgement.reason) < 400


@pytest.mark.field_bug("S18")
def test_a_programming_error_is_not_swallowed(monkeypatch):
    monkeypatch.setattr(Countdown, "read", lambda *_: None.nothing)
    with pytest.raises(AttributeError):
        verify(COUNTDOWN, "</think> 1", "stop")
