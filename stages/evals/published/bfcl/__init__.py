"""BFCL v3: calls of given functions, read from text and compared, or played on a small world."""
