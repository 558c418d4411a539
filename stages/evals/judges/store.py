"""Replies of judges, kept by what was asked: a cache, and a way to bring replies from anywhere.

A JSON Lines file of ``{"key", "reply"}``. The key is the SHA-256 of model, prompt version and whole
prompt, so a reply stands for exactly that question. Lines are appended as replies come, each in one
write: a kill can tear no line but the last, which is then asked for again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stages.base.errors import DataError, ResourceError
from stages.base.jsonl import dump_line, parse_object
from stages.evals.judges.asker import Asker, Reply


def key_of(model: str, version: str, prompt: str) -> str:
    """The key of a question, 64 hex digits; ``version`` is the name and version of its prompt."""
    text = json.dumps([model, version, prompt], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Asked:
    """A question: its key, its whole prompt, and the seed of its answer."""

    key: str
    prompt: str
    seed: int


UNKNOWN = "no reply is known"


class Store:
    """Replies by key. The first reply of a key counts; ``hits`` are those that were found."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.hits = 0
        self._replies: dict[str, str] = {}
        self._whole = 0  # bytes of the file that are whole lines
        self._file = -1
        if path is not None and path.is_file():
            self._read(path)

    def get(self, key: str) -> str | None:
        """The reply to a question, if it is known."""
        found = self._replies.get(key)
        self.hits += found is not None
        return found

    def add(self, key: str, reply: str) -> None:
        """Keep a reply, in the file too while it is open for writing."""
        if key in self._replies:
            return
        self._replies[key] = reply
        if self._file >= 0:
            line = dump_line({"key": key, "reply": reply}) + "\n"
            os.write(self._file, line.encode())

    def replies(self, asker: Asker | None, asked: Sequence[Asked]) -> list[Reply]:
        """A reply to each question: the kept one, else that of the model, which is kept at once.

        Each key is asked for once; failures are not kept. Without a model what is not known is a
        failure.
        """
        found: dict[str, Reply] = {}
        fresh: dict[str, Asked] = {}
        for one in asked:
            if one.key in found or one.key in fresh:
                continue
            if (known := self.get(one.key)) is not None:
                found[one.key] = Reply(known)
            elif asker is None:
                found[one.key] = Reply(failure=UNKNOWN)
            else:
                fresh[one.key] = one
        if asker is not None and fresh:
            prompts = [one.prompt for one in fresh.values()]
            answers = asker.ask(prompts, [one.seed for one in fresh.values()])
            for key, reply in zip(fresh, answers, strict=True):
                if not reply.failure:
                    self.add(key, reply.text)
                found[key] = reply
        return [found[one.key] for one in asked]

    @contextmanager
    def open(self) -> Iterator[None]:
        """Append to the file until the block ends; a torn last line goes first.

        ResourceError if another run is writing to it.
        """
        if self.path is None:
            yield
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            _lock(self._file, self.path)
            self._whole = 0
            self._read(self.path)  # again: another run may have added to it
            os.ftruncate(self._file, self._whole)
            if self._whole and not self.path.read_bytes().endswith(b"\n"):
                os.write(self._file, b"\n")
            yield
        finally:
            os.close(self._file)
            self._file = -1

    def _read(self, path: Path) -> None:
        for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
            if line.strip():
                try:
                    row = parse_object(path, number, line)
                except DataError:
                    if not line.endswith(b"\n"):
                        return  # torn by a kill: asked for again
                    raise
                key, reply = row.get("key"), row.get("reply")
                if not isinstance(key, str) or not isinstance(reply, str):
                    raise DataError(
                        f"{path}:{number}: a row is {{'key', 'reply'}}, both texts. Keys are those "
                        "that `judge-prompts` writes."
                    )
                self._replies.setdefault(key, reply)
            self._whole += len(line)


def _lock(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ResourceError(
            f"{path}: another run is writing to it. Wait for it, or name another file."
        ) from error
