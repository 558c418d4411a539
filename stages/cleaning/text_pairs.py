"""Rows that repeat a kept row by text: who meets in a band, and what their texts say.

Rows meet with the same digits only, and those that meet are split by what they state, so rows of
one template with different numbers are never compared one by one. The others are judged by rising
rank, each against the kept rows it meets: a row goes only if one of those is verified to be its
like.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from stages.base.events import say
from stages.base.params import NearDedup
from stages.cleaning.dress import without_phrases
from stages.cleaning.exact_dedup import Digests, as_array, digest_exactly, first_of_equal
from stages.cleaning.processes import Workers, in_order
from stages.cleaning.rowfile import RowFile
from stages.cleaning.rows import Row
from stages.cleaning.shingles import Hashes, Shingles, folded, jaccard, mixed, shingles_of, words
from stages.cleaning.slips import only_slips
from stages.cleaning.statement import asked, statement

SAME_FIELD = 0.5  # Jaccard similarity of the prompts, and of the responses, at least
LONG_FIELD = 50  # shingles; below, words are compared
LARGE_CLUSTER = 1000  # rows; more share a template rather than an origin
HELD_SHINGLES = 200_000  # of the rows compared last
CHUNK = 256  # rows
LOUD = 20  # capital letters at least in a text in capitals
LOUD_HEAD = 200  # characters looked at
NO_DIGITS = bytes(byte for byte in range(256) if byte not in b"0123456789")
Numbers = NDArray[np.int64]


@dataclass
class Likes:
    """For each row that goes the kept row it repeats, and how similar they are."""

    same_as: dict[int, int] = field(default_factory=dict)
    similarity: dict[int, float] = field(default_factory=dict)
    compared: int = 0  # pairs


@dataclass(frozen=True)
class Compared:
    """What is compared of a row; ``words`` counts them, ``fields`` are prompt and response."""

    words: int
    shingles: Shingles
    fields: tuple[Field, Field]
    row: Row

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """Words that may differ by slips only."""
        return asked(self.row)

    def said(self, word: str) -> int:
        """How often a word comes."""
        return sum(part.words.count(word) for part in self.fields)


@dataclass(frozen=True)
class Field:
    """What is compared of a prompt or a response."""

    words: list[str]
    shingles: Shingles


def joined(row: Row) -> str:
    """The text whose shingles are compared, folded: the prompt, then the response."""
    return f"{folded(row['prompt'])}\n{folded(row['response'])}"


def figures(texts: Sequence[str]) -> Hashes:
    """Hashes of the digits in each text, of shape [texts]: rows with other ones never meet."""
    digits = (text.encode("utf-8", "surrogatepass").translate(None, NO_DIGITS) for text in texts)
    return np.fromiter(map(xxh3_64_intdigest, digits), dtype=np.uint64, count=len(texts))


def find_likes(
    band: Callable[[int], Hashes],
    numbers: Numbers,
    ranks: Numbers,
    rows: RowFile,
    near: NearDedup,
    workers: Workers,
) -> Likes:
    """Which of these rows repeat another of them.

    ``band(i)`` gives the keys of band i, aligned to ``numbers`` and ``ranks``.
    """
    suspect = np.zeros(len(numbers), dtype=bool)
    for which in range(near.bands):
        suspect |= _shared(band(which))
    chosen = np.flatnonzero(suspect)
    stated = _statements(numbers[chosen], ranks[chosen], rows, workers)
    members, buckets = _buckets(
        [mixed(band(which)[chosen]) ^ stated.fixed[:, 0] for which in range(near.bands)]
    )
    order = np.lexsort((buckets, ranks[chosen[members]]))
    visits = zip(members[order].tolist(), buckets[order].tolist(), strict=True)
    judge = _Judge(numbers[chosen].tolist(), stated, rows, near)
    for member, group in groupby(visits, key=lambda visit: visit[0]):
        judge.visit(member, [bucket for _, bucket in group])
    return judge.likes


def _shared(keys: Hashes) -> NDArray[np.bool_]:
    """Which keys come more than once."""
    order = np.argsort(keys)
    equal = keys[order[1:]] == keys[order[:-1]]
    shared = np.zeros(len(keys), dtype=bool)
    shared[order[1:][equal]] = True
    shared[order[:-1][equal]] = True
    return shared


@dataclass(frozen=True)
class Stated:
    """Digests of what rows state: ``fixed`` of shape [rows, 2], ``asked`` of shape [rows]."""

    fixed: Digests
    asked: Hashes


def _statements(numbers: Numbers, ranks: Numbers, rows: RowFile, workers: Workers) -> Stated:
    """What each of the rows states.

    Names cannot be told in a row in capitals, so it states what the row of its words states.
    """
    chunks = [numbers[at : at + CHUNK].tolist() for at in range(0, len(numbers), CHUNK)]
    if not chunks:
        return Stated(np.empty((0, 2), dtype=np.uint64), np.empty(0, dtype=np.uint64))
    digests, loud = zip(*in_order(_state, rows, chunks, workers), strict=True)
    found, capitals = np.concatenate(digests), np.concatenate(loud)
    stated = Stated(found[:, :2], found[:, 2])
    if not capitals.any():
        return stated
    wording = np.concatenate(list(in_order(_wording, rows, chunks, workers)))
    first = first_of_equal(wording, ranks + capitals * (ranks.max() + 1))  # in small letters if any
    model = np.where((first < 0) | ~capitals, np.arange(len(first)), first)
    return Stated(stated.fixed[model], stated.asked[model])


def _state(rows: RowFile, numbers: Sequence[int]) -> tuple[Hashes, NDArray[np.bool_]]:
    """Of each row digests of what it states, of shape [rows, 3], and whether it is in capitals."""
    digests, loud = list[bytes](), list[bool]()
    for row in rows.rows(numbers):
        states = statement(row)
        digests.append(digest_exactly(states.fixed) + digest_exactly(states.asked)[:8])
        loud.append(_loud(row["prompt"]) or _loud(row["response"]))
    found = np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 3)
    return found, np.array(loud, dtype=bool)


def _wording(rows: RowFile, numbers: Sequence[int]) -> Digests:
    """Digests of the rows' words whatever their case."""
    return as_array([digest_exactly(joined(row).split()) for row in rows.rows(numbers)])


def _loud(text: str) -> bool:
    """Whether prose is written in capitals."""
    head = text[:LOUD_HEAD]
    capitals = sum(map(str.isupper, head))
    return capitals > LOUD and capitals > 2 * sum(map(str.islower, head))


def _buckets(bands: Sequence[Hashes]) -> tuple[Numbers, Numbers]:
    """(member, bucket) for every place where at least two meet; buckets of all bands differ."""
    members, buckets, first = list[Numbers](), list[Numbers](), 0
    largest = 0
    for keys in bands:
        own = np.flatnonzero(_shared(keys))
        _, bucket, sizes = np.unique(keys[own], return_inverse=True, return_counts=True)
        largest = max(largest, int(sizes.max(initial=0)))
        members.append(own)
        buckets.append(bucket + first)
        first += len(sizes)
    if largest > LARGE_CLUSTER:
        say(
            f"near_dedup: a band brings {largest} rows together, all of which may have to be "
            "compared. If they share a template, name their domain in templated_domains."
        )
    return np.concatenate(members), np.concatenate(buckets)


class _Judge:
    """Rows by rising rank, each against the kept ones it meets."""

    def __init__(
        self, numbers: Sequence[int], stated: Stated, rows: RowFile, near: NearDedup
    ) -> None:
        self.likes = Likes()
        self._numbers = numbers
        self._fixed, self._asked = stated.fixed, stated.asked
        self._near = near
        self._texts = _Texts(rows, near.shingle_words)
        self._kept: dict[int, list[int]] = defaultdict(list)  # bucket -> members, by rising rank
        self._places: dict[int, int] = {}  # kept member -> how many were kept before it

    def visit(self, member: int, buckets: Sequence[int]) -> None:
        """Drop the member, or keep it for those that come after."""
        met = {kept for bucket in buckets for kept in self._kept.get(bucket, ())}
        for kept in sorted(met, key=self._places.__getitem__):
            similarity = self._compare(kept, member)
            if similarity is not None:
                number = self._numbers[member]
                self.likes.same_as[number] = self._numbers[kept]
                self.likes.similarity[number] = similarity
                return
        self._places[member] = len(self._places)
        for bucket in buckets:
            self._kept[bucket].append(member)

    def _compare(self, kept: int, member: int) -> float | None:
        """How similar two rows are, if one of them is to go."""
        if (self._fixed[kept] != self._fixed[member]).any():
            return None
        self.likes.compared += 1
        one, other = (self._texts.of(self._numbers[at]) for at in (kept, member))
        similarity = jaccard(one.shingles, other.shingles)
        alike = (
            similarity >= self._near.jaccard
            # sets do not see a loop, and quality would drop the one that loops afterwards
            and min(one.words, other.words) >= self._near.jaccard * max(one.words, other.words)
            and all(map(_same_field, one.fields, other.fields))
            and (
                self._asked[kept] == self._asked[member]
                or only_slips(one.asked, other.asked, one.said, other.said)
            )
        )
        return similarity if alike else None


class _Texts:
    """Rows made ready to compare, the last ones held."""

    def __init__(self, rows: RowFile, length: int) -> None:
        self._rows = rows
        self._length = length
        self._held: OrderedDict[int, Compared] = OrderedDict()
        self._shingles = 0

    def of(self, number: int) -> Compared:
        """What is compared of a row."""
        found = self._held.get(number)
        if found is None:
            found = self._held[number] = _compared(self._rows.row(number), self._length)
            self._shingles += len(found.shingles)
            while self._shingles > HELD_SHINGLES and len(self._held) > 2:
                _, oldest = self._held.popitem(last=False)
                self._shingles -= len(oldest.shingles)
        self._held.move_to_end(number)
        return found


def _compared(row: Row, length: int) -> Compared:
    parts = [words(folded(without_phrases(row[name]))) for name in ("prompt", "response")]
    prompt, response = (Field(part, shingles_of(part, length)) for part in parts)
    seam = shingles_of(parts[0][1 - length :] + parts[1][: length - 1], length)
    shingles = prompt.shingles | seam | response.shingles
    return Compared(sum(map(len, parts)), shingles, (prompt, response), row)


def _same_field(one: Field, other: Field) -> bool:
    """Whether neither was swapped for another text: a long field is more than its words."""
    if min(len(one.shingles), len(other.shingles)) >= LONG_FIELD:
        return jaccard(one.shingles, other.shingles) >= SAME_FIELD
    return jaccard(frozenset(one.words), frozenset(other.words), empty=1.0) >= SAME_FIELD
