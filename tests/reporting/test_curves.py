from stages.reporting.curves import smooth, span


def test_smoothing_keeps_constants_and_bridges_gaps() -> None:
    assert smooth([2.0, None, 2.0], 3) == [2.0, 2.0, 2.0]
    assert smooth([None], 3) == [None]


def test_the_span_leaves_gaps_out() -> None:
    assert span([3.0, None, -1.0]) == (-1.0, 3.0)
    assert span([None]) is None
