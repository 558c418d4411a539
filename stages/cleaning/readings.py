r"""Readings of a text: the same problem, set in another way than it stands there.

A tokeniser writes $2 a b$ for $2ab$, and a shuffled question has its options in another order.
Nothing of it is folded away: a text is read as it is written, once more with its products joined,
and so with its options in order.
"""

from __future__ import annotations

import re
from itertools import pairwise

from stages.cleaning.commonplaces import COMMON_WORDS
from stages.cleaning.folding import fold
from stages.cleaning.wording import FUNCTIONS, words_of

HYPHENATED = re.compile(r"(?<=[^\W\d_]{2})[-\u2010][ \t]*\n[ \t]*(?=[^\W\d_]{2})")
DELIMITER = re.compile(r"(\$\$?|\\\\?[()\[\]])")  # of formulas; between two others stands prose
GAP = r"(?:\s|~|\\+(?:[,;:! ]|(?:cdot|quad|thinspace)(?![A-Za-z]))|[\u00b7\u22c5])+"
COMMANDS = "le ge lt gt ne eq ni pm mp cap cup mid mod bmod div ast sim top bot neg dim det arg deg"
SINGLE = frozenset("abcdefghijklmnopqrstuvwxyz")
NO_FACTORS = {*COMMON_WORDS, *FUNCTIONS, *COMMANDS.split(" "), "inf", "sup"} - SINGLE
FACTOR = r"(?:[A-Za-z]{1,3}|[A-Z]{4,5})(?![A-Za-z])"
NAMED = re.compile(r"\\ ?(?:text[a-z]*|mbox|math[a-z]+|operatorname|begin|end)\s*\{[^{}]*\}")
PROSE = re.compile(r"(?<![\\A-Za-z])(?<!\\ )[A-Z]?[a-z]{4}")  # between two formulas, or two prices
GAPS = re.compile(f"({GAP})")
PRODUCT = re.compile(rf"(?<![\\A-Za-z])(?<!\\ )(?:[0-9]+|[0-9]*{FACTOR})(?:{GAP}{FACTOR})+")
"""Numbers and variables side by side, or with a dot between; a word or a command is none."""

CUT = [
    re.compile(rf"{blank}[A-Za-z](?![A-Za-z0-9])(?<=(?<![A-Za-z])[A-Za-z0-9]{blank}[A-Za-z])")
    for blank in (" ", "\n")
]
"""One letter behind another or behind a number, each blank by itself: so it is found at once."""

BRACED = re.compile(rf"([\^_])\s*\{{\s*([0-9A-Za-z])\s*\}}(?=(?:{GAP})?{FACTOR})")
LABEL = re.compile(r"(?:(?<!\S)\(?([A-Ja-j])\)|^[ \t]*([A-J])[.:])[ \t]+", re.MULTILINE)
THIRD = ("C)", "\nC.", "\nC:")  # of three options or more; most texts have none
FEWEST_OPTIONS = 3


def readings(text: str) -> tuple[str, ...]:
    """The text as written, and in other ways; those that differ.

    A hyphen at the end of a line cuts a word or belongs to one: both are read.
    A text is joined only if a product is cut in it, for which most need but a fast look.
    """
    cut = "\n" in text and ("-\n" in text or "\u2010\n" in text)
    whole = HYPHENATED.sub("", text) if cut else text
    together = joined(text) if _tokenised(text) else text
    arranged = ordered(together)
    if whole == arranged == text:
        return (text,)
    return tuple(dict.fromkeys((text, whole, together, arranged)))


def _tokenised(text: str) -> bool:
    """Whether a product may be cut in the text: a fast look, as most texts have none."""
    if "$" not in text and "\\" not in text:
        return False
    begin = min(at for at in (text.find("$"), text.find("\\")) if at >= 0)
    end = max(text.rfind("$"), text.rfind("\\"))
    return r"\cdot" in text or any(cut.search(text, begin, end) for cut in CUT)


def joined(text: str) -> str:
    r"""In formulas, products without blanks, dots and mere braces: x \cdot y and x y as xy."""
    if "$" not in text and "\\" not in text:
        return text
    pieces = DELIMITER.split(text)
    pieces[2:-2:2] = map(_joined, pieces[2:-2:2])
    return "".join(pieces)


def _joined(formula: str) -> str:
    if PROSE.search(NAMED.sub("", formula)):
        return formula
    if "{" in formula:
        formula = BRACED.sub(r"\1\2", formula)
    return PRODUCT.sub(_product, formula)


def _product(found: re.Match[str]) -> str:
    """Factors side by side, but for the gaps beside a word or the name of a function."""
    pieces = GAPS.split(found.group())
    none = [piece.lstrip("0123456789").lower() in NO_FACTORS for piece in pieces[::2]]
    for place, beside in enumerate(pairwise(none)):
        if not any(beside):
            pieces[2 * place + 1] = ""
    return "".join(pieces)


def ordered(text: str) -> str:
    """The text with what its options say in the order of their words; the letters stay."""
    capital = "C" in text and any(map(text.__contains__, THIRD))
    if not capital and not (")" in text and "c)" in text):
        return text
    blocks = list[list[re.Match[str]]]()
    for label in LABEL.finditer(text):
        place = _place(label)
        if place == 0:
            blocks.append([label])
        elif blocks and place == len(blocks[-1]):
            blocks[-1].append(label)
    for block in reversed(blocks):
        if len(block) >= FEWEST_OPTIONS:
            text = _sorted(text, block)
    return text


def _place(label: re.Match[str]) -> int:
    return ord((label[1] or label[2]).lower()) - ord("a")


def _sorted(text: str, labels: list[re.Match[str]]) -> str:
    """The options behind some labels sorted; the last ends with its line."""
    line = text.find("\n", labels[-1].end())
    ends = [*(label.start() for label in labels[1:]), len(text) if line < 0 else line]
    written = [text[label.end() : end] for label, end in zip(labels, ends, strict=True)]
    said = [option.strip() for option in written]
    blanks = [option[len(option.rstrip()) :] for option in written]
    said.sort(key=lambda option: (words_of(fold(option)), option))
    middle = "".join(
        label.group() + option + blank
        for label, option, blank in zip(labels, said, blanks, strict=True)
    )
    return text[: labels[0].start()] + middle + text[ends[-1] :]
