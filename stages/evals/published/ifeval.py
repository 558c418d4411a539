"""IFEval: verifiable instructions, strict and loose, by prompt and by instruction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.entries import Entry
from stages.evals.published.ifeval_rules import check_of
from stages.evals.scoring import rounded
from stages.rewards.guard import guarded
from stages.rewards.instructions.checking import SUMMARY, check_instructions
from stages.rewards.instructions.rows import read_row
from stages.rewards.programs import Answer
from stages.rewards.router import answered


def ifeval(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``key``, ``prompt``, ``instruction_id_list``, ``kwargs``."""
    del shuffle
    prompt, ids = entry.text("prompt"), entry.texts("instruction_id_list")
    row = {name: entry.get(name) for name in ("key", "prompt", "instruction_id_list", "kwargs")}
    read_row(row)  # a row of another form is refused now, not judged an error later
    meta = {"verifier": "ifeval", "instructions": row}
    yield problem_of(entry.text("key"), prompt, " ".join(ids), "general", meta)


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer, of what follows the thinking, as it stands."""
    del sandbox  # nothing is run
    return [_judged(*answer) for answer in answers]


def _judged(problem: Problem, response: str, ended: str) -> Judgement:
    text = answered(problem, response, ended)
    return text if isinstance(text, Judgement) else guarded(problem, lambda: check(problem, text))


def check(problem: Problem, text: str) -> Judgement:
    """PASS if all instructions are followed, strict; ``parts`` has the four published measures."""
    instructions = read_row(problem.meta["instructions"]).instructions
    return check_instructions(instructions, text, bind=check_of)


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """The four published measures, over samples that could be checked.

    Instruction level: of all instructions of all prompts, the share that was followed. A response
    cut off follows none.
    """
    known = [sample for sample in samples if sample.judgement.reward is not None]
    counts = [_instructions(sample) for sample in known]
    shares = {name: [sample.judgement.parts.get(name, 0.0) for sample in known] for name in SUMMARY}
    weight = {name: counts if "instruction" in name else [1] * len(known) for name in SUMMARY}
    return {
        name: rounded(
            math.fsum(a * b for a, b in zip(shares[name], weight[name], strict=True))
            / sum(weight[name])
        )
        for name in SUMMARY
    }


def _instructions(sample: Sample) -> int:
    return len(sample.scored.problem.meta["instructions"]["instruction_id_list"])
