"""Decontamination by decon (PyPI: decontaminate), its own settings, one thread.

``python decon_detect.py TEXTS.jsonl ITEMS.jsonl OUTPUT``. Items are given as questions without an
answer: with one, decon asks that the answer stands beside the question. Runs in the peer's own
environment.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import decon


def main() -> None:
    """Write the items as decon reads them, run it, and read its report."""
    texts, items, output = map(Path, sys.argv[1:4])
    evals, found = output / "evals", output / "report"
    evals.mkdir()
    with (
        items.open(encoding="utf-8") as rows,
        (evals / "items.jsonl").open("w", encoding="utf-8") as file,
    ):
        for number, line in enumerate(rows):
            file.write(json.dumps(reference(number, json.loads(line))) + "\n")
    config = decon.Config(
        training_dir=str(texts.parent),
        evals_dir=str(evals),
        report_output_dir=str(found),
        cleaned_output_dir=str(output / "kept"),
        purify=True,
        worker_threads=1,
    )
    decon.detect(config)
    lines = set()
    for path in found.glob("*.jsonl"):
        with path.open(encoding="utf-8") as rows:
            lines |= {json.loads(line)["training_line"] for line in rows}
    with texts.open(encoding="utf-8") as rows:
        removed = [json.loads(row)["id"] for number, row in enumerate(rows) if number in lines]
    (output / "removed.json").write_text(json.dumps(removed), encoding="utf-8")


def reference(number: int, item: dict[str, str]) -> dict[str, object]:
    """An item in decon's format."""
    return {
        "eval_key": item["benchmark"],
        "eval_instance_index": number,
        "split": "test",
        "question": item["question"],
        "answer": "",
        "passage": "",
        "doc_id": number,
        "is_correct": True,
        "fingerprint": item["id"],
    }


if __name__ == "__main__":
    main()
