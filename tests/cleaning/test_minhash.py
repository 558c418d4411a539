"""MinHash: the signatures are datasketch's, the bands find what the formula says."""

import numpy as np
import pytest

from stages.cleaning.minhash import SCHEME, SEED, band_keys, found_share, signatures


def sets_of_hashes(count, seed=0):
    rng = np.random.default_rng(seed)
    return [
        rng.integers(0, 2**32, rng.integers(1, 60), dtype=np.uint32, endpoint=False)
        for _ in range(count)
    ]


def reference(hashes, length):
    from datasketch import MinHash  # brings scipy

    sketch = MinHash(num_perm=length, seed=SEED, scheme=SCHEME, hashfunc=lambda value: value)
    sketch.update_batch(hashes.tolist())
    return sketch


@pytest.mark.field_bug("D26")
@pytest.mark.parametrize("length", [16, 112, 192])
def test_signatures_are_those_of_datasketch_for_the_same_hashes(length):
    sets = sets_of_hashes(20)
    signed = signatures(np.concatenate(sets), np.array(list(map(len, sets))), length)
    for own, hashes in zip(signed, sets, strict=True):
        assert np.array_equal(own, reference(hashes, length).hashvalues)


@pytest.mark.field_bug("D29")
def test_no_texts_have_no_signatures():
    signed = signatures(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.int64), 8)
    assert band_keys(signed, 2).shape == (0, 2)


@pytest.mark.field_bug("D25", "D26")
def test_the_same_pairs_meet_in_a_band_as_in_the_index_of_datasketch():
    from datasketch import MinHashLSH

    rng = np.random.default_rng(1)
    sets = sets_of_hashes(30)
    for hashes in sets[:15]:  # each of these gets a like
        other = hashes.copy()
        other[: len(other) // 6] = rng.integers(0, 2**32, len(other) // 6, dtype=np.uint32)
        sets.append(other)
    index = MinHashLSH(num_perm=40, params=(10, 4))
    for name, hashes in enumerate(sets):
        index.insert(name, reference(hashes, 40))
    signed = signatures(np.concatenate(sets), np.array(list(map(len, sets))), 40)
    keys = band_keys(signed, 10)
    for name, hashes in enumerate(sets):
        met = np.flatnonzero((keys == keys[name]).any(axis=1)).tolist()
        assert met == sorted(index.query(reference(hashes, 40)))


@pytest.mark.field_bug("D25")
def test_the_s_curve_is_the_formula():
    assert found_share(0.8, 14, 8) == pytest.approx(0.924, abs=1e-3)
    assert found_share(0.8, 9, 13) == pytest.approx(0.399, abs=1e-3)  # datasketch's own choice
    assert (found_share(1.0, 5, 5), found_share(0.0, 5, 5)) == (1.0, 0.0)
