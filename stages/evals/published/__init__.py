"""Published benchmarks: their files, and scores for responses to them from any generator."""
