"""Plain values come back as they went, types and all; anything else is refused."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, namedtuple
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.sandbox.plain import NotPlainError, decode, encode
from tests.tables import each

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


@pytest.mark.parametrize(
    ("value", "base"),
    [
        (Counter("aab"), {"a": 2, "b": 1}),
        (OrderedDict(a=1), {"a": 1}),
        (namedtuple("P", "x y")(1, [Counter("a")]), (1, [{"a": 1}])),
        (IntEnum("E", "a").a, 1),
    ],
)
def test_what_a_program_gives_may_be_of_a_subclass_and_arrives_as_its_base(value, base):
    assert shape(decode(encode(value, exact=False))) == shape(base)
    with pytest.raises(NotPlainError):
        encode(value)


@pytest.mark.field_bug("S1")
def test_an_object_that_claims_to_equal_everything_arrives_as_what_it_holds():
    assert shape(decode(encode([Equal(1)], exact=False))) == shape([1])


class Equal(int):
    """Claims to equal everything."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@pytest.mark.field_bug("S1")
@pytest.mark.parametrize("value", [Equal(1), object(), [Equal(1)], {Equal(1): 1}, len, int, ...])
def test_what_is_no_plain_data_is_refused(value):
    with pytest.raises(NotPlainError, match="not plain"):
        encode(value)


def test_a_cycle_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(NotPlainError, match="levels"):
        encode(loop)


@each(
    "data",
    [
        b'["f", "0x1p99999"]',
        b'["e", [["l", []]]]',
        b'["d", [[["i", "1"]]]]',
        b'["i", ' + b"1" * 9999 + b"]",
        b"",
        b"1",
        b"[]",
        b'["i"]',
        b'["i", 1]',
        b'["q", 1]',
        b'["l", 5]',
        b"\xff",
        b"[" * 9999,
    ],
)
def test_bytes_that_are_no_value_are_refused(data):
    with pytest.raises(NotPlainError):
        decode(data)


@pytest.mark.parametrize("tag", ["e", "z", "d"])
def test_members_made_to_have_one_hash_are_refused_before_a_table_is_filled(tag):
    keys = [["i", hex((2**61 - 1) * i)] for i in range(5000)]
    members = [[key, ["n"]] for key in keys] if tag == "d" else keys
    with pytest.raises(NotPlainError):
        decode(json.dumps([tag, members]).encode())
