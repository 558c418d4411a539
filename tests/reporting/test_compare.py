from __future__ import annotations

from stages.reporting.compare import MISSING, Section, as_markdown, as_text, changed_leaves


def test_changed_leaves_name_both_values_and_what_is_missing():
    before = {"rl": {"rate": 0.1, "clip": {"low": 0.2}, "betas": [0.9, 0.99]}, "seed": 0}
    after = {"rl": {"rate": 0.2, "clip": {"low": 0.2, "high": 0.3}, "betas": [0.9, 0.95]}}
    assert changed_leaves(before, after) == {
        "rl.rate": (0.1, 0.2),
        "rl.betas": ([0.9, 0.99], [0.9, 0.95]),
        "seed": (0, MISSING),
        "rl.clip.high": (MISSING, 0.3),
    }
    assert changed_leaves(before, before) == {}


def test_text_and_markdown_show_lines_and_tables():
    section = Section("Scores", ("one line",), ("name", "a|b"), (("long name", "1"), ("x", "2")))
    assert (
        as_text([section])
        == "Scores\n  one line\n  name       a|b\n  long name  1\n  x          2\n"
    )
    assert as_markdown([section]) == (
        "## Scores\n\n- one line\n\n| name | a\\|b |\n| --- | --- |\n| long name | 1 |\n| x | 2 |\n"
    )
