"""Verifiable instructions: what a prompt asks of a response's form, checked without a model."""
