r"""What a text wears and does not say: marks of formulas, spellings of commands, set phrases.

``undressed`` takes them off and leaves case and line breaks as they are, so that names, pictures
and code can still be told from prose.
"""

from __future__ import annotations

import re

from stages.cleaning.folding import LATEX, SIGN, SIGNS, THOUSANDS, TYPOGRAPHIC

FORMULA_MARKS = re.compile(r"\$|\\(?:\$|(?=[\s\d]|\Z)|[()\[\],;:!])")
GROUPED = re.compile(r"\{,\}(?=\d)")
BOLD = re.compile(r"\*\*(?=[A-Z])|(?<=[.:\w])\*\*(?=\s|\Z)")
HEADING = re.compile(r"^#+ ", re.MULTILINE)
"""Marks of formulas and thin spaces, commas of thousands, bold type, headings."""

BOX = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){0,1000})\}")
COMMAND = re.compile(r"\\([A-Za-z]+)")
VARIABLES = {"a": "ɑ", "A": "Ａ", "I": "Ｉ"}
VARIABLE = re.compile(
    r"[aAI](?:(?<=[\d=+/^<>(){}*_-].)(?![A-Za-z'])|(?<![A-Za-z'\\].)(?=[\d=+/^<>(){}*_]))"
)
"""Letters that are words, too, where they are none."""

OPERATORS = "=+/^<>"  # no blanks stand around them

_ANSWER = r"(?:your|the) (?:final )?answers? "
SET_PHRASES = (
    r"(?:please )?(?:reason|think|work|solve (?:it|this)|answer)(?: this| it)? step[ -]by[ -]step"
    rf"(?:,? and (?:put|give|write|place|box) {_ANSWER}[^.\n]{{0,60}})?",
    r"let(?:'s| us|s) (?:think|solve this|work this out|reason)(?: about (?:it|this))?"
    r"(?:,? step[ -]by[ -]step)?",
    rf"(?:please )?(?:make sure to )?(?:put|give|write|place|box|enclose|present|provide) {_ANSWER}"
    r"(?:with)?in(?:side)? (?:a box|\\boxed|curly)[^.\n]{0,30}",
    r"(?:please )?(?:solve|answer)(?: (?:this|the following)(?: \w+)? ?(?:problem|question))?(?=:)",
    r"(?:\*\*)?(?:question|problem|solution|answer|final answer)(?:\*\*)?(?=[.:*])",
    r"(?:\*\*)final answer(?:\*\*)?",
    r"i hope (?:this|that|it) helps",
    r"hope (?:this|that|it) helps",
    r"(?:sure|certainly|of course)[,!.](?: here is the (?:solution|answer))?",
)
PHRASES = "|".join(SET_PHRASES)
OPENING = re.compile(rf"\A\s*(?:{PHRASES})[\s.:!*]*", re.IGNORECASE)
CLOSING = re.compile(rf"(?:{PHRASES})[\s.:!*]*\Z", re.IGNORECASE)
SENTENCE_START = re.compile(r"[.?!:$\n}\]] ?")
"""After one of these a closing phrase may begin."""

TAIL = 300  # characters; a closing phrase is shorter
ROUNDS = 3  # phrases after one another


def undressed(text: str) -> str:
    r"""The text without marks of formulas, with one name for a command and a plain box.

    >>> undressed(r"So $x = \dfrac{1}{2}$, that is \boxed{0.5}.")
    'So x=\\frac{1}{2}, that is  "0.5" .'
    """
    if not text.isascii():
        for typographic, plain in TYPOGRAPHIC:
            text = text.replace(typographic, plain)
        text = SIGN.sub(lambda sign: SIGNS[sign.group()], text)
    if "\\" in text:
        text = COMMAND.sub(_command, BOX.sub(r' "\1" ', text))
    if "$" in text or "\\" in text:
        text = FORMULA_MARKS.sub("", text)
    if "{,}" in text:
        text = GROUPED.sub("", text)
    if "**" in text:
        text = BOLD.sub("", text)
    if "#" in text:
        text = HEADING.sub("", text)
    for operator in OPERATORS:
        if operator in text:
            text = operator.join(part.strip(" \t") for part in text.split(operator))
    text = THOUSANDS.sub("", text)
    return VARIABLE.sub(lambda letter: VARIABLES[letter.group()], text)


def without_phrases(text: str) -> str:
    """The text without set phrases before and after it ("Let's think step by step.")."""
    for _ in range(ROUNDS):
        bare = _without_closing(OPENING.sub("", text, count=1)).rstrip()
        if bare == text or not bare:
            break
        text = bare
    return text


def _without_closing(text: str) -> str:
    """Tried where sentences begin, for a search would try everywhere."""
    tail = text[-TAIL:]
    for start in (0, *(found.end() for found in SENTENCE_START.finditer(tail))):
        if CLOSING.match(tail, start):
            return text[: len(text) - len(tail) + start]
    return text


def _command(found: re.Match[str]) -> str:
    """One name for a command; blanks around an operator, none around another command."""
    name = found.group(1)
    meant = LATEX.get(name, found.group())
    return meant if meant.startswith("\\") else f" {meant.strip()} "
