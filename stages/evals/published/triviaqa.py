"""TriviaQA without documents: the last stated answer against all aliases, exact match and F1.

Compared as the published script does: lower case, no articles, no punctuation, blanks alike.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.bbeh import WRAPPED
from stages.evals.published.bbeh import readings as phrased
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.clusters import mean_of
from stages.evals.published.entries import Entry
from stages.evals.scoring import rounded

F1 = "f1"
ASKED = "Close with a line 'Answer: ' and the answer alone, as short as can be."
NAMES = ("question_id", "QuestionId", "id", "qid")
LISTS = ("aliases", "Aliases", "normalized_aliases", "NormalizedAliases", "HumanAnswers")
VALUES = ("value", "Value", "normalized_value", "NormalizedValue")
HIDDEN = "<unk>"  # the answer of a test split
ARTICLE = re.compile(r"\b(?:a|an|the)\b")
SIGNS = str.maketrans(dict.fromkeys(string.punctuation + "‘’´`“”。", " "))
BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
REMARK = re.compile(r"\s*\([^()]*\)\s*[.!]?\s*$")
LABEL = re.compile(r"(?i)^\W{0,4}(?:final\s+)?answer\W{0,4}[:：]\s*")
SHOWN = 80


def triviaqa(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``question``, ``answer`` with its ``aliases`` (or ``golden_answers``), ``question_id``."""
    del shuffle
    golds = _golds(entry)
    question = entry.text("question", "Question").strip()
    name = entry.text(*NAMES) if entry.has(*NAMES) else entry.name
    meta = {"verifier": "trivia", "aliases": golds}
    yield problem_of(name, f"{question}\n\n{ASKED}", golds[0], "general", meta)


def _golds(entry: Entry) -> list[str]:
    """What counts as the answer, each once, in order; DataError if there is nothing."""
    given = entry.get("answer", "Answer", "golden_answers")
    said = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    if isinstance(given, dict):
        said = [given[name] for name in VALUES if isinstance(given.get(name), str)]
        said += [one for name in LISTS for one in given.get(name) or ()]
    golds = dict.fromkeys(one for one in said if isinstance(one, str) and normal(one))
    if not golds or HIDDEN in golds:
        raise DataError(
            f"{entry.where}: no answer. The test split has none: docs/benchmarks.md says which has."
        )
    return list(golds)


def normal(answer: str) -> str:
    """An answer as it is compared.

    >>> normal("The Cotswold-Hills, England!"), normal("A_a")
    ('cotswold hills england', '')
    """
    return " ".join(ARTICLE.sub(" ", answer.casefold().translate(SIGNS)).split())


def readings(text: str) -> list[str]:
    """The last stated answer in the forms it may have: whole, its bold words, without a remark.

    >>> readings("It was written by **Mark Twain**."), readings("Answer: Puck (a sprite)")
    (['It was written by **Mark Twain**.', 'Mark Twain'], ['Puck (a sprite)', 'Puck'])
    """
    phrases = [WRAPPED.sub(r"\1", LABEL.sub("", one)) for one in phrased(text)]
    bold = BOLD.findall(phrases[0])
    found = [*phrases, *(bold if len(bold) == 1 else ()), REMARK.sub("", phrases[0])]
    return [one for one in dict.fromkeys(found) if normal(one)]


def f1(said: str, gold: str) -> float:
    """Harmonic mean of the shares of words that two normal answers have in common."""
    one, two = Counter(said.split()), Counter(gold.split())
    shared = (one & two).total()
    return 2 * shared / (one.total() + two.total()) if shared else 0.0


def check(problem: Problem, text: str) -> Judgement:
    """Whether the answer is an alias; ``parts`` has the best F1 with one."""
    said = [normal(one) for one in readings(text)]
    if not said:
        return Judgement(Verdict.UNPARSED, 0.0, "nothing is stated")
    golds = [normal(gold) for gold in problem.meta["aliases"]]
    parts = {F1: max(f1(one, gold) for one in said for gold in golds)}
    if not set(golds).isdisjoint(said):
        return Judgement(Verdict.PASS, 1.0, "", {F1: 1.0})
    return Judgement(Verdict.WRONG, 0.0, f"another answer: {said[0][:SHOWN]!r}", parts)


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``f1``: the mean over samples; one without an answer has 0."""
    known = [one.judgement for one in samples if one.judgement.reward is not None]
    return {F1: rounded(mean_of(one.parts.get(F1, 0.0) for one in known))}
