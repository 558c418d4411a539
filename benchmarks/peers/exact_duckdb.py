"""Exact deduplication by DuckDB, runs of blanks as one.

``python exact_duckdb.py TEXTS.jsonl ITEMS.jsonl OUTPUT``; runs in the peer's own environment.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

CHOOSE = r"""
create table rows as
    select id, text from read_ndjson(?, columns = {id: 'varchar', text: 'varchar'});
create table chosen as
    select min(id) as id from rows group by trim(regexp_replace(text, '\s+', ' ', 'g'));
"""


def main() -> None:
    """Keep the row with the smallest id of equal rows."""
    texts, output = Path(sys.argv[1]), Path(sys.argv[3])
    database = duckdb.connect()
    database.execute("set threads = 1")
    load, choose = CHOOSE.strip().rstrip(";").split(";", 1)
    database.execute(load, [str(texts)])
    database.execute(choose)
    target = str(output / "kept.jsonl").replace("'", "''")
    database.execute(f"copy (from rows semi join chosen using (id)) to '{target}' (format json)")
    removed = database.execute("select id from rows anti join chosen using (id)").fetchall()
    (output / "removed.json").write_text(json.dumps([name for (name,) in removed]))


if __name__ == "__main__":
    main()
