"""Seeds depend on the run seed and the item, and on nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.base.seeds import derive_seed, seeded_random


def test_a_seed_is_the_same_in_every_process() -> None:
    assert derive_seed(0, "chain", 17) == 5064144558247761492


@given(st.integers(), st.text(), st.integers())
def test_seeds_fit_63_bits(run: int, name: str, number: int) -> None:
    assert 0 <= derive_seed(run, name, number) < 2**63


def test_items_do_not_run_into_one_another() -> None:
    assert derive_seed(1, "a", "bc") != derive_seed(1, "ab", "c")
    assert derive_seed(1, 12) != derive_seed(11, 2)
    assert seeded_random(0, "x").random() == seeded_random(0, "x").random()
