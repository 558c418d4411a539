"""Where programs run: in namespaces of this machine, behind an address, or with no walls at all."""

from __future__ import annotations

import os
from collections.abc import Callable

from stages.base.errors import ConfigError
from stages.base.params import SandboxSettings
from stages.sandbox.local import LocalSandbox
from stages.sandbox.pool import Pool
from stages.sandbox.remote import RemoteSandbox
from stages.sandbox.unsafe import UnsafeRunner
from stages.sandbox.worker import Runner, Worker

LOCAL = ("namespaces", "unsafe")
"""The backends of this machine."""


def open_pool(backend: str, workers: int) -> Pool:
    """Workers of this machine; ConfigError for fewer than one."""
    if workers < 1:
        raise ConfigError(f"{workers} workers: the sandbox needs at least one.")
    return Pool(workers, runner(backend))


def runner(backend: str) -> Callable[[], Runner]:
    """What starts one worker of a backend."""
    return UnsafeRunner if backend == "unsafe" else Worker


def open_sandbox(settings: SandboxSettings) -> LocalSandbox | RemoteSandbox:
    """The sandbox that rewards and scores are measured in.

    ConfigError for a service that is not there, is not ready or does not know the token.
    """
    if settings.backend == "remote":
        return RemoteSandbox(settings)
    return LocalSandbox(open_pool(settings.backend, settings.workers or os.cpu_count() or 1))
