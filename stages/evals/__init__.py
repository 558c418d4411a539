"""L1: benchmarks: which there are, how responses are drawn and scored, what a score is worth."""
