"""What a family of problems is: it draws instances, writes them down, solves and checks them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any, Generic, Literal, TypeVar, get_args, get_type_hints

from stages.base.errors import VerifierError

Notation = Literal["compact", "text"]
"""``compact``: whitespace-separated symbols, one token an item. ``text``: English."""

I = TypeVar("I")  # noqa: E741


class Family(ABC, Generic[I]):
    """One kind of puzzle. ``I`` is its instance, a frozen dataclass of numbers, words and tuples.

    ``words`` are all symbols of the compact notation but the thinking tags and the closing word;
    ``pool`` is about how many different instances a training set can draw (None: plenty).
    """

    name: str
    domain: str
    kind: type[I]
    words: tuple[str, ...]
    pool: int | None = None

    @abstractmethod
    def sample(self, rng: Random) -> I:
        """Draw one instance that is short enough for the compact notation."""

    def draw(self, rng: Random, notation: Notation) -> I:
        """Draw an instance for a notation: English has room for larger ones than symbols have."""
        del notation
        return self.sample(rng)

    @abstractmethod
    def key(self, instance: I) -> str:
        """Canonical key: equal if and only if the puzzle is the same, whatever the wording."""

    @abstractmethod
    def difficulty(self, instance: I) -> str:
        """A short label of how long the way to the answer is."""

    @abstractmethod
    def prompt(self, instance: I, notation: Notation) -> str:
        """The question."""

    @abstractmethod
    def trace(self, instance: I, notation: Notation, rng: Random) -> str:
        """The careful worked solution; ``rng`` decides where the solver has a choice."""

    @abstractmethod
    def answer(self, instance: I, notation: Notation) -> str:
        """One right answer, as it is written after the thinking."""

    def worked(self, instance: I, notation: Notation, rng: Random) -> tuple[str, str]:
        """A worked solution and the answer it arrives at."""
        return self.trace(instance, notation, rng), self.answer(instance, notation)

    @abstractmethod
    def read(self, text: str, notation: Notation) -> object | None:
        """The answer a text states; None when it states none."""

    def read_block(self, text: str) -> object | None:
        """The answer a whole English text states on several lines; None when it states none so."""
        del text
        return None

    @abstractmethod
    def right(self, instance: I, answer: Any) -> bool:
        """Whether an answer that was read solves the instance."""

    def check(self, instance: I, text: str, notation: Notation) -> bool:
        """Whether a final answer, written as text, is right."""
        answer = self.read(text, notation)
        return answer is not None and self.right(instance, answer)

    def load(self, values: Mapping[str, Any]) -> I:
        """An instance from its JSON form; VerifierError if that is not one of this family.

        Its own answer must pass: of a problem that nothing solves, no answer would be "wrong".
        """
        try:
            instance = self.kind(**{name: _freeze(value) for name, value in values.items()})
            kind: Any = self.kind  # mypy takes no type[I] for hashable
            hints = _hints(kind)
            odd = [name for name in hints if not _fits(getattr(instance, name), hints[name])]
            sound = not odd and self.check(instance, self.answer(instance, "compact"), "compact")
        except (TypeError, ValueError, LookupError, ArithmeticError) as error:
            raise VerifierError(
                f"{self.name}: not an instance of this family ({error!r})."
            ) from error
        if not sound:
            reason = f"wrong type: {', '.join(odd)}" if odd else "nothing solves it"
            raise VerifierError(f"{self.name}: not an instance of this family ({reason}).")
        return instance


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _freeze(value: Any) -> Any:
    return tuple(_freeze(item) for item in value) if isinstance(value, list | tuple) else value


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type an instance's field declares (int, str, or tuples of them)."""
    if isinstance(hint, type):
        return type(value) is hint
    if not isinstance(value, tuple):
        return False
    items = get_args(hint)
    if items[-1] is Ellipsis:
        return all(_fits(item, items[0]) for item in value)
    return len(value) == len(items) and all(map(_fits, value, items))
