"""Olympiad proofs by attempts that check themselves, as AWorld's solver and guard work together.

The solver writes a proof. The same model, asked as a reviewer who does not know where it comes
from, looks for the first error; a proof it finds flawed is written anew, with all proofs and
reviews so far in sight, until a review finds nothing or the rounds are used up. The last proof of
each attempt is its response. Every reply is kept: a killed run goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stages.base.records import Problem
from stages.base.seeds import derive_seed
from stages.evals.judges.asker import Asker, Reply
from stages.evals.judges.prompts import Template
from stages.evals.judges.reading import read
from stages.evals.judges.store import Asked, Store, key_of
from stages.rewards.extraction import answer_part

REVIEW = Template(
    "olympiad_review",
    1,
    "Review a proof that was handed in at a mathematical olympiad.\n\n{problem}\n\n{proof}\n\n"
    "Go through it step by step. Name the first error or gap and what is needed to mend it, then "
    "the others. It is complete only if every step follows and nothing that was asked is missing.",
    ("complete", "flawed"),
)
ANEW = (
    "{prompt}\n\nWhat was tried so far, each with its review:\n\n{history}\n\nWrite a complete new "
    "proof that stands by itself, in which everything the reviews rightly object to is mended."
)
VERSION = "olympiad_proof v1"


@dataclass
class Attempt:
    """One attempt at a problem: its proofs and their reviews in turn.

    ``finish`` is "length" if its last proof was cut off; ``failure`` says why there is none.
    """

    problem: Problem
    number: int
    proofs: list[str] = field(default_factory=list)
    reviews: list[str] = field(default_factory=list)
    verified: bool = False
    finish: str = "stop"
    failure: str = ""

    @property
    def open(self) -> bool:
        """Whether there is more to do in it."""
        return not (self.verified or self.failure or self.finish != "stop")

    @property
    def prompt(self) -> str:
        """What the solver is asked next."""
        if not self.reviews:
            return self.problem.prompt
        tried = [
            f"Proof {n}:\n{_plain(proof)}\n\nReview {n}:\n{review}"
            for n, (proof, review) in enumerate(
                zip(self.proofs, self.reviews, strict=True), start=1
            )
        ]
        return ANEW.format(prompt=self.problem.prompt, history="\n\n".join(tried))


def prove(
    problems: Sequence[Problem], asker: Asker, store: Store, attempts: int, rounds: int, seed: int
) -> list[Attempt]:
    """All attempts at all problems, side by side, each with at most ``rounds`` reviews."""
    found = [Attempt(problem, number) for problem in problems for number in range(attempts)]
    with store.open():
        for turn in range(rounds + 1):
            _write(asker, store, [one for one in found if one.open], turn, seed)
            if turn < rounds:
                _review(asker, store, [one for one in found if one.open], turn, seed)
    return found


def rows(found: Sequence[Attempt]) -> tuple[list[dict[str, Any]], list[Attempt]]:
    """Rows to be scored, one a problem, and the attempts without a proof.

    A problem with such an attempt has no row: a solver that did not answer has not failed.
    """
    broken = [one for one in found if one.failure]
    away = {one.problem.id for one in broken}
    by_problem: dict[str, list[Attempt]] = {}
    for one in found:
        if one.problem.id not in away:
            by_problem.setdefault(one.problem.id, []).append(one)
    return [
        {
            "id": name,
            "response": [one.proofs[-1] if one.proofs else "" for one in attempts],
            "finish": [one.finish for one in attempts],
            "reviews": [len(one.reviews) for one in attempts],
            "verified": [one.verified for one in attempts],
        }
        for name, attempts in by_problem.items()
    ], broken


def _write(asker: Asker, store: Store, open_: Sequence[Attempt], turn: int, seed: int) -> None:
    asked = [
        _asked(asker, one, f"{VERSION} {one.number}/{turn}", one.prompt, seed) for one in open_
    ]
    for one, reply in zip(open_, store.replies(asker, asked), strict=True):
        if reply.cut or (not reply.failure and answer_part(reply.text) is None):
            one.proofs.append(reply.text)
            one.finish = "length"
        elif reply.failure:
            one.failure = reply.failure
        else:
            one.proofs.append(reply.text)


def _review(asker: Asker, store: Store, open_: Sequence[Attempt], turn: int, seed: int) -> None:
    filled = [
        REVIEW.fill(problem=one.problem.meta["question"], proof=_plain(one.proofs[-1]))
        for one in open_
    ]
    asked = [
        _asked(asker, one, f"{REVIEW.id} {one.number}/{turn}", fill.text, seed)
        for one, fill in zip(open_, filled, strict=True)
    ]
    replies = store.replies(asker, asked)
    for one, fill, reply in zip(open_, filled, replies, strict=True):
        _reviewed(one, reply, fill.mark)


def _reviewed(one: Attempt, reply: Reply, mark: str) -> None:
    """A review that cannot be read finds nothing complete; one that never came ends the attempt."""
    if reply.failure and not reply.cut:
        one.failure = reply.failure
        return
    seen = read(reply.text, mark, REVIEW.labels)
    one.reviews.append(_plain(reply.text) or "None: the reviewer did not come to an end.")
    one.verified = seen is not None and seen.verdict == "complete"


def _asked(asker: Asker, one: Attempt, version: str, prompt: str, seed: int) -> Asked:
    key = key_of(asker.model, f"{version}, seed {seed}", prompt)
    return Asked(key, prompt, derive_seed(seed, version, one.problem.id))


def _plain(text: str) -> str:
    """A text without its thinking."""
    return answer_part(text) or ""
