"""Decontamination: no row may contain a benchmark problem.

Generated puzzles share templates, so they are compared by canonical key. Everything else is
compared by words under a fold of width, case, punctuation, invisible characters and notation. From
each rare place that a row shares with an item the shared stretch is followed in both directions,
split where the operators between its words differ, and judged: a whole item, an n-gram that is no
template, a telling half of a short item, a stretch of a solution. An item with other numbers is
another item if it has less than 2n words; of a longer one n words in a row tell, and the row is
dropped for a reason of its own. Translations and paraphrases are out of reach.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stages.base.errors import ConfigError, DataError
from stages.cleaning.alignment import Alignment, shared_stretch
from stages.cleaning.folding import fold
from stages.cleaning.hits import TEMPLATE, WHOLE, Hit, Item, keyed_evidence
from stages.cleaning.readings import joined, ordered, readings
from stages.cleaning.repair import repair
from stages.cleaning.rows import Dropped, Filtered, Row
from stages.cleaning.sieve import Sieve
from stages.cleaning.survey import Text
from stages.cleaning.windows import (
    ANSWER,
    HALF_TELLING,
    HALVED,
    QUESTION,
    SHORTEST_HALF,
    Form,
    make_windows,
)
from stages.cleaning.wording import Wording

__all__ = ["Hit", "Index", "Item", "decontaminate"]

STEP = "decontamination"
FIELDS = ("prompt", "response")
SHORTEST_NGRAM = 2  # words; the profile's key has the same limit
SHORTEST_EQUAL = 2  # words; of an item too short to be looked for in a text, if it is all of it
OUT_OF_REACH = "translations and paraphrases; products cut outside of formulas"
CALCULATION = re.compile(r"<<[^<>\n]*>>")  # some solutions repeat each sum in such brackets


class Index:
    """Benchmark items made searchable. ``n`` is the length of an n-gram in words.

    Rows are repaired before they are searched, so an item is searched for as it is written and as
    it is repaired. Items of the same words are searched for once and reported together.
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
        self.keys = {item.key: item for item in reversed(items) if item.key}
        self._items = list(items)
        windows = make_windows(list(_texts(items)), n)
        self._forms, self._left_out = windows.forms, windows.left_out
        self._seeds = windows.seeds
        self._sought = [(form.words, 1 if form.loose else form.shortest) for form in self._forms]
        self._questions = {
            owner: number
            for number, form in reversed(list(enumerate(self._forms)))
            if form.text.part == QUESTION
            for owner in form.text.owners
        }
        self._tiny: dict[tuple[str, ...], list[int]] = {}
        for number, form in enumerate(self._forms):
            long_enough = len(form.words) >= SHORTEST_EQUAL
            if form.text.part == QUESTION and not form.searchable and long_enough:
                self._tiny.setdefault(tuple(form.words), []).append(number)
        self._longest_tiny = max(map(len, self._tiny), default=0)
        self._sieve = Sieve(self._seeds.places)

    def describe(self) -> dict[str, Any]:
        """What is searched for and what cannot be, for the report."""
        searched = {owner for form in self._searched(QUESTION) for owner in form.text.owners}
        solutions = {owner for form in self._searched(ANSWER) for owner in form.text.owners}
        halved = {o for form in self._searched(QUESTION) if form.half for o in form.text.owners}
        numbered = {o for form in self._searched(QUESTION) if form.loose for o in form.text.owners}
        return {
            "items": len(self._items),
            "ngram": self.n,
            "template_ngrams_left_out": self._left_out,
            "items_too_short_to_search": [
                item.id for number, item in enumerate(self._items) if number not in searched
            ],
            "items_searched_by_half": len(halved),
            "halves": (
                f"of items of {HALVED} to {2 * self.n - 1} words: half of the words, at least "
                f"{SHORTEST_HALF}, of which {HALF_TELLING} tell this item from others. What is "
                "shorter is a phrase that anybody writes, and no copy"
            ),
            "items_searched_with_other_numbers": len(numbered),
            "answers_searched": len(solutions),
            "out_of_reach": OUT_OF_REACH,
        }

    def _searched(self, part: str) -> Iterator[Form]:
        return (form for form in self._forms if form.text.part == part and form.searchable)

    def question_form(self, item: int) -> Form:
        """The question of an item, by its place among the items, as it is searched for."""
        return self._forms[self._questions[item]]

    def find(self, text: str, field: str) -> Hit | None:
        """The longest verified hit in a text, if there is one; of equals the first.

        Every reading of the text is tried; the hit shows the one in which it was found.
        """
        hit = self.look(text, field)
        return None if hit is None or hit.rule == TEMPLATE else hit

    def look(self, text: str, field: str) -> Hit | None:
        """What :meth:`find` finds, or else a short item that stands there with other numbers."""
        hits = (self._longest(reading, field) for reading in readings(text))
        return max((hit for hit in hits if hit), key=Hit.rank, default=None)

    def suspects(self, texts: Sequence[str]) -> list[bool]:
        """Which of many texts are to be searched: in the others nothing would be found."""
        read = [(number, each) for number, text in enumerate(texts) for each in readings(text)]
        passing = self._sieve.passes([fold(each) for _, each in read], self._longest_tiny)
        suspected = {number for (number, _), flag in zip(read, passing, strict=True) if flag}
        return [number in suspected for number in range(len(texts))]

    def _longest(self, text: str, field: str) -> Hit | None:
        wording = Wording(fold(text))
        stretches = self._stretches(wording)
        if len(wording.written) <= self._longest_tiny:
            whole = 0, len(wording.words)
            stretches += [(form, 0, *whole) for form in self._tiny.get(tuple(wording.words), ())]
        if not stretches:
            return None
        templates = list(self._templates(wording, stretches))
        evidence = (
            each
            for each in self._evidence(wording, stretches)
            if each.rule in WHOLE or not any(self._in_template(each, other) for other in templates)
        )
        found = max(evidence, key=_Evidence.rank, default=None)
        if found is None:
            found = max(templates, key=_Evidence.rank, default=None)
        return None if found is None else self._hit(found, text, field)

    def _hit(self, found: _Evidence, text: str, field: str) -> Hit:
        form = self._forms[found.form]
        owners = [self._items[owner] for owner in form.text.owners]
        return Hit(
            owners[0],
            tuple(owners[1:]),
            found.rule,
            field,
            text,
            form.text.raw,
            found.start,
            found.at,
            found.length,
        )

    def _evidence(
        self, wording: Wording, stretches: Sequence[tuple[int, int, int, int]]
    ) -> Iterator[_Evidence]:
        """Every verified part of the stretches."""
        for number, shift, low, high in stretches:
            alignment = Alignment(wording, self._forms[number], shift)
            for rule, first, last in alignment.judge(low, high):
                yield _Evidence(number, rule, first, first - shift, last - first)

    def _templates(
        self, wording: Wording, stretches: Sequence[tuple[int, int, int, int]]
    ) -> Iterator[_Evidence]:
        """Every short item that stands in the text but for its numbers or operators."""
        for number, shift, *_ in stretches:
            form = self._forms[number]
            if form.short and Alignment(wording, form, shift).other_numbers():
                yield _Evidence(number, TEMPLATE, shift, 0, len(form.words))

    def _in_template(self, found: _Evidence, other: _Evidence) -> bool:
        """Whether a part of an item lies where all of it stands with other numbers."""
        return (
            self._forms[found.form].text.group == self._forms[other.form].text.group
            and other.start <= found.start
            and found.start + found.length <= other.start + other.length
        )

    def _stretches(self, wording: Wording) -> list[tuple[int, int, int, int]]:
        """Form, shift against it, begin and end of every shared stretch that is long enough.

        Of a form that is looked for with other numbers too, of every one.
        """
        stretches = []
        reached: dict[tuple[int, int], int] = {}
        for start, places in self._seeds.found_in(wording.written):
            for number, at in places:
                place = number, start - at
                if reached.get(place, 0) > start:
                    continue
                sought, shortest = self._sought[number]
                low, high = shared_stretch(wording.written, sought, start, start - at)
                reached[place] = high
                if high - low >= shortest:
                    stretches.append((*place, low, high))
        return stretches


@dataclass(frozen=True)
class _Evidence:
    """A stretch of ``length`` words from word ``start`` of a text, word ``at`` of a form."""

    form: int
    rule: str
    start: int
    at: int
    length: int

    def rank(self) -> tuple[int, int, int]:
        return self.length, -self.start, -self.form


def _texts(items: Sequence[Item]) -> Iterator[Text]:
    """Questions and answers as written and as repaired, those of the same question once."""
    for group, owners in enumerate(_same_questions(items)):
        benchmarks = tuple(dict.fromkeys(items[owner].benchmark for owner in owners))
        for part in (QUESTION, ANSWER):
            written = dict[str, bool]()
            for owner in owners:
                for raw, entire in _written(items[owner], part):
                    written.setdefault(raw, entire)
            raws = dict[str, tuple[str, bool]]()
            for raw, entire in written.items():
                raws.setdefault(fold(raw), (raw, entire))
            for folded, (raw, entire) in raws.items():
                if part == QUESTION or folded:
                    yield Text(tuple(owners), group, benchmarks, part, raw, folded, entire)


def _written(item: Item, part: str) -> Iterator[tuple[str, bool]]:
    """The ways in which a question or an answer may stand in a row, and which have their order.

    A question with its options in order is searched for as a whole.
    """
    text = item.question if part == QUESTION else item.answer
    ways = [text, repair(text)[0]]
    if part == ANSWER:
        plain = CALCULATION.sub("", text)
        ways += (plain, repair(plain)[0])
    ways = list(dict.fromkeys(ways))
    yield from ((way, False) for way in ways)
    for together in map(joined, ways):
        yield together, False
        if part == QUESTION:
            yield ordered(together), True


def _same_questions(items: Sequence[Item]) -> list[list[int]]:
    """Places of items of the same words and operators, the items in the order they came in."""
    by_words: dict[tuple[str, ...], list[tuple[int, Wording]]] = {}
    for number, item in enumerate(items):
        wording = Wording(fold(item.question))
        by_words.setdefault(tuple(wording.words), []).append((number, wording))
    groups: list[list[int]] = []
    for found in by_words.values():
        same: dict[tuple[tuple[str, ...], ...], list[int]] = {}
        for number, wording in found:
            operators = wording.operators() if len(found) > 1 else ()
            same.setdefault(operators, []).append(number)
        groups += same.values()
    return groups


def decontaminate(
    rows: Sequence[Row], index: Index, keyed_sources: Collection[str] = ("generated",)
) -> Filtered:
    """Drop rows that share a key with an item, or verified text.

    Rows that hold a short item with other numbers are left, with both texts for a person to judge.
    Rows of ``keyed_sources`` are compared by key alone: their templates would match every item.
    """
    kept, dropped, left = list[Row](), list[Dropped](), list[dict[str, Any]]()
    suspected = _suspected(rows, index, keyed_sources)
    for number, row in enumerate(rows):
        found = _judge(row, index, number in suspected)
        if isinstance(found, Dropped):
            dropped.append(found)
            continue
        kept.append(row)
        if found is not None:
            left.append({"row": row["id"], **found.evidence()})
    return Filtered(kept, dropped, left=left)


def contamination(
    row: Row, index: Index, keyed_sources: Collection[str] = ("generated",)
) -> Dropped | None:
    """Why a row goes, with both texts as evidence; None if it stays. Depends on nothing else."""
    found = _judge(row, index, row.get("source") not in keyed_sources)
    return found if isinstance(found, Dropped) else None


def _suspected(rows: Sequence[Row], index: Index, keyed_sources: Collection[str]) -> set[int]:
    """Numbers of the rows whose texts are to be searched; in the others nothing would be found."""
    read = [number for number, row in enumerate(rows) if row.get("source") not in keyed_sources]
    suspects = index.suspects([rows[number][name] for number in read for name in FIELDS])
    return {read[text // len(FIELDS)] for text, flag in enumerate(suspects) if flag}


def _judge(row: Row, index: Index, by_text: bool) -> Dropped | Hit | None:
    """Why the row goes, or what was seen in it that is no copy."""
    key = row.get("key")
    if isinstance(key, str) and key in index.keys:
        return Dropped(row, STEP, "same_key", keyed_evidence(index.keys[key], key))
    if not by_text:
        return None
    left = None
    for name in FIELDS:
        hit = index.look(row[name], name)
        if hit is not None and hit.rule != TEMPLATE:
            return Dropped(row, STEP, hit.reason, hit.evidence())
        left = left or hit
    return left
