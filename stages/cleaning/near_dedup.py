"""Near deduplication: MinHash bands find pairs of rows, the texts of every pair decide.

Of two rows the one with the larger id goes if the Jaccard similarity of their word shingles is
high enough, they state the same (:mod:`stages.cleaning.statement`), and neither field was swapped
for another. A row is compared with kept rows only, so there are no chains, and the same rows stay
whatever the order of the input. For a row with a canonical key the key stands for the prompt;
it, and rows of templated domains, are never compared by text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.events import say
from stages.base.params import NearDedup
from stages.cleaning.exact_dedup import Digests, as_array, digest_texts, first_of_equal
from stages.cleaning.minhash import band_keys, found_share, signatures
from stages.cleaning.processes import Workers
from stages.cleaning.rowfile import RowFile
from stages.cleaning.rows import Dropped, Row
from stages.cleaning.shingles import Hashes, mixed, shingle_hashes
from stages.cleaning.text_pairs import LARGE_CLUSTER, Likes, Numbers, figures, find_likes, joined

STEP = "near_dedup"
SNIPPET = 120  # characters shown of each text, from where they begin to differ
LEAD = 40  # of them, characters before that


@dataclass(frozen=True)
class Prints:
    """What near deduplication needs of a batch of rows; numbers count from the batch's first.

    ``keyed`` and ``texts`` are row numbers, ``digests`` has shape [keyed, 2], ``bands`` [texts,
    bands]; ``left`` counts the rows that only exact deduplication sees, by reason.
    """

    keyed: Numbers
    digests: Digests
    texts: Numbers
    bands: Hashes
    left: Counter[str]


def prints(rows: Sequence[Row], near: NearDedup) -> Prints:
    """The fingerprints of a batch; they depend on nothing but its rows."""
    keyed, texts, left = list[int](), list[int](), Counter[str]()
    for number, row in enumerate(rows):
        if row.get("key"):
            if near.repeated_keys == "drop":
                keyed.append(number)
            else:
                left["keyed"] += 1
        elif row["domain"] in near.templated_domains:
            left["templated"] += 1
        else:
            texts.append(number)
    digests = as_array([digest_texts(rows[at]["key"], rows[at]["response"]) for at in keyed])
    folded = [joined(rows[at]) for at in texts]
    hashes, counts = shingle_hashes(folded, near.shingle_words)
    long = counts > 0
    left["too_short"] += len(texts) - int(long.sum())
    signed = signatures(hashes, counts[long], near.bands * near.band_rows)
    bands = band_keys(signed, near.bands) ^ mixed(figures(folded)[long])[:, None]
    return Prints(_numbers(keyed), digests, _numbers(texts)[long], bands, left)


def _numbers(values: Sequence[int]) -> Numbers:
    return np.array(values, dtype=np.int64)


class NearIndex:
    """The fingerprints of all rows, 8 bytes a band and row, and who repeats whom."""

    def __init__(self, near: NearDedup) -> None:
        self._near = near
        self._batches: list[Prints] = []
        self._firsts: list[int] = []
        self._likes = Likes()
        self._by_key = 0

    def add(self, batch: Prints, first: int) -> None:
        """Take in a batch whose first row has this number."""
        self._batches.append(batch)
        self._firsts.append(first)

    def decide(
        self, alive: NDArray[np.bool_], ranks: Numbers, rows: RowFile, workers: Workers
    ) -> Likes:
        """Which rows go. ``alive`` says which are still there, ``ranks`` the order of their ids."""
        if any(len(batch.texts) for batch in self._batches):
            self._likes = self._decide_texts(alive, ranks, rows, workers)
        if any(len(batch.keyed) for batch in self._batches):
            by_key = self._decide_keys(alive, ranks)
            self._by_key = len(by_key)
            self._likes.same_as.update(by_key)
        cluster = self._largest_cluster()
        if cluster > LARGE_CLUSTER:
            say(f"{STEP}: {cluster} rows count as one. Look at them in dropped.jsonl.")
        return self._likes

    def describe(self) -> dict[str, Any]:
        """Parameters, what they find, and what came of it, for the report."""
        left = sum((batch.left for batch in self._batches), Counter[str]())
        return {
            "parameters": asdict(self._near),
            "found_share_at_jaccard": s_curve(self._near),
            "rows_compared_by_text": sum(len(batch.texts) for batch in self._batches),
            "rows_compared_by_key": sum(len(batch.keyed) for batch in self._batches),
            "rows_left_to_exact_dedup": dict(sorted(left.items())),
            "pairs_compared": self._likes.compared,
            "dropped_by_text": len(self._likes.similarity),
            "dropped_by_key": self._by_key,
            "largest_cluster": self._largest_cluster(),
            "out_of_reach": "translations and paraphrases",
        }

    def _largest_cluster(self) -> int:
        """Rows that count as one, the one that stays included."""
        return max(Counter(self._likes.same_as.values()).values(), default=0) + 1

    def _decide_keys(self, alive: NDArray[np.bool_], ranks: Numbers) -> dict[int, int]:
        numbers = self._all([batch.keyed for batch in self._batches])
        chosen = alive[numbers]
        digests = np.concatenate([batch.digests for batch in self._batches])[chosen]
        numbers = numbers[chosen]
        same_as = first_of_equal(digests, ranks[numbers])
        goes = np.flatnonzero(same_as >= 0)
        return dict(zip(numbers[goes].tolist(), numbers[same_as[goes]].tolist(), strict=True))

    def _decide_texts(
        self, alive: NDArray[np.bool_], ranks: Numbers, rows: RowFile, workers: Workers
    ) -> Likes:
        found = ", ".join(f"{share:.3f} at {at}" for at, share in s_curve(self._near).items())
        shape = f"{self._near.bands} bands of {self._near.band_rows}"
        say(f"{STEP}: {shape} find these shares of pairs, by Jaccard similarity: {found}")
        numbers = self._all([batch.texts for batch in self._batches])
        chosen = alive[numbers]

        def band(which: int) -> Hashes:
            return np.concatenate([batch.bands[:, which] for batch in self._batches])[chosen]

        numbers = numbers[chosen]
        return find_likes(band, numbers, ranks[numbers], rows, self._near, workers)

    def _all(self, parts: Sequence[Numbers]) -> Numbers:
        return np.concatenate(
            [part + first for part, first in zip(parts, self._firsts, strict=True)]
        )


def s_curve(near: NearDedup) -> dict[str, float]:
    """The share of pairs that the bands find, by their Jaccard similarity."""
    return {
        f"{at:g}": round(found_share(at, near.bands, near.band_rows), 4) for at in (0.7, 0.8, 0.9)
    }


def dropped(row: Row, kept: Row, similarity: float | None) -> Dropped:
    """A row that goes, with what it repeats; no similarity: found by its key."""
    name = "response" if row["prompt"] == kept["prompt"] else "prompt"
    begin = max(0, _common_start(row[name], kept[name]) - LEAD)
    evidence: dict[str, Any] = {
        "same_as": kept["id"],
        "field": name,
        "text": row[name][begin : begin + SNIPPET],
        "same_as_text": kept[name][begin : begin + SNIPPET],
    }
    if similarity is None:
        return Dropped(row, STEP, "same_key_and_response", {**evidence, "key": row["key"]})
    return Dropped(row, STEP, "same_text_nearly", {**evidence, "jaccard": round(similarity, 4)})


def _common_start(one: str, other: str) -> int:
    """How many characters two texts have in common from the start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
