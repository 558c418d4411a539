"""Who may ask: those with a token, or without one those on this machine."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from stages.base.errors import ConfigError

OPEN = "/health"
SHORTEST = 16  # characters of a token
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine, as clients write them."""


def read_tokens(variable: str) -> tuple[str, ...]:
    """The tokens in an environment variable, blanks between them; none if it has no name.

    Several, so that a token can be replaced and trainers can have their own. ConfigError if the
    variable is empty or a token is easily guessed.
    """
    if not variable:
        return ()
    tokens = tuple(os.environ.get(variable, "").split())
    if not tokens:
        raise ConfigError(
            f"--key-variable {variable}: the environment variable holds no token. Set it, for "
            'example: export {0}="$(openssl rand -hex 32)".'.replace("{0}", variable)
        )
    if any(len(token) < SHORTEST or not token.isascii() for token in tokens):
        raise ConfigError(
            f"--key-variable {variable}: a token has {SHORTEST} ASCII characters or more."
        )
    return tokens


def refuse_open(host: str, tokens: tuple[str, ...]) -> None:
    """ConfigError for an address that others reach, without a token."""
    if tokens or is_loopback(host):
        return
    raise ConfigError(
        f"--host {host}: without a token the service runs on this machine alone (127.0.0.1). Give "
        "--key-variable with the name of an environment variable that holds a token."
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Access:
    """Middleware. Writes into a request's scope who asks: ``owner``, a name for the token.

    Without tokens, requests must name this machine as their host, or a page in a browser could ask
    under a name of its own that leads here.
    """

    def __init__(self, app: ASGIApp, tokens: tuple[str, ...]) -> None:
        self._app = app
        self._tokens = {hashlib.sha256(token.encode()).digest() for token in tokens}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope.get("path") == OPEN:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        scope["owner"] = self._owner(headers)
        if scope["owner"] is None:
            challenge = {"WWW-Authenticate": "Bearer"}
            return _fault(401, "A token is asked for: 'Authorization: Bearer ...'.", challenge)
        if not self._tokens and _name(headers.get("host", "")) not in LOOPBACK:
            return _fault(421, "Without a token, ask under the name 127.0.0.1 or localhost.")
        kind = headers.get("content-type", "")
        if scope.get("method") == "POST" and not kind.lower().startswith("application/json"):
            return _fault(415, "The body must be JSON: 'Content-Type: application/json'.")
        return None

    def _owner(self, headers: Headers) -> str | None:
        """A name for who asks; None for a stranger. Takes as long whatever the token is."""
        if not self._tokens:
            return ""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        digest = hashlib.sha256(given.strip().encode("utf-8", "replace")).digest()
        known = [hmac.compare_digest(digest, token) for token in self._tokens]
        return digest.hex() if any(known) and scheme.lower() == "bearer" else None


def _name(host: str) -> str:
    """A host without its port."""
    return host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host


def _fault(status: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": message}, status, headers)
