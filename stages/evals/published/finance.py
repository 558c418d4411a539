"""FinanceReasoning: a number from tables and formulas, right within 0.2 %.

Golds are in what the question asks for: 14.0 where it is "as a percentage", 97.78 where it is "in
millions". A response may say so again (14 %, $97.78 million) or not (14, 97.78). A percent sign
that nothing asks for makes a fraction: 14 % is 0.14 then, unless the gold itself is above 1, and so
no share. A scale is part of the number where neither question nor table has it. Names of currencies
do not count, other units must be those of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import problem_of
from stages.evals.published.entries import Entry
from stages.rewards.maths_quantities import Asked
from stages.rewards.science import Measured, judge_number, judge_text

TOLERANCE = Fraction(2, 1000)  # relative: the published evaluation's
PERCENTAGE = re.compile(
    r"(?i)\bpercentages?\b|\bpercent\s+(?:of|change|increase|decrease|growth|decline|difference)\b|"
    r"\b(?:in|as\s+an?|what|which)\s+per\s?cent\b|\bpercent\s*[.?]?\s*$|%\s*\)?\s*[.?]?\s*$"
)
"""What asks for a number of hundredths, in the last sentences of a question."""
SIGN = re.compile(
    r"(?i)(?<=[0-9])(\s|\\[,;! ]|\$|\*|\}|\\text\s*\{\s*){0,4}(?:\\?%|percent\b|per\s+cent\b)"
)
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALED = re.compile(
    r"(?i)(?<![0-9.,])(?P<number>[0-9]{1,15}(?:,[0-9]{3}){0,5}(?:\.[0-9]{1,15})?)"
    r"(?:\s|\\[,;! ]|~|\$|\*|\\(?:text|mathrm)\s*\{\s*){0,4}"
    rf"(?P<scale>{'|'.join(SCALES)})s?\b\}}?"
)
CODES = re.compile(
    r"(?<=[0-9])(?:\s|\\[,;! ]|\\(?:text|mathrm)\s*\{\s*){0,4}"
    r"(?:US\$|USD|CAD|EUR|GBP|AUD|NZD|JPY|CHF|CNY|RMB|INR|HKD|SGD|KRW|MXN|BRL|ZAR|SEK|NOK|DKK)\b\}?"
)
PREFIXED = re.compile(
    r"(?<![A-Za-z])(?:(?:US|CAD?|C|AU?D?|HK|SG?|NZ)\\?\$|"
    r"(?:USD|CAD|EUR|GBP|AUD|NZD|JPY|CHF|CNY|RMB|INR|HKD|SGD|KRW|MXN|BRL|ZAR|SEK|NOK|DKK)"
    r"(?:\s|~|\\[,; ])*(?:\\?[$€£¥])?)\s*(?=-?[0-9])"
)
SUFFIXED = re.compile(r"(\$\s?[0-9][0-9,.]{0,30}[0-9]|\$\s?[0-9])\s?(K|M|B|mn|bn)\b")
SUFFIXES = {"K": "thousand", "M": "million", "B": "billion", "mn": "million", "bn": "billion"}
LABEL = re.compile(r"\\text(?:bf)?\s*\{([^{}]*\banswer\b[^{}]*)\}")
ROUNDED = re.compile(
    r"(?i)\s*\((?:rounded|approximately|approx\.?|about|to\s+the\s+nearest)\b[^()\n]{0,60}\)"
)
YES, NO = ("true", "yes"), ("false", "no")
ASKED = "Think, then close with a line 'Answer: ' and the number alone, or True or False."


def finance(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``question_id``, ``question``, ``context``, ``level``, ``ground_truth``: number or truth."""
    del shuffle
    gold = entry.get("ground_truth")
    if not isinstance(gold, bool | int | float):
        raise DataError(f"{entry.where}: ground_truth {gold!r} is no number, true or false.")
    question = entry.text("question").strip()
    context = str(entry.row.get("context") or "").strip()
    prompt = "\n\n".join(part for part in (context, question, ASKED) if part)
    scales = [name for name in SCALES if re.search(rf"(?i)\b{name}s?\b", f"{context}\n{question}")]
    meta = {"verifier": "finance", "question": question, "scales": scales}
    meta |= {"group": entry.text("level")} if entry.has("level") else {}
    yield problem_of(entry.text("question_id"), prompt, str(gold), "finance", meta)


def check(problem: Problem, text: str) -> Judgement:
    """Whether a response states the number, in what the question asks for, or the truth."""
    text = ROUNDED.sub("", LABEL.sub(r"\1", text))
    for words, name in ((YES, "True"), (NO, "False")):
        if problem.answer == name:
            found = judge_text(name, text, words)
            figure = judge_number(str(int(name == "True")), text, Measured(Asked()))
            return figure if found.verdict is Verdict.UNPARSED else found
    text = SUFFIXED.sub(lambda found: f"{found[1]} {SUFFIXES[found[2]]}", text)
    return _number(problem, CODES.sub("", PREFIXED.sub("", text)))


def _number(problem: Problem, text: str) -> Judgement:
    """The judgement of the first reading that passes, or else of the plainest."""
    question, scales = problem.meta["question"], problem.meta["scales"]
    percentage = bool(PERCENTAGE.search(question))
    if percentage or abs(float(problem.answer)) > 1:
        text = SIGN.sub("", text)
    measured = Measured(Asked("" if percentage else question), TOLERANCE)
    readings = [SCALED.sub(_written_out, text)]
    if scales:
        named = [found for found in SCALED.finditer(text) if found["scale"].lower() in scales]
        for found in reversed(named):
            text = text[: found.end("number")] + text[found.end() :]
        readings.append(SCALED.sub(_written_out, text))
    judged = [judge_number(problem.answer, reading, measured) for reading in readings]
    return next((one for one in judged if one.verdict is Verdict.PASS), judged[0])


def _written_out(found: re.Match[str]) -> str:
    """A number with its scale as one number: 5.2 million is 5200000."""
    value = Decimal(found["number"].replace(",", "")) * SCALES[found["scale"].lower()]
    return f"{value.normalize():f}"
