r"""English around an answer: what may stand there without changing what is stated.

A reward must not be got by an answer that says two things, or the opposite. So the words around a
value come from a fixed list in which no word negates, hedges or compares; all else makes the
answer unreadable, never right. Signs are folded first: to a reader ``minus 1``, ``—1`` and ``-1``
are the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

LONGEST = 500  # characters of a final answer; nothing stated plainly is longer
LONGEST_BLOCK = 4000  # characters of an answer on several lines: a 9x9 table and a few sentences

PLAIN_WORDS = """
the a an this that it its which we i you my our
get gets got have has is are was be will becomes become equal to of at in with and
final correct answer result value output solution number total sum problem last
end ends ended left remaining remains come comes up leaves gives give prints print printed
displays outputs returns program code list order finally so thus hence therefore then now
here here's there it's that's overall net charge charges particle particle's elementary
"""
WORDS = frozenset(PLAIN_WORDS.split())
"""Words that may surround any answer."""

DOUBT = re.compile(
    r"(?i)\b(?:not|\w+n't|cannot|no|never|neither|nor|none|or|either|if|unless|except|but|however|"
    r"wrong|incorrect|false|maybe|perhaps|possibly|probably|might|could|between|alternatively|"
    r"instead|rather|actually|wait|correction|sorry|unsure|guess|neq?|[lg]eq?|approx|about|"
    r"around|approximately|nearly|almost|less|more|than|least|most|twice|half|double|opposite|"
    r"invalid|mistaken?|mistakes|errors?|fail(?:s|ed)?|violat(?:es?|ed|ing)|retract|ignore|scratch|"
    r"reconsider|recheck|hmm+|oops|avoid|try again|on second thoughts?|another|alternatives?|"
    r"equivalently|too|really|in fact|acceptable)\b"
)
"""Words that take back, soften or split what stands beside them."""

DASHES = {ord(mark): "-" for mark in "−⁃˗➖\u00ad"}
"""Signs that are no dash to Unicode (category Pd) but look like a minus, soft hyphen included."""
FOLDED = {**DASHES, ord("⁄"): "/", ord("’"): "'", ord("“"): '"', ord("”"): '"'}

SIGN_WORDS = ((r"\b(?:minus|negative)\b", "-"), (r"\b(?:plus|positive)\b", "+"))
EQUAL_WORDS = (r"\b(?:equals|(?:is|are) equal to)\b", "=")
AFTER_STEPS = (
    r"\bafter (?:(?:doing|performing|completing|following|applying) )?(?:all )?(?:of )?"
    r"(?:the |these )?(?:steps|operations)(?: in order)?\b",
    " ",
)
REWORDED = (*SIGN_WORDS, EQUAL_WORDS, AFTER_STEPS)

LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}")
LATEX_BLANK = re.compile(r"\\(?:[,;:!() \[\]]|left(?![a-z])|right(?![a-z])|q?quad(?![a-z]))")
MARKUP = re.compile(
    r"(\*{1,3}|_{1,3})(?=\S)([^*_\n]+)(?<=\S)\1|(`{1,3}|\${1,2}|\")([^`$\"\n]+)\3",
)


def tidy(text: str) -> str:
    """The text with one form for each character: compatibility forms, dashes, nothing invisible."""
    text = unicodedata.normalize("NFKC", text).translate(FOLDED)
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() or character.isspace() else ""
    category = unicodedata.category(character)
    if category == "Pd":
        return "-"
    return "" if category in ("Cf", "Cc") and not character.isspace() else character


def plain(text: str) -> str:
    """A statement in lower case, without markup, its signs and equals in symbols.

    Only markup that opens and closes goes: in ``3 * 8`` the star is an operation and stays.

    >>> plain("The charge is **minus 2**.")
    'the charge is  - 2 .'
    """
    text = LATEX_BLANK.sub(" ", tidy(text).lower())
    text = MARKUP.sub(_inner, MARKUP.sub(_inner, LATEX_TEXT.sub(r" \1 ", text)))
    for pattern, symbol in REWORDED:
        text = re.sub(pattern, symbol, text)
    return text.strip()


def _inner(found: re.Match[str]) -> str:
    return f" {found[2] or found[4]} "


def harmless(text: str, extra: Collection[str] = ()) -> bool:
    """Whether nothing but known words and light punctuation stands in a part of a statement.

    >>> harmless("so the answer is:"), harmless("it is not"), harmless("4,")
    (True, False, False)
    """
    tokens = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?|\S", text)
    return all(token in WORDS or token in extra or token in ",;:.()" for token in tokens)
