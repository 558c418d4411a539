"""What a judge model is to those who ask it: prompts in, replies out, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Scores = Callable[[Sequence[tuple[str, str]]], list[float]]
"""The score of each (prompt, answer), in order; one that is no finite number is a failure."""


@dataclass(frozen=True)
class Reply:
    """What a model said; ``failure`` says why there is no text, and is empty if there is one.

    ``cut``: the limit of tokens came first.
    """

    text: str = ""
    failure: str = ""
    cut: bool = False


def name_at(model: str, temperature: float) -> str:
    """A model's name for keys and results: what is drawn from it is not what it says greedily.

    >>> name_at("m", 0.0), name_at("m", 1.0)
    ('m', 'm at temperature 1')
    """
    return f"{model} at temperature {temperature:g}" if temperature else model


class Asker(Protocol):
    """One model that answers prompts."""

    @property
    def model(self) -> str:
        """The model's name, part of the key of each of its replies."""
        ...

    def ask(self, prompts: Sequence[str], seeds: Sequence[int]) -> Iterator[Reply]:
        """One reply a prompt, in order, each as soon as those before it are there.

        ``seeds``, one a prompt, settle what is drawn where a temperature is above 0. A prompt
        without an answer is a reply with its failure, never an error.
        """
        ...


@dataclass
class Scripted:
    """A model that answers by a function of the prompt, and remembers what it was asked."""

    script: Callable[[str], str | Reply]
    model: str = "scripted"
    asked: list[str] = field(default_factory=list)

    def ask(self, prompts: Sequence[str], seeds: Sequence[int]) -> Iterator[Reply]:
        del seeds
        for prompt in prompts:
            self.asked.append(prompt)
            said = self.script(prompt)
            yield said if isinstance(said, Reply) else Reply(said)
