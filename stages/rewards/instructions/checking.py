"""The judgement of a response by the instructions of its prompt.

PASS only if every instruction holds for the response as it stands (strict). ``parts`` has one value
an instruction under its position, so that two of one id stay apart, and IFEval's four measures:

=====================  ==============================================================
``0 punctuation:…``    1 if the first instruction holds, strict; ``1 …`` the second
``instruction_strict`` share of the instructions that hold
``prompt_strict``      1 if all hold
``instruction_loose``  share that hold for one of the eight variants of the response
``prompt_loose``       1 if all do, each perhaps for another variant
=====================  ==============================================================

A variant leaves out the first line, the last, or both, and the asterisks or not. Loose is never
less than strict. A response without anything in it follows nothing. An unknown id, arguments that
do not fit or contradict the prompt, or no instruction at all: ERROR, never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from stages.base.errors import DataError, VerifierError
from stages.base.records import Judgement, Verdict
from stages.rewards.instructions.consistency import inconsistencies
from stages.rewards.instructions.registry import Instruction, bound
from stages.rewards.instructions.rows import read_row

Check = Callable[[str], bool]
SUMMARY = ("instruction_strict", "prompt_strict", "instruction_loose", "prompt_loose")


def judge_instructions(row: Mapping[str, Any], text: str) -> Judgement:
    """Judge what follows the thinking by a published row of IFEval or RLVR-IFeval.

    A row that cannot be read is ERROR; nothing is raised.
    """
    try:
        read = read_row(row)
    except DataError as error:
        return Judgement(Verdict.ERROR, None, str(error))
    return check_instructions(read.instructions, text, read.prompt)


def check_instructions(
    instructions: Sequence[Instruction],
    response: str,
    prompt: str = "",
    bind: Callable[[Instruction], Check] = bound,
) -> Judgement:
    """Judge a response, thinking already left out, by instructions; see the head of this file.

    ``bind`` makes the check of an instruction, VerifierError if there is none.

    With a prompt, the instructions' arguments must agree with it: nobody knows which of the two a
    response should follow. The reward is 1 or 0; shares for a softer one are in ``parts``.
    """
    try:
        checks = _ready(instructions, prompt, bind)
    except VerifierError as error:
        return Judgement(Verdict.ERROR, None, str(error))
    strict = [_follows(check, [response]) for check in checks]
    loose = [
        held or _follows(check, variants(response))
        for held, check in zip(strict, checks, strict=True)
    ]
    names = [f"{place} {instruction.id}" for place, instruction in enumerate(instructions)]
    parts = {name: float(held) for name, held in zip(names, strict, strict=True)}
    parts |= zip(SUMMARY, (*_shares(strict), *_shares(loose)), strict=True)
    if all(strict):
        return Judgement(Verdict.PASS, 1.0, "", parts)
    broken = [name for name, held in zip(names, strict, strict=True) if not held]
    reason = f"not followed: {', '.join(broken)}" if response.strip() else "an empty response"
    return Judgement(Verdict.WRONG, 0.0, reason, parts)


def variants(response: str) -> list[str]:
    """The response and what IFEval's loose measure makes of it, without doubles."""
    lines = response.split("\n")
    cut = ["\n".join(kept).strip() for kept in (lines[1:], lines[:-1], lines[1:-1])]
    kinds = product([response, *cut], (False, True))
    return list(dict.fromkeys(t.replace("*", "") if bare else t for t, bare in kinds))


def _ready(
    instructions: Sequence[Instruction], prompt: str, bind: Callable[[Instruction], Check]
) -> list[Check]:
    """The checks of all instructions; VerifierError if one cannot be checked."""
    if not instructions:
        raise VerifierError("no instruction to check: a response cannot pass. Drop the row.")
    checks = [bind(instruction) for instruction in instructions]
    asked = instructions if prompt else ()
    found = [note for instruction in asked for note in inconsistencies(prompt, instruction)]
    if found:
        raise VerifierError(f"prompt and arguments disagree: {'; '.join(found)}. Drop the row.")
    return checks


def _follows(check: Check, texts: Sequence[str]) -> bool:
    return any(text.strip() and check(text) for text in texts)


def _shares(held: Sequence[bool]) -> tuple[float, float]:
    """The share that holds, and whether all do."""
    return sum(held) / len(held), float(all(held))
