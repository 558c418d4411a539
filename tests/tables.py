"""Tables of many small cases as one test.

A test of its own costs pytest two milliseconds, on two workers four: more than most cases compute.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str | tuple[str, ...], table: Iterable[Any]) -> Callable[..., Callable[..., None]]:
    """As ``pytest.mark.parametrize``, in one test: every case is tried, and all that fail named.

    What is no failed assertion ends the test at once, with its case noted. Fixtures are shared by
    the cases.
    """
    keys = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    cases = list(table) if len(keys) > 1 else [(value,) for value in table]
    assert cases, "a table without cases tests nothing"

    def whole_table(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            failed = []
            for values in cases:
                case = dict(zip(keys, values, strict=True))
                try:
                    test(**case, **fixtures)
                except (AssertionError, pytest.fail.Exception) as failure:
                    failed.append(f"{case}: {failure}")
                except Exception as error:
                    error.add_note(f"in the case {case}")
                    raise
            assert not failed, f"{len(failed)} of {len(cases)} cases:\n" + "\n".join(failed)

        given = inspect.signature(test)
        assert set(keys) <= set(given.parameters), f"{test.__name__} takes no {keys}"
        left = [given.parameters[name] for name in given.parameters if name not in keys]
        tried.__signature__ = given.replace(parameters=left)  # type: ignore[attr-defined]
        return tried

    return whole_table
