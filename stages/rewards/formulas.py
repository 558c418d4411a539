"""Words and chemical formulas in one form each, whatever they are set in."""

from __future__ import annotations

import re
import unicodedata

from stages.problems.wording import tidy

DRESS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"(?<![\d\s])[_^]\s?(?:\{([^{}]*)\}|(?=\w))|_\{([^{}]*)\}", r"\1\2"),
        (r"\^\{?(\d?[-+])\}?", r"\1"),
        (r"(?<=\d)\^\s?\{([^{}]*)\}", r"^\1"),
        (r"\\(?:ce|text|textbf|textit|mathrm|mathbf)\s*\{([^{}]*)\}", r"\1"),
        (r"\\(alpha|beta|gamma|delta|sigma|pi|lambda|mu|omega)(?![a-zA-Z])\s?", r"\1"),
        (r"(?<=[\w+])\^?-(?=[\s$.)}]|$)", "⁻"),
        (r"(?<![\w+])-(?=\d)", "⁻"),
    )
)
"""LaTeX of formulas as plain text; the minus of a charge or a number is no punctuation."""
SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb
Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po
At Rn Fr Ra Ac Th Pa U Np Pu
"""
COMPOUND = re.compile(rf"(?:(?:{'|'.join(SYMBOLS.split())}|[()])\d*)+[+⁻]?")
LOUD = 4  # letters; a longer word in capitals is not a formula or a genotype but written loudly
PUNCTUATION = re.compile(r"(?:[\s\"'`*_,;!()$]|[.:-](?!\d)|(?<!\d)[.:-])+")
"""What separates words; a point, colon or dash between two digits makes one number of them."""


def folded(text: str) -> str:
    """Words in one form: no case, no punctuation around them, no article before them.

    >>> folded("The *Golgi* apparatus."), folded("Cl^-") == folded("Cl")
    ('golgi apparatus', False)
    """
    return " ".join(map(str.casefold, _words(text)))


def same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words, whose case counts where it can carry the meaning.

    That is in single letters and in words with capitals inside: AaBb is not aabb, Mn is not MN. A
    long word in capitals throughout is only loud.

    >>> same_words("Golgi", "the GOLGI"), same_words("TtRr", "ttrr"), same_words("No", "NO")
    (True, False, False)
    """
    words, others = _words(one), _words(other)
    return len(words) == len(others) and all(map(_same_word, words, others))


def _same_word(one: str, other: str) -> bool:
    if one.casefold() != other.casefold():
        return False
    return one == other or not (_cased(one) or _cased(other))


def _cased(word: str) -> bool:
    loud = word.isupper() and len(word) > LOUD
    return len(word) == 1 or (any(map(str.isupper, word[1:])) and not loud)


def _words(text: str) -> list[str]:
    plain = PUNCTUATION.sub(" ", _undressed(text)).split()
    return plain[len(plain) > 1 and plain[0].casefold() in ("the", "a", "an") :]


def formula(text: str) -> str:
    r"""A chemical formula, in which the case counts; empty if a text is none.

    >>> formula(r"$\mathrm{CO_2}$"), formula("carbon")
    ('CO2', '')
    """
    plain = _undressed(text).strip(" .$")
    return plain if COMPOUND.fullmatch(plain) else ""


def _undressed(text: str) -> str:
    text = "".join(map(_latin, tidy(text)))
    for pattern, kept in DRESS:
        text = pattern.sub(kept, text)
    return text


def _latin(letter: str) -> str:
    """A Greek letter by its name; any other as it is."""
    name = unicodedata.name(letter, "") if "α" <= letter <= "ω" else ""
    return name.rpartition(" ")[2].lower() or letter
