"""The real sampler: a vLLM engine in this process, stepped by hand.

Token ids in, token ids out: the core of the engine is asked directly, for what vLLM's front end
adds (text, one object a request and step) is not needed. What is generated, and when it stops, is
decided between two engine steps by a :class:`RolloutControl`. Each (trajectory, position) has a
seed of its own, and a cut trajectory is admitted anew, so a process killed between two rollouts and
started again generates the same bytes.
"""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import torch

from stages.base import params
from stages.base.errors import ConfigError, DataError, DivergenceError, EngineError
from stages.base.jsonl import read_json
from stages.base.protocols import RolloutControl
from stages.base.records import Trajectory
from stages.base.seeds import derive_seed
from stages.engines import bailing_moe  # noqa: F401  (makes its configuration known to vLLM)
from stages.engines.checkpoints import stored_names
from stages.engines.threads import sampling_threads

PREFILL_TOKENS = 8192
"""Prompt tokens computed in one engine step, at most."""


class VllmSampler:
    """Protocol ``Sampler`` over one vLLM engine.

    ``version`` is the policy version new tokens are marked with; a weight channel sets it. A
    process holds one engine: opening another closes the former, and with it the process group it
    may share with a trainer. (Left to the garbage collector, a former engine would take the process
    group of its successor down.)
    """

    _latest: ClassVar[weakref.ref[VllmSampler] | None] = None

    def __init__(self, folder: Path, engine: params.Engine, seed: int) -> None:
        from vllm import LLM  # noqa: PLC0415  heavy

        config = read_json(folder / "config.json")
        native = int(config["max_position_embeddings"])
        if engine.context > native:
            raise ConfigError(
                f"engine.context ({engine.context}) exceeds what {folder} was made for ({native} "
                "positions). Lower it, or make the base model again: it then extends by YaRN."
            )
        self.version = 0
        self.expected_tensors = stored_names(folder)
        self.engine_config = engine
        self._seed = seed
        self._stop = stop_tokens(config)
        self._numbers = count()
        self._running: dict[str, Trajectory] = {}
        former = VllmSampler._latest() if VllmSampler._latest else None
        if former is not None:
            former.close()
        try:
            self.llm: Any = LLM(str(folder), **_settings(engine, seed))
        except (ValueError, RuntimeError) as error:
            raise EngineError(f"vLLM could not load {folder} ({error}).") from error
        VllmSampler._latest = weakref.ref(self)

    def close(self) -> None:
        """Release the engine's memory; the sampler cannot be used afterwards."""
        if self.llm is not None:
            self.llm.llm_engine.engine_core.shutdown()
            self.llm = None
            gc.collect()

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        """Generate until the control closes or nothing is left; returns the unfinished ones.

        They come in the order they were admitted. DataError on a prompt that does not fit.
        """
        try:
            while control.open:
                self.start(control.admit())
                if not self._running:
                    break
                control.advance(*self.step())
        finally:
            unfinished = self.stop()
        return unfinished

    @property
    def capacity(self) -> int:
        """Trajectories that are decoded side by side."""
        return self.engine_config.max_sequences

    def record(self) -> dict[str, Any]:
        """What happened, for provenance: in one process nothing beside what the stage knows."""
        return {}

    @property
    def running(self) -> int:
        """Trajectories under way."""
        return len(self._running)

    def start(self, trajectories: Iterable[Trajectory]) -> None:
        """Queue trajectories, each from its start or from where it was cut."""
        with sampling_threads():
            for trajectory in trajectories:
                self._running[self._start(trajectory)] = trajectory

    def step(self) -> tuple[int, list[Trajectory]]:
        """One engine step: tokens sampled in it, and what ended. Trajectories grow in place."""
        with sampling_threads():
            return self._collect(self._core().get_output().outputs, self._running)

    def stop(self) -> list[Trajectory]:
        """Take out what is under way, in the order it was started."""
        unfinished = self._running
        self._running = {}
        if self.llm is not None:
            self.llm.llm_engine.engine_core.abort_requests(list(unfinished))
        return list(unfinished.values())

    def _core(self) -> Any:
        if self.llm is None:
            raise EngineError("this sampler was closed: a process holds one engine at a time.")
        return self.llm.llm_engine.engine_core

    def _start(self, trajectory: Trajectory) -> str:
        """Queue a trajectory, from its start or from where it was cut; returns a request id."""
        from vllm import SamplingParams  # noqa: PLC0415

        left = trajectory.max_tokens - len(trajectory)
        whole, context = len(trajectory.prompt) + trajectory.max_tokens, self.engine_config.context
        if whole > context:
            raise DataError(
                f"{trajectory.id}: a prompt of {len(trajectory.prompt)} tokens and a response of "
                f"up to {trajectory.max_tokens} exceed engine.context ({context}). "
                "Raise it, lower max_tokens, or leave the prompt out."
            )
        if left < 1 or trajectory.finished:
            raise EngineError(f"{trajectory.id}: admitted, but there is nothing left to generate.")
        settings = SamplingParams(
            temperature=1.0,
            max_tokens=left,
            seed=derive_seed(self._seed, trajectory.id, len(trajectory)),
            stop_token_ids=self._stop,
            ignore_eos=True,  # the stop tokens say it all
            logprobs=0,
            detokenize=False,
        )
        tokens = {"prompt_token_ids": [*trajectory.prompt, *trajectory.tokens]}
        core, engine = self._core(), self.llm.llm_engine
        request = engine.input_processor.process_inputs(
            f"{next(self._numbers)}",
            tokens,
            settings,
            supported_tasks=engine.get_supported_tasks(),
        )
        core.add_request(request)
        return str(request.request_id)

    def _collect(
        self, outputs: Iterable[Any], running: dict[str, Trajectory]
    ) -> tuple[int, list[Trajectory]]:
        """Append what an engine step sampled; takes what ended out of ``running``."""
        generated, finished = 0, []
        for output in outputs:
            trajectory = running[output.request_id]
            self._extend(trajectory, output.new_token_ids, output.new_logprobs)
            generated += len(output.new_token_ids)
            if output.finished:
                reason = str(output.finish_reason)
                if reason not in ("stop", "length"):
                    raise EngineError(f"{trajectory.id}: vLLM ended it: {reason}.")
                trajectory.ended = reason
                finished.append(running.pop(output.request_id))
        return generated, finished

    def _extend(self, trajectory: Trajectory, tokens: Sequence[int], found: Any) -> None:
        """Add tokens with the log-probability of each, which vLLM puts into the first column."""
        if not tokens:
            return
        named = [] if found is None else found.logprob_token_ids[:, 0].tolist()
        if named != list(tokens):
            raise EngineError(f"{trajectory.id}: log-probabilities of {named} for {tokens}.")
        logprobs = found.logprobs[:, 0].tolist()
        for number, logprob in enumerate(logprobs, start=len(trajectory)):
            if not math.isfinite(logprob):
                raise DivergenceError(
                    f"{trajectory.id}: token {number} was sampled with log-probability {logprob}. "
                    "The weights may have diverged; see grad_norm of the last steps."
                )
        trajectory.tokens.extend(tokens)
        trajectory.logprobs.extend(logprobs)
        trajectory.versions.extend([self.version] * len(tokens))


def _settings(engine: params.Engine, seed: int) -> dict[str, Any]:
    """Arguments of the engine: token ids only, float32 head, nothing left to chance."""
    cuda = torch.cuda.is_available()
    return {
        "dtype": engine.dtype,
        "max_model_len": engine.context,
        "max_num_seqs": engine.max_sequences,
        "kv_cache_memory_bytes": int(engine.cache_gib * 2**30),
        "tensor_parallel_size": engine.tensor_parallel,
        "seed": seed % 2**31,
        "skip_tokenizer_init": True,
        "generation_config": "vllm",
        "logprobs_mode": "processed_logprobs",
        "hf_overrides": {"head_dtype": "float32"},
        "async_scheduling": False,
        # On CPU a seeded request must not be prefilled in parts (its generator knows no offset).
        "enable_chunked_prefill": cuda,
        "max_num_batched_tokens": max(engine.context, PREFILL_TOKENS),
        # Shared prompts are worth a cache on a GPU only: on CPU its blocks outsize short prompts.
        "enable_prefix_caching": cuda,
        "enforce_eager": not cuda,
        "disable_log_stats": True,
        "use_tqdm_on_load": False,
    }


def stop_tokens(config: Mapping[str, Any]) -> list[int]:
    """The tokens that end a response, of a checkpoint's config.json."""
    found = config.get("eos_token_id")
    if found is None:
        raise DataError("config.json: eos_token_id is missing: no response could ever end.")
    return [int(token) for token in (found if isinstance(found, list) else [found])]
