"""GPQA and MMLU-Pro: a question with lettered options, in an order drawn by seed.

``meta["mapping"]`` says which published option stands behind each letter, as its place from 0 (for
GPQA, 0 is the right one).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.base.seeds import seeded_random
from stages.evals.published.benchmark import problem_of
from stages.evals.published.entries import Entry

WRONG = tuple(f"Incorrect Answer {number}" for number in (1, 2, 3))
USUAL_SEED = 0  # of GPQA, whose file has the right option first
NO_OPTION = "N/A"  # fills MMLU-Pro's lists in some copies


def gpqa(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``Question``, ``Correct Answer``, ``Incorrect Answer 1`` to ``3``, ``Record ID``."""
    options = [entry.text(name).strip() for name in ("Correct Answer", *WRONG)]
    name = entry.text("Record ID") if entry.row.get("Record ID") else entry.name
    order = drawn("gpqa", name, len(options), USUAL_SEED if shuffle is None else shuffle)
    group = entry.row.get("High-level domain") or ""
    yield _problem(name, entry.text("Question"), options, order, (0, str(group)))


def mmlu_pro(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``question_id``, ``question``, ``options``, ``answer``, ``answer_index``, ``category``.

    In the published order unless a seed is given; options that only fill the list are left out.
    """
    name = entry.text("question_id")
    options = list(entry.texts("options"))
    while options and options[-1] == NO_OPTION:
        options.pop()
    letter, place = entry.text("answer"), entry.get("answer_index")
    if type(place) is not int or not 0 <= place < len(options) or letter != ascii_uppercase[place]:
        raise DataError(
            f"{entry.where}: answer {letter!r} and answer_index {place!r} do not name one of "
            f"{len(options)} options."
        )
    plain = list(range(len(options)))
    order = plain if shuffle is None else drawn("mmlu_pro", name, len(options), shuffle)
    group = entry.text("category")
    yield _problem(name, entry.text("question"), options, order, (place, group))


def drawn(benchmark: str, name: str, count: int, seed: int) -> list[int]:
    """The order of a question's options: for each letter, its place in the published row."""
    order = list(range(count))
    seeded_random(seed, "options", benchmark, name).shuffle(order)
    return order


def _problem(
    name: str,
    question: str,
    options: Sequence[str],
    order: Sequence[int],
    right: tuple[int, str],
) -> Problem:
    place, group = right
    lettered = [
        f"{letter}) {options[at]}" for letter, at in zip(ascii_uppercase, order, strict=False)
    ]
    last = "Think, then close with a line 'Answer: ' and the letter of the right option."
    prompt = "\n".join([question.strip(), "", *lettered, "", last])
    mapping = dict(zip(ascii_uppercase, order, strict=False))
    gold = ascii_uppercase[order.index(place)]
    meta = {"verifier": "choice", "mapping": mapping} | ({"group": group} if group else {})
    return problem_of(name, prompt, gold, "science", meta)
