"""A language model behind an OpenAI-compatible address, asked once for each question.

Answers are kept on disk under the hash of the whole question (address, model, messages, sampling,
seed), so a second run reads the same bytes and needs no network. Nothing connects anywhere unless a
profile names an address; the API key comes from an environment variable and is never written.
Without a ``cache`` nothing is kept.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError
from stages.base.params import Endpoint

AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504))
"""Status codes after which the same question may succeed."""

SEEDS = 2**31  # servers read seeds as 32-bit integers
SHOWN = 200  # characters of a refusal that are quoted
UNENDED = "not ended by the model (finish_reason {})"
CUT = UNENDED.format("length")
"""The failure of an answer that the limit of tokens ended."""
PIECE = 1 << 16  # bytes read at a time
TRANSPORT = (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError)


@dataclass(frozen=True)
class Answer:
    """What the server said; ``failure`` says why there is no text, and is empty if there is one."""

    text: str = ""
    thinking: str = ""
    failure: str = ""


class Served:
    """Asks one model, with retries; ``sleep`` waits between them, in seconds."""

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        self._sleep = sleep
        self._headers = {"Content-Type": "application/json", **_authorization(endpoint)}

    def ask(self, messages: Sequence[dict[str, str]], seed: int) -> Answer:
        """The answer to a conversation: from disk if it was asked before, else from the server.

        Failures are answers too, but never kept: the next run asks again.
        """
        body = {
            "model": self._endpoint.model,
            "messages": list(messages),
            "temperature": self._endpoint.temperature,
            "max_tokens": self._endpoint.max_tokens,
            "seed": seed % SEEDS,
        }
        path = self._place(body) if self._endpoint.cache else None
        if path is not None and path.is_file():
            return _read(json.loads(path.read_text(encoding="utf-8")))
        reply, failure = self._post(body)
        answer = Answer(failure=failure) if reply is None else _read(reply)
        if path is not None and not answer.failure:
            _keep(path, reply)
        return answer

    def _place(self, body: dict[str, Any]) -> Path:
        question = json.dumps([self._endpoint.base_url, body], sort_keys=True)
        name = hashlib.sha256(question.encode()).hexdigest()
        return Path(self._endpoint.cache) / name[:2] / f"{name}.json"

    def _post(self, body: dict[str, Any]) -> tuple[Any, str]:
        """The server's JSON, or None and why; tried as often as the profile says."""
        failure = ""
        for attempt in range(self._endpoint.attempts):
            if attempt:
                self._sleep(self._endpoint.backoff * 2 ** (attempt - 1))
            try:
                return self._once(body), ""
            except urllib.error.HTTPError as error:
                with error:
                    failure = f"status {error.code} ({_quoted(error)})"
                if error.code not in AGAIN:
                    break
            except TRANSPORT as error:
                failure = f"no answer ({getattr(error, 'reason', error)!s})"
            except ValueError as error:
                failure = f"not JSON ({error})"
        return None, failure

    def _once(self, body: dict[str, Any]) -> Any:
        url = f"{self._endpoint.base_url.rstrip('/')}/chat/completions"
        # The address is checked to be one of HTTP where the profile is read.
        request = urllib.request.Request(url, json.dumps(body).encode(), self._headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=self._endpoint.patience) as reply:  # noqa: S310
            return json.loads(_whole(reply, time.monotonic() + self._endpoint.patience))


def _whole(reply: http.client.HTTPResponse, deadline: float) -> bytes:
    """All a server says; TimeoutError if it only trickles, which no timeout of a read notices."""
    parts = []
    while part := reply.read1(PIECE):
        parts.append(part)
        if time.monotonic() > deadline:
            raise TimeoutError("the reply did not end in time")
    return b"".join(parts)


def _authorization(endpoint: Endpoint) -> dict[str, str]:
    if not endpoint.key_variable:
        return {}
    key = os.environ.get(endpoint.key_variable)
    if not key:
        raise ConfigError(
            f"endpoint {endpoint.base_url}: the environment variable {endpoint.key_variable} holds "
            "no API key. Set it, or leave key_variable out."
        )
    return {"Authorization": f"Bearer {key}"}


def _quoted(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(SHOWN).decode("utf-8", "replace").strip()
    except TRANSPORT:
        return "without a reason"


def _read(reply: Any) -> Answer:
    """The first choice of a chat completion; an answer cut off or empty is a failure."""
    try:
        choice = reply["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        text, thinking = message["content"], message.get("reasoning_content")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        return Answer(failure=f"no chat completion ({error!r})")
    if ended != "stop":
        return Answer(failure=UNENDED.format(ended))
    if not isinstance(text, str) or not text.strip():
        return Answer(failure="an empty answer")
    return Answer(text, thinking if isinstance(thinking, str) else "")


def _keep(path: Path, reply: Any) -> None:
    """Write whole or not at all: other threads and later runs read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    part.write_text(json.dumps(reply, sort_keys=True), encoding="utf-8")
    part.replace(path)
