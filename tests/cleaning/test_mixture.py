"""The mixture: token shares come out, shortage is an error, surplus is accounted for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import DataError
from stages.base.shares import apportion
from stages.cleaning.corpus import capped_lines
from stages.cleaning.mixture import Length, Mixed, Part, mix


def rows(domain, count, words):
    return [Length(domain, words)] * count


def realised(stock, mixed):
    """Share of each domain in (rows, words)."""
    chosen = [stock[place] for place in mixed.kept]
    words = sum(row.words for row in chosen)
    return {
        domain: (
            sum(row.domain == domain for row in chosen) / len(chosen),
            sum(row.words for row in chosen if row.domain == domain) / words,
        )
        for domain in {row.domain for row in chosen}
    }


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
    stock = rows("maths", 400, 10) + rows("code", 400, 40)
    result = mix(stock, {"maths": 0.6, "code": 0.4}, 300)
    assert len(result.kept) == 300
    assert realised(stock, result)["maths"][0] > 0.8
    assert realised(stock, result)["maths"][1] == pytest.approx(0.6, abs=0.01)


def test_what_is_left_over_is_counted_with_its_reason():
    stock = rows("maths", 10, 1) + rows("poems", 2, 1)
    result = mix(stock, {"maths": 1.0}, 6)
    assert result.kept == list(range(6))
    assert list(result.left.values()) == ["over_share"] * 4 + ["domain_without_share"] * 2


def test_a_short_domain_is_an_error_that_names_it():
    with pytest.raises(DataError, match=r"domain code needs 5 rows.*only 3.*cap"):
        mix(rows("maths", 10, 1) + rows("code", 3, 1), {"maths": 0.5, "code": 0.5}, 10)


def test_a_short_phase_is_told_apart_from_what_cleaning_left():
    part = Part("phase 0 (65% of the corpus)", {"code": 100})
    stock = rows("maths", 90, 1) + rows("code", 61, 1)
    said = r"only 61 fell to phase 0 \(65% of the corpus\)"
    with pytest.raises(DataError, match=rf"needs 75 rows.*of the 100 rows left.*{said}"):
        mix(stock, {"maths": 0.5, "code": 0.5}, 150, part=part)
    with pytest.raises(DataError, match="no rows of stem in phase 0"):
        mix(stock, {"maths": 0.5, "stem": 0.5}, 10, part=part)


def test_a_cap_is_told_once_with_its_phases_where_it_is_not_all():
    def capped(**domains):
        return Mixed([], {}, {}, domains)

    assert capped_lines([capped(maths=61), capped(maths=39)]) == [
        "mixture: domain maths gives all its 100 rows, less than its share."
    ]
    assert capped_lines([capped(), capped(stem=3)]) == [
        "mixture: domain stem gives all its 3 rows of phase 1, less than its share."
    ]


def test_a_missing_domain_is_an_error_that_names_it():
    with pytest.raises(DataError, match="no rows of code"):
        mix(rows("maths", 10, 1), {"maths": 0.5, "code": 0.5}, 10)


def test_a_domain_with_share_zero_may_be_missing():
    assert len(mix(rows("maths", 10, 1), {"maths": 1.0, "code": 0.0}, 5).kept) == 5


def test_a_capped_domain_gives_all_it_has_and_the_others_keep_their_shares_of_the_rest():
    stock = rows("maths", 900, 10) + rows("stem", 900, 20) + rows("code", 7, 40)
    result = mix(stock, {"maths": 0.5, "stem": 0.25, "code": 0.25}, 400, "cap")
    assert result.capped == {"code": 7}
    assert result.wanted["code"] > 7
    assert len(result.kept) == 400
    shares = realised(stock, result)
    assert shares["maths"][1] / shares["stem"][1] == pytest.approx(2.0, abs=0.03)


def test_a_domain_that_gets_short_by_anothers_cap_is_capped_as_well():
    stock = rows("a", 1, 1) + rows("b", 5, 1) + rows("c", 100, 1)
    result = mix(stock, {"a": 0.5, "b": 0.25, "c": 0.25}, 20, "cap")
    assert (result.capped, len(result.kept)) == ({"a": 1, "b": 5}, 20)


def test_when_all_are_short_there_are_fewer_rows_and_all_are_named():
    result = mix(rows("a", 2, 1), {"a": 0.5, "b": 0.5}, 10, "cap")
    assert (result.kept, result.capped) == ([0, 1], {"a": 2, "b": 0})


@given(
    have=st.dictionaries(st.sampled_from("abcd"), st.integers(0, 30), min_size=1),
    total=st.integers(0, 60),
)
def test_a_cap_never_takes_more_than_there_is_and_fills_what_it_can(have, total):
    stock = [row for domain, count in have.items() for row in rows(domain, count, ord(domain))]
    result = mix(stock, dict.fromkeys(have, 1 / len(have)), total, "cap")
    assert len(result.kept) == min(total, len(stock))
    assert sorted([*result.kept, *result.left]) == list(range(len(stock)))
