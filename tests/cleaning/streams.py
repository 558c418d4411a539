"""What tests of filters share: rows in, what was kept and dropped out."""

import tempfile
from collections import Counter
from pathlib import Path

from stages.base.jsonl import parse_object, read_lines
from stages.base.params import NearDedup, Source
from stages.cleaning.rows import Dropped
from stages.cleaning.sources import source_rows
from stages.cleaning.steps import STEPS, Plan, clean

DROP = NearDedup(repeated_keys="drop")


def row(row_id, prompt, response="r", **more):
    return {"id": row_id, "domain": "maths", "prompt": prompt, "response": response, **more}


class Outcome:
    """Kept rows, dropped rows as written, and the rest of what cleaning says."""

    def __init__(self, rows, steps=STEPS, index=None, near=DROP, workers=1, keyed=()):
        with tempfile.TemporaryDirectory() as folder:
            plan = Plan(index, keyed, near, tuple(steps), workers)
            cleaned = clean(rows, plan, Path(folder), "rows.jsonl")
            self.kept = list(cleaned.rows.rows(cleaned.kept))
            lines = read_lines(cleaned.dropped)
            self.dropped = [parse_object(cleaned.dropped, *line) for line in lines]
            self.bytes = b"".join(cleaned.rows.lines(cleaned.kept)), cleaned.dropped.read_bytes()
        self.repairs, self.drops, self.near = cleaned.repairs, cleaned.drops, cleaned.near
        self.left = cleaned.left
        self.ids = [kept["id"] for kept in self.kept]
        self.same_as = {item["id"]: item["evidence"].get("same_as") for item in self.dropped}


class Loaded:
    """Rows, what was put aside, and repairs of a source."""

    def __init__(self, source: Source, max_bad_share: float, seed: int = 0) -> None:
        self.repairs = Counter[str]()
        found = list(source_rows(source, max_bad_share, self.repairs, seed))
        self.rows = [row for row in found if not isinstance(row, Dropped)]
        self.quarantined = [row for row in found if isinstance(row, Dropped)]
