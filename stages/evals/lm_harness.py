"""Responses to benchmark problems, generated through lm-eval from local task files.

lm-eval builds the requests, applies the chat template and drives the engine; what it leaves out is
added by a thin class around its model class (``guarded_model``). Its repeats are not used: one
request seed would give k equal samples, so every repeat is a row of its own. No cache, no scoring.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from stages.base.errors import EngineError
from stages.base.jsonl import write_jsonl
from stages.base.params import Engine
from stages.base.records import Problem
from stages.base.seeds import derive_seed
from stages.evals.guarded_model import Ending, guarded_model
from stages.evals.windows import Positions

EVERYTHING = 1 << 30
"""Batch size that hands lm-eval's whole list to the engine, which batches by itself."""

PREFILL_TOKENS = 8192
"""Prompt tokens computed in one engine step, at most."""


@dataclass(frozen=True)
class Sampling:
    """How responses are drawn: k a problem, prompt and response in a window of so many tokens.

    ``max_tokens`` bounds a response; None: what the window leaves does. ``window`` None: that of
    the engine.
    """

    samples: int
    max_tokens: int | None
    temperature: float
    window: int | None = None


@dataclass(frozen=True)
class Assignment:
    """A benchmark to be sampled: its problems, and how many responses of what kind."""

    benchmark: str
    problems: Sequence[Problem]
    sampling: Sampling

    def __len__(self) -> int:
        """How many responses it asks for."""
        return len(self.problems) * self.sampling.samples


@dataclass(frozen=True)
class Response:
    """One sample: the raw text with its thinking, and how it ended (as :class:`Ending`).

    ``tokens`` is None where nobody counted them: in a text from elsewhere.
    """

    problem: str
    repeat: int
    text: str
    finish: str
    tokens: int | None


def request_rows(asked: Assignment, run_seed: int) -> list[dict[str, Any]]:
    """One row a (problem, repeat), with the seed its sampling uses.

    The seed depends on the problem and the repeat, not on the checkpoint: checkpoints are compared
    under common random numbers.
    """
    return [
        {
            "id": f"{problem.id}/{repeat}",
            "prompt": problem.prompt,
            "messages": problem.meta.get("messages", []),
            "seed": derive_seed(run_seed, "benchmark", asked.benchmark, problem.id, repeat),
            "max_tokens": asked.sampling.max_tokens or 0,
            "window": asked.sampling.window or 0,
        }
        for problem in asked.problems
        for repeat in range(asked.sampling.samples)
    ]


def write_task(folder: Path, asked: Assignment, rows: Sequence[dict[str, Any]]) -> str:
    """Write ``<task>.jsonl`` and ``<task>.yaml`` for lm-eval; returns the task's name."""
    task, sampling = f"everystep_{asked.benchmark}", asked.sampling
    data = folder / f"{task}.jsonl"
    write_jsonl(data, rows)
    generation = {
        "until": [],
        "do_sample": sampling.temperature > 0,
        "temperature": sampling.temperature,
    }
    settings = {
        "task": task,
        "dataset_path": "json",
        "dataset_kwargs": {
            "data_files": {"test": str(data.resolve())},
            "cache_dir": str((folder / "cache").resolve()),
        },
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "prompt",
        "doc_to_target": "id",
        "num_fewshot": 0,
        "repeats": 1,
        "metric_list": [{"metric": "bypass", "aggregation": "bypass", "higher_is_better": True}],
        "generation_kwargs": generation,
        "metadata": {"version": 1.0},
    }
    (folder / f"{task}.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))
    return task


def vllm_model(
    checkpoint: Path, engine: Engine, seed: int, gpu: bool = False, at: Positions | None = None
) -> Any:
    """lm-eval's vLLM model over a checkpoint folder, in this process, guarded.

    ``at`` stretches its positions, for windows up to ``engine.context``. No prefix cache: a
    response must not depend on what ran before it. On CPU a seeded request must not be prefilled
    in parts (its generator knows no offset).
    """
    from lm_eval.models.vllm_causallms import VLLM  # noqa: PLC0415  heavy: imports the engine

    try:
        return guarded_model(VLLM)(
            pretrained=str(checkpoint),
            dtype=engine.dtype,
            max_model_len=engine.context,
            max_num_seqs=engine.max_sequences,
            max_num_batched_tokens=max(engine.context, PREFILL_TOKENS),
            kv_cache_memory_bytes=int(engine.cache_gib * 2**30),
            tensor_parallel_size=engine.tensor_parallel,
            enforce_eager=not gpu,
            enable_chunked_prefill=gpu,
            enable_prefix_caching=False,
            async_scheduling=False,
            generation_config="vllm",
            hf_overrides={"head_dtype": "float32", **(at.overrides if at else {})},
            disable_log_stats=True,
            seed=seed % 2**31,
            batch_size=EVERYTHING,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise EngineError(
            f"{checkpoint}: vLLM could not load this checkpoint ({error}). Check that it is whole, "
            f"of an architecture vLLM knows, and made for a window of {engine.context} tokens, "
            f"which {engine.cache_gib:g} GiB of cache must hold."
        ) from error


def close(model: Any) -> None:
    """Release the engine of ``vllm_model``: a process holds one at a time."""
    held = getattr(model, "model", None)
    if held is not None:
        held.llm_engine.engine_core.shutdown()
        model.model = None
        gc.collect()


def respond(
    model: Any, folder: Path, assignments: Sequence[Assignment], seed: int
) -> dict[str, list[Response]]:
    """All samples of some benchmarks, each by problem and repeat, generated side by side.

    ``model`` is a guarded lm-eval model; task files go into ``folder``. A missing or repeated
    sample is an EngineError.
    """
    from lm_eval import evaluate  # noqa: PLC0415  heavy
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    rows = {each.benchmark: request_rows(each, seed) for each in assignments}
    seeds = [row["seed"] for of_one in rows.values() for row in of_one]
    if len(set(seeds)) != len(seeds):
        raise EngineError("two samples share a seed.")
    tasks = [write_task(folder, each, rows[each.benchmark]) for each in assignments]
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found = evaluate(model, manager.load(tasks), apply_chat_template=True, bootstrap_iters=0)
    return {
        each.benchmark: _responses(rows[each.benchmark], found["samples"][task], model)
        for each, task in zip(assignments, tasks, strict=True)
    }


def _responses(
    rows: Sequence[dict[str, Any]], samples: Sequence[dict[str, Any]], model: Any
) -> list[Response]:
    texts = {sample["doc"]["id"]: sample["resps"][0] for sample in samples}
    if len(samples) != len(rows) or texts.keys() != {row["id"] for row in rows}:
        raise EngineError(f"lm-eval returned {len(samples)} samples for {len(rows)} requests.")
    return [_response(row, texts[row["id"]], model) for row in rows]


def _response(row: dict[str, Any], texts: list[str], model: Any) -> Response:
    problem, _, repeat = row["id"].rpartition("/")
    endings: dict[int, Ending] = model.endings
    if len(texts) != 1 or row["seed"] not in endings:
        raise EngineError(f"{row['id']}: lm-eval returned {len(texts)} texts, or lost the ending.")
    ending = endings[row["seed"]]
    # Thinking that the template opens is part of the response: unfinished, it must be seen as such.
    text = model.frame.opened + texts[0]
    return Response(problem, int(repeat), text, ending.finish, ending.tokens)
