"""What k samples of a question are worth together: pass@k and maj@k over a benchmark."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from stages.evals.intervals import Samples


@dataclass(frozen=True)
class Vote:
    """One sample: its normalised answer (None if none was found, which is no vote), its score."""

    answer: str | None
    score: float


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Unbiased chance that at least one of k draws without replacement is right.

    Undefined, and a ValueError, for k above the number of samples.
    """
    if not 1 <= k <= samples:
        raise ValueError(f"pass@{k} is undefined with {samples} samples")
    if not 0 <= correct <= samples:
        raise ValueError(f"{correct} right of {samples} samples")
    if samples - correct < k:
        return 1.0
    missed = 1.0
    for draw in range(k):
        missed *= (samples - correct - draw) / (samples - draw)
    return 1.0 - missed


def benchmark_pass_at_k(items: Samples, k: int) -> float:
    """Mean over questions of the unbiased pass@k (Chen et al. 2021, arXiv 2107.03374, eq. 1).

    Each sample is right (1) or wrong (0). k above the samples of any question is a ValueError: a
    missing sample is not a wrong one.
    """
    if not items:
        raise ValueError("pass@k needs a question")
    if any(score not in (0.0, 1.0) for item in items for score in item):
        raise ValueError("pass@k is defined for samples that are right (1) or wrong (0) only")
    found = [pass_at_k(len(item), int(sum(item)), k) for item in items]
    return math.fsum(found) / len(found)


def majority(votes: Sequence[Vote]) -> float:
    """Score of the most frequent answer among one question's samples (Wang et al. 2022).

    Tie rule: share. Answers with equally many votes each count by their part, which is the
    expected score when the tie is broken at random. Taking the first to appear would make the
    score depend on the order of samples, which says nothing about a model. Samples without an
    answer do not vote; without any vote the question scores 0. One answer with two different
    scores is a ValueError: normalisation calls equal what the scorer does not.
    """
    if not votes:
        raise ValueError("a majority needs a sample")
    scores: dict[str, list[float]] = defaultdict(list)
    for vote in votes:
        if vote.answer is not None:
            scores[vote.answer].append(vote.score)
    for answer, given in scores.items():
        if min(given) != max(given):
            raise ValueError(f"the answer {answer!r} was scored {min(given)} and {max(given)}")
    if not scores:
        return 0.0
    most = max(map(len, scores.values()))
    leading = [given[0] for given in scores.values() if len(given) == most]
    return math.fsum(leading) / len(leading)


def maj_at_k(questions: Sequence[Sequence[Vote]], k: int) -> float:
    """Mean over questions of `majority`; a question without exactly k samples is a ValueError."""
    if not questions:
        raise ValueError("maj@k needs a question")
    for number, votes in enumerate(questions):
        if len(votes) != k:
            raise ValueError(f"maj@{k}: question {number} has {len(votes)} samples")
    return math.fsum(majority(votes) for votes in questions) / len(questions)
