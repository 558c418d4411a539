r"""What a text wears and does not say: marks of formulas, spellings of commands, set phrases.

``undressed`` takes them off and leaves case and line breaks as they are, so that names, pictures
and code can still be told from prose.
"""

from __future__ import annotations

import re

from stages.cleaning.folding import LATEX, SIGN, SIGNS, THOUSANDS, TYPOGRAPHIC

MARKS = re.compile(
    r"\\?\$|\\(?=[\s\d]|\Z)|\\[()\[\],;:!]|\{,\}(?=\d)|\*\*(?=[A-Z])|(?<=[.:\w])\*\*(?=\s|\Z)|^#+ ",
    re.MULTILINE,
)
"""Of formulas, thin spaces, bold type, headings."""

BOX = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){0,1000})\}")
COMMAND = re.compile(r"\\([A-Za-z]+)")
VARIABLES = {"a": "ɑ", "A": "Ａ", "I": "Ｉ"}
VARIABLE = re.compile(
    r"(?<=[\d=+/^<>(){}*_-])[aAI](?![A-Za-z'])|(?<![A-Za-z'\\])[aAI](?=[\d=+/^<>(){}*_])"
)
"""Letters that are words, too, where they are none."""

SPACED = re.compile(r"[ \t]{0,3}([=+/^<>])[ \t]{0,3}")

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
CLOSING = re.compile(
    rf"(?:\A|(?<=[.?!:$\n}}\]])|(?<=[.?!:$\n}}\]] ))(?:{PHRASES})[\s.:!*]*\Z", re.IGNORECASE
)
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
    text = THOUSANDS.sub("", SPACED.sub(r"\1", MARKS.sub("", text)))
    return VARIABLE.sub(lambda letter: VARIABLES[letter.group()], text)


def without_phrases(text: str) -> str:
    """The text without set phrases before and after it ("Let's think step by step.")."""
    for _ in range(ROUNDS):
        bare = OPENING.sub("", text, count=1)
        bare = bare[:-TAIL] + CLOSING.sub("", bare[-TAIL:]).rstrip()
        if bare == text or not bare:
            break
        text = bare
    return text


def _command(found: re.Match[str]) -> str:
    """One name for a command; blanks around an operator, none around another command."""
    name = found.group(1)
    meant = LATEX.get(name, found.group())
    return meant if meant.startswith("\\") else f" {meant.strip()} "
