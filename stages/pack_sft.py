"""Tokenise the SFT corpus with a loss mask on the answers and pack it without splitting a row.

Paper: packed to 64k tokens. Rows longer than the length are left out and counted. Phases of the
corpus are packed apart, so that their order survives into training.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

from stages.base import paths
from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import progress
from stages.base.jsonl import read_jsonl, write_json
from stages.base.params import PackSft, Run, load
from stages.base.paths import report
from stages.engines.checkpoints import load_tokenizer
from stages.sft.chat import prompt_ids, response_ids
from stages.sft.packing import PackedCorpus, TokenRow, best_fit_decreasing, fill_rows

STAGE = "pack_sft"


def body(_: Namespace) -> None:
    """Read the cleaned rows, write the packed corpus."""
    run, config = load(Run, "run"), load(PackSft, STAGE)
    inputs, outputs = (paths.SFT_DATA, paths.BASE_MODEL), (paths.PACKED_SFT, report(STAGE))
    with workspace(STAGE, {"run": asdict(run), STAGE: asdict(config)}, inputs, outputs) as space:
        rows = read_jsonl(paths.SFT_DATA / "kept.jsonl")
        tokenizer = load_tokenizer(paths.BASE_MODEL)
        tokens = [tokenise(tokenizer, row) for row in progress(rows, total=len(rows), what=STAGE)]
        short = [index for index, row in enumerate(tokens) if len(row.tokens) <= config.length]
        if not short:
            raise DataError(
                f"{STAGE}: all {len(rows)} rows are longer than pack_sft.length ({config.length}); "
                f"the shortest has {min(len(row.tokens) for row in tokens)} tokens. Raise it."
            )
        corpus = pack_phases(
            [tokens[index] for index in short],
            [int(rows[index].get("phase", 0)) for index in short],
            config.length,
            tokenizer.pad_token_id,
        )
        metrics = measure(corpus, [rows[index] for index in short], [tokens[i] for i in short])
        metrics["dropped"] = {"longer than the packing length": len(rows) - len(short)}
        if metrics["fill"] < config.min_fill:
            raise DataError(
                f"{STAGE}: only {metrics['fill']:.1%} of the packed positions hold a token, less "
                f"than pack_sft.min_fill ({config.min_fill:.0%}). Choose another pack_sft.length."
            )
        corpus.save(space.out(paths.PACKED_SFT))
        write_json(space.out(report(STAGE)), metrics)


def tokenise(tokenizer: Any, row: dict[str, Any]) -> TokenRow:
    """One row as prompt and answer tokens."""
    prompt = prompt_ids(tokenizer, row["prompt"])
    return TokenRow(prompt + response_ids(tokenizer, row["response"]), len(prompt))


def pack_phases(rows: list[TokenRow], phases: list[int], length: int, pad: int) -> PackedCorpus:
    """Pack each phase by itself and put them one after another."""
    parts = []
    for phase in sorted(set(phases)):
        members = [row for row, its in zip(rows, phases, strict=True) if its == phase]
        bins = best_fit_decreasing([len(row.tokens) for row in members], length)
        parts.append((fill_rows(members, bins, length, pad), phase))
    return PackedCorpus(
        tokens=np.concatenate([part.tokens for part, _ in parts]).astype(np.int32),
        segments=np.concatenate([part.segments for part, _ in parts]).astype(np.int32),
        mask=np.concatenate([part.mask for part, _ in parts]).astype(np.uint8),
        phases=np.concatenate([np.full(part.shape[0], phase, np.int32) for part, phase in parts]),
    )


def measure(
    corpus: PackedCorpus, rows: list[dict[str, Any]], tokens: list[TokenRow]
) -> dict[str, Any]:
    """Counts of rows and tokens, by domain, and how full the packed rows are."""
    by_domain: Counter[str] = Counter()
    for row, its in zip(rows, tokens, strict=True):
        by_domain[row["domain"]] += len(its.tokens)
    total = sum(by_domain.values())
    return {
        "rows": len(rows),
        "packed_rows": int(corpus.tokens.shape[0]),
        "tokens": total,
        "target_tokens": int(corpus.mask.sum()),
        "fill": round(total / corpus.tokens.size, 6),
        "token_share_by_domain": {name: round(n / total, 6) for name, n in by_domain.items()},
    }


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
