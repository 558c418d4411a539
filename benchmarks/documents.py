r"""Documents from made-up words: as long, as repetitive and as mixed as real ones, from a seed.

Words are syllables, drawn by rank as Zipf's law has it, with English function words on top. Every
document can be made anew from its number, so a corpus of any size needs no memory and no download.
Near copies have a Jaccard similarity that is set beforehand, and measured after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stages.base.seeds import derive_seed

SHINGLE = 5  # words
DOMAINS = ("maths", "code", "stem", "other")
SIZE = 1350  # characters; with its prompt and its last sentence a document has about 1.5 kB
PROMPT = 150
VOCABULARY = 30_000
FLATTEN = 2.7  # of the law of Zipf and Mandelbrot: 1 / (rank + 2.7)
LONG = 6  # letters; a longer word is none of English, for the syllables make none
FUNCTION_WORDS = """
    the of and to in a is that for it as was with be by on are this at from have which has were
    their its been had will would can there into these time may very about through where
"""
WORD = re.compile(r"\w+")
PLAIN = re.compile(rf"[a-z]{{{LONG},}}")

Shingles = set[tuple[str, ...]]


@dataclass(frozen=True)
class Document:
    """A row without its id."""

    domain: str
    prompt: str
    response: str

    @cached_property
    def text(self) -> str:
        """What tools see that know no prompt."""
        return f"{self.prompt}\n{self.response}"


def shingles(text: str) -> Shingles:
    """The sets of which every similarity here is: five words that stand together, in lower case."""
    words = WORD.findall(text.lower())
    return set(zip(*(words[shift:] for shift in range(SHINGLE)), strict=False))


def jaccard(one: Shingles, other: Shingles) -> float:
    """Common shingles by all."""
    return len(one & other) / len(one | other)


class Writer:
    """Draws documents. ``seed`` is that of the run; documents are numbered from 0."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.words = [*FUNCTION_WORDS.split(), *_syllables(seed)]
        self.long = [word for word in self.words if len(word) >= LONG]
        weights = np.cumsum(1 / (np.arange(len(self.words)) + FLATTEN))
        self._shares = weights / weights[-1]

    def random(self, *item: str | int) -> np.random.Generator:
        """A generator of its own for one thing."""
        return np.random.default_rng(derive_seed(self.seed, *item))

    def draw(self, rng: np.random.Generator, count: int) -> list[str]:
        """Words by rank."""
        return [self.words[at] for at in np.searchsorted(self._shares, rng.random(count)).tolist()]

    def rare(self, rng: np.random.Generator, count: int) -> list[str]:
        """Long words, each as likely as another."""
        return [self.long[at] for at in rng.integers(len(self.long), size=count).tolist()]

    def document(self, *item: str | int) -> Document:
        """The document of this name. Its last sentence is of long words, to be edited."""
        rng = self.random("document", *item)
        domain = DOMAINS[int(rng.integers(len(DOMAINS)))]
        prompt = self.sentences(rng, PROMPT, domain)
        body = self.sentences(rng, SIZE - len(prompt), domain)
        closing = f"{' '.join(self.rare(rng, 7))}."
        code = f"\n```\n{_code(rng)}\n```\n" if domain == "code" else " "
        return Document(domain, prompt, f"{body}{code}{closing.capitalize()}")

    def sentences(self, rng: np.random.Generator, size: int, domain: str) -> str:
        """Sentences of ``size`` characters, or one more."""
        words = self.draw(rng, 20 + size // 4)
        found, at, length = list[str](), 0, 0
        for count in rng.integers(6, 20, size=1 + size // 18).tolist():
            sentence = words[at : at + count]
            at += count
            _insert(rng, sentence, domain)
            found.append(f"{' '.join(sentence).capitalize()}.")
            length += len(found[-1]) + 1
            if length >= size:
                break
        return " ".join(found)

    def near_copies(self, name: str, targets: Sequence[float]) -> list[Document]:
        """A document and its copies, each with the given similarity to the one before.

        Words of the response are replaced, at least a shingle apart: as many shingles go as the
        target asks for. The similarities of what came out are checked.
        """
        attempt = 0
        while True:
            rng = self.random("copies", name, attempt)
            chain = self._edited(rng, self.document(name, attempt), targets)
            if chain:
                _require_similarities(chain, targets)
                return chain
            attempt += 1

    def _edited(
        self, rng: np.random.Generator, first: Document, targets: Sequence[float]
    ) -> list[Document]:
        chain = [first]
        spans = [match.span() for match in WORD.finditer(first.response)]
        places = _apart(rng, first.response, spans)
        size = len(shingles(first.text))
        for target in targets:
            inner, last = divmod(round(size * (1 - target) / (1 + target)), SHINGLE)
            if len(places) < inner:
                return []
            chosen, places = places[:inner], places[inner:]
            if last:  # the word before the last ones stands in fewer shingles
                chosen = [*chosen, len(spans) - last]
            chain.append(self._replaced(rng, chain[-1], chosen))
        return chain

    def _other(self, rng: np.random.Generator, word: str) -> str:
        while (drawn := self.rare(rng, 1)[0]) == word:
            pass
        return drawn

    def _replaced(
        self, rng: np.random.Generator, document: Document, places: Sequence[int]
    ) -> Document:
        pieces, end = list[str](), 0
        spans = [match.span() for match in WORD.finditer(document.response)]
        for place in sorted(places):
            start, stop = spans[place]
            pieces += [
                document.response[end:start],
                self._other(rng, document.response[start:stop]),
            ]
            end = stop
        return replace(document, response="".join([*pieces, document.response[end:]]))


def _require_similarities(chain: Sequence[Document], targets: Sequence[float]) -> None:
    sets = [shingles(document.text) for document in chain]
    for one, other, target in zip(sets, sets[1:], targets, strict=False):
        found = jaccard(one, other)
        assert abs(found - target) <= 0.012, f"similarity {found:.3f} instead of {target}"


def _syllables(seed: int) -> list[str]:
    """Words of two or three syllables, whose consonants make no English number or negation."""
    rng = np.random.default_rng(derive_seed(seed, "vocabulary"))
    ends = ("", "", "", *"lnrsk")
    parts = [c + v + end for c in "bdfhklmnprstz" for v in "aeiou" for end in ends]
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(parts[at] for at in rng.integers(len(parts), size=rng.integers(2, 5)))] = None
    return list(found)


def _apart(rng: np.random.Generator, text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Places of plain words, in random order, no two of them in one shingle, none near the end."""
    taken = np.zeros(len(spans), dtype=bool)
    found = []
    for place in rng.permutation(len(spans) - 2 * SHINGLE).tolist():
        near = slice(max(0, place - SHINGLE + 1), place + SHINGLE)
        if not taken[near].any() and PLAIN.fullmatch(text, *spans[place]):
            taken[place] = True
            found.append(place)
    return found


def _insert(rng: np.random.Generator, sentence: list[str], domain: str) -> None:
    """Now and then a number, a quantity or a formula, in place of a word."""
    if rng.random() < 0.3:
        place = int(rng.integers(1, len(sentence)))
        number = str(rng.integers(2, 999))
        sentence[place] = {"maths": formula(rng), "stem": f"{number} kg"}.get(domain, number)


def formula(rng: np.random.Generator) -> str:
    """LaTeX without a blank."""
    a, b, c, d = rng.integers(2, 99, size=4)
    return rf"$\frac{{{a}}}{{{b}}}x+{c}(y-{d})$"


def _code(rng: np.random.Generator) -> str:
    a, b, c = rng.integers(2, 999, size=3)
    loop = f"for i in range(n):\n        s += i * {b} % {c}"
    return f"def f(n):\n    s = {a}\n    {loop}\n    return s"
