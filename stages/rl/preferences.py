"""Preference pairs by rule from graded samples of the same prompt.

A right answer beats a wrong one. Of two answers that are both right or both wrong, the one that
closes beats the one that does not, and an answer that closes beats its own copy with the closing
repeated: no sample shows that, and a policy finds it at once (a closing is good, so more of it must
be better). Nothing else is preferred; samples without a readable answer take no part, for the
reward model never scores such.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, zip_longest
from typing import Any, Literal

from stages.base.records import Verdict
from stages.base.seeds import derive_seed, seeded_random

Kind = Literal["correctness", "closing", "repetition"]
KINDS: tuple[Kind, ...] = ("correctness", "closing", "repetition")
MOST_REPEATS = 7
"""A rejected copy repeats the closing so many more times at most."""


@dataclass(frozen=True)
class GradedSample:
    """One sampled response: its tokens, whether it is right, whether it closes."""

    id: str
    problem_id: str
    tokens: list[int]
    verdict: str
    closing: bool

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> GradedSample:
        """From a row of ``samples.jsonl``."""
        names = ("id", "problem_id", "tokens", "verdict")
        return cls(**{name: row[name] for name in names}, closing=bool(row["closing"]))

    @property
    def answered(self) -> bool:
        """Whether there is an answer to prefer."""
        return self.verdict in (Verdict.PASS, Verdict.WRONG)


@dataclass(frozen=True)
class Pair:
    """Two responses to one prompt and why the first is the better one."""

    problem_id: str
    kind: Kind
    chosen: GradedSample
    rejected: GradedSample


def preference(first: GradedSample, second: GradedSample) -> Kind | None:
    """Why ``first`` is better than ``second``; None if it is not."""
    right = [sample.verdict == Verdict.PASS for sample in (first, second)]
    if right[0] != right[1]:
        return "correctness" if right[0] else None
    return "closing" if first.closing and not second.closing else None


def split_heldout(problem_ids: Sequence[str], share: float, seed: int) -> set[str]:
    """The prompts whose pairs are kept for measuring: all pairs of a prompt on one side."""
    return {name for name in problem_ids if derive_seed(seed, "preference", name) < share * 2**63}


def with_closing_repeated(
    sample: GradedSample, closing: Sequence[int], seed: int
) -> GradedSample | None:
    """A copy that closes several times over; None if the sample does not end in ``closing``.

    The last token of a response is the one that ends the turn.
    """
    body, end = sample.tokens[:-1], sample.tokens[-1:]
    if not closing or not sample.closing or body[-len(closing) :] != list(closing):
        return None
    times = seeded_random(seed, "repeats", sample.id).randint(1, MOST_REPEATS)
    tokens = [*body, *(list(closing) * times), *end]
    return replace(sample, id=f"{sample.id}+{times}", tokens=tokens, closing=False)


def make_pairs(
    samples: Sequence[GradedSample], count: int, seed: int, closing: Sequence[int] = ()
) -> list[Pair]:
    """At most ``count`` pairs, at most a third of them of each kind, spread over the prompts.

    ``closing`` holds the tokens of the closing words, for the pairs about repetition. Every prompt
    gives a pair before any gives a second one; which ones is drawn by seed, and the result is in a
    seeded order too.
    """
    by_kind: dict[Kind, dict[str, list[Pair]]] = {kind: defaultdict(list) for kind in KINDS}
    for problem_id, members in _by_prompt(samples).items():
        for first, second in permutations(members, 2):
            kind = preference(first, second)
            if kind is not None:
                by_kind[kind][problem_id].append(Pair(problem_id, kind, first, second))
        for sample in members:
            copy = with_closing_repeated(sample, closing, seed)
            if copy is not None:
                pair = Pair(problem_id, "repetition", sample, copy)
                by_kind["repetition"][problem_id].append(pair)
    chosen = [
        pair
        for kind in KINDS
        for pair in _round_robin(list(by_kind[kind].values()), kind, seed)[: count // len(KINDS)]
    ]
    seeded_random(seed, "pairs", "order").shuffle(chosen)
    return chosen


def _by_prompt(samples: Sequence[GradedSample]) -> dict[str, list[GradedSample]]:
    """Answered samples by prompt, sorted by id, equal responses once."""
    grouped: dict[str, dict[tuple[int, ...], GradedSample]] = defaultdict(dict)
    for sample in sorted(samples, key=lambda sample: sample.id):
        if sample.answered:
            grouped[sample.problem_id].setdefault(tuple(sample.tokens), sample)
    return {name: list(grouped[name].values()) for name in sorted(grouped)}


def _round_robin(stacks: list[list[Pair]], kind: Kind, seed: int) -> list[Pair]:
    """One pair of each prompt, then a second of each that has one, and so on."""
    random = seeded_random(seed, "pairs", kind)
    random.shuffle(stacks)
    for stack in stacks:
        random.shuffle(stack)
    return [pair for layer in zip_longest(*stacks) for pair in layer if pair is not None]
