"""Tests that came as pickles are read without being loaded, and nothing but a text is taken."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.evals.published import packed_tests
from stages.evals.published.packed_tests import PackedTest, unpacked

ROWS = [{"input": "1\né", "output": "2", "testtype": "stdin"}]
TESTS = [PackedTest("1\né", "2", "stdin")]


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


class Evil:
    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.made),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_text_is_read_whatever_the_protocol(protocol: int) -> None:
    assert unpacked("f:1", packed(pickle.dumps(json.dumps(ROWS), protocol))) == TESTS
    large = json.dumps(ROWS * 3000)
    assert len(unpacked("f:1", packed(pickle.dumps(large, protocol)))) == 3000


def test_plain_json_is_read_too() -> None:
    assert unpacked("f:1", json.dumps(ROWS)) == TESTS
    assert unpacked("f:1", "[]") == []


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_would_do_something_is_refused_and_does_nothing(
    protocol: int, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    data = pickle.dumps(Evil(made), protocol)
    with pytest.raises(DataError, match=r"f:1: the pickle .* does more"):
        unpacked("f:1", packed(data))
    assert not made.exists()
    pickle.loads(data)
    assert made.is_dir()  # it would have


@pytest.mark.field_bug("E27")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (packed(pickle.dumps(["[]"])), "does more"),
        (packed(pickle.dumps(b"[]")), "does more"),
        (packed(pickle.dumps(7)), "does more"),
        (packed(b"\x80\x04N."), "does more"),
        (packed(b"\x80\x04."), "holds 0 texts"),
        (packed(b"\x80\x04\x8c\x02[]\x8c\x02[]."), "holds 2 texts"),
        (packed(b"\x80\x04\x8c\x02["), "no pickle"),
        (packed(b""), "no pickle"),
        (packed(pickle.dumps("no JSON")), "must be a JSON list"),
        (packed(pickle.dumps("{}")), "must be a JSON list"),
        (packed(pickle.dumps("[]"))[:-8], "cut off"),
        ("%%%", "neither JSON nor packed"),
        (base64.b64encode(b"plain").decode(), "neither JSON nor packed"),
        ('{"a": 1}', "must be a JSON list"),
        ('[{"input": "1", "output": 2, "testtype": "stdin"}]', "f:1: test 0: 'input'"),
        ('[{"input": "1", "output": "2", "testtype": "other"}]', "f:1: test 0: 'input'"),
    ],
)
def test_what_holds_no_tests_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        unpacked("f:1", text)


def test_more_than_a_bound_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_tests, "LARGEST", 1000)
    with pytest.raises(DataError, match="cut off, or above"):
        unpacked("f:1", packed(pickle.dumps("[" + " " * 2000 + "]")))
