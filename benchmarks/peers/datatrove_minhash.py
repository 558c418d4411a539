"""Near deduplication by datatrove: MinHash in 14 bands of 8 rows over shingles of 5 words.

``python datatrove_minhash.py TEXTS.jsonl ITEMS.jsonl OUTPUT fold|keep``: every number read as 0,
datatrove's default, or as it is. All four steps, one worker. Words are cut at blanks, which takes
less time than the English tokenizer that datatrove would load. Runs in the peer's own environment.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.text import TextNormConfig
from datatrove.utils.word_tokenizers import WordTokenizer


class Blanks(WordTokenizer):
    """Words between blanks; datatrove has taken out punctuation before."""

    def word_tokenize(self, text: str) -> list[str]:
        """All words of a text."""
        return text.split()

    def sent_tokenize(self, text: str) -> list[str]:
        """The text: MinHash asks for no sentences."""
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        """One span: likewise."""
        return [(0, len(text))]


class Reader:
    """The rows as datatrove's documents."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, _: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """All of them: there is one task."""
        assert (rank, world_size) == (0, 1)
        with self._path.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                yield Document(text=row["text"], id=row["id"])


def main() -> None:
    """The four steps one after another; what goes is read from the third one's output."""
    texts, output, numbers = Path(sys.argv[1]), Path(sys.argv[3]), sys.argv[4]
    norm = TextNormConfig(norm_numbers=numbers == "fold")
    config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8, norm_config=norm)
    folders = {name: str(output / name) for name in ("signatures", "pairs", "remove", "kept")}
    reader = Reader(texts)
    sign = MinhashDedupSignature(folders["signatures"], config, language=Blanks())
    pair = MinhashDedupBuckets(folders["signatures"], folders["pairs"], config=config)
    cluster = MinhashDedupCluster(folders["pairs"], folders["remove"], config=config)
    select = MinhashDedupFilter(folders["remove"])
    writer = JsonlWriter(folders["kept"], compression=None)
    steps: tuple[tuple[list[Any], int], ...] = (
        ([reader, sign], 1),
        ([pair], config.num_buckets),
        ([cluster], 1),
        ([reader, select, writer], 1),
    )
    for number, (step, tasks) in enumerate(steps):
        logs = str(output / "logs" / str(number))
        LocalPipelineExecutor(step, tasks=tasks, workers=1, logging_dir=logs).run()
    chosen = set(np.fromfile(output / "remove" / "000000.remove", dtype="<u4").tolist())
    removed = [row.id for number, row in enumerate(reader(None)) if number in chosen]
    (output / "removed.json").write_text(json.dumps(removed), encoding="utf-8")


if __name__ == "__main__":
    main()
