"""The real trainer: one DeepSpeed engine, driven by packed batches and a loss function.

SFT, reasoning RL, general RL and the reward model all train through ``DeepSpeedTrainer.update``;
what differs is the module (log-probabilities or scores) and the loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import deepspeed
import numpy as np
import torch
import torch.distributed
from torch import Tensor, nn

from stages.base.errors import CheckpointError, DivergenceError
from stages.base.protocols import LossFunction, Scores
from stages.base.records import PackedBatch
from stages.engines.bailing_moe import BailingMoeV2ForCausalLM
from stages.engines.checkpoints import BUCKET, named_checkpoint_tensors, save_model, writing
from stages.engines.process_group import start_process_group
from stages.engines.threads import training_threads

TAG = "state"
WHOLE = 8192
"""Parameters below so many values (norms, biases) stay whole on every rank under ZeRO-3."""


def block_attention(segments: Tensor) -> Tensor:
    """Causal attention inside each segment, none across packed rows: [B, L] -> bool [B, 1, L, L].

    Padding (segment 0) sees itself only, so that no row of the softmax is empty.
    """
    length = segments.shape[1]
    same = segments[:, :, None] == segments[:, None, :]
    causal = torch.ones(length, length, dtype=torch.bool, device=segments.device).tril()
    own = torch.eye(length, dtype=torch.bool, device=segments.device)
    real = (segments > 0)[:, :, None]
    return ((same & causal & real) | own)[:, None]


class TokenLogProbabilities(nn.Module):
    """A causal language model seen as: packed tokens in, log-probability of each target out.

    The head and the log-softmax run in float32, and only where the next token is a target.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, tokens: Tensor, positions: Tensor, segments: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Log-probability and entropy (nats), both float32 [B, L] and 0 where ``mask`` is 0.

        ``tokens``, ``positions``, ``segments`` are int64 [B, L]; ``mask`` float32 [B, L].
        Entropy carries no gradient.
        """
        hidden = self.model.base_model(
            input_ids=tokens, position_ids=positions, attention_mask=block_attention(segments)
        )[0]
        rows, columns = torch.nonzero(mask > 0, as_tuple=True)
        head = self.model.get_output_embeddings()
        logits = nn.functional.linear(hidden[rows, columns - 1].float(), head.weight.float())
        log_softmax = torch.log_softmax(logits, dim=-1)
        chosen = log_softmax.gather(-1, tokens[rows, columns, None])[:, 0]
        with torch.no_grad():
            spread = -(log_softmax.exp() * log_softmax).sum(-1)
        empty = torch.zeros(tokens.shape, dtype=torch.float32, device=tokens.device)
        place = (rows, columns)
        return empty.index_put(place, chosen), empty.index_put(place, spread)

    def save(self, tokenizer: Any, folder: Path) -> None:
        """Write the model as a checkpoint that engines read; see :func:`save_model`."""
        save_model(self.model, tokenizer, folder)


class DeepSpeedTrainer:
    """Protocol ``Trainer`` over a DeepSpeed engine in this process.

    ``module`` maps (tokens, positions, segments, mask) to a tuple whose first tensor [B, L] goes to
    the loss, and knows how to save itself. Learning rates are set at each update: a parameter
    group's own rate divided by the first group's is kept as its ratio.
    """

    def __init__(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        precision: str = "float32",
        zero_stage: int = 0,
        gradient_clip: float = 1.0,
        threads: int = 1,
    ) -> None:
        start_process_group()
        self._threads = threads
        # Unpartitioned float32 gradients are measured and clipped here, before they touch a weight;
        # DeepSpeed's other optimisers do it inside their step.
        self._own_clip = gradient_clip if zero_stage == 0 and precision == "float32" else None
        first = float(optimizer.param_groups[0]["lr"])
        self._ratios = [float(group["lr"]) / first for group in optimizer.param_groups]
        config = {
            "train_micro_batch_size_per_gpu": 1,
            "gradient_accumulation_steps": 1,
            "gradient_clipping": 0.0 if self._own_clip is not None else gradient_clip,
            "zero_optimization": {
                "stage": zero_stage,
                "stage3_param_persistence_threshold": WHOLE,
            },
            "zero_allow_untested_optimizer": True,
            "bf16": {"enabled": precision == "bfloat16"},
            "steps_per_print": 10**9,
            "wall_clock_breakdown": False,
        }
        deepspeed.utils.logger.setLevel("WARNING")
        with training_threads(threads):
            self.engine, *_ = deepspeed.initialize(model=module, optimizer=optimizer, config=config)
        if zero_stage == 3:
            # A first pass makes known which parameters are used outside their own module (the
            # head): met first in training, they would contradict what ZeRO-3 had recorded.
            self.score([_nothing()])

    @property
    def model(self) -> Any:
        """The trained model itself."""
        return self.engine.module.model

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Log-probability and entropy of each target under the current weights, [B, L]."""
        return _score(self.engine, batches, self.engine.device, self._threads)

    def update(
        self,
        batches: Sequence[PackedBatch],
        loss: LossFunction,
        learning_rate: float,
        seen: list[Scores] | None = None,
    ) -> dict[str, float]:
        """One optimiser step from the summed gradients of all batches of all ranks; metrics too.

        Losses are divided by what the whole step holds, so gradients add up over ranks, while
        DeepSpeed averages them: the loss is multiplied by the number of ranks.
        """
        self._set_learning_rate(learning_rate)
        self.engine.train()
        sums: dict[str, float] = {"loss": 0.0}
        with training_threads(self._threads):
            for number, batch in enumerate(batches, start=1):
                with _uncounted(self.model, unless=bool(batch.mask.any())):
                    outputs = self.engine(*_tensors(batch, self.engine.device))
                    if seen is not None:
                        seen.append(_scores(outputs))
                    value, metrics = loss(outputs[0], batch)
                    self.engine.set_gradient_accumulation_boundary(number == len(batches))
                    self.engine.backward(value * torch.distributed.get_world_size())
                for name, amount in {"loss": float(value.detach()), **metrics}.items():
                    sums[name] = sums.get(name, 0.0) + amount
            sums = _over_ranks(sums)
            sums["grad_norm"] = self._step()
        return sums

    def _step(self) -> float:
        """Clip and step; returns the gradient norm before clipping."""
        if self._own_clip is None:
            self.engine.step()
            return _finite(float(self.engine.get_global_grad_norm() or 0.0))
        limit = self._own_clip or math.inf
        norm = float(nn.utils.clip_grad_norm_(self.engine.module.parameters(), limit))
        _finite(norm)
        self.engine.step()
        return norm

    def _set_learning_rate(self, learning_rate: float) -> None:
        groups = self.engine.optimizer.param_groups
        for group, ratio in zip(groups, self._ratios, strict=True):
            group["lr"] = learning_rate * ratio

    def balance_experts(self, rate: float) -> float:
        """Move the expert bias by the load of all ranks; the heaviest expert's share.

        0 for a model without experts.
        """
        if not isinstance(self.model, BailingMoeV2ForCausalLM):
            return 0.0
        if torch.distributed.get_world_size() > 1:
            for router in self.model.routers():
                torch.distributed.all_reduce(router.load)
        load = self.model.expert_load().float()
        self.model.update_expert_bias(rate)
        return float((load / load.sum(dim=1, keepdim=True)).max())

    def save(self, folder: Path) -> None:
        """Weights, buffers and optimiser state; of several ranks each writes its own part."""
        folder.mkdir(parents=True, exist_ok=True)
        with writing(folder):
            self.engine.save_checkpoint(str(folder), tag=TAG, save_latest=False)

    def restore(self, folder: Path) -> None:
        """Read what :meth:`save` wrote; CheckpointError if it is missing or of another model."""
        if not (folder / TAG).is_dir():
            raise CheckpointError(f"{folder}: no DeepSpeed checkpoint '{TAG}' in it.")
        try:
            self.engine.load_checkpoint(str(folder), tag=TAG)
        except (RuntimeError, KeyError, ValueError) as error:
            raise CheckpointError(f"{folder}: does not fit this model ({error}).") from error

    def named_tensors(self, bucket: int = BUCKET) -> Iterator[tuple[str, Tensor]]:
        """Weights and buffers in checkpoint names.

        Under ZeRO-3 all ranks must go through it together, to its end: parameters are gathered
        ``bucket`` bytes at a time, and are whole until the next is asked for.
        """
        yield from named_checkpoint_tensors(self.model, bucket)

    def memory(self) -> dict[str, int]:
        """Bytes of this rank by part, where they are now: weights, gradients, optimiser state.

        What is spread over ranks counts with the share of this one.
        """
        weights = [getattr(p, "ds_tensor", p) for p in self.engine.module.parameters()]
        gradients = [p.grad for p in self.engine.module.parameters() if p.grad is not None]
        inner = getattr(self.engine.optimizer, "optimizer", self.engine.optimizer)
        own = {p.data_ptr() for p in weights}
        master = [
            p
            for group in inner.param_groups
            for p in group["params"]
            if p.numel() and p.data_ptr() not in own
        ]
        states = [v for state in inner.state.values() for v in state.values() if torch.is_tensor(v)]
        parts = {
            "weights": weights, "gradients": gradients, "optimiser": states, "master": master,
        }  # fmt: skip
        return {
            name: sum(tensor.numel() * tensor.element_size() for tensor in tensors)
            for name, tensors in parts.items()
        }

    def export(self, tokenizer: Any, folder: Path) -> None:
        """Write the model as a checkpoint of its kind; all ranks take part, one writes."""
        self.engine.module.save(tokenizer, folder)

    def record(self) -> dict[str, Any]:
        """What happened, for provenance: in one process nothing beside what the stage knows."""
        return {}


class FrozenPolicy:
    """Protocol ``Scorer``: the reference model of a KL term, which never learns."""

    def __init__(self, model: nn.Module, threads: int = 1) -> None:
        self._module = TokenLogProbabilities(model)
        self._threads = threads

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Log-probability and entropy of each target under the weights it was made with, [B, L]."""
        device = next(self._module.parameters()).device
        return _score(self._module, batches, device, self._threads)


def _score(
    module: nn.Module, batches: Sequence[PackedBatch], device: torch.device | str, threads: int
) -> list[Scores]:
    module.eval()
    with training_threads(threads), torch.no_grad():
        return [_scores(module(*_tensors(batch, device))) for batch in batches]


@contextmanager
def _uncounted(model: Any, *, unless: bool) -> Iterator[None]:
    """Leave the load of experts as it was: a batch without targets only fills up a rank's share."""
    routers = [] if unless or not isinstance(model, BailingMoeV2ForCausalLM) else model.routers()
    before = [router.load.clone() for router in routers]
    yield
    for router, load in zip(routers, before, strict=True):
        router.load.copy_(load)


def _scores(outputs: Sequence[Tensor]) -> Scores:
    logp, entropy = (values.detach().cpu().numpy() for values in outputs[:2])
    return logp, entropy


def _over_ranks(sums: dict[str, float]) -> dict[str, float]:
    """The sums of all ranks, which report the same names."""
    if torch.distributed.get_world_size() == 1:
        return sums
    totals = torch.tensor(list(sums.values()), dtype=torch.float64)
    torch.distributed.all_reduce(totals)
    return dict(zip(sums, totals.tolist(), strict=True))


def _finite(norm: float) -> float:
    if not math.isfinite(norm):
        raise DivergenceError(
            f"the gradient norm is {norm}. The run stops here; its last checkpoint is kept. "
            "Lower the learning rate, or look at the step's batch."
        )
    return norm


def _nothing() -> PackedBatch:
    """One position, no target."""
    row = np.zeros((1, 1), dtype=np.int64)
    return PackedBatch(row, row, row, np.zeros((1, 1), dtype=np.float32))


def _tensors(batch: PackedBatch, device: torch.device | str) -> tuple[Tensor, ...]:
    arrays = (batch.tokens, batch.positions, batch.segments, batch.mask)
    return tuple(torch.from_numpy(array).to(device) for array in arrays)


def adamw(
    model: nn.Module, learning_rate: float, betas: tuple[float, float], weight_decay: float
) -> torch.optim.AdamW:
    """AdamW with weight decay on matrices only (norms, biases and scalars are not decayed)."""
    decayed = [p for p in model.parameters() if p.requires_grad and p.ndim >= 2]
    kept = [p for p in model.parameters() if p.requires_grad and p.ndim < 2]
    groups: list[dict[str, Any]] = [{"params": decayed, "weight_decay": weight_decay}]
    if kept:
        groups.append({"params": kept, "weight_decay": 0.0})
    return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, fused=True)
