"""Nobody without a token asks anything, and without tokens nobody from elsewhere does."""

from __future__ import annotations

import pytest

from stages.base.errors import ConfigError
from stages.sandbox.service.access import read_tokens, refuse_open
from tests.sandbox.service.serving import OTHER, TOKEN, served

pytestmark = pytest.mark.slow  # a server

CLOSED = ("/ready", "/metrics", "/v1/limits", "/mcp", "/v1/check", "/run_code", "/nothing")


@pytest.fixture(scope="module")
def guarded():
    with served(tokens=(TOKEN, OTHER)) as client:
        yield client


def test_only_health_is_open(guarded):
    for given in (None, "", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xe9", TOKEN):
        headers = {} if given is None else {"Authorization": given.encode("latin-1")}
        del guarded.headers["Authorization"]
        assert guarded.get("/health", headers=headers).json() == {"status": "alive"}
        for path in CLOSED:
            answer = guarded.post(path, headers=headers, json={})
            assert (answer.status_code, "www-authenticate" in answer.headers) == (401, True)
        guarded.headers["Authorization"] = f"Bearer {TOKEN}"


def test_each_token_opens(guarded):
    for token in (TOKEN, OTHER):
        headers = {"Authorization": f"bearer {token}", "Host": "any.example"}
        assert guarded.get("/ready", headers=headers).json() == {"status": "ready"}


def test_without_tokens_a_page_in_a_browser_reaches_nothing():
    with served() as client:
        port = client.base_url.port
        for host, status in (("evil.example", 421), (f"localhost:{port}", 200), ("[::1]", 200)):
            assert client.get("/ready", headers={"Host": host}).status_code == status
        form = {"Content-Type": "text/plain"}
        assert client.post("/v1/check", content=b"{}", headers=form).status_code == 415


def test_tokens_come_from_the_environment_and_are_long(monkeypatch):
    assert read_tokens("") == ()
    monkeypatch.setenv("KEYS", f" {TOKEN}\n{OTHER} ")
    assert read_tokens("KEYS") == (TOKEN, OTHER)
    for value in ("", "  ", "short", f"{TOKEN} short"):
        monkeypatch.setenv("KEYS", value)
        with pytest.raises(ConfigError, match="--key-variable KEYS"):
            read_tokens("KEYS")


def test_an_address_of_the_network_needs_a_token():
    for host in ("0.0.0.0", "::", "10.1.2.3", "sandbox.example"):
        with pytest.raises(ConfigError, match="without a token"):
            refuse_open(host, ())
        refuse_open(host, (TOKEN,))
    for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"):
        refuse_open(host, ())
