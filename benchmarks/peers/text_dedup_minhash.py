"""Near deduplication by text-dedup: MinHash in 14 bands of 8 rows, candidates checked at .8.

``python text_dedup_minhash.py TEXTS.jsonl ITEMS.jsonl OUTPUT``; shingles of 5 words, one process,
its check for false positives on. Runs in the peer's own environment.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from datasets import load_from_disk
from text_dedup.config.base import load_config_from_toml
from text_dedup.minhash import main as deduplicate

SETTINGS = """
[input]
input_type = "local_files"
file_type = "json"
[input.read_arguments]
path = "json"
data_files = {texts}
split = "train"
[algorithm]
algorithm_name = "minhash"
text_column = "text"
seed = 42
num_perm = 112
bands = 14
rows = 8
threshold = 0.8
ngram_size = 5
check_false_positive = true
num_proc = 1
[output]
output_dir = {output}
[debug]
"""


def main() -> None:
    """Run it, and compare what it kept with what it got."""
    texts, output = Path(sys.argv[1]), Path(sys.argv[3])
    file, kept = output / "config.toml", output / "kept"
    quoted = {"texts": json.dumps(str(texts)), "output": json.dumps(str(kept))}
    file.write_text(SETTINGS.format(**quoted), encoding="utf-8")
    deduplicate(load_config_from_toml(file))
    left = set(load_from_disk(str(kept))["id"])
    with texts.open(encoding="utf-8") as rows:
        ids = [json.loads(line)["id"] for line in rows]
    removed = [name for name in ids if name not in left]
    (output / "removed.json").write_text(json.dumps(removed), encoding="utf-8")


if __name__ == "__main__":
    main()
