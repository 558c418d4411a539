"""Shared by all tests: the process settings of the package come first; no test needs a network."""

from __future__ import annotations

import stages  # noqa: F401  (sets thread counts and offline switches before torch is imported)
