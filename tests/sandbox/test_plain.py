"""Plain values come back as they went, types and all; anything else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.sandbox.plain import NotPlainError, decode, encode

KEYS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    KEYS | st.floats(allow_nan=False) | st.binary(max_size=5) | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.frozensets(KEYS, max_size=4)
        | st.sets(KEYS, max_size=4)
    ),
    max_leaves=12,
)


def shape(value):
    if isinstance(value, list | tuple):
        return type(value), [shape(one) for one in value]
    if isinstance(value, dict):
        return dict, [(shape(key), shape(one)) for key, one in value.items()]
    return type(value), value


@given(VALUES)
def test_values_come_back_as_they_went(value):
    assert shape(decode(encode(value))) == shape(value)


class Equal(int):
    """Claims to equal everything."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize("value", [Equal(1), object(), [Equal(1)], {Equal(1): 1}, len, int, ...])
def test_what_is_no_plain_data_is_refused(value):
    with pytest.raises(NotPlainError, match="not plain"):
        encode(value)


def test_a_cycle_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(NotPlainError, match="levels"):
        encode(loop)


@pytest.mark.parametrize(
    "data",
    [b"", b"1", b"[]", b'["i"]', b'["i", 1]', b'["q", 1]', b'["l", 5]', b"\xff", b"[" * 9999],
)
def test_bytes_that_are_no_value_are_refused(data):
    with pytest.raises(NotPlainError):
        decode(data)
