"""Hits: what was found where, with both texts side by side, so that a person can judge."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stages.cleaning.folding import fold
from stages.cleaning.rows import Dropped
from stages.cleaning.wording import spans_of, words_of

CONTEXT = 80  # characters on either side of a stretch
LONGEST_SHOWN = 400  # characters of a stretch in Markdown
OFTEN = 10  # items named as hit most often
MARKUP = {ord(sign): f"&#{ord(sign)};" for sign in "&<>|*_`$\\[]~#"}
TEMPLATE, OTHER_NUMBERS = "template", "other_numbers"
WHOLE = ("same_question", "whole_item")
RULES = {
    "same_question": "the field is the item",
    "whole_item": "the whole item",
    "ngram": "an n-gram of the item",
    OTHER_NUMBERS: "an n-gram of a long item, which stands there with other numbers or operators",
    "half_item": "a half of a short item",
    "answer": "an n-gram of the item's solution",
    "same_key": "the canonical key",
    TEMPLATE: "a short item with other numbers or operators, which is another item",
}
"""What each rule found; the last alone is no reason to drop a row."""


@dataclass(frozen=True)
class Item:
    """One benchmark problem; ``key`` is empty for those that are not generated.

    ``answer`` is the reference solution, searched for when it is long enough to mean something.
    """

    id: str
    benchmark: str
    question: str
    key: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Hit:
    """``length`` words from word ``start`` of a text are those from word ``at`` of an item's.

    ``also`` are the items of the same words, in this benchmark or another.
    """

    item: Item
    also: tuple[Item, ...]
    rule: str
    field: str
    text: str
    item_text: str
    start: int
    at: int
    length: int

    @property
    def reason(self) -> str:
        """Why a row is dropped for it; a long item with other numbers has a reason of its own."""
        return "benchmark_other_numbers" if self.rule == OTHER_NUMBERS else "benchmark_text"

    def rank(self) -> tuple[bool, int]:
        """The greater, the more it says."""
        return self.rule != TEMPLATE, self.length

    def evidence(self) -> dict[str, Any]:
        """Both stretches as they are written, each with some context, as a JSON object."""
        return {
            "benchmark": self.item.benchmark,
            "item": self.item.id,
            "also": [f"{item.benchmark}/{item.id}" for item in self.also],
            "rule": self.rule,
            "field": self.field,
            "words": self.length,
            "row_text": _excerpt(self.text, self.start, self.length),
            "item_text": _excerpt(self.item_text, self.at, self.length),
        }


def keyed_evidence(item: Item, key: str) -> dict[str, Any]:
    """Evidence of the same form for an item that has the row's canonical key."""
    same = {"before": "", "text": key, "after": ""}
    found = {"benchmark": item.benchmark, "item": item.id, "also": [], "rule": "same_key"}
    return {**found, "field": "key", "words": 0, "key": key, "row_text": same, "item_text": same}


def _excerpt(text: str, start: int, length: int) -> dict[str, str]:
    """The words from ``start`` on, and what stands before and after them."""
    begin, end = _place(text, start, start + length)
    before, after = text[:begin], text[end:]
    return {
        "before": ("…" if len(before) > CONTEXT else "") + before[-CONTEXT:],
        "text": text[begin:end],
        "after": after[:CONTEXT] + ("…" if len(after) > CONTEXT else ""),
    }


def _place(text: str, start: int, stop: int) -> tuple[int, int]:
    """Where word ``start`` begins and the word before word ``stop`` ends, in characters.

    Folding moves places: then they are found by counting the words of beginnings of the text.
    """
    folded = fold(text)
    if folded == text.lower() and len(folded) == len(text):
        begins = [begin for begin, _ in islice(spans_of(folded), start, stop + 1)]
        begin, following = begins[0], begins[-1] if len(begins) > stop - start else len(text)
    else:
        begin = _before_word(text, start)
        following = _before_word(text, stop)
    return begin, begin + len(text[begin:following].rstrip())


def _before_word(text: str, number: int) -> int:
    """Where a word begins: first in which run of printed characters, then in this one."""

    def words_before(end: int) -> int:
        return len(words_of(fold(text[:end])))

    runs = [match.span() for match in re.finditer(r"\S+", text)]
    run = bisect_left(runs, number + 1, key=lambda span: words_before(span[1]))
    if run == len(runs):
        return len(text)
    begin, end = runs[run]
    return begin + max(0, bisect_left(range(begin, end), number + 1, key=words_before) - 1)


def hits_table(dropped: Sequence[Dropped]) -> list[dict[str, Any]]:
    """One JSON row for each dropped row, by benchmark, item and row: who, by which rule, on what.

    Rows dropped for other reasons than a benchmark are left out.
    """
    rows = [
        {"row": hit.row["id"], **hit.evidence} for hit in dropped if "benchmark" in hit.evidence
    ]
    return sorted(rows, key=lambda row: (row["benchmark"], row["item"], row["row"]))


def hits_markdown(dropped: Sequence[Dropped], most: int = 200) -> str:
    """The hits as Markdown: counts by benchmark and rule, items hit most often, both texts.

    An item that very many rows hit is likely to hold a phrase that everybody writes.
    """
    table = hits_table(dropped)
    rules = Counter((row["benchmark"], row["rule"]) for row in table)
    items = Counter(f"{row['benchmark']}/{row['item']}" for row in table)
    often = sorted(items.items(), key=lambda pair: (-pair[1], pair[0]))[:OFTEN]
    lines = [
        *_table(
            ("benchmark", "rows", "found"),
            [(name, str(count), RULES[rule]) for (name, rule), count in sorted(rules.items())],
        ),
        *_table(("item hit most often", "rows"), [(name, str(count)) for name, count in often]),
        *_table(
            ("row", "item", "found", "in the row", "in the item"),
            [_judged(row) for row in table[:most]],
        ),
    ]
    if len(table) > most:
        lines += [f"{len(table) - most} more hits stand in the file of dropped rows.", ""]
    return "\n".join(lines)


def _judged(row: dict[str, Any]) -> tuple[str, ...]:
    names = ", ".join((f"{row['benchmark']}/{row['item']}", *row["also"]))
    found = f"{RULES[row['rule']]} ({row['words']} words of the {row['field']})"
    return row["row"], names, found, row["row_text"], row["item_text"]


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    if not rows:
        return []
    ruled = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*ruled, *(f"| {' | '.join(map(_cell, row))} |" for row in rows), ""]


def _cell(value: str | dict[str, str]) -> str:
    if isinstance(value, str):
        return _plain(value)
    text = value["text"]
    if len(text) > LONGEST_SHOWN:
        text = f"{text[: LONGEST_SHOWN // 2]} … {text[-LONGEST_SHOWN // 2 :]}"
    return f"{_plain(value['before'])}<b>{_plain(text)}</b>{_plain(value['after'])}"


def _plain(text: str) -> str:
    """One line of text in which Markdown and HTML see no mark-up."""
    return re.sub(r"\s+", " ", text).translate(MARKUP)
