"""Where sentences end, without a trained model.

A sentence ends at ``.``, ``!``, ``?`` or ``…``, closing quotes and brackets included, before a
blank or the end; at the full stops of other scripts (。 । ؟) also without a blank. It does not end

* after a title or another abbreviation that needs what follows (``Dr.``, ``e.g.``),
* after ``No.``, ``Fig.``, ``Jan.`` before a number, and inside ``3.14`` or ``example.org``,
* after an initial (``J. Smith``) or a dotted abbreviation (``U.S.``, ``p.m.``), unless a word that
  opens sentences follows (``The``, ``We``),
* after ``etc.``, ``Inc.`` and their like, unless a capital follows,
* after the number of a list item (``1. Wash it``),
* after an ellipsis or a closing quote or bracket, if a small letter follows.

What has no letter or digit is no sentence. Fewest: only these marks end a sentence. Most: so do a
blank line and the line before a list item or heading.
"""

from __future__ import annotations

import re

from stages.rewards.instructions.relations import Count, holds
from stages.rewards.instructions.words import spoken

BOUND = """
mr mrs ms messrs dr prof st rev hon gen col sgt capt lt cmdr gov sen rep pres mt vs cf viz approx
e.g i.e eg ie
"""
NUMBERED = """
no nos fig figs eq eqs ch sec vol p pp art ca c jan feb mar apr jun jul aug sep sept oct nov dec
"""
TRAILING = "etc al inc ltd co corp bros jr sr dept est ave blvd"
OPENERS = """
the a an this that these those it he she we they i you his her its our their my your in on at after
before when while if but and so then there here what why how who as for however moreover meanwhile
finally
"""
BOUND_WORDS, NUMBERED_WORDS, TRAILING_WORDS, OPENING_WORDS = (
    frozenset(words.split()) for words in (BOUND, NUMBERED, TRAILING, OPENERS)
)
END = re.compile(
    r"""(?<![.!?…])(?P<mark>[.!?…]+)(?P<close>["'”’»)\]*_]*)(?=\s|$)|(?P<other>[。！？।॥؟۔]+)["'”’」』)]*"""
)
WORD = re.compile(r"[^\s\"'“”‘’(\[*_>«]*$")
NEXT = re.compile(r"[\s\"'“‘(\[*_«]*([^\W_]+|\S|$)")
ITEM = re.compile(r"(?:^|\n)[\s>]*[*_]*(?:\d{1,3}|[A-Za-z])$")
DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|(?:ph\.d)", re.IGNORECASE)
BREAK = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[*+-]|\d{1,3}[.)]|#{1,6})[ \t])")
REACH = 40  # characters looked at before and after a mark; nothing there is longer


def sentence_count(text: str) -> Count:
    """Sentences in a text, by its marks alone and by marks and layout."""
    most = sum(len(split(block)) for block in BREAK.split(text))
    return Count(len(split(text)), most)


def number_sentences(text: str, number: int, relation: str) -> bool:
    """So many sentences; "around" reaches 1 to both sides."""
    return holds(sentence_count(text), relation, number, share=0.0)


def split(text: str) -> list[str]:
    """The sentences of a text by its marks.

    >>> split("Dr. No paid $3.50, e.g. for tea. He left!")
    ['Dr. No paid $3.50, e.g. for tea.', 'He left!']
    """
    cuts = [found.end() for found in END.finditer(text) if _ends(text, found)]
    pieces = [text[a:b].strip() for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [piece for piece in pieces if spoken(piece)]


def _ends(text: str, found: re.Match[str]) -> bool:
    """Whether a mark ends a sentence; the list of cases is at the head of this file."""
    if found["other"]:
        return True
    ahead = NEXT.match(text, found.end(), found.end() + REACH)
    following = ahead[1] if ahead else ""
    if not following:
        return True
    if found["mark"] == ".":
        before = text[max(0, found.start() - REACH) : found.start()]
        if not _full_stop(before, following):
            return False
    trails = found["mark"] in ("…", "...") or found["close"].strip("*_")
    return not (trails and following[0].islower())


def _full_stop(before: str, following: str) -> bool:
    """Whether a single dot ends a sentence, from the word before it and the one after."""
    if ITEM.search(before):
        return False
    written = WORD.search(before)
    word = written[0] if written else ""
    plain = word.lower()
    if plain in BOUND_WORDS:
        return False
    if plain in NUMBERED_WORDS:
        return not following[0].isdigit()
    if plain in TRAILING_WORDS:
        return following[0].isupper()
    if DOTTED.fullmatch(word) or (len(word) == 1 and word.isupper()):
        return following.lower() in OPENING_WORDS and following[0].isupper()
    return True
