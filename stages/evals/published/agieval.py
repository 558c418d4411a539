"""AGIEval: exams in English and Chinese, a file for each task; letters, sets of letters, and maths.

Tasks whose questions may have several right options are those the published evaluation names, and
any question whose gold has several letters: all of them must be stated, and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published import letters
from stages.evals.published.answer_lists import answers, boxed
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.clusters import macro, shares_by
from stages.evals.published.entries import Entry
from stages.evals.published.maths_sets import unwrapped
from stages.evals.published.totals import by_group
from stages.evals.scoring import Scored
from stages.rewards.chinese import in_english
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.stated import PASS, unparsed

IN_ENGLISH = """
aqua-rat gaokao-english logiqa-en lsat-ar lsat-lr lsat-rc math sat-en sat-en-without-passage
sat-math
"""
IN_CHINESE = """
gaokao-biology gaokao-chemistry gaokao-chinese gaokao-geography gaokao-history gaokao-mathcloze
gaokao-mathqa gaokao-physics jec-qa-ca jec-qa-kd logiqa-zh
"""
ENGLISH, CHINESE = frozenset(IN_ENGLISH.split()), frozenset(IN_CHINESE.split())
SEVERAL = frozenset(("gaokao-physics", "jec-qa-ca", "jec-qa-kd"))
CLOZE = frozenset(("gaokao-mathcloze", "math"))
SUBJECT = dict.fromkeys(("aqua-rat", "gaokao-mathqa", "sat-math", *CLOZE), "maths")
SPELLING = re.compile(r"^\s*[(（]?([A-H])\s*(?:[)）.．、:：]|\s)\s*")
BLANKS = re.compile(r"\s*[;；]\s*")  # between the answers of a cloze question
ONE = (
    "Think, then close with a line 'Answer: ' and the letter of the right option.",
    "请思考后作答，最后一行写“答案：”和正确选项的字母。",
)
MANY = (
    "One or more options are right. Think, then close with a line 'Answer: ' and their letters.",
    "正确选项可能不止一个。请思考后作答，最后一行写“答案：”和所有正确选项的字母。",
)
FILLED = (
    "Think, then put the answer in \\boxed{...}.",
    "请思考后作答，把答案写在 \\boxed{...} 中；有多个空时按顺序用逗号分开。",
)


def agieval(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``passage``, ``question``, ``options`` and ``label``, or ``answer`` of a cloze question.

    A row published without a label gives no problem.
    """
    del shuffle
    task = entry.file.replace("_", "-")
    if task not in ENGLISH | CHINESE:
        raise DataError(
            f"{entry.where}: {entry.file!r} is no task of AGIEval. Files are named after theirs, "
            "as in lsat-ar.jsonl."
        )
    if task not in CLOZE and not entry.row.get("label"):
        return
    passage = str(entry.row.get("passage") or "").strip()
    shared = {"cluster": f"{task}/{passage}"} if passage else {}
    body = "\n\n".join(part for part in (passage, entry.text("question").strip()) if part)
    make = _cloze if task in CLOZE else _choice
    yield make(entry, task, body, {"group": task} | shared)


def _cloze(entry: Entry, task: str, body: str, meta: dict[str, Any]) -> Problem:
    """A question whose answer is mathematics, in one or more blanks."""
    golds = [unwrapped(gold) for gold in BLANKS.split(entry.text("answer").strip())]
    prompt = f"{body}\n\n{FILLED[task in CHINESE]}"
    meta = {"verifier": "blanks", "golds": golds} | meta
    return problem_of(f"{task}/{entry.name}", prompt, "; ".join(golds), SUBJECT[task], meta)


def _choice(entry: Entry, task: str, body: str, meta: dict[str, Any]) -> Problem:
    options = _options(entry.texts("options"))
    label = entry.get("label")
    said = "".join(label) if isinstance(label, list) else str(label)
    gold = letters.read_letters(said)
    if gold is None or max(gold) > ascii_uppercase[len(options) - 1]:
        raise DataError(f"{entry.where}: label {label!r} does not name some of the options.")
    several = task in SEVERAL or len(gold) > 1
    lettered = [
        f"{letter}. {words}" for letter, words in zip(ascii_uppercase, options, strict=False)
    ]
    prompt = "\n".join([body, *lettered, "", (MANY if several else ONE)[task in CHINESE]])
    meta = {"verifier": "letters", "options": options, "several": several} | meta
    name, domain = f"{task}/{entry.name}", SUBJECT.get(task, "general")
    return problem_of(name, prompt, "".join(sorted(gold)), domain, meta)


def _options(given: Sequence[str]) -> list[str]:
    """The words of A, B...: by the letters they are written with, (A)words, A.words, A words.

    By their order where these are not all letters once.
    """
    expected = ascii_uppercase[: len(given)]
    spelled = [SPELLING.match(option) for option in given]
    written = "".join(found[1] if found else "?" for found in spelled)
    if sorted(written) == list(expected):
        return [words for _, words in sorted(zip(written, map(_words, given), strict=True))]
    pairs = zip(given, written, expected, strict=True)
    return [_words(option) if one == other else option.strip() for option, one, other in pairs]


def _words(option: str) -> str:
    return SPELLING.sub("", option).strip()


def check(problem: Problem, text: str) -> Judgement:
    """Whether a response states the letters, or fills every blank in order."""
    if problem.meta["verifier"] == "letters":
        return letters.check(problem, text)
    golds, asked = problem.meta["golds"], Asked(problem.prompt)
    if len(golds) == 1:
        return judge_maths(golds[0], text, asked)
    said = answers(in_english(text), len(golds))
    if said is None:
        return unparsed(f"{len(golds)} answers are asked for")
    pairs = zip(golds, said, strict=True)
    found = [judge_maths(gold, boxed(one), asked) for gold, one in pairs]
    return next((one for one in found if one.verdict is not Verdict.PASS), PASS)


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``macro`` over tasks, the published average; ``languages``; ``tasks``."""

    def language(question: Scored) -> tuple[str]:
        return ("English" if question.problem.meta["group"] in ENGLISH else "Chinese",)

    tasks = by_group(samples)
    return {"macro": macro(tasks), "languages": shares_by(samples, language), "tasks": tasks}
