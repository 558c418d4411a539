"""Model-written code: where it runs, what it may use, and how its answers are judged."""
