"""Shared by all tests: the package's process settings come first, and no test touches the network."""

from __future__ import annotations

import stages  # noqa: F401  (sets thread counts and offline switches before torch is imported)
