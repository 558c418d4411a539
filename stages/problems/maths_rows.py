"""Maths data sets: a question with a short answer, given alone or boxed at a solution's end."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stages.base.errors import DataError
from stages.problems.outside import Draft, Fields, Parsed, Unfit, text, turns

ANSWERS = ("answer", "final_answer", "expected_answer")
LONGEST_ANSWER = 200  # characters
PROOF = re.compile(r"\b(?:prove|show) that\b", re.IGNORECASE)
ASKS = re.compile(
    r"\?|\b(?:find|determine|compute|calculate|evaluate|what|how many)\b", re.IGNORECASE
)
NOTHING = frozenset(("proof", "notfound", "not found", "n/a", "none", "null"))
"""What stands in the place of an answer where there is none."""

LETTER = re.compile(r"(?:\\(?:text|textbf|mathrm)\{)?\(?([A-E])\)?\}?")
OPTIONS = re.compile(r"\(A\).*\(B\)|\bA[.)].*\bB[.)]", re.DOTALL)
BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
DAPO_HEAD = re.compile(r"\ASolve the following math problem step by step\..*?\n\n", re.DOTALL)
DAPO_TAIL = re.compile(r"\n+Remember to put your answer on its own line after \"Answer:\"\.?\Z")


def math(fields: Fields) -> list[Parsed]:
    """MATH, NuminaMath and their kin: problem or question; answer, else the solution's last box."""
    question = text(fields, "problem", "question")
    try:
        answer = text(fields, *ANSWERS)
    except DataError:
        answer = last_box(text(fields, *ANSWERS, "solution"))  # one error that names them all
    level = fields.get("level", "")
    return [_draft(question, answer, str(level) if isinstance(level, str | int) else "")]


def gsm8k(fields: Fields) -> list[Parsed]:
    """GSM8K: the answer stands after ``####`` at the end of the solution."""
    _, mark, answer = text(fields, "answer").rpartition("####")
    if not mark or not answer.strip():
        raise DataError("field 'answer' has no '####' before its result")
    return [_draft(text(fields, "question"), answer.strip().replace(",", ""))]


def dapo(fields: Fields) -> list[Parsed]:
    """DAPO-Math-17k: a chat prompt with instructions around the problem, gold in ``reward_model``.

    The instructions are taken off: how to state an answer is for the pipeline to say.
    """
    prompt = fields.get("prompt")
    if isinstance(prompt, str):
        question, answer = prompt, text(fields, "solution", "answer")
    else:
        question = next((said for role, said in turns(fields, "prompt") if role == "user"), "")
        gold = fields.get("reward_model")
        answer = text(gold if isinstance(gold, Mapping) else {}, "ground_truth")
    return [_draft(DAPO_TAIL.sub("", DAPO_HEAD.sub("", question)).strip(), answer)]


def _draft(question: str, answer: str, level: str = "") -> Draft | Unfit:
    if len(answer) > LONGEST_ANSWER:
        return Unfit("the answer is too long to check")
    if answer.lower() in NOTHING:
        return Unfit("no answer is given")
    if LETTER.fullmatch(answer) and OPTIONS.search(question):
        return Unfit("the answer is the letter of an option")
    if PROOF.search(question) and not ASKS.search(PROOF.sub("", question)):
        return Unfit("asks for a proof")
    return Draft(question, answer, "maths", difficulty=level)


def last_box(solution: str) -> str:
    r"""Contents of the last ``\boxed{...}``; DataError if there is none or it does not close.

    >>> last_box(r"so \boxed{1} and then \boxed{\frac{1}{2}}.")
    '\\frac{1}{2}'
    """
    starts = [found.end() for found in BOX.finditer(solution)]
    if not starts:
        raise DataError("field 'solution' has no boxed answer")
    depth, begin = 1, starts[-1]
    for brace in re.finditer(r"[{}]", solution[begin:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            content = solution[begin : begin + brace.start()].strip()
            if content:
                return content
            break
    raise DataError("field 'solution' ends in a box that is empty or does not close")
