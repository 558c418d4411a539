r"""What a row states: the parts that must be equal, in order, before alike texts count as one.

Word problems that differ in a number, a sign or a name share nearly all their shingles and are
different problems. So the statement holds numbers in digits and in words, operators, brackets and
LaTeX commands, single letters, names, negations and words that turn a sentence; every word of code
and formulas; and every word of a short row or of a short answer. In doubt two rows stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.cleaning.rows import Row
from stages.cleaning.shingles import folded, words

SHORT_ROW = 40  # words; below, a single word makes another statement
SHORT_ANSWER = 40
END_OF_THINKING = "</think>"

_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = rf"[^\W\d_{_UNSPACED}]+"
_LETTER = rf"(?<![^\W_])[^\W\d_{_UNSPACED}](?![^\W_])"
_TURNING_CHARACTERS = "不没沒無无非未勿一二三四五六七八九十百千万萬亿億两兩半"
EXACT = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|\$\$.{1,4000}?\$\$|\$[^$\n]+\$|\\\(.{1,2000}?\\\)"
    r"|\\\[.{1,4000}?\\\]|\\boxed\{[^}]{0,1000}\}",
    re.DOTALL,
)
"""Code and formulas: every token counts. Bounds, for an end may be missing many times."""

EXACT_TOKEN = re.compile(r"\w+|[^\w\s]")
BULLET = re.compile(r"^[ \t]*[-*•][ \t]+", re.MULTILINE)
TOKEN = re.compile(
    r"[ ,\"]{0,2}"  # passed over: a try at every blank would take twice the time
    rf"({_WORD}(?:['’]{_WORD})?|\d+(?:\.\d+)*|[\n.?:;]"
    r"|[^\w\s.,;:?!'\"‘’“”„«»…—`*-]"  # operators, brackets, currency: all but punctuation of prose
    r"|(?<=[\w)\]}])\*+(?=[\w(\[{\\+-])|(?<=\s)\*+(?=\s)"  # a star that is not bold type
    r"|(?<![^\W\d_]{2})-|-(?![^\W\d_]{2})"  # a minus, not a hyphen
    rf"|!(?=[=\w(])|(?<=[\d)])!|(?<={_LETTER})!"  # a factorial or a negation, not a cry
    r"|'(?=\()"  # a derivative
    rf"|[{_TURNING_CHARACTERS}])"
)
BREAKS = frozenset("\n.?:;")
"""After one of these a capital letter may be no more than the begin of a sentence."""

_TURNING = (
    "not no nor never neither none nothing nobody nowhere cannot without unless except only all or "
    "less fewer smaller lower shorter younger slower least minimum min smallest lowest shortest "
    "decrease decreases decreased decreasing subtract subtracts subtracted multiply multiplies "
    "multiplied divide divides divided difference product quotient minus odd prime negative false "
    "before below under outside left down last previous south west xor iff counterclockwise "
    "anticlockwise zero two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy "
    "eighty ninety hundred thousand million billion half third quarter double twice triple dozen "
    "nicht kein keine keinen nie ohne pas jamais sans sin nunca não sem"
)
_NEGATED = "is are was were do does did ca could wo would should must has have had need ai"
TURNING = frozenset(
    [*_TURNING.split(), *(f"{verb}n{mark}t" for verb in _NEGATED.split() for mark in "'’")]
)
"""Numbers in words, negations, and of two opposites (more and less, and and or) the rarer one."""

_OPENERS = (
    "a an the this that these those there here it its he she they we you i in on at by for from "
    "with as to of is are was were do does did can could will would should may might must let "
    "suppose assume given consider find compute calculate determine solve show prove write explain "
    "describe what which who whose whom when where why how then so thus hence therefore since "
    "because although though while however moreover also finally note now please use using define "
    "evaluate simplify select choose answer question problem solution step hint return implement "
    "create make give list name identify state draw and but if more each every any some one first "
    "second next after"
)
OPENERS = frozenset(_OPENERS.split())
"""Words that begin sentences; a capital makes no name of them."""

Statement = tuple[str, ...]


def statement(row: Row) -> Statement:
    """What must be equal in two rows that are to count as one, in order, field by field."""
    prompt, (thoughts, answer) = row["prompt"], _split(row["response"])
    short = _shorter(f"{prompt}\n{row['response']}", SHORT_ROW)
    brief = short or _shorter(answer, SHORT_ANSWER)
    return (
        *_carriers(prompt, every_word=short, question=True),
        "\x00",
        *_carriers(thoughts, every_word=short, question=False),
        "\x00",
        *_carriers(answer, every_word=brief, question=False),
    )


def _split(response: str) -> tuple[str, str]:
    """Thoughts, up to and with the end of thinking, and the answer after it."""
    head, mark, tail = response.rpartition(END_OF_THINKING)
    return head + mark, tail


def _shorter(text: str, count: int) -> bool:
    """Whether a text has fewer words; most have more pieces between blanks, which is cheap."""
    return len(text.split(maxsplit=count)) < count and len(words(folded(text))) < count


def _carriers(text: str, *, every_word: bool, question: bool) -> Iterator[str]:
    """Tokens that carry meaning; ``question``: a name may also begin a sentence."""
    at = 0
    for span in EXACT.finditer(text):
        yield from _prose(text[at : span.start()], every_word, question)
        yield from EXACT_TOKEN.findall(span.group())
        at = span.end()
    yield from _prose(text[at:], every_word, question)


def _prose(text: str, every_word: bool, question: bool) -> Iterator[str]:
    before = "\n"
    for token in TOKEN.findall(BULLET.sub("", text)):
        plain = token.islower() and len(token) > 1 and token not in TURNING
        if every_word or not plain:
            carrier = "" if token in BREAKS else _carrier(token, before, question)
            if carrier or (every_word and token not in BREAKS):
                yield carrier or token.lower()
        before = token


def _carrier(token: str, before: str, question: bool) -> str:
    """The token as it counts, "" if it does not."""
    if not token[0].isalpha():
        return token
    if len(token) == 1:
        return "" if token in ("a", "A", "I") else token
    lowered = token.lower()
    if lowered in TURNING:
        return lowered
    if lowered == token or lowered in OPENERS:  # no capital, or one that makes no name
        return ""
    opens = before in BREAKS and token[1:].islower()
    return "" if opens and not question else token
