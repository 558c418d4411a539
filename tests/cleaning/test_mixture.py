"""The mixture: token shares come out, shortage is an error, surplus is accounted for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import DataError
from stages.base.shares import apportion
from stages.cleaning.mixture import mix, realised


def rows(domain, count, words):
    return [
        {"id": f"{domain}{i}", "domain": domain, "prompt": "w " * words, "response": "x"}
        for i in range(count)
    ]


@given(
    total=st.integers(0, 1000),
    weights=st.dictionaries(st.text(max_size=3), st.floats(0.01, 10), min_size=1, max_size=6),
)
def test_apportioned_counts_add_up_and_are_within_one_of_exact(total, weights):
    counts = apportion(total, weights)
    assert sum(counts.values()) == total
    whole = sum(weights.values())
    assert all(abs(counts[k] - total * w / whole) < 1 + 1e-6 for k, w in weights.items())


def test_token_shares_come_out_although_lengths_differ():
    stock = rows("maths", 400, 9) + rows("code", 400, 39)
    result = mix(stock, {"maths": 0.6, "code": 0.4}, 300)
    assert len(result.kept) == 300
    assert realised(result.kept)["tokens"]["maths"] == pytest.approx(0.6, abs=0.01)
    assert realised(result.kept)["rows"]["maths"] > 0.8


def test_what_is_left_over_is_counted_with_its_reason():
    stock = rows("maths", 10, 1) + rows("poems", 2, 1)
    result = mix(stock, {"maths": 1.0}, 6)
    assert [item.reason for item in result.dropped] == ["over_share"] * 4 + [
        "domain_without_share"
    ] * 2
    assert len(result.kept) + len(result.dropped) == len(stock)


def test_a_short_domain_is_an_error_that_names_it():
    with pytest.raises(DataError, match=r"domain code needs 5 rows.*only 3"):
        mix(rows("maths", 10, 1) + rows("code", 3, 1), {"maths": 0.5, "code": 0.5}, 10)


def test_a_missing_domain_is_an_error_that_names_it():
    with pytest.raises(DataError, match="no rows of code"):
        mix(rows("maths", 10, 1), {"maths": 0.5, "code": 0.5}, 10)


def test_a_domain_with_share_zero_may_be_missing():
    assert len(mix(rows("maths", 10, 1), {"maths": 1.0, "code": 0.0}, 5).kept) == 5
