"""Responses to benchmark problems, generated through lm-eval from local task files.

lm-eval builds the requests, applies the chat template and drives the engine; what it leaves out is
added by a thin class around its model class: a seed of its own for every (problem, repeat), the
reason each response ended, and a check that no prompt is cut. Its repeats are not used: one request
seed would give k equal samples, so every repeat is a row of its own. No cache, no scoring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from stages.base.errors import ConfigError, EngineError
from stages.base.jsonl import write_jsonl
from stages.base.params import Engine
from stages.base.records import Problem
from stages.base.seeds import derive_seed

EVERYTHING = 1 << 30
"""Batch size that hands lm-eval's whole list to the engine, which batches by itself."""

PREFILL_TOKENS = 8192
"""Prompt tokens computed in one engine step, at most."""


@dataclass(frozen=True)
class Sampling:
    """How responses are drawn: k a problem, at most so many tokens each."""

    samples: int
    max_tokens: int
    temperature: float


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
class Ending:
    """Why generation ended ("stop" or "length") and how many tokens it took."""

    finish: str
    tokens: int


@dataclass(frozen=True)
class Response:
    """One sample: the raw text with its thinking, and how it ended."""

    problem: str
    repeat: int
    text: str
    finish: str
    tokens: int


def request_rows(asked: Assignment, run_seed: int) -> list[dict[str, Any]]:
    """One row a (problem, repeat), with the seed its sampling uses.

    The seed depends on the problem and the repeat, not on the checkpoint: checkpoints are compared
    under common random numbers.
    """
    return [
        {
            "id": f"{problem.id}/{repeat}",
            "prompt": problem.prompt,
            "seed": derive_seed(run_seed, "benchmark", asked.benchmark, problem.id, repeat),
        }
        for problem in asked.problems
        for repeat in range(asked.sampling.samples)
    ]


def write_task(folder: Path, asked: Assignment, rows: Sequence[dict[str, Any]]) -> str:
    """Write ``<task>.jsonl`` and ``<task>.yaml`` for lm-eval; returns the task's name."""
    task, sampling = f"everystep_{asked.benchmark}", asked.sampling
    data = folder / f"{task}.jsonl"
    write_jsonl(data, rows)
    generation: dict[str, Any] = {"until": [], "max_gen_toks": sampling.max_tokens}
    generation |= {"do_sample": sampling.temperature > 0, "temperature": sampling.temperature}
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


def seeded(kind: Any) -> Any:
    """lm-eval's model class ``kind`` with a seed a request, endings kept, and nothing cut.

    ``endings`` maps the seed of each request to its :class:`Ending`.
    """

    class Seeded(kind):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.endings: dict[int, Ending] = {}

        def tok_encode(self, string: Any, add_special_tokens: Any = None, **kwargs: Any) -> Any:
            del add_special_tokens  # the chat template has written them; never a second time
            return super().tok_encode(string, add_special_tokens=False, **kwargs)

        def generate_until(self, requests: Any, disable_tqdm: bool = True) -> list[str]:
            for request in requests:
                context, settings = request.args
                request.arguments = (context, {**settings, "seed": request.doc["seed"]})
            self._check(requests)
            return list(super().generate_until(requests, disable_tqdm=disable_tqdm))

        def _check(self, requests: Any) -> None:
            first = {request.args[0]: request for request in requests}
            for context, tokens in zip(first, self.tok_encode(list(first)), strict=True):
                document, settings = first[context].doc, first[context].args[1]
                turn = [{"role": "user", "content": document["prompt"]}]
                if self.apply_chat_template(turn) != context:
                    raise EngineError(f"{document['id']}: lm-eval altered the prompt: {context!r}.")
                check_window(document["id"], len(tokens), settings["max_gen_toks"], self.max_length)

        def _model_generate(
            self, requests: Any, generate: bool = False, sampling_params: Any = None
        ) -> Any:
            outputs = super()._model_generate(requests, generate, sampling_params)
            for output, asked in zip(outputs, sampling_params or (), strict=generate):
                final = output.outputs[0]
                self.endings[asked.seed] = Ending(final.finish_reason, len(final.token_ids))
            return outputs

    return Seeded


def check_window(problem: str, prompt: int, max_tokens: int, context: int) -> None:
    """Refuse, before the run, a prompt that would have to be cut."""
    if prompt + max_tokens > context:
        raise ConfigError(
            f"benchmark problem {problem}: prompt of {prompt} tokens + {max_tokens} new ones do "
            f"not fit the window of {context}. Raise engine.context or lower "
            "run_benchmarks.max_tokens."
        )


def vllm_model(checkpoint: Path, engine: Engine, seed: int, gpu: bool = False) -> Any:
    """lm-eval's vLLM model over a checkpoint folder, in this process, seeds and endings kept.

    No prefix cache: a response must not depend on what ran before it. On CPU a seeded request must
    not be prefilled in parts (its generator knows no offset).
    """
    from lm_eval.models.vllm_causallms import VLLM  # noqa: PLC0415  heavy: imports the engine

    try:
        return seeded(VLLM)(
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
            hf_overrides={"head_dtype": "float32"},
            disable_log_stats=True,
            seed=seed % 2**31,
            batch_size=EVERYTHING,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise EngineError(
            f"{checkpoint}: vLLM could not load this checkpoint ({error}). Check that it is whole "
            "and of an architecture vLLM knows."
        ) from error


def respond(
    model: Any, folder: Path, assignments: Sequence[Assignment], seed: int
) -> dict[str, list[Response]]:
    """All samples of some benchmarks, each by problem and repeat, generated side by side.

    ``model`` is an lm-eval model with ``endings``; task files go into ``folder``. A missing or
    repeated sample is an EngineError.
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
        each.benchmark: _responses(rows[each.benchmark], found["samples"][task], model.endings)
        for each, task in zip(assignments, tasks, strict=True)
    }


def _responses(
    rows: Sequence[dict[str, Any]],
    samples: Sequence[dict[str, Any]],
    endings: dict[int, Ending],
) -> list[Response]:
    texts = {sample["doc"]["id"]: sample["resps"][0] for sample in samples}
    if len(samples) != len(rows) or texts.keys() != {row["id"] for row in rows}:
        raise EngineError(f"lm-eval returned {len(samples)} samples for {len(rows)} requests.")
    return [_response(row, texts[row["id"]], endings) for row in rows]


def _response(row: dict[str, Any], texts: list[str], endings: dict[int, Ending]) -> Response:
    problem, _, repeat = row["id"].rpartition("/")
    if len(texts) != 1 or row["seed"] not in endings:
        raise EngineError(f"{row['id']}: lm-eval returned {len(texts)} texts, or lost the ending.")
    ending = endings[row["seed"]]
    return Response(problem, int(repeat), texts[0], ending.finish, ending.tokens)
