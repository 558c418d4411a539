r"""A corpus whose truth is known: copies, chains, puzzles and benchmark problems among documents.

What a filter must find and what it must leave alone is planted, and each claim is checked here:
similarities are measured, distinct problems are distinct, no other document holds an item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.documents import WORD, Document, Writer, formula, jaccard, shingles
from stages.base.errors import ConfigError
from stages.base.jsonl import dump_line, write_jsonl
from stages.base.seeds import derive_seed

LEVELS = (0.70, 0.75, 0.82, 0.86, 0.90, 0.94, 0.98)
NEAR = 0.8
"""Above it two documents are near copies; no level is close to it."""

LINK, LINKS = 0.85, 4
"""Similarity of neighbours in a chain; that of others is below NEAR."""

BANDS = {"< 8": (4, 7), "8-12": (8, 12), "13-25": (13, 25), "> 25": (26, 60)}
"""Words of a benchmark item, between blanks."""

EACH = 12  # injected items by band and disguise
HALF = 5  # words of half an item; fewer are a phrase that anybody may write
PROBLEMS, TEMPLATES = 500, 10
GRIDS = 200
TEMPLATED_ITEMS, INSTRUCTED_ITEMS = 60, 100
NEGATIVES = 60  # of each kind
INSTRUCTIONS = (
    "Please think about it step by step and then write the final answer inside of a box.",
    "Read the input from standard input and print the answer to standard output on one line.",
)
RULES = (
    "Fill in the grid so that every row, every column and every block of three by three holds each "
    "of the digits from one to nine exactly once. A dot stands for an empty cell. Give the whole "
    "grid, row by row, with a blank between the digits and nothing else."
)
CYCLE = 40  # rows of a stream
NUMBER = re.compile(r"(?<![\w{])\d+(?![\w}])")


def name(place: int) -> str:
    """The id of a row: where it stands in the file."""
    return f"r{place:07d}"


def row(place: int, document: Document) -> dict[str, str]:
    """A row as the cleaning reads it."""
    fields = {"domain": document.domain, "prompt": document.prompt, "response": document.response}
    return {"id": name(place), **fields}


@dataclass
class Truth:
    """Rows by what was planted, each as numbers in the corpus; pairs are (row, copy)."""

    documents: list[int] = field(default_factory=list)
    copies: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    pairs: list[tuple[int, int, float]] = field(default_factory=list)
    chains: list[tuple[list[int], list[list[float]]]] = field(default_factory=list)
    puzzles: dict[str, list[int]] = field(default_factory=dict)
    injected: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    negatives: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """A benchmark item; ``band`` is empty for those that are not injected."""

    id: str
    benchmark: str
    question: str
    band: str = ""


class Corpus:
    """All rows and items of a run. Documents are made as they are written, the rest before.

    ConfigError if more is planted than ``documents``.
    """

    def __init__(self, seed: int, documents: int, items: int) -> None:
        self.writer = Writer(seed)
        self.truth = Truth()
        self.rows: list[Document | None] = []
        self.items: list[Item] = []
        self._plant_copies(max(200, documents // 50))
        self._plant_pairs(max(25, documents // (25 * len(LEVELS))))
        self._plant_chains(max(20, documents // 400))
        self._plant_puzzles()
        self._plant_items(max(items, 2 * len(BANDS) * EACH * len(DISGUISES)))
        if documents <= len(self.rows):
            raise ConfigError(
                f"{documents} documents: {len(self.rows)} are planted already. Ask for more."
            )
        self.truth.documents = list(range(len(self.rows), documents))
        self.rows += [None] * (documents - len(self.rows))
        self._beginnings = {_words(item.question)[:4] for item in self.items}
        self._order = sorted(range(documents), key=self._place)

    def write(self, folder: Path) -> int:
        """``rows.jsonl``, ``texts/texts.jsonl`` and ``items.jsonl``; the bytes of the texts."""
        texts = folder / "texts" / "texts.jsonl"
        texts.parent.mkdir()
        with (
            (folder / "rows.jsonl").open("w", encoding="utf-8") as rows,
            texts.open("w", encoding="utf-8") as plain,
        ):
            for place, number in enumerate(self._order):
                found = self._document(number)
                rows.write(dump_line(row(place, found)) + "\n")
                plain.write(dump_line({"id": name(place), "text": found.text}) + "\n")
        write_jsonl(folder / "items.jsonl", map(_item_row, self.items))
        return texts.stat().st_size

    def numbers(self, ids: Iterable[str]) -> set[int]:
        """Numbers of rows by their ids in the files."""
        return {self._order[int(found.removeprefix("r"))] for found in ids}

    def _place(self, number: int) -> int:
        return derive_seed(self.writer.seed, "order", number)

    def _document(self, number: int) -> Document:
        planted = self.rows[number]
        if planted is None:
            planted = self.writer.document("plain", number)
            self._require_no_item(planted)
        return planted

    def _require_no_item(self, document: Document) -> None:
        words = _words(document.text)
        found = zip(*(words[shift:] for shift in range(4)), strict=False)
        assert self._beginnings.isdisjoint(found), "a document holds the beginning of an item"

    def _add(self, *documents: Document) -> list[int]:
        first = len(self.rows)
        self.rows += documents
        return list(range(first, len(self.rows)))

    def _plant_copies(self, count: int) -> None:
        kinds: dict[str, Callable[[str], str]] = {"same bytes": str, "other blanks": _other_blanks}
        for kind, change in kinds.items():
            pairs = self.truth.copies.setdefault(kind, [])
            for number in range(count // 2):
                own = self.writer.document("copied", kind, number)
                copy = replace(own, prompt=change(own.prompt), response=change(own.response))
                assert own.text.split() == copy.text.split()
                one, other = self._add(own, copy)
                pairs.append((one, other))

    def _plant_pairs(self, each: int) -> None:
        for level in LEVELS:
            for number in range(each):
                chain = self.writer.near_copies(f"{level}/{number}", [level])
                one, other = self._add(*chain)
                self.truth.pairs.append((one, other, _similarities(chain)[0][1]))

    def _plant_chains(self, count: int) -> None:
        for number in range(count):
            chain = self.writer.near_copies(f"chain/{number}", [LINK] * LINKS)
            found = _similarities(chain)
            for one in range(LINKS + 1):
                for other in range(one + 1, LINKS + 1):
                    assert (found[one][other] >= NEAR) == (other == one + 1), found
            self.truth.chains.append((self._add(*chain), found))

    def _plant_puzzles(self) -> None:
        problems = [self._problem(number) for number in range(PROBLEMS + TEMPLATED_ITEMS * 2)]
        own, others = problems[:PROBLEMS], problems[PROBLEMS:]
        grids = [_grid(self.writer.random("grid", number)) for number in range(GRIDS)]
        for found in (problems, grids):
            assert len({document.prompt for document in found}) == len(found)
        short = [found.prompt for found in others[::2]]  # of templates that rows have too
        self.items += [Item(f"t{at}", "templated", text) for at, text in enumerate(short)]
        self.truth.puzzles = {"word problems": self._add(*own), "grids": self._add(*grids)}

    def _problem(self, number: int) -> Document:
        """One of ten templates, every second long, with four numbers of its own and an answer."""
        template = self.writer.random("template", number % TEMPLATES)
        size = 30 if number % 2 == 0 else 150
        rng = self.writer.random("problem", number)
        numbers = rng.integers(12, 980, size=4).tolist()
        prompt = " ".join(f"{self._told(template, size)} {value}." for value in numbers)
        thoughts = " ".join(f"{self._told(template, size)}." for _ in numbers)
        answer = numbers[0] * numbers[1] + numbers[2] * numbers[3]
        return Document("maths", prompt, f"{thoughts} The answer is {answer}.")

    def _told(self, rng: np.random.Generator, size: int) -> str:
        """Sentences without a number and without the last dot."""
        return NUMBER.sub("many", self.writer.sentences(rng, size, "other")).removesuffix(".")

    def _plant_items(self, count: int) -> None:
        bands: dict[str, list[Item]] = {band: [] for band in BANDS}
        for number in range(count):
            band = list(BANDS)[number % len(BANDS)]
            question = self._question(number, *BANDS[band])
            bands[band].append(Item(f"q{number}", "plain", question, band))
        self.items += [item for band in bands.values() for item in band]
        for band, found in bands.items():
            self._inject(band, found)
        for at in range(INSTRUCTED_ITEMS):
            text = f"{self._question(count + at, 13, 25)} {INSTRUCTIONS[at % 2]}"
            self.items.append(Item(f"i{at}", "instructed", text))
        self._plant_negatives([item for band in list(bands)[:2] for item in bands[band]])

    def _question(self, number: int, shortest: int, longest: int) -> str:
        """Words a third of which are rare; often a number, every second time a formula."""
        rng = self.writer.random("item", number)
        count = int(rng.integers(shortest, longest + 1))
        words = self.writer.draw(rng, count)
        words[::2] = self.writer.rare(rng, len(words[::2]))
        places = rng.permutation(np.arange(1, count)).tolist()
        if rng.random() < 0.6:
            words[places[0]] = str(rng.integers(12, 999))
        if number // len(BANDS) % 2:
            words[places[1]] = formula(rng)
        return f"{' '.join(words).capitalize()}?"

    def _inject(self, band: str, items: Sequence[Item]) -> None:
        """Each item once at most, or its rows would be copies of one another."""
        with_formula = [item for item in items if "$" in item.question]
        others = [item for item in items if "$" not in item.question]
        for disguise, change in DISGUISES.items():
            if (band, disguise) == ("< 8", "first half"):
                continue  # its halves have three words
            pool = with_formula if disguise == "LaTeX spacing" else others
            rows = self.truth.injected[band, disguise] = []
            for _ in range(EACH):
                question = pool.pop(_last_fit(pool, disguise)).question
                text = change(question)
                assert (text == question) == (disguise in ("verbatim", "embedded"))
                rows += self._host(text, disguise)

    def _host(self, text: str, disguise: str) -> list[int]:
        host = self.writer.document("host", len(self.rows))
        if disguise == "embedded":
            before, _, after = host.response.partition(". ")
            return self._add(replace(host, response=f"{before}. {text} {after}"))
        return self._add(replace(host, prompt=text))

    def _plant_negatives(self, short: Sequence[Item]) -> None:
        numbered = [item for item in short if _other_number(item.question) != item.question]
        chosen = [_other_number(item.question) for item in numbered[:NEGATIVES]]
        assert not {item.question for item in self.items} & set(chosen)
        hosts = [self.writer.document("negative", at) for at in range(3 * NEGATIVES)]
        changed = [replace(h, prompt=text) for h, text in zip(hosts, chosen, strict=False)]
        told = [
            replace(host, prompt=f"{host.prompt} {INSTRUCTIONS[at % 2]}")
            for at, host in enumerate(hosts[NEGATIVES : 2 * NEGATIVES])
        ]
        self.truth.negatives = {
            "a short item with another number": self._add(*changed),
            "an instruction that benchmarks repeat": self._add(*told),
        }


def _similarities(chain: Sequence[Document]) -> list[list[float]]:
    sets = [shingles(document.text) for document in chain]
    return [[jaccard(one, other) for other in sets] for one in sets]


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text.lower()))


def _item_row(item: Item) -> dict[str, Any]:
    return {"id": item.id, "benchmark": item.benchmark, "question": item.question, "answer": ""}


def _last_fit(items: Sequence[Item], disguise: str) -> int:
    """The place of the last item that tells something when it is disguised."""
    places = reversed(range(len(items)))
    if disguise != "first half":
        return next(places)
    return next(at for at in places if len(_first_half(items[at].question).split(" ")) >= HALF)


def _other_blanks(text: str) -> str:
    return text.replace(". ", ".\n").replace(" of ", "  of ") + " "


def _other_number(text: str) -> str:
    return NUMBER.sub(lambda match: str(int(match.group()) + 7), text)


def _grid(rng: np.random.Generator) -> Document:
    """A Sudoku: one solved grid, its digits, rows and columns exchanged, half of it emptied."""
    blocks = [block * 3 + rng.permutation(3) for block in rng.permutation(3)]
    columns = [block * 3 + rng.permutation(3) for block in rng.permutation(3)]
    rows, columns_ = np.concatenate(blocks), np.concatenate(columns)
    digits = rng.permutation(9) + 1
    solved = digits[(rows[:, None] * 3 + rows[:, None] // 3 + columns_[None, :]) % 9]
    empty = rng.random((9, 9)) < 0.5
    shown = np.where(empty, ".", solved.astype(str))
    lines = ("\n".join(" ".join(row) for row in grid) for grid in (shown, solved.astype(str)))
    puzzle, solution = lines
    return Document("logic", f"{RULES}\n{puzzle}", f"Here is the whole grid.\n{solution}")


def _outside_formulas(text: str, change: Callable[[str], str]) -> str:
    return " ".join(word if word.startswith("$") else change(word) for word in text.split(" "))


def _full_width(text: str) -> str:
    return text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})


def _rewrapped(text: str) -> str:
    words = text.split(" ")
    return "\n".join(" ".join(words[at : at + 3]) for at in range(0, len(words), 3))


def _first_half(text: str) -> str:
    words = text.split(" ")
    return " ".join(words[: (len(words) + 1) // 2])


def _zero_width(text: str) -> str:
    return re.sub(r"(?<=[a-z]{2})(?=[a-z]{2})", "\u200b", text)


def _respaced(text: str) -> str:
    spaced = text.replace("+", r" \, + \; ").replace("(", r" \left( ").replace(")", r" \right) ")
    return spaced.replace("$", " $ ").replace("-", " - ")


DISGUISES: dict[str, Callable[[str], str]] = {
    "verbatim": str,
    "embedded": str,
    "upper case": lambda text: _outside_formulas(text, str.upper),
    "full width": _full_width,
    "other line breaks": _rewrapped,
    "zero-width characters": _zero_width,
    "first half": _first_half,
    "LaTeX spacing": _respaced,
}


def streamed(writer: Writer, count: int) -> Iterator[dict[str, str]]:
    """Rows that never stand in memory together; of each cycle one is a copy and one a near copy."""
    for number in range(count):
        cycle, place = divmod(number, CYCLE)
        if place in (18, 38):
            found = writer.near_copies(f"streamed/{cycle}", [0.9])[place > 20]
        elif place == 29:
            found = writer.document("streamed", CYCLE * (cycle // 2))
        else:
            found = writer.document("streamed", number)
        yield row(number, found)


def copied(count: int) -> dict[str, int]:
    """Rows of a stream that exact and near deduplication should take."""
    copies = (count + 10) // CYCLE
    return {"exact": copies, "near": copies + (count + 1) // CYCLE}
