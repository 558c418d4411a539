"""Decontamination by plain n-grams: a document goes if it shares eight words with an item.

``python ngram_rule.py TEXTS.jsonl ITEMS.jsonl OUTPUT``. The rule as several open recipes have it:
lower case, words between blanks, any common n-gram counts. An item of fewer words has none.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

WORDS = 8


def ngrams(text: str) -> set[str]:
    """Runs of eight words."""
    words = text.lower().split()
    return {" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}


def main() -> None:
    """Search all texts for the n-grams of all items."""
    texts, items, output = map(Path, sys.argv[1:4])
    searched: set[str] = set()
    with items.open(encoding="utf-8") as file:
        for line in file:
            searched |= ngrams(json.loads(line)["question"])
    removed = []
    with (
        texts.open(encoding="utf-8") as file,
        (output / "kept.jsonl").open("w", encoding="utf-8") as kept,
    ):
        for line in file:
            row = json.loads(line)
            if searched.isdisjoint(ngrams(row["text"])):
                kept.write(line)
            else:
                removed.append(row["id"])
    (output / "removed.json").write_text(json.dumps(removed), encoding="utf-8")


if __name__ == "__main__":
    main()
