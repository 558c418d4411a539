"""The gate of decontamination: what it finds is measured on the real index, before rows rely on it.

Recall: sampled items are injected, whole and in part, in every disguise; a copy counts as claimed
if the rules say that it is evidence, and every claimed copy must be found. Precision: what only
looks like a copy (the template with other numbers or operators, boilerplate, quotations) must stay.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stages.base.errors import DataError
from stages.base.seeds import seeded_random
from stages.cleaning import hits
from stages.cleaning.commonplaces import PASSAGES
from stages.cleaning.decontamination import Index, Item, contamination
from stages.cleaning.disguises import LOOKALIKES, PARTS, PHRASES, WHOLE
from stages.cleaning.folding import fold
from stages.cleaning.rows import Row
from stages.cleaning.windows import Form
from stages.cleaning.wording import Wording, same_between

BANDS = (
    ("under 8 words", 0, 8),
    ("8 to 12 words", 8, 13),
    ("13 to 25 words", 13, 26),
    ("over 25 words", 26, None),
)
"""Length bands of items: from the first number on, below the second."""

EACH = 32  # items drawn of each band
CARRIERS = 8  # rows drawn to hide items in
CARRIED = 200  # characters of a row on either side
LONGEST = 2000  # characters; longer items are not drawn while there are enough others
EMBEDDED, KEYED = "inside other text", "canonical key"
CARRIER = "This text was written to stand around another one. It holds no problem of its own."
SHOWN = 3  # misses and false hits named in an error


@dataclass
class Cell:
    """Copies of one length band in one disguise."""

    injected: int = 0
    claimed: int = 0
    found: int = 0
    missed: list[str] = field(default_factory=list)

    def count(self, claimed: bool, found: bool, item: str) -> None:
        """One more copy; a claimed one that is not found is a miss."""
        self.injected += 1
        self.claimed += claimed
        self.found += found
        if claimed and not found:
            self.missed.append(item)


@dataclass
class Kind:
    """Look-alikes of one kind; ``hits`` are those taken for copies."""

    tried: int = 0
    hits: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class GateReport:
    """Recall by length band and disguise, and look-alikes by kind."""

    recall: dict[str, dict[str, Cell]]
    lookalikes: dict[str, Kind]

    def faults(self) -> list[str]:
        """What is wrong, with what to do about it; nothing if the index does what it claims."""
        missed = [
            f"{item} ({band}, {disguise})"
            for band, cells in self.recall.items()
            for disguise, cell in cells.items()
            for item in cell.missed
        ]
        hits = [
            f"{hit['benchmark']}/{hit['item']} ({name}: {hit['row_text']['text']!r})"
            for name, kind in self.lookalikes.items()
            for hit in kind.hits
        ]
        faults = []
        if not self.recall:
            faults.append(
                "no benchmark item can be searched for inside a text: all are too short or made of "
                "phrases that everybody writes. Give items with their full text."
            )
        if missed:
            faults.append(
                f"{len(missed)} injected copies were not found: {', '.join(missed[:SHOWN])}. No "
                "row can be called clean: report this as a bug, or leave these items out of the "
                "benchmarks."
            )
        if hits:
            faults.append(
                f"{len(hits)} look-alikes were taken for copies: {'; '.join(hits[:SHOWN])}. Clean "
                "rows would be lost: add the phrase to stages/cleaning/commonplaces.py, or leave "
                "the item out of the benchmarks."
            )
        return faults

    def as_json(self) -> dict[str, Any]:
        """For the report."""
        return {
            "faults": self.faults(),
            "recall": {
                band: {
                    disguise: {
                        "injected": cell.injected,
                        "claimed": cell.claimed,
                        "found": cell.found,
                    }
                    for disguise, cell in cells.items()
                }
                for band, cells in self.recall.items()
            },
            "lookalikes": {
                name: {"tried": kind.tried, "hit": len(kind.hits)}
                for name, kind in self.lookalikes.items()
            },
            "false_hits": [hit for kind in self.lookalikes.values() for hit in kind.hits],
        }

    def markdown(self) -> str:
        """Found of claimed (of injected) by disguise and band, then look-alikes by kind."""
        bands = list(self.recall)
        disguises = dict.fromkeys(name for cells in self.recall.values() for name in cells)
        lines = [f"| disguise | {' | '.join(bands)} |"]
        lines.append(f"|---|{'---:|' * len(bands)}")
        for name in disguises:
            cells = (self.recall[band].get(name, Cell()) for band in bands)
            lines.append(f"| {name} | {' | '.join(map(_cell, cells))} |")
        lines += ["", "| look-alike | tried | taken for a copy |", "|---|---:|---:|"]
        lines += [
            f"| {name} | {kind.tried} | {len(kind.hits)} |"
            for name, kind in self.lookalikes.items()
        ]
        return "\n".join([*lines, ""])


def _cell(cell: Cell) -> str:
    if not cell.injected:
        return "-"
    extra = f" (of {cell.injected})" if cell.claimed < cell.injected else ""
    return f"{cell.found}/{cell.claimed}{extra}"


def recall_gate(index: Index, items: Sequence[Item], rows: Sequence[Row], seed: int) -> GateReport:
    """The measurement; DataError if a claimed copy is missed or a look-alike is hit."""
    report = measure(index, items, rows, seed)
    faults = report.faults()
    if faults:
        raise DataError(f"decontamination: {' '.join(faults)}")
    return report


def measure(index: Index, items: Sequence[Item], rows: Sequence[Row], seed: int) -> GateReport:
    """Try the index on copies and look-alikes of its own items; ``rows`` hide copies."""
    draw = seeded_random(seed, "recall_gate")
    drawn = _draw(index, items, draw)
    carriers = _carriers(index, rows, draw)
    recall = {band: _recall(index, own, carriers, draw) for band, own in drawn.items()}
    keys = [item for item in items if item.key]
    if keys:
        recall["with a key"] = {KEYED: _by_key(index, draw.sample(keys, min(EACH, len(keys))))}
    everything = [pair for own in drawn.values() for pair in own]
    return GateReport(recall, _precision(index, everything, draw))


def _draw(
    index: Index, items: Sequence[Item], draw: random.Random
) -> dict[str, list[tuple[Item, Form]]]:
    """Searchable items of each length band, drawn by seed whatever the order of the items."""
    pairs = [(item, index.question_form(number)) for number, item in enumerate(items)]
    pairs = [pair for pair in pairs if pair[1].searchable]
    pairs.sort(key=lambda pair: (pair[0].benchmark, pair[0].id))
    drawn = {}
    for band, least, below in BANDS:
        own = [
            (item, form)
            for item, form in pairs
            if least <= len(form.words) and (below is None or len(form.words) < below)
        ]
        short = [pair for pair in own if len(pair[0].question) <= LONGEST]
        own = short if len(short) >= EACH else own
        if own:
            drawn[band] = draw.sample(own, min(EACH, len(own)))
    return drawn


def _carriers(index: Index, rows: Sequence[Row], draw: random.Random) -> list[str]:
    """Beginnings of rows that hold no item."""
    drawn = draw.sample(range(len(rows)), min(CARRIERS, len(rows)))
    texts = [rows[number]["response"][:CARRIED].strip() for number in drawn]
    return [text for text in texts if text and index.find(text, "response") is None] or [CARRIER]


def _recall(
    index: Index,
    drawn: Sequence[tuple[Item, Form]],
    carriers: Sequence[str],
    draw: random.Random,
) -> dict[str, Cell]:
    cells = {name: Cell() for name in (*WHOLE, EMBEDDED, *PARTS)}
    copies = list[tuple[str, bool, str, str]]()
    for item, form in drawn:
        copies += ((name, True, hide(item.question), item.id) for name, hide in WHOLE.items())
        hidden = f"{draw.choice(carriers)}\n{item.question}\n{draw.choice(carriers)}"
        copies.append((EMBEDDED, True, hidden, item.id))
        parts = ((name, cut(item.question)) for name, cut in PARTS.items())
        copies += ((name, _claimed(part, form), part, item.id) for name, part in parts)
    suspects = index.suspects([text for _, _, text, _ in copies])
    for (name, claimed, text, item_id), suspected in zip(copies, suspects, strict=True):
        found = suspected and index.find(text, "prompt") is not None
        cells[name].count(claimed, found, item_id)
    return cells


def _claimed(part: str, form: Form) -> bool:
    """Whether the rules say that a part of an item is evidence."""
    words = Wording(fold(part)).words
    places = (0, len(form.words) - len(words))
    return any(
        form.words[at : at + len(words)] == words and form.rule(at, len(words)) for at in places
    )


def _by_key(index: Index, drawn: Sequence[Item]) -> Cell:
    cell = Cell()
    for item in drawn:
        row = {"id": item.id, "prompt": CARRIER, "response": CARRIER, "key": item.key}
        cell.count(True, contamination(row, index) is not None, item.id)
    return cell


def _precision(
    index: Index, drawn: Sequence[tuple[Item, Form]], draw: random.Random
) -> dict[str, Kind]:
    kinds = {name: Kind() for name in (*LOOKALIKES, "commonplaces", "phrases")}
    for item, form in drawn:
        for name, change in LOOKALIKES.items():
            text = change(item.question, draw)
            if _is_another(text, form, index.n):
                _try(index, kinds[name], text, item)
    for name, texts in (("commonplaces", PASSAGES), ("phrases", PHRASES)):
        for text in texts:
            _try(index, kinds[name], f"{CARRIER}\n{text}\n{CARRIER}", None)
    return kinds


def _is_another(text: str, form: Form, n: int) -> bool:
    """Whether something is another, and the item short or fewer than n words in a row left."""
    mine, theirs = Wording(fold(text)), form.wording
    if len(mine.words) != len(theirs.words):
        return False
    longest = run = 0
    for word in range(len(mine.words)):
        same = mine.words[word] == theirs.words[word]
        joined = word and same_between(
            mine.words[word - 1], mine.before(word), theirs.before(word), mine.words[word]
        )
        run = 0 if not same else run + 1 if joined else 1
        longest = max(longest, run)
    return longest < (len(mine.words) if form.short else min(n, len(mine.words)))


def _try(index: Index, kind: Kind, text: str, item: Item | None) -> None:
    """A look-alike of an item is no copy of this one; a phrase is none unless it is an item."""
    kind.tried += 1
    hit = index.find(text, "prompt")
    if hit is None:
        return
    copied = (hit.item, *hit.also)
    false = hit.rule not in hits.WHOLE if item is None else item in copied
    if false:
        kind.hits.append(hit.evidence())
