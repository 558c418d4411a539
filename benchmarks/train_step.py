"""The packed update against bare forward and backward passes over rows without any padding.

The limit: the same model and number of tokens in full rows with plain causal attention, loss over
every token, no trainer, no packing mask. The update adds the mask, the gathering of targets,
clipping and the optimiser step.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.packed_training import micro_batches_packed
from benchmarks.turns import command, ratios, report, rows_command_line
from stages.base import params, paths
from stages.base.jsonl import read_jsonl
from stages.engines.checkpoints import load_model, load_tokenizer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, TokenLogProbabilities, adamw
from stages.engines.threads import training_threads
from stages.pack_sft import tokenise
from stages.sft.loss import answer_loss


def main() -> None:
    """Measure and print."""
    arguments = rows_command_line(__doc__, paths.BASE_MODEL)
    length = params.load(params.PackSft, "pack_sft").length
    micro = params.load(params.TrainSft, "train_sft").micro_rows
    threads = params.load(params.Run, "run").hardware.training_threads
    tokenizer = load_tokenizer(arguments.model)
    rows = read_jsonl(paths.SFT_DATA / "kept.jsonl")[: arguments.rows]
    tokens = [tokenise(tokenizer, row) for row in rows]
    packed = micro_batches_packed(tokens, length, micro, tokenizer.pad_token_id)
    real = sum(int((batch.segments > 0).sum()) for batch in packed)
    model, bare = (load_model(arguments.model, torch.float32) for _ in range(2))
    trainer = DeepSpeedTrainer(
        TokenLogProbabilities(model), adamw(model, 1e-5, (0.9, 0.95), 0.0), threads=threads
    )
    full = np.random.default_rng(0).integers(8, 100, (real // (length * micro), micro, length))

    def update() -> None:
        for batch in packed:
            trainer.update([batch], answer_loss(float(batch.mask.sum())), 1e-5)

    def limit() -> None:
        positions = torch.arange(length).expand(micro, length)
        causal = torch.ones(length, length, dtype=torch.bool).tril()[None, None]
        bare.train()
        with training_threads(threads):
            for block in torch.from_numpy(full):
                output = bare.base_model(
                    input_ids=block, position_ids=positions, attention_mask=causal
                )[0]
                logits = bare.get_output_embeddings()(output[:, :-1])
                loss = torch.nn.functional.cross_entropy(
                    logits.flatten(0, 1), block[:, 1:].flatten()
                )
                loss.backward()
                bare.zero_grad()

    scale = full.size / real  # the limit's last block is left out when it is not full
    found = [ratio / scale for ratio in ratios(update, limit, arguments.rounds)]
    report(
        "packed update by forward and backward (1 = as fast)",
        found,
        tokens=f"{real}, in {len(packed)} micro-batches of {micro} rows of {length}",
        threads=threads,
    )


if __name__ == "__main__":
    command(main)
