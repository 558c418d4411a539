"""Filters for SFT rows, pure functions: rows in; kept and dropped rows, with reasons, out."""
