"""What of a benchmark's texts is searched for: which stretches are evidence, and their seeds.

A stretch is a run of words. It is evidence if it is a whole item; if it holds an n-gram that is no
template, no commonplace and no mere repetition; or, of an item too short for a half of it to hold
an n-gram, if it is a telling half. A seed is a 5-gram (of the shortest items a 3-gram), as rare as
there is one in its stretch: every stretch that is evidence holds a seed, so a text without seeds
holds no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, count, pairwise

import numpy as np

from stages.cleaning.commonplaces import COMMON_WORDS
from stages.cleaning.survey import Flags, Integers, Survey, Text, telling
from stages.cleaning.wording import Wording, numeric, spellings

QUESTION, ANSWER = "question", "answer"
SEED = 5  # words
SHORTEST = 3  # words; a shorter item matches too much, and a 3-gram of one item alone is rare
ANSWER_WORDS = 26  # a shared stretch of a solution has as many words, or half of the solution's
LOOSE = (3, 2)  # words of a seed without numbers, if there is one, else of a shorter one
NUMBER = "#"  # for any
SHORTEST_CHARACTERS = 8  # of a whole item, with
SHORTEST_TELLING = 2  # words that are neither common nor single letters, or
SHORTEST_UNCOMMON = 4  # with single letters
HALVED = 8  # words of an item of which a half is looked for
SHORTEST_HALF = 5  # words, with
HALF_TELLING = 3  # telling words;
CLEAR_HALF = 8  # a longer half with
CLEAR_TELLING = 4  # telling words counts wherever it stands, a shorter one as a sentence


@dataclass(frozen=True)
class Form:
    """A text made searchable: L words, and for each what begins there.

    ``evident[i]`` is 1 where an n-gram that is evidence begins, ``rare[i]`` where a seed that no
    other item and no commonplace holds does, ``tells[i]`` if the word says what the item is about.
    ``half`` is the words of a half that counts, or 0. ``loose`` are begin and end of a seed without
    numbers: by it the first of the short forms of a template is also found with other numbers.
    """

    text: Text
    wording: Wording
    n: int
    evident: bytes
    rare: bytes
    tells: bytes
    whole: bool
    half: int
    loose: tuple[int, int] | None = None

    @property
    def words(self) -> list[str]:
        """The words of the folded text."""
        return self.wording.words

    @property
    def searchable(self) -> bool:
        """Whether the form as a whole can be found in another text."""
        return bool(self.rule(0, len(self.words)))

    @property
    def short(self) -> bool:
        """Whether it is a question that with another number or operator is another question."""
        return self.whole and len(self.words) < 2 * self.n

    @property
    def shortest(self) -> int:
        """Words of the shortest stretch that is evidence."""
        return min(self.half or self.n, len(self.words))

    def rule(self, at: int, length: int) -> str:
        """By which rule ``length`` words from word ``at`` on are evidence, "" if they are none."""
        if length == len(self.words) and self.whole:
            return "whole_item"
        if 1 in self.evident[at : at + max(0, length - self.n + 1)]:
            if self.text.part == QUESTION:
                return "ngram"
            return "answer" if length >= min(ANSWER_WORDS, len(self.words) // 2) else ""
        if self.half and length >= self.half and self._half(at, length) >= HALF_TELLING:
            return "half_item"
        return ""

    def clear(self, at: int, length: int) -> bool:
        """Whether a half counts also inside a longer sentence."""
        return length >= CLEAR_HALF and self._half(at, length) >= CLEAR_TELLING

    def _half(self, at: int, length: int) -> int:
        """Different telling words of a half; 0 if another item or a commonplace holds it."""
        end = at + length
        if 1 not in self.rare[at : end - SHORTEST + 1]:
            return 0
        return len(set(compress(self.words[at:end], self.tells[at:end])))


@dataclass(frozen=True)
class Seeds:
    """Runs of words in every spelling of their numbers, so that a text is searched as written.

    ``places`` says for each the forms it stands in and where. ``pairs`` holds two neighbours of
    each, as rare as there are, and how many words before them it begins and has: most texts hold
    few of the pairs and are looked at nowhere else.
    """

    places: dict[tuple[str, ...], list[tuple[int, int]]] = field(default_factory=dict)
    pairs: dict[tuple[str, ...], set[tuple[int, int]]] = field(default_factory=dict)

    def add(self, words: Sequence[str], place: tuple[int, int], pair: int) -> None:
        """A seed of a form, the rarest neighbours of which are its words ``pair`` and the next."""
        for spelling in spellings(words):
            self.places.setdefault(spelling, []).append(place)
            self.pairs.setdefault(spelling[pair : pair + 2], set()).add((pair, len(spelling)))

    def found_in(self, words: list[str]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Where in a text a seed stands, and where else: each form, and the place in the form."""
        pairs = pairwise(words)
        near = [*compress(count(), map(self.pairs.__contains__, pairs))]
        looked = {
            (at - before, width)
            for at in near
            for before, width in self.pairs[words[at], words[at + 1]]
            if at >= before
        }
        for start, width in sorted(looked):
            places = self.places.get(tuple(words[start : start + width]))
            if places:
                yield start, places


@dataclass(frozen=True)
class Windows:
    """Forms, their seeds, and how many n-grams are template or commonplace."""

    forms: list[Form]
    seeds: Seeds
    left_out: int


def make_windows(texts: Sequence[Text], n: int) -> Windows:
    """What to search for; ``n`` is the length of an n-gram in words."""
    survey = Survey(texts)
    tells = survey.tells(n)
    evident, left_out = survey.evident(n, tells)
    rare, common = survey.rare(SHORTEST)
    forms = []
    for number, (text, wording) in enumerate(zip(texts, survey.wordings, strict=True)):
        own = survey.part(number)
        commonplace = bool(common[own][: len(wording.words) - SHORTEST + 1].all())
        flags = (each[own].tobytes() for each in (evident, rare, tells))
        forms.append(_form(text, wording, n, *flags, commonplace=commonplace))
    wide, narrow = min(SEED, n), min(SHORTEST, n)
    forms = _with_loose(survey, forms)
    return Windows(forms, _seeds(survey, forms, wide, narrow), left_out)


def _with_loose(survey: Survey, forms: Sequence[Form]) -> list[Form]:
    """The forms; of short questions that differ in numbers alone the first has a seed for that."""
    seeds = [(width, survey.cost(width), survey.wordy(width)) for width in LOOSE]
    seen, marked = set[tuple[str, ...]](), list[Form]()
    for number, form in enumerate(forms):
        loose = None
        if form.short:
            words, part = tuple(map(_unnumbered, form.words)), survey.part(number)
            if NUMBER in words and words not in seen:
                loose = _loose([(width, cost[part], wordy[part]) for width, cost, wordy in seeds])
            seen.add(words)
        marked.append(replace(form, loose=loose) if loose else form)
    return marked


def _loose(seeds: Sequence[tuple[int, Integers, Flags]]) -> tuple[int, int] | None:
    """Begin and end of the cheapest seed of the first width that has one."""
    for width, cost, wordy in seeds:
        places = np.flatnonzero(wordy)
        if len(places):
            at = int(places[cost[places].argmin()])
            return at, at + width
    return None


def _unnumbered(word: str) -> str:
    return NUMBER if numeric(word) else word


def _seeds(survey: Survey, forms: Sequence[Form], wide: int, narrow: int) -> Seeds:
    costs = {width: survey.cost(width) for width in (wide, narrow)}
    pair_cost, seeds = survey.pair_cost(), Seeds()
    for number, form in enumerate(forms):
        width, part = narrow if form.shortest < wide else wide, survey.part(number)
        pairs = pair_cost[part].tolist()
        places = _seed_places(form, width, costs[width][part].tolist())
        for at, end in [*((at, at + width) for at in places), *filter(None, (form.loose,))]:
            own = pairs[at : end - 1]
            seeds.add(form.words[at:end], (number, at), own.index(min(own)))
    return seeds


def _form(
    text: Text,
    wording: Wording,
    n: int,
    evident: bytes,
    rare: bytes,
    tells: bytes,
    *,
    commonplace: bool,
) -> Form:
    words, question = wording.words, text.part == QUESTION
    length, uncommon = len(words), set(words) - COMMON_WORDS
    whole = (
        question
        and length >= SHORTEST
        and sum(map(len, words)) >= SHORTEST_CHARACTERS
        and (telling(words) >= SHORTEST_TELLING or len(uncommon) >= SHORTEST_UNCOMMON)
        and not commonplace
    )
    if text.entire:  # no part of it is evidence
        evident = bytes(len(evident))
    halved = question and HALVED <= length < 2 * n and not text.entire
    half = max(SHORTEST_HALF, length // 2) if halved else 0
    return Form(text, wording, n, evident, rare, tells, whole, half)


def _seed_places(form: Form, width: int, cost: Sequence[int]) -> list[int]:
    """Where seeds begin, so that each stretch that is evidence holds one; few, and rare ones."""
    ngrams = [(at, at + form.n) for at, evident in enumerate(form.evident) if evident]
    places = _cover(ngrams, width, cost)
    if form.half:
        places |= _cover(_shortest_halves(form), width, cost)
    if form.whole and not places:
        places = _cover([(0, len(form.words))], width, cost)
    return sorted(places)


def _shortest_halves(form: Form) -> list[tuple[int, int]]:
    """For each word the shortest stretch from it on that is evidence; longer ones hold it."""
    found, length = list[tuple[int, int]](), len(form.words)
    for start in range(length - form.half + 1):
        ends = range(start + form.half, length + 1)
        end = next((end for end in ends if form.rule(start, end - start)), None)
        if end is not None:
            found.append((start, end))
    return found


def _cover(windows: Sequence[tuple[int, int]], width: int, cost: Sequence[int]) -> set[int]:
    """Of each window, from a word to before another, the cheapest place, the last one of equals.

    No window ends before an earlier one, so a place in an earlier one may lie in it too.
    """
    places, last = set[int](), -1
    for start, end in windows:
        if last < start:
            within = cost[start : end - width + 1]
            last = start + len(within) - 1 - within[::-1].index(min(within))
            places.add(last)
    return places
