"""Verifiers: one judgement a response, shared by RL and benchmarks."""
