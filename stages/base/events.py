"""The one way to talk: lines for people on stderr, a progress bar on long work."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def say(message: str) -> None:
    """One line for the person who watches."""
    tqdm.write(message, file=sys.stderr)
    sys.stderr.flush()


def progress(items: Iterable[T], *, total: int, what: str, start: int = 0) -> Iterator[T]:
    """Pass items through under a progress bar; when not a terminal, a line every tenth."""
    if sys.stderr.isatty():
        yield from tqdm(items, total=total, desc=what, initial=start, leave=False)
        return
    tenth = max(1, total // 10)
    for number, item in enumerate(items, start=start + 1):
        yield item
        if number % tenth == 0 or number == total:
            say(f"{what}: {number} of {total}")
