"""Rows on disk: found again by number, in any order; what a killed run left is not read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.cleaning.rowfile import SHARD_BYTES, RowFile, encode


def test_rows_come_back_in_any_order(tmp_path):
    rows = [{"id": str(number), "text": "é\u2028\n" * number} for number in range(9)]
    stored = RowFile(tmp_path / "new/rows.jsonl")
    stored.append(map(encode, rows[:4]))
    stored.append(map(encode, rows[4:]))
    assert len(stored) == 9
    assert [row["id"] for row in stored.rows((8, 0, 3, 4, 4))] == ["8", "0", "3", "4", "4"]
    assert stored.row(7) == rows[7]
    assert b"".join(stored.lines(range(9))) == (tmp_path / "new/rows.jsonl").read_bytes()


@pytest.mark.field_bug("D22", "D23")
def test_what_a_killed_run_left_behind_is_not_read(tmp_path):
    (tmp_path / "rows.jsonl").write_bytes(b'{"id": "old"}\n{"id": "cut')
    stored = RowFile(tmp_path / "rows.jsonl")
    stored.append([encode({"id": "new"})])
    assert stored.row(0) == {"id": "new"}
    assert (tmp_path / "rows.jsonl").read_bytes() == b'{"id": "new"}\n'


@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.sampled_from([1, 10, SHARD_BYTES // 3, 2 * SHARD_BYTES]), max_size=8))
def test_stretches_hold_all_rows_once_and_are_small(tmp_path_factory, sizes):
    stored = RowFile(tmp_path_factory.mktemp("s") / "rows.jsonl")
    stored.append(b"x" * size for size in sizes)
    shards = list(stored.shards())
    assert [at for shard in shards for at in range(*shard)] == list(range(len(sizes)))
    for begin, end in shards:
        assert sum(sizes[begin:end]) <= SHARD_BYTES or end == begin + 1
