"""Filters for SFT rows. Each is a pure function: rows in; kept rows, dropped rows with reasons out."""
