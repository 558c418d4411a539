"""Words of a folded text, and whether what stands between two words is the same in two texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product

from stages.cleaning.folding import GREEK, UNUSUAL

UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts where a character is a word
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
WORD = re.compile(rf"(?![\W_])[{UNSPACED}]|[^\W_{UNSPACED}]+")
ASCII_WORD = re.compile(r"[0-9A-Za-z]+")
SPACED_WORD = re.compile(r"\w+")
OPERATORS = "-+*/^=<>%"
FRACTION_BAR = re.compile(r"\}\s*\{")
DASHES = "–—‒―"
FORMULA = str.maketrans({**dict.fromkeys(DASHES, "-"), "·": "*"})
PROSE = str.maketrans(dict.fromkeys(f"{DASHES}·", " "))
ASCII_WORDS = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))
FUNCTION_NAMES = "sin cos tan cot sec csc log ln exp sqrt frac binom lim min max gcd lcm sum int"
FUNCTIONS = frozenset((*FUNCTION_NAMES.split(" "), *GREEK.values()))
NUMBER_NAMES = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {name: str(number) for number, name in enumerate(NUMBER_NAMES.split(" "))}
NAMES = {number: name for name, number in NUMBERS.items()}


def words_of(folded: str) -> list[str]:
    """The words of a folded text, in order: those of ``WORD``, found the fastest way."""
    if not folded.isascii():
        for sign in sorted(set("".join(UNUSUAL.findall(folded)))):
            if not sign.isalnum():
                folded = folded.replace(sign, " ")
    if folded.isascii():
        return folded.encode().translate(ASCII_WORDS).decode().split()
    if UNSPACED_CHARACTER.search(folded):
        return WORD.findall(folded)
    return SPACED_WORD.findall(folded.replace("_", " "))


def spans_of(folded: str) -> Iterator[tuple[int, int]]:
    """Where the words of a folded text begin and end."""
    pattern = ASCII_WORD if folded.isascii() else WORD
    return (match.span() for match in pattern.finditer(folded))


def spellings(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Some words with each small number in digits or as its name."""
    if NAMES.keys().isdisjoint(words):
        return iter((tuple(words),))
    return product(*((word, NAMES[word]) if word in NAMES else (word,) for word in words))


class Wording:
    """The words of a folded text as written, and what stands between them."""

    def __init__(self, folded: str) -> None:
        self.folded = folded
        self.written = words_of(folded)

    @cached_property
    def words(self) -> list[str]:
        """The words with small numbers in digits."""
        return list(map(NUMBERS.get, self.written, self.written))

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return list(spans_of(self.folded))

    def before(self, word: int) -> str:
        """What stands between a word and the one before it, or the end of the text."""
        begin = self._spans[word - 1][1] if word else 0
        end = self._spans[word][0] if word < len(self.words) else len(self.folded)
        return self.folded[begin:end]

    def operators(self) -> tuple[tuple[str, ...], ...]:
        """Between each two words the operators, where dashes and dots are some."""
        return tuple(
            _fine(self.words[word - 1], _formula(self.before(word)), self.words[word])
            for word in range(1, len(self.words))
        )


def same_between(left: str, mine: str, theirs: str, right: str) -> bool:
    """Whether two texts between the same words hold the same operators, on some reading of each."""
    if mine == theirs:
        return True
    return not _readings(left, mine, right).isdisjoint(_readings(left, theirs, right))


def _readings(left: str, between: str, right: str) -> set[tuple[str, ...]]:
    """As formula and as prose: a dash, a dot and two stars are operators or mere type.

    Braces between two words are mere braces or the bar of a fraction.
    """
    prose = between.replace("**", " ").translate(PROSE)
    fraction = FRACTION_BAR.sub("/", between)
    return {_fine(left, _formula(each), right) for each in (between, fraction)} | {
        _fine(left, prose, right)
    }


def _formula(between: str) -> str:
    return between.replace("**", "^").translate(FORMULA)


def _fine(left: str, between: str, right: str) -> tuple[str, ...]:
    """The operators of formulas: those before an operand, after another or a sign.

    A hyphen ("3-digit") is none.
    """
    run = tuple(character for character in between if character in OPERATORS)
    if not run or not _operand(right):
        return ()
    return run if _operand(left) else run[-1:] if len(run) > 1 else ()


def _operand(token: str) -> bool:
    """A number, a variable, a term (x2) or a function."""
    return (
        (len(token) == 1 and token.isalpha())
        or any(character.isdigit() for character in token)
        or token in FUNCTIONS
    )


def numeric(word: str) -> bool:
    """Whether a word holds a digit."""
    return any(character.isdigit() for character in word)
