"""L1: benchmarks: which there are, how responses are drawn and scored, and what a score is worth."""
