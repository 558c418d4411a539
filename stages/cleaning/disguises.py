"""How copies of a benchmark item are disguised, and what only looks like a copy."""

from __future__ import annotations

import html
import json
import math
import random
import re
from collections.abc import Callable

from stages.cleaning.commonplaces import COMMON_WORDS

NAMES = dict(enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")))
WRAPPED = 8  # words a line
SPACES = (r"\,", r"\;", r"\quad", "~", r"\ ")
PUNCTUATION = {".": " !", "?": " ...", "!": ".", ",": " ;", ";": " –", ":": " —"}
SIGNS = {"+": "-", "*": "+", "/": "+", "<": ">", ">": "<", r"\times": "+", r"\cdot": "+"}
OPERATOR = re.compile(r"\\(?:times|cdot)(?![a-zA-Z])|[+*/<>]")
NUMBER = re.compile(r"[0-9]+")
NAMED = re.compile(r"(?<![\w.,{}^\\/-])[0-8](?=[.?!]?(?:\s|$))")  # no part of a formula
LONG_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]{4})([^\W\d_]{4,})")
LOOK_ALIKE = str.maketrans("aceopxyACEHOPTX", "асеорхуАСЕНОРТХ")
FRACTION = re.compile(r"\\frac\{([0-9]+)\}\{([0-9]+)\}(?!\w)")  # 1/2x is another number
FORMULA = re.compile(r"(?<![\\$])\$[^$]+\$(?!\$)")
COMMAND = re.compile(
    r"(\\(?:text[a-z]*|mbox|math[a-z]+|operatorname|begin|end)\s*\{[^{}]*\}|\\[a-zA-Z]+|\\.)"
)
NAMES_OF_FUNCTIONS = "sin cos tan cot sec csc log ln exp gcd lcm min max lim sup inf mod det"
WORD = re.compile(
    rf"[A-Z]?[a-z]{{4}}|[A-Z]{{6}}|[A-Z][a-z]|(?<![a-zA-Z])(?:{'|'.join(NAMES_OF_FUNCTIONS.split())}|"
    rf"{'|'.join(sorted(word for word in COMMON_WORDS if 2 <= len(word) <= 3))})(?![a-zA-Z])"
)
"""What makes a formula, or the prose between two prices, one that is not cut."""

FACTORS = re.compile(r"(?<=[0-9a-zA-Z])(?=[a-zA-Z])")
OPTION = re.compile(r"(\(?([A-J])[).:] +)(\S.*)")
LETTERS = "ABCDEFGHIJ"
FULL_WIDTH = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}

Disguise = Callable[[str], str]


def verbatim(text: str) -> str:
    """The text as it is."""
    return text


def full_width(text: str) -> str:
    """Every ASCII character in its full-width form."""
    return text.translate(FULL_WIDTH)


def wrapped(text: str) -> str:
    """Eight words a line."""
    words = text.split()
    lines = (words[at : at + WRAPPED] for at in range(0, len(words), WRAPPED))
    return "\n".join(" ".join(line) for line in lines)


def zero_width(text: str) -> str:
    """An invisible character inside every word."""
    return re.sub(r"(?<=\w)(?=\w)", "\u200b", text)


def repunctuated(text: str) -> str:
    """Other punctuation where it ends a word."""
    return re.sub(r"(?<=\w)[.?!,;:](?=\s|$)", lambda mark: PUNCTUATION[mark.group()], text)


def latex_spacing(text: str) -> str:
    """Spacing commands for spaces, parentheses for dollars, sized brackets, display fractions."""
    words = text.split(" ")
    text = "".join(
        word + (f" {SPACES[at // 3 % len(SPACES)]} " if at % 3 == 2 else " ")
        for at, word in enumerate(words)
    )
    text = re.sub(r"(?<![\\$])\$([^$]+)\$(?!\$)", r"\\(\1\\)", text)
    text = re.sub(r"(?<!\\)\(", r"\\left(", text)
    text = re.sub(r"(?<!\\)\)", r"\\right)", text)
    return text.replace(r"\frac", r"\dfrac")


def entities(text: str) -> str:
    """Every blank and every sign of mark-up as an HTML entity."""
    return html.escape(text).replace(" ", "&nbsp;")


def tagged(text: str) -> str:
    """A paragraph in HTML, with a break at each end of a line."""
    return f"<p>{wrapped(text)}</p>".replace("\n", "<br>")


def escaped(text: str) -> str:
    """A value in JSON."""
    return json.dumps({"text": text})


def quoted(text: str) -> str:
    """A quotation: each line behind its sign."""
    return "\n".join(f"> {line}" for line in wrapped(text).split("\n"))


def commented(text: str) -> str:
    """A comment of a program."""
    return "\n".join(f"    // {line}" for line in wrapped(text).split("\n"))


def look_alike(text: str) -> str:
    """Cyrillic letters for the Latin ones that look the same."""
    return text.translate(LOOK_ALIKE)


def accented(text: str) -> str:
    """An accent on every e."""
    return re.sub(r"(?<!\\)\be|(?<=\w)e", "e\u0301", text)


def hyphenated(text: str) -> str:
    """Long words cut at the ends of lines."""
    return text if "\\" in text else LONG_WORD.sub("\\1-\n\\2", text)


def tokenised(text: str) -> str:
    """Commands, braces and products of LaTeX as a tokeniser cuts them."""
    text = FORMULA.sub(lambda formula: _cut(formula.group()), text)
    return re.sub(r"\\([a-zA-Z]{2,})\s*\{", r"\\ \1 { ", text).replace("}", " }")


def _cut(formula: str) -> str:
    """The formula with blanks between the factors of its products; if it holds no words."""
    pieces = COMMAND.split(formula)  # between its commands, which have their words with them
    if any(WORD.search(piece) for piece in pieces[::2]):
        return formula
    pieces[::2] = (FACTORS.sub(" ", piece) for piece in pieces[::2])
    return "".join(pieces)


def shuffled(text: str) -> str:
    """The options of a question, a line each, the other way round behind the same letters."""
    lines = text.split("\n")
    options = {at: found for at, line in enumerate(lines) if (found := OPTION.match(line))}
    if [option[2] for option in options.values()] != list(LETTERS[: len(options)]):
        return text
    for at, other in zip(options, reversed(options.values()), strict=True):
        lines[at] = options[at][1] + other[3]
    return "\n".join(lines)


def slashed(text: str) -> str:
    """Fractions of numbers on a line."""
    return FRACTION.sub(r"\1/\2", text)


def spelled(text: str) -> str:
    """Small numbers as words."""
    return NAMED.sub(lambda number: NAMES[int(number.group())], text)


def first_half(text: str) -> str:
    """The first half of the words."""
    words = text.split()
    return " ".join(words[: math.ceil(len(words) / 2)])


def last_half(text: str) -> str:
    """The last half of the words."""
    words = text.split()
    return " ".join(words[len(words) // 2 :])


def first_sixty(text: str) -> str:
    """The first 60 percent of the words."""
    words = text.split()
    return " ".join(words[: math.ceil(0.6 * len(words))])


def together(text: str) -> str:
    """Several disguises one upon another."""
    return full_width(zero_width(wrapped(text.upper())))


WHOLE: dict[str, Disguise] = {
    "verbatim": verbatim,
    "upper case": str.upper,
    "full width": full_width,
    "8 words a line": wrapped,
    "zero width": zero_width,
    "punctuation": repunctuated,
    "LaTeX spacing": latex_spacing,
    "HTML entities": entities,
    "HTML tags": tagged,
    "JSON": escaped,
    "quotation": quoted,
    "comment": commented,
    "look-alike letters": look_alike,
    "accents": accented,
    "hyphenation": hyphenated,
    "tokenised LaTeX": tokenised,
    "shuffled options": shuffled,
    "fractions on a line": slashed,
    "numbers as words": spelled,
    "together": together,
}
"""Copies of the whole item."""

PARTS: dict[str, Disguise] = {
    "first half": first_half,
    "last half": last_half,
    "first 60 %": first_sixty,
}
"""Copies of a part of the item."""


def other_numbers(text: str, draw: random.Random) -> str:
    """Every number another one, with as many digits."""
    return NUMBER.sub(lambda number: _other(number.group(), draw), text)


def one_other_number(text: str, draw: random.Random) -> str:
    """One number another one."""
    return _replace_one(NUMBER, text, draw, lambda number: _other(number, draw))


def other_operator(text: str, draw: random.Random) -> str:
    """One operator another one."""
    return _replace_one(OPERATOR, text, draw, SIGNS.__getitem__)


def _replace_one(
    pattern: re.Pattern[str], text: str, draw: random.Random, other: Callable[[str], str]
) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = draw.choice(found)
    return text[: chosen.start()] + other(chosen.group()) + text[chosen.end() :]


def _other(number: str, draw: random.Random) -> str:
    return f"{(int(number[0]) - 1 + draw.randint(1, 8)) % 9 + 1}{number[1:]}"


LOOKALIKES: dict[str, Callable[[str, random.Random], str]] = {
    "other numbers": other_numbers,
    "one other number": one_other_number,
    "another operator": other_operator,
}
"""Other items of the same template."""

PHRASES = (
    "How many are there in total? Round to the nearest whole number and show your work.",
    "What is the value of x? Solve for x and check your result by putting it back.",
    "Find the area of the triangle with the given sides, and give reasons for every step.",
    "Sort the list in ascending order and return the index of the first element that repeats.",
    "The product of two consecutive integers is always even, because one of them is even.",
    "If two lines are perpendicular, the product of their slopes is minus one.",
    "By the Pythagorean theorem the length of the diagonal is the square root of the sum of the "
    "squares of the sides, and the perimeter is twice the sum of the length and the width.",
    "A train leaves the station and travels at a constant speed for three hours before it stops.",
    "Write a short story in the style of a fairy tale, with a beginning, a middle and an end.",
    "Which of the following statements must be true? Choose all that apply and explain why.",
    "def solve(nums):\n    result = []\n    for num in nums:\n        if num not in result:\n"
    "            result.append(num)\n    return result\n\nprint(solve([1, 2, 2, 3]))",
    "assert candidate([1, 2, 3]) == 6, \"sum of the list\"\nprint('all tests passed')",
)
"""Sentences of exams, textbooks and programs that stand nowhere in particular."""
