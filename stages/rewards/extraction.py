r"""The parts of a response that both readers of answers know: thinking, closing, marks, boxes.

``statements.py`` reads answers to our own puzzles with them, ``conclusions.py`` those to outside
problems, where prose is freer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stages.problems.answers import CLOSE, CLOSING, OPEN
from stages.problems.family import Notation

TAG = re.compile(r"(?i)</?think>")
MARKED = re.compile(
    r"(?i)(?:^|[.;!]\s)[\s*_#>-]*(?:(?:so|thus|hence|therefore),?\s+)?(?:(?:the|my)\s+)?"
    r"(?:(?:final|revised|corrected|updated|new)\s+)?"
    r"answer(?:\s+is)?[\s*_]*(?::|\bis\b|[—–](?=\s))(?:[*_]+(?=\s))?\s*"
)
REVISED = re.compile(r"(?i)\b(?:no|wait|actually|instead|rather|correction|sorry)\b")
DECORATION = re.compile(r"\\[\[\]()]|\$\$?|[`~]{3,}\w*|[-*_=]{3,}")
TAGGED = re.compile(r"<answer>([^<>]*)</answer>")
BRACE = re.compile(r"[{}]")
BOX = re.compile(r"\\boxed\s*\{")
FRAME = re.compile(r"\\f(?:rame)?box(?=\s*\{)")
UNBRACED = re.compile(r"\\boxed\s*(\d+)(?![\d.,]*\d)")
BEFORE_BOX = re.compile(
    r"(?i)(?:^|(?<![\\a-z])[a-z]+|[.:,;]|(?<![!<>/~])=)"
    r"(?:[\s$*_({]|\\[\[(])*$"
)
BOX_LABEL = re.compile(
    r"(?i)^(?P<dress>\\(?:text|textbf|textrm|textit|mathrm|mathbf|mbox)\s*\{\s*)?(?:the\s+)?(?:final\s+)?"
    r"(?:answer|ans)(?:\s+is(?![a-z])|\s*[:=])\s*:?\s*(?P<closed>\}?)\s*(?=\S)"
)
OTHER_QUANTITY = re.compile(
    r"(?i)\b(?:(?<!value )(?<!form )of|than|twice|half|double|triple|thrice|quadruple|times|plus|"
    r"minus|before|preceding|squared?|cubed?)\s+(?:the|this|our|my)\s+(?:(?:final|correct|required|desired)\s+)?"
    r"answer\b"
    r"|\banswer\s+(?:plus|minus|times|squared|cubed|doubled|tripled|halved|divided|multiplied|"
    r"increased|decreased|reduced|less|over|modulo|mod)\b"
    r"|\b(?:twice|half|double|triple|(?:square|cube|half|third|double|triple|reciprocal|negative|"
    r"opposite)\s+of)\s+(?:the|this)\s+result\b|\banswer's\s+\w+"
    r"|\banswer\s+(?:is\s+(?:an?\s+)?(?:multiple|factor|divisor|divisible|power|function|fraction|"
    r"percentage)|has|ends|begins|starts|contains|lies|differs|varies|depends)\b"
    r"|\bits\s+(?:square|cube|double|half|reciprocal|negative|inverse|digits?)\b"
    r"|\banswer\s+to\s+(?:part|step|the\s+(?:first|second|third|other|previous|last))\b"
)
"""Words about something else that the answer is a part of, or less than: half of the answer."""
SIGN_BEFORE = re.compile(r"(?i)\b(?:minus|negative)\b\W*(?:of\b\W*)?$")

COURTESY = re.compile(
    r"(?i)(?:^|(?<=[.!?。！？\n*`$)}\]]))[ \t\n*_>-]{0,40}"
    r"(?:(?:please\s+)?(?:let\s+me\s+know|feel\s+free)\b|"
    r"(?:I\s+)?hope\s+(?:this|that|it)\s+(?:helps|makes\s+sense)|"
    r"if\s+you(?:'d\s+like|\s+(?:have|need|want|would\s+like))\b|would\s+you\s+like\b|(?:I'm\s+|I\s+am\s+)?happy\s+to\b|"
    r"(?:如果|若|如)[您你]?(?:还?有|需要|想)|希望(?:这|以上|对[您你])|欢迎|请(?:告诉我|随时))"
    r"(?![^\n]*(?:\b(?:wrong|incorrect|mistakes?|errors?|actually|not|sure|doubt\w*)\b|错|不对|有误))"
    r"[^\n\d\\=<>]{0,200}$"
)
"""A closing offer of help, which says nothing of the answer."""
MOST_COURTESIES = 3
LONGEST_COURTESY = 400  # characters, with what leads up to it
EXPLAINED = re.compile(
    r"(?im)^\*\*(?P<said>[^*\n]{1,200})\*\*[ \t]*"
    r"(?=\n\s*\n[ \t*_#>]{0,9}(?:explanation|verification|check|"
    r"reasoning|why|解析|验证|解释|说明|检验)[^\n:：]{0,20}[:：]"
    r")"
)
"""A line in bold type that an explanation follows."""
ANOTHER = re.compile(r"\b(?i:answer|fail\w*|wrong|incorrect|should|must)\b")


@dataclass(frozen=True)
class Statement:
    """A stated answer, and the others in the response that must not differ from it."""

    answer: str
    others: tuple[str, ...] = ()


def answer_part(response: str, thinking: bool = False) -> str | None:
    """What follows the thinking; None if it never ended.

    Without any tag the whole response is the answer, unless ``thinking`` demands some.
    """
    response = TAG.sub(lambda found: found[0].lower(), response)
    before, closed, rest = response.partition(CLOSE)
    if closed:
        return rest.strip()
    return None if thinking or OPEN in before else response.strip()


def split_closing(text: str, notation: Notation) -> tuple[str, int]:
    """The text without closing words at its end, and how many there were."""
    word, count = CLOSING[notation], 0
    end = len(text.rstrip())
    while (start := end - len(word)) >= 0 and text.startswith(word, start):
        if start > 0 and not text[start - 1].isspace():
            break
        end, count = start, count + 1
        while end > 0 and text[end - 1].isspace():
            end -= 1
    return text[:end], count


def without_courtesies(text: str) -> str:
    """A text without offers of help at its end.

    >>> without_courtesies("It is 4. Let me know if you need more details!")
    'It is 4.'
    """
    for _ in range(MOST_COURTESIES):
        bare = text.rstrip()
        start = max(bare.rfind("\n"), len(bare) - LONGEST_COURTESY, 0)
        found = COURTESY.search(bare, start)
        if found is None:
            break
        text = text[: found.start()].rstrip()
    return text


def marked_bold(text: str) -> str:
    r"""A text whose answer is a bold line before its explanation, with a mark before that line.

    >>> marked_bold("**42**\n\nExplanation: 6 times 7.")
    'Answer: 42\n\nExplanation: 6 times 7.'
    """
    if "boxed" in text or MARKED.search(text) or any(map(MARKED.search, text.splitlines())):
        return text
    found = EXPLAINED.search(text)
    if found is None or ANOTHER.search(text, found.end()):
        return text
    return f"{text[: found.start()]}Answer: {found['said']}{text[found.end() :]}"


def braced(text: str) -> str:
    r"""A text in which every box is a ``\boxed{...}``: not ``\fbox{...}``, nor ``\boxed 3``."""
    return UNBRACED.sub(r"\\boxed{\1}", FRAME.sub(r"\\boxed", text))


def boxes(text: str) -> list[tuple[int, str, int]]:
    r"""Start, contents and end of each ``\boxed{...}``; empty when the last does not close."""
    found: list[tuple[int, str, int]] = []
    start = text.find("\\boxed")
    while start >= 0:
        opened = BOX.match(text, start)
        end = _closing_brace(text, opened.end()) if opened else None
        if opened is None or end is None:
            return []
        found.append((start, text[opened.end() : end].strip(), end + 1))
        start = text.find("\\boxed", end)
    return found


def unboxed(content: str) -> str:
    """The contents of a box, of one within it, and without "Answer:" before them."""
    inner = boxes(content)
    whole = len(inner) == 1 and inner[0][0] == 0 and inner[0][2] == len(content)
    content = (inner[0][1] if whole else content).strip().removeprefix("\\ ")
    if content.endswith("\\") and not content.endswith("\\\\"):
        content = content[:-1]  # the blank after it is gone
    if label := BOX_LABEL.match(content):
        dress = label["dress"] if not label["closed"] else ""
        content = f"{dress or ''}{content[label.end() :]}"
    tied = content.startswith("~") and content.endswith("~")
    return content.strip("~ ") if tied else content.strip()


def _closing_brace(text: str, at: int) -> int | None:
    """Where the brace opened just before ``at`` closes."""
    depth = 1
    for brace in BRACE.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return None
