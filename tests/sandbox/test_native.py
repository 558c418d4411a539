"""What a compiler leaves is taken only if it is a plain file."""

from __future__ import annotations

import os

import pytest

from stages.sandbox import native

MOST = 10


@pytest.mark.field_bug("S20", "S21")
def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path, monkeypatch):
    secret, made = tmp_path / "secret", tmp_path / "program"
    secret.write_bytes(b"secret")
    monkeypatch.setattr(native, "BINARY", str(made))
    for put in (
        lambda: made.symlink_to(secret),
        lambda: made.symlink_to(tmp_path / "nothing"),
        lambda: os.mkfifo(made),
        lambda: made.write_bytes(b"x" * (MOST + 1)),
    ):
        put()
        assert native.fetch(MOST) is None
        made.unlink()
    assert native.fetch(MOST) is None
    made.mkdir()
    assert native.fetch(MOST) is None
    made.rmdir()
    made.write_bytes(b"x" * MOST)
    assert native.fetch(MOST) == b"x" * MOST
