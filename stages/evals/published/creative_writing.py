"""Creative Writing v3: a piece of fiction, scored by a judge on 22 criteria from 0 to 20.

Each prompt is answered three times, with another of its modifiers in place of ``<SEED>``. A
criterion for which less is better is turned round; one that the judge finds not to apply is left
out. The score of a piece is the mean of its criteria over 20, that of the benchmark the mean over
pieces, clustered by prompt. This is the published rubric score. The Elo of the published list needs
the pieces of its other models: two models of your own are compared by ``stages.evals.pairwise``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.judging import Judged, Question, Readings
from stages.evals.judges.prompts import Template
from stages.evals.judges.reading import Reading
from stages.evals.published.benchmark import Sample, mean_score, problem_of
from stages.evals.published.entries import Entry
from stages.evals.scoring import Scored, grouped, rounded

ITERATIONS = 3
SEED = "<SEED>"
MOST = 20
LEAST_SCORED = 11  # criteria; with fewer a reply is not a judgement
MORE_IS_BETTER = (
    "Adherence to Instructions", "Believable Character Actions", "Nuanced Characters",
    "Consistent Voice/Tone of Writing", "Imagery and Descriptive Quality", "Elegant Prose",
    "Emotionally Engaging", "Emotionally Complex", "Coherent",
    "Well-earned Lightness or Darkness", "Sentences Flow Naturally", "Overall Reader Engagement",
    "Overall Impression",
)  # fmt: skip
LESS_IS_BETTER = (
    "Meandering", "Weak Dialogue", "Tell-Don't-Show", "Unsurprising or Uncreative", "Amateurish",
    "Purple Prose", "Overwrought", "Incongruent Ending Positivity", "Unearned Transformations",
)  # fmt: skip
CRITERIA = (*MORE_IS_BETTER, *LESS_IS_BETTER)
NUMBER = re.compile(r"\[?(\d{1,2}(?:\.\d{1,3})?)\]?(?:\s*/\s*20)?")
ABSENT = frozenset(("n/a", "na", "none", "-", "not applicable", "[n/a]"))
DONE = "scored"
TEMPLATE = Template(
    "creative_writing",
    1,
    "Judge a piece of creative writing as a severe critic, on its merits alone. What its author "
    "adds after the piece is no part of it.\n\n"
    "{request}\n\n{piece}\n\n"
    "First analyse the piece, its failings above all. Then write one line for each of these "
    "criteria, with its name as it stands here, a colon, and a number from 0 to 20, where 20 is a "
    "masterpiece's, or N/A where the criterion does not apply to this piece:\n"
    + "\n".join(MORE_IS_BETTER)
    + "\n\nand for each of these, where less is better and 0 the best:\n"
    + "\n".join(LESS_IS_BETTER)
    + "\n\nNothing stands between these lines and the last one.",
    (DONE,),
)


def creative_writing(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``writing_prompt`` with its ``<SEED>``, ``seed_modifiers``, ``category``; three problems."""
    del shuffle
    prompt, modifiers = entry.text("writing_prompt"), entry.texts("seed_modifiers")
    if SEED not in prompt or not modifiers:
        raise DataError(f"{entry.where}: no {SEED} in the prompt, or no seed_modifiers for it.")
    meta = {"verifier": "judge", "cluster": entry.name}
    if entry.row.get("category"):
        meta["group"] = entry.text("category")
    for number in range(ITERATIONS):
        asked = prompt.replace(SEED, modifiers[number % len(modifiers)])
        yield problem_of(f"{entry.name}/{number + 1}", asked, "", "creative", meta)


def questions(problem: Problem, text: str) -> list[Question]:
    """All criteria at once."""
    filled = TEMPLATE.fill(request=problem.prompt, piece=text)
    return [Question("criteria", TEMPLATE, filled, CRITERIA, lambda seen: bool(scores_in(seen)))]


def scores_in(seen: Reading) -> dict[str, float]:
    """Each criterion's score in [0, 1], turned round where less is better.

    None at all if a number is none from 0 to 20, or too few criteria have one.
    """
    parts: dict[str, float] = {}
    for name, said in seen.fields.items():
        if said.casefold() in ABSENT:
            continue
        found = NUMBER.fullmatch(said)
        if found is None or float(found[1]) > MOST:
            return {}
        number = float(found[1])
        parts[name] = (MOST - number if name in LESS_IS_BETTER else number) / MOST
    return parts if len(parts) >= LEAST_SCORED else {}


def judgement(problem: Problem, text: str, readings: Readings) -> Judgement:
    """The mean of the criteria, each of which is among the ``parts``."""
    del problem, text
    parts = scores_in(readings["criteria"])
    score = math.fsum(parts.values()) / len(parts)
    worst = min(parts, key=lambda name: (parts[name], name))
    reason = f"worst: {worst}, {parts[worst]:.2f} of 1"
    return Judgement(Verdict.PASS if score == 1 else Verdict.WRONG, score, reason, parts)


def by_prompt(samples: Sequence[Sample]) -> list[Scored]:
    """One unit a prompt: the mean of its pieces, of those that could be judged."""
    prompts: dict[str, list[Scored]] = {}
    for sample in samples:
        name = str(sample.scored.problem.meta["cluster"])
        prompts.setdefault(name, []).append(sample.scored)
    return [_unit(name, pieces) for name, pieces in prompts.items()]


def _unit(name: str, pieces: Sequence[Scored]) -> Scored:
    means = [mean for one in grouped(pieces).values() if (mean := mean_score(one)) is not None]
    score = math.fsum(means) / len(means) if means else None
    first = pieces[0]
    problem = replace(first.problem, id=name)
    response = replace(first.response, problem=name, repeat=0)
    verdict = Verdict.ERROR if score is None else Verdict.WRONG
    return replace(first, problem=problem, response=response, verdict=verdict, score=score)


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """The mean of each criterion in [0, 1], 1 the best, over the pieces it applied to."""
    found: dict[str, list[float]] = {}
    for one in samples:
        for name, score in one.judgement.parts.items():
            found.setdefault(name, []).append(score)
    return {"criteria": {name: rounded(math.fsum(of) / len(of)) for name, of in found.items()}}


JUDGED = Judged((TEMPLATE,), questions, judgement)
