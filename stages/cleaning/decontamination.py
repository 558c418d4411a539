"""Decontamination: no row may contain a benchmark problem.

Generated puzzles share templates, so they are compared by canonical key. Everything else is
compared by word n-grams, any hit counts, under a fold of width, case, punctuation, invisible
characters and notation of operators. An item shorter than n words, or one all of whose n-grams
belong to a template, is looked for as a whole. Every hit is verified on the text, digits and
operators included, and reported with both texts. Translations and paraphrases are out of reach.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import xxhash

from stages.base.errors import ConfigError, DataError
from stages.cleaning.folding import fold
from stages.cleaning.repair import repair
from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "decontamination"
TEMPLATE_SHARE = 0.05  # an n-gram in more items of a benchmark belongs to a template
TEMPLATE_ITEMS = 20  # a smaller benchmark shows no template
SHORTEST_NGRAM = 2  # words; the profile's key has the same limit
SHORTEST = 3  # words; a shorter item matches too much to mean anything
SHORTEST_CHARACTERS = 8
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts where a character is a word
WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
ASCII_WORD = re.compile(r"[0-9A-Za-z]+")  # the same, faster
OPERATORS = "-+*/^=<>%"
FINE = re.compile(rf"{WORD.pattern}|[{OPERATORS}]")
DASHES = "–—‒―"
FORMULA = str.maketrans({**dict.fromkeys(DASHES, "-"), "·": "*"})
PROSE = str.maketrans(dict.fromkeys(f"{DASHES}·", " "))


@dataclass(frozen=True)
class Item:
    """One benchmark problem; ``key`` is empty for those that are not generated."""

    id: str
    benchmark: str
    question: str
    key: str = ""


@dataclass(frozen=True)
class Hit:
    """What was found where: a span of the row equal to a span of the item."""

    item: Item
    field: str
    row_text: str
    item_text: str


def _pattern(text: str) -> re.Pattern[str]:
    return ASCII_WORD if text.isascii() else WORD


def _piece(folded: str, start: int, length: int) -> str:
    """The stretch of a folded text that holds ``length`` words from word ``start`` on."""
    spans = [match.span() for match in _pattern(folded).finditer(folded)]
    return folded[spans[start][0] : spans[start + length - 1][1]]


def _hash(words: Sequence[str]) -> int:
    return int(xxhash.xxh3_64_intdigest(" ".join(words).encode()))


def _readings(piece: str) -> set[tuple[str, ...]]:
    """A piece as formula and as prose: a dash, a dot and two stars are operators or mere type."""
    formula = piece.replace("**", "^").translate(FORMULA)
    prose = piece.replace("**", " ").translate(PROSE)
    return {_fine(formula), _fine(prose)}


def _fine(piece: str) -> tuple[str, ...]:
    """Words plus the operators of formulas: those before an operand, after another or a sign.

    A hyphen ("3-digit") is none.
    """
    tokens = FINE.findall(piece)
    kept = []
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
        if token not in OPERATORS or (
            _operand(after) and (before in OPERATORS or _operand(before))
        ):
            kept.append(token)
    return tuple(kept)


def _operand(token: str) -> bool:
    return token.isdigit() or (len(token) == 1 and token.isalpha())


class Index:
    """Benchmark items made searchable. ``n`` is the length of an n-gram in words.

    Rows are repaired before they are searched, so an item is searched for as it is written and as
    it is repaired. A window is a run of words that is searched for. ``_lengths`` maps its first
    words to how long windows that begin so can be, so that most places of a text cost one look-up.
    """

    def __init__(self, items: Sequence[Item], n: int) -> None:
        if n < SHORTEST_NGRAM:
            raise ConfigError(
                f"decontamination: an n-gram of {n} words (--ngram, or "
                f"build_sft_data.decontamination_ngram) finds nothing or everything. Give at least "
                f"{SHORTEST_NGRAM}; the default is 13."
            )
        if not items:
            raise DataError(
                "decontamination: no benchmark items. Give at least one, or no row is safe."
            )
        self.n = n
        self.keys = {item.key for item in items if item.key}
        forms = [(item, form) for item in items for form in _forms(item.question)]
        self._items = [item for item, _ in forms]
        self._texts = [text for _, text in forms]
        self._prefix = min(SHORTEST, n)
        self._lengths: dict[tuple[str, ...], set[int]] = {}
        self._windows: dict[tuple[int, int], list[tuple[int, int]]] = {}
        words = [_pattern(text).findall(text) for text in self._texts]
        self._template = _template_grams(self._items, words, n)
        found = {
            id(self._items[form]) for form in range(len(forms)) if self._add(form, words[form])
        }
        self._count = len(items)
        self._unsearchable = [item.id for item in items if id(item) not in found]

    def describe(self) -> dict[str, Any]:
        """What is searched for and what cannot be, for the report."""
        return {
            "items": self._count,
            "ngram": self.n,
            "template_ngrams_left_out": len(self._template),
            "items_too_short_to_search": self._unsearchable,
            "out_of_reach": "translations and paraphrases",
        }

    def _add(self, form: int, words: list[str]) -> bool:
        """Whether there is a window to search for."""
        starts = range(len(words) - self.n + 1)
        own = [at for at in starts if _hash(words[at : at + self.n]) not in self._template]
        for at in own:
            self._add_window(form, words, at, self.n)
        if own:
            return True
        if len(words) < SHORTEST or sum(map(len, words)) < SHORTEST_CHARACTERS:
            return False
        self._add_window(form, words, 0, len(words))
        return True

    def _add_window(self, form: int, words: list[str], at: int, length: int) -> None:
        window = words[at : at + length]
        self._lengths.setdefault(tuple(window[: self._prefix]), set()).add(length)
        self._windows.setdefault((length, _hash(window)), []).append((form, at))

    def find(self, text: str, field: str) -> Hit | None:
        """The first verified hit in a text, if there is one."""
        folded = fold(text)
        for start, length, form, at in self._candidates(_pattern(folded).findall(folded)):
            mine, theirs = _piece(folded, start, length), _piece(self._texts[form], at, length)
            if not _readings(mine).isdisjoint(_readings(theirs)):
                return Hit(self._items[form], field, mine, theirs)
        return None

    def _candidates(self, words: list[str]) -> Iterator[tuple[int, int, int, int]]:
        """(start in the text, length, form, start in the form) of windows with equal hashes."""
        beginnings = zip(*(words[shift:] for shift in range(self._prefix)), strict=False)
        for start, beginning in enumerate(beginnings):
            lengths = self._lengths.get(beginning)
            if lengths is None:
                continue
            for length in sorted(lengths):
                window = words[start : start + length]
                for form, at in self._windows.get((length, _hash(window)), ()):
                    if len(window) == length:
                        yield start, length, form, at


def _forms(question: str) -> list[str]:
    """The folded question and, where that differs, the folded question as repaired."""
    return list(dict.fromkeys((fold(question), fold(repair(question)[0]))))


def _template_grams(items: Sequence[Item], texts: Sequence[list[str]], n: int) -> set[int]:
    groups: dict[str, list[list[str]]] = {}
    for item, text in zip(items, texts, strict=True):
        groups.setdefault(item.benchmark, []).append(text)
    template: set[int] = set()
    for group in groups.values():
        if len(group) >= TEMPLATE_ITEMS:
            template |= _frequent_grams(group, n)
    return template


def _frequent_grams(texts: Sequence[list[str]], n: int) -> set[int]:
    count: Counter[int] = Counter()
    for words in texts:
        count.update({_hash(words[at : at + n]) for at in range(len(words) - n + 1)})
    return {value for value, times in count.items() if times > TEMPLATE_SHARE * len(texts)}


def decontaminate(
    rows: Sequence[Row], index: Index, keyed_sources: Collection[str] = ("generated",)
) -> Filtered:
    """Drop rows that share a key with an item, or verified text.

    Rows of ``keyed_sources`` are compared by key alone: their templates would match every item.
    """
    kept, dropped = list[Row](), list[Dropped]()
    for row in rows:
        keyed = row.get("source") in keyed_sources
        found = _by_key(row, index) or (None if keyed else _by_text(row, index))
        if found is None:
            kept.append(row)
        else:
            dropped.append(found)
    return Filtered(kept, dropped)


def _by_key(row: Row, index: Index) -> Dropped | None:
    key = row.get("key")
    if not isinstance(key, str) or key not in index.keys:
        return None
    return Dropped(row, STEP, "same_key", {"key": key})


def _by_text(row: Row, index: Index) -> Dropped | None:
    hits = (index.find(row[name], name) for name in ("prompt", "response"))
    hit = next((hit for hit in hits if hit), None)
    if hit is None:
        return None
    evidence = {
        "benchmark": hit.item.benchmark,
        "item": hit.item.id,
        "field": hit.field,
        "row_text": hit.row_text,
        "item_text": hit.item_text,
    }
    return Dropped(row, STEP, "benchmark_text", evidence)
