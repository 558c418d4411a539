"""SFT on packed rows against one row a sequence, padded: the same answers, the same trainer.

Both sides train on the same rows in micro-batches of as many positions; the padded side sorts rows
by length first, the usual remedy.
"""

from __future__ import annotations

import torch

from benchmarks.turns import command, ratios, report, rows_command_line
from stages.base import params, paths
from stages.base.jsonl import read_jsonl
from stages.base.records import PackedBatch
from stages.engines.checkpoints import load_model, load_tokenizer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, TokenLogProbabilities, adamw
from stages.pack_sft import tokenise
from stages.sft.loss import answer_loss
from stages.sft.packing import TokenRow, best_fit_decreasing, fill_rows


def main() -> None:
    """Measure and print."""
    arguments = rows_command_line(__doc__, paths.BASE_MODEL)
    length = params.load(params.PackSft, "pack_sft").length
    micro = params.load(params.TrainSft, "train_sft").micro_rows
    threads = params.load(params.Run, "run").hardware.training_threads
    tokenizer = load_tokenizer(arguments.model)
    rows = read_jsonl(paths.SFT_DATA / "kept.jsonl")[: arguments.rows]
    tokens = [
        row for row in (tokenise(tokenizer, row) for row in rows) if len(row.tokens) <= length
    ]
    packed = micro_batches_packed(tokens, length, micro, tokenizer.pad_token_id)
    padded = micro_batches_padded(tokens, length * micro, tokenizer.pad_token_id)
    model = load_model(arguments.model, torch.float32)
    trainer = DeepSpeedTrainer(
        TokenLogProbabilities(model), adamw(model, 1e-5, (0.9, 0.95), 0.0), threads=threads
    )
    total = sum(len(row.tokens) for row in tokens)

    def run(batches: list[PackedBatch]) -> None:
        for batch in batches:
            trainer.update([batch], answer_loss(float(batch.mask.sum())), 1e-5)

    found = ratios(lambda: run(packed), lambda: run(padded), arguments.rounds)
    report(
        "packed by padded, tokens a second (above 1: packed is faster)",
        found,
        rows=f"{len(tokens)}, {total} tokens, longest {max(len(row.tokens) for row in tokens)}",
        packed=f"{len(packed)} micro-batches, {share(total, packed):.1%} of positions are tokens",
        padded=f"{len(padded)} micro-batches, {share(total, padded):.1%} of positions are tokens",
        threads=threads,
    )


def micro_batches_packed(
    rows: list[TokenRow], length: int, micro: int, pad: int
) -> list[PackedBatch]:
    """Packed rows of ``length``, ``micro`` at a time."""
    bins = best_fit_decreasing([len(row.tokens) for row in rows], length)
    return [
        fill_rows(rows, bins[first : first + micro], length, pad)
        for first in range(0, len(bins), micro)
    ]


def micro_batches_padded(rows: list[TokenRow], positions: int, pad: int) -> list[PackedBatch]:
    """Rows by length, one a sequence, as many as fit into ``positions`` with their padding."""
    waiting = sorted(rows, key=lambda row: -len(row.tokens))
    batches = []
    while waiting:
        longest = len(waiting[0].tokens)
        taken = max(1, positions // longest)
        members, waiting = waiting[:taken], waiting[taken:]
        batches.append(fill_rows(members, [[n] for n in range(len(members))], longest, pad))
    return batches


def share(tokens: int, batches: list[PackedBatch]) -> float:
    """Tokens by computed positions."""
    return tokens / sum(batch.tokens.size for batch in batches)


if __name__ == "__main__":
    command(main)
