"""Kept replies: found by the whole question, appended whole, safe after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.base.errors import DataError, ResourceError
from stages.evals.judges.store import Store, key_of


def kept(path: Path, **replies: str) -> Store:
    store = Store(path)
    with store.open():
        for key, reply in replies.items():
            store.add(key, reply)
    return store


@pytest.mark.field_bug("E29")
def test_a_key_is_of_model_version_and_whole_prompt() -> None:
    one = key_of("m", "p v1", "text")
    assert len(one) == 64
    others = [("n", "p v1", "text"), ("m", "p v2", "text"), ("m", "p v1", "text "), ("m", "", "")]
    assert len({one, *(key_of(*other) for other in others)}) == 5
    assert key_of("m", "p v1", "\ud800")  # a lone surrogate has a key too


def test_what_was_kept_is_found_again_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "v.jsonl"
    kept(path, a="one\ntwo", b="ü")
    store = Store(path)
    assert [store.get(key) for key in ("a", "b", "c")] == ["one\ntwo", "ü", None]
    assert store.hits == 2


def test_the_first_reply_of_a_key_counts(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    kept(path, a="one")
    kept(path, a="two", b="three")
    assert [json.loads(line)["reply"] for line in path.read_text().splitlines()] == ["one", "three"]


@pytest.mark.parametrize("left", [b'{"key": "b", "rep', b'{"key": "b", "reply": "\xc3', b"{"])
def test_a_last_line_torn_by_a_kill_is_asked_for_again(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "v.jsonl"
    kept(path, a="one")
    path.write_bytes(path.read_bytes() + left)
    assert Store(path).get("b") is None
    kept(path, b="two")
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == ["a", "b"]


def test_a_file_written_by_hand_without_a_last_line_end_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text('{"key": "a", "reply": "one"}')
    kept(path, b="two")
    assert [Store(path).get(key) for key in "ab"] == ["one", "two"]


def test_what_another_run_added_since_is_neither_lost_nor_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    store = kept(path, a="one")
    kept(path, b="two")
    with store.open():
        assert store.get("b") == "two"
        store.add("c", "three")
        with pytest.raises(ResourceError, match="another run is writing"):
            kept(path, d="four")
    assert [Store(path).get(key) for key in "abcd"] == ["one", "two", "three", None]


@pytest.mark.parametrize(
    ("line", "said"),
    [("{", r"v\.jsonl:1: not JSON"), ('{"key": "a"}', r"v\.jsonl:1: a row is"), ("[]", ":1: ")],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(line + '\n{"key": "b", "reply": "two"}\n')
    with pytest.raises(DataError, match=said):
        Store(path)


def test_without_a_file_replies_live_as_long_as_the_store(tmp_path: Path) -> None:
    store = Store()
    with store.open():
        store.add("a", "one")
    assert store.get("a") == "one"
