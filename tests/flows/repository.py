"""A git repository to read revisions from."""

from __future__ import annotations

import subprocess


def git(*arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t.invalid", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(branch: str) -> str:
    git("checkout", "-q", "-B", branch)
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", branch)
    return git("rev-parse", "HEAD")
