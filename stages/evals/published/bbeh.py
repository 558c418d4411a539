"""BIG-Bench Extra Hard: an answer phrase, folded and compared; micro and harmonic averages.

The answer is what follows the last "the answer is", up to the end of its line, unless a box comes
later; else the last box, else the last line. Boxes of one line are one answer. Before comparing:
lower case, no bold, no dollars, no full stop, no blank after a comma. Equal too: a letter with and
without parentheses, a list with and without brackets, numbers of one value, words but for
apostrophes, a question mark more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.entries import Entry
from stages.evals.published.totals import by_group
from stages.evals.scoring import rounded
from stages.rewards.extraction import TAGGED, boxes

FOLDER = "bbeh_"  # of a task of the full set
MARK = re.compile(
    r"(?im)\b(?:the|my)\s{1,9}(?:(?:final|correct)\s{1,9}){0,2}answers?\s{1,9}(?:is|are)\b\s{0,9}[:：]?|"
    r"^[ \t*#_>-]{0,9}(?:(?:the|my)[ \t]{1,9})?(?:final[ \t]{1,9})?answer[ \t*_]{0,9}[:：]|"
    r"(?:最终|最后|正确)?的?答案\s{0,9}(?:是|为|[:：])\s{0,9}[:：]?|"
    r"^[ \t]{0,9}#{4}[ \t]{1,9}(?=\S[^\n]*\s*\Z)"
)
BARE = re.compile(r"\s*(?:\\[\[\]()]|\$\$?|[`~]{3,}\w*|[*_]{1,4})?\s*")
"""A line that only sets what stands in the next."""

BECAUSE = re.compile(
    r"(?i)\s*(?:,\s*(?:because|since|as)\b|\((?:see|as|because|since)\b|[.。]\**\s+(?=[A-Z])).*"
)
TURN = re.compile(
    r"(?i)\b(?:or|not|no|but|wrong|actually|wait|however|instead|incorrect|rather|could|maybe|"
    r"perhaps|mistake\w*|correct\w*|sorry|hmm|answer)\b"
)
"""What may take back, in the words after an answer, that it is one."""
WRAPPED = re.compile(r"\\(?:text|texttt|textbf|mathrm)\{([^{}]*)\}")
SET = re.compile(r"\\[\[\]()]")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
LETTER = re.compile(r"\(([a-z])\)")
ONE = 1  # percent point, added to every task's accuracy by the published average
SHOWN = 80


def bbeh(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``input``, ``target``; the task is named by the field ``task`` or by the file's folder."""
    del shuffle
    full = entry.folder.startswith(FOLDER)
    task = entry.row.get("task") or (entry.folder.removeprefix(FOLDER) if full else None)
    name = f"{task}/{entry.name}" if full else entry.name
    meta = {"verifier": "phrase"} | ({"group": str(task)} if task else {})
    yield problem_of(name, entry.text("input"), entry.text("target"), "logic", meta)


def stated(text: str) -> str:
    r"""The answer phrase of a response; "" if there is none.

    >>> stated("The answer is: **(B)**.\nIt fits."), stated(r"$\boxed{4}$"), stated("\n 7.")
    ('**(B)**.', '4', '7.')
    """
    text = TAGGED.sub(r"\nAnswer: \1\n", text)
    marks, inner = list(MARK.finditer(text)), boxes(text)
    if marks and not (inner and _line_at(text, inner[-1][0]) > marks[-1].end()):
        lines = text[marks[-1].end() :].strip().split("\n")
        line = next((one for one in lines if not BARE.fullmatch(one)), "").strip()
    elif inner:
        line = text[_line_at(text, inner[-1][0]) :].split("\n")[0]
    else:
        lines = [line for line in map(str.strip, text.split("\n")) if not BARE.fullmatch(line)]
        line = lines[-1] if lines else ""
    return _unboxed(line)


def _line_at(text: str, at: int) -> int:
    """Where the line of a place begins."""
    return text.rfind("\n", 0, at) + 1


def _unboxed(line: str) -> str:
    """What the boxes of a line hold, once where they hold the same, else with what parts them."""
    inner = boxes(line)
    if len({folded(content) for _, content, _ in inner}) <= 1:
        return inner[-1][1] if inner else line
    parts, at = list[str](), inner[0][0]
    for start, content, end in inner:
        parts += [line[at:start], content]
        at = end
    return "".join(parts)


def readings(text: str) -> list[str]:
    """The answer phrase of a response, and the phrase without a reason that follows it.

    >>> readings("The answer is **B**, since A fails.")
    ['**B**, since A fails.', '**B**']
    """
    said = stated(text)
    reason = BECAUSE.search(said)
    if reason is None or not reason.start() or TURN.search(reason[0]):
        return [said]
    return [said, said[: reason.start()]]


def folded(phrase: str) -> str:
    """A phrase as it is compared."""
    plain = SET.sub("", WRAPPED.sub(r"\1", phrase.strip())).replace("**", "").strip('$ \t"`*_')
    return re.sub(r",\s+", ",", plain.lower()).strip().rstrip(".。").strip('$ "`*_')


def same(one: str, two: str) -> bool:
    """Whether two folded phrases are one answer."""
    forms = [{phrase, phrase.replace("'", ""), *_bare(phrase)} for phrase in (one, two)]
    if one == two or forms[0] & forms[1] or one == f"{two}?":
        return True
    numbers = [NUMBER.fullmatch(phrase.replace("−", "-")) for phrase in (one, two)]
    return None not in numbers and len({Fraction(found[0]) for found in numbers if found}) == 1


def _bare(phrase: str) -> list[str]:
    """A phrase without what may stand around it."""
    letter = LETTER.fullmatch(phrase)
    listed = phrase[1:-1] if phrase[:1] == "[" and phrase[-1:] == "]" else ""
    return [found for found in (letter[1] if letter else "", listed) if found]


def check(problem: Problem, text: str) -> Judgement:
    """Whether a response states the target."""
    said = [folded(one) for one in readings(text)]
    if not said[0]:
        return Judgement(Verdict.UNPARSED, 0.0, "nothing is stated")
    if any(same(one, folded(problem.answer)) for one in said):
        return Judgement(Verdict.PASS, 1.0)
    return Judgement(Verdict.WRONG, 0.0, f"another answer: {said[0][:SHOWN]!r}")


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``micro``: the mean over items. ``harmonic``: of the tasks' accuracies, one point added each.

    The published harmonic average keeps that point: all right is 1.01. It needs the tasks, which
    the mini file does not name; then it is None.
    """
    known = [one.judgement.reward for one in samples if one.judgement.reward is not None]
    tasks = by_group(samples)
    shares = [100 * share + ONE for share in tasks.values() if share is not None]
    harmonic = len(shares) / math.fsum(1 / share for share in shares) / 100 if shares else None
    micro = math.fsum(known) / len(known) if known else None
    return {"micro": rounded(micro), "harmonic": rounded(harmonic), **tasks}
