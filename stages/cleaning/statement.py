r"""What a row states: the parts that must be equal, in order, before alike texts count as one.

Problems of one template share nearly all their shingles and are different problems. So the
statement holds

* every word of what is asked (questions and the last sentence of the prompt, if not too long) and
  of what is answered (all of a short answer, else its last sentence and those about the answer or
  a box), of quotations, enumerations, short rows;
* every symbol of code, and of lines that are no prose: grids, pictures, tables, moves;
* of all else numbers in digits and in words, operators, brackets and LaTeX commands, single
  letters, names, negations and words that turn a sentence.

Dress (:mod:`stages.cleaning.dress`) does not count. In doubt two rows stay apart.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from stages.cleaning.dress import undressed, without_phrases
from stages.cleaning.rows import Row
from stages.cleaning.shingles import folded, words

SHORT_ROW = 40  # words; below, a single word makes another statement
SHORT_ANSWER = 40
LONG_SENTENCE = 60  # words; a longer one is prose, or text without full stops, and asks nothing
LONGEST_TAIL = 600  # characters; the last sentence is sought in them
END_OF_THINKING = "</think>"

_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = rf"[^\W\d_{_UNSPACED}]+"
_LETTER = rf"(?<![^\W_])[^\W\d_{_UNSPACED}](?![^\W_])"
_TURNING_CHARACTERS = "不没沒無无非未勿一二三四五六七八九十百千万萬亿億两兩半"
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
FORMULA_MARK = re.compile(r"\\[()\[\]]")
CODE_TOKEN = re.compile(r"\n[ \t]*(?=\S)|\w+|[^\w\s]")
"""Code: every token counts, and how far a line is indented."""

SYMBOL = re.compile(r"\w+|[^\w\s]")
_EXACT = (
    r"\{[^{}]{1,200}\}"  # words in a formula
    r'|"[^"\n]{1,1000}"'  # quotations, and what was in a box
)
_LIST = r"\b\w++(?:(?:, ?| ?→ ?| ?-> ?| - )\w++){3,}"  # moves, members
EXACT, EXACT_OR_LIST = re.compile(_EXACT), re.compile(f"{_EXACT}|{_LIST}")
"""In prose: every word counts."""

IN_LISTS = (",", "→", "->", " - ")

SENTENCE_END = re.compile(r"[.?!][\"')\]}*$]*\s+|[。？！]")
OPENING_NAME = re.compile(r"(?:\A|[\n.?:;])[ \t\"'“‘(*]{0,4}([^\W\d_]{2,})")
ABOUT_ANSWER = re.compile(r"\banswer\b", re.IGNORECASE)
TWO_WORDS = re.compile(rf"\b{_WORD[:-1]}{{2,}}+[,.:;]?[ \t]++\(?{_WORD[:-1]}{{2}}")
FORMULA = re.compile(r"[=\\]|\A[\s$]*-?\d[\d.,]*[\s$]*\Z")
"""A line that is no prose and none of the above."""

A_WORD = re.compile(r"[^\W\d_]{2}")
INDENT = re.compile(r"(?:\t| {4})\s*(?![-*•\s])")
BULLET = re.compile(r"^[ \t]*[-*•][ \t]+", re.MULTILINE)
_TOKEN = (
    r"\\[A-Za-z]+|"  # a LaTeX command
    rf"{_WORD}(?:['’]{_WORD})?|\d+(?:\.\d+)*|[\n.?:;]"
    r"|[^\w\s.,;:?!。，、；：？！'\"‘’“”„«»…—`*-]"  # all signs but the punctuation of prose
    r"|(?<=[\w)\]}])\*+(?=[\w(\[{\\+-])|(?<=\s)\*+(?=\s)"  # a star that is not bold type
    r"|(?<![^\W\d_]{2})-|-(?![^\W\d_]{2})"  # a minus, not a hyphen
    rf"|!(?=[=\w(])|(?<=[\d)])!|(?<={_LETTER})!"  # a factorial or a negation, not a cry
    r"|'(?=\()"  # a derivative
    rf"|[{_TURNING_CHARACTERS}]"
)
_PASSED = r"[ ,\"]{0,2}"  # over: a try at every blank would take twice the time
UNSPACED = re.compile(f"[{_UNSPACED}]+")
TOKEN = re.compile(f"{_PASSED}({_TOKEN})")
EVERY = re.compile(f"{_PASSED}({_TOKEN}|[{_UNSPACED}]+)")
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
    "fifth sixth seventh eighth ninth tenth hundredth first second thrice once both most one "
    "single "
    "metre metres meter meters kilometre kilometres kilometer kilometers centimetre centimetres "
    "centimeter centimeters foot feet inch inches yard yards mile miles gram grams kilogram "
    "kilograms pound pounds ounce ounces litre litres liter liters gallon gallons seconds minute "
    "minutes hour hours day days week weeks month months year years cent cents dollar dollars euro "
    "euros percent degree degrees radian radians ascending descending lose loses lost loss sell "
    "sells sold "
    "couple pair score quadruple several many few twelfth twentieth thousandth trillion "
    "nicht kein keine keinen nie ohne pas jamais sans sin nunca não sem"
)
_NEGATED = "is are was were do does did ca could wo would should must has have had need ai"
TURNING = frozenset(
    [*_TURNING.split(), *(f"{verb}n{mark}t" for verb in _NEGATED.split() for mark in "'’")]
)
"""Numbers in words, units, negations, and of two opposites (more and less) the rarer one."""

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

WIDE = re.compile("[Ａ-Ｚａ-ｚ]")
WIDTHS = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
UNCOUNTED = frozenset(("so", "thus", "therefore", "hence", "then", "the", "a", "A", "an", "we"))
"""Words that may differ even where every word counts."""


class Statement(NamedTuple):
    """What a row states, in order.

    ``fixed`` must be equal in rows that count as one. ``asked``, words of questions and of the
    last sentence, must be equal but for slips (:mod:`stages.cleaning.slips`).
    """

    fixed: tuple[str, ...]
    asked: tuple[str, ...]


class _Texts(NamedTuple):
    """A row's texts without set phrases; in a short row and a brief answer every word is fixed."""

    prompt: str
    thoughts: str
    answer: str
    short: bool
    brief: bool


def statement(row: Row) -> Statement:
    """What a row states; where there is little text beside it, all that is asked is fixed."""
    texts = _texts(row)
    fixed = [*_field(texts.prompt, texts.short), "\x00", *_field(texts.thoughts, texts.short)]
    fixed += ["\x00", *_field(texts.answer, texts.brief), "\x00"]
    if not texts.brief:
        fixed += _about_answer(texts.answer)
    elif _shorter(texts.thoughts + texts.answer, SHORT_ANSWER):
        return Statement((*fixed, *_asked(texts)), ())
    return Statement(tuple(fixed), tuple(_asked(texts)))


def asked(row: Row) -> tuple[str, ...]:
    """What a row's statement has as ``asked``, for a row of which it is known to be not fixed."""
    return tuple(_asked(_texts(row)))


def _texts(row: Row) -> _Texts:
    asked_, response = (_narrow(row[name]) for name in ("prompt", "response"))
    prompt, (thoughts, answer) = without_phrases(asked_), _split(response)
    answer = without_phrases(answer)
    short = _shorter(f"{prompt}\n{thoughts}{answer}", SHORT_ROW)
    return _Texts(prompt, thoughts, answer, short, short or _shorter(answer, SHORT_ANSWER))


def _narrow(text: str) -> str:
    """A text in full width as others are; Chinese has marks of full width beside other letters.

    NFKC would make another number of 10².
    """
    return text.translate(WIDTHS) if not text.isascii() and WIDE.search(text) else text


def _split(response: str) -> tuple[str, str]:
    """Thoughts, up to and with the end of thinking, and the answer after it."""
    head, mark, tail = response.rpartition(END_OF_THINKING)
    return head + mark, tail


def _shorter(text: str, count: int) -> bool:
    """Whether a text has fewer words; most have more pieces between blanks, which is cheap."""
    return len(text.split(maxsplit=count)) < count and len(words(folded(text))) < count


def _asked(texts: _Texts) -> list[str]:
    """Opening names, words of the questions, of the last sentence, and of that of the answer."""
    if texts.short:
        return []
    *others, last = _sentences(texts.prompt)
    found = _opening_names(texts.prompt)
    if UNSPACED.search(texts.prompt):  # names cannot be told there, so nothing may differ
        found.append("".join(UNSPACED.findall(texts.prompt)))
    for sentence in others:
        if sentence.rstrip("\"')]}*$ \n").endswith(("?", "？")):
            found += _counted(sentence)
    found += _counted(last)
    if not texts.brief:  # a last sentence longer than the tail is too long to count
        found += ["\x00", *_counted(_sentences(texts.answer[-LONGEST_TAIL:])[-1])]
    return found


def _opening_names(prompt: str) -> list[str]:
    """Capitals where sentences begin: names, unless they are mere words."""
    opening = (name for name in OPENING_NAME.findall(prompt) if name[1:].islower())
    lowered = (name.lower() for name in opening if name[0].isupper())
    return [name for name in lowered if name not in OPENERS and name not in TURNING]


def _about_answer(answer: str) -> list[str]:
    """Words of the sentences that speak of the answer."""
    if "nswer" not in answer and "NSWER" not in answer:
        return []
    about = filter(ABOUT_ANSWER.search, _sentences(answer))
    return [word for sentence in about for word in _counted(sentence)]


def _sentences(text: str) -> list[str]:
    """The sentences of the prose in a text, at least one."""
    prose = CODE.sub(" ", text) if "`" in text else text
    ends = [found.end() for found in SENTENCE_END.finditer(prose, 0, len(prose.rstrip()))]
    return [prose[a:b] for a, b in pairwise((0, *ends, len(prose)))]


def _counted(sentence: str) -> list[str]:
    """The words of a sentence, unless it is too long to be one."""
    if not _shorter(sentence, LONG_SENTENCE):
        return []
    return _words(undressed(FORMULA_MARK.sub("$", sentence)))


def _field(text: str, every_word: bool) -> list[str]:
    """What must be equal in a field."""
    text, at, found = FORMULA_MARK.sub("$", text), 0, list[str]()
    for span in CODE.finditer(text) if "`" in text else ():
        found += _carriers(text[at : span.start()], every_word)
        found += CODE_TOKEN.findall(span.group())
        at = span.end()
    return found + _carriers(text[at:], every_word)


def _carriers(text: str, every_word: bool) -> list[str]:
    """Tokens that carry meaning, line by line as far as lines are no prose."""
    lines = [line for line in text.split("\n") if line.strip(" \t$")]
    bare = [not TWO_WORDS.search(line) and not FORMULA.search(line) for line in lines]
    prose, found = list[str](), list[str]()
    for at, line in enumerate(lines):
        if INDENT.match(line):
            prose.append(f"\x01{len(line) - len(line.lstrip())}\x01")
        beside = any(bare[max(0, at - 1) : at] + bare[at + 1 : at + 2])
        if bare[at] and (beside or not A_WORD.search(line)):
            found += _prose("\n".join(prose), every_word)
            prose.clear()
            found += _symbols(line)
        else:
            prose.append(line)
    return found + _prose("\n".join(prose), every_word)


def _symbols(line: str) -> list[str]:
    """Every symbol of a line that is no prose; of a picture the blanks, too."""
    return SYMBOL.findall(undressed(line)) if any(map(str.isalnum, line)) else [line.rstrip()]


def _prose(text: str, every_word: bool) -> list[str]:
    if not text:
        return []
    text, at, found = undressed(text), 0, list[str]()
    if every_word:
        return _words(text)
    listed = sum(map(text.count, IN_LISTS)) > 2  # looked for only then: it is dear
    for span in (EXACT_OR_LIST if listed else EXACT).finditer(text):
        found += _telling(text[at : span.start()])
        found += _words(span.group())
        at = span.end()
    return found + _telling(text[at:])


def _words(text: str) -> list[str]:
    tokens = (token for token in EVERY.findall(BULLET.sub("", text)) if token not in BREAKS)
    lowered = (token.lower() if len(token) > 1 else token for token in tokens)
    return [token for token in lowered if token not in UNCOUNTED]


def _telling(text: str) -> list[str]:
    tokens = TOKEN.findall(BULLET.sub("", text))
    # most are words in small letters: passed over here, for that is cheap
    carriers = (
        _carrier(token, before)
        for before, token in zip(("\n", *tokens), tokens, strict=False)
        if not token.islower() or token in TURNING or len(token) == 1 or token[0] == "\\"
    )
    return [carrier for carrier in carriers if carrier]


def _carrier(token: str, before: str) -> str:
    """The token as it counts, "" if it does not."""
    if not token[0].isalpha():
        return "" if token in BREAKS else token
    if len(token) == 1:
        return "" if token in ("a", "A", "I") else token
    lowered = token.lower()
    if lowered in TURNING:
        return lowered
    if lowered == token or lowered in OPENERS:  # no capital, or one that makes no name
        return ""
    return "" if before in BREAKS and token[1:].islower() else token
