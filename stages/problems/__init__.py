"""Families of verifiable problems: generators, canonical keys, worked solutions, checkers."""
