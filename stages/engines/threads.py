"""How many threads compute: some for training, one for sampling.

One sampling thread makes reruns bit-exact and avoids spinning on a busy machine. vLLM replaces
``torch.set_num_threads`` by a no-op for the whole process when its CPU worker starts, so the real
function is taken here, before any engine is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

set_threads = torch.set_num_threads
"""The real setter; import this module before the first engine."""


@contextmanager
def training_threads(count: int) -> Iterator[None]:
    """Compute with ``count`` threads inside the block, then with as many as before."""
    before = torch.get_num_threads()
    set_threads(count)
    try:
        yield
    finally:
        set_threads(before)


@contextmanager
def sampling_threads() -> Iterator[None]:
    """Compute with one thread inside the block, then with as many as before."""
    with training_threads(1):
        yield
