"""Exact deduplication by polars, runs of blanks as one.

``python exact_polars.py TEXTS.jsonl ITEMS.jsonl OUTPUT``; runs in the peer's own environment.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars


def main() -> None:
    """Keep the first of equal rows."""
    texts, output = Path(sys.argv[1]), Path(sys.argv[3])
    rows = polars.read_ndjson(texts)
    blanks = polars.col("text").str.replace_all(r"\s+", " ").str.strip_chars()
    kept = rows.with_columns(normal=blanks).unique("normal", keep="first", maintain_order=True)
    kept.drop("normal").write_ndjson(output / "kept.jsonl")
    removed = rows.join(kept, on="id", how="anti")["id"].to_list()
    (output / "removed.json").write_text(json.dumps(removed), encoding="utf-8")


if __name__ == "__main__":
    main()
