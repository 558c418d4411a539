"""What a corpus holds is counted row by row."""

from stages.cleaning.census import Census


def row(domain, phase=0, prompt="a b", response="c", **more):
    return {"domain": domain, "phase": phase, "prompt": prompt, "response": response, **more}


def made(style, closing, **more):
    return row("maths", family="chain", source="generated", style=style, closing=closing, **more)


def test_rows_and_words_by_domain_and_family_and_styles_by_phase():
    census = Census()
    for item in (
        made("careful", True),
        made("careful", False),
        made("answer_only", False, phase=1),
        row("code", phase=1, source="mine", response="c d e f"),
    ):
        census.add(item)
    found = census.describe(3)
    assert (found["rows"], found["tokens"]) == (4, 15)
    assert found["mixture"]["realised"] == {
        "rows": {"code": 0.25, "maths": 0.75},
        "tokens": {"code": 0.4, "maths": 0.6},
    }
    assert found["domains"] == {
        "code": {"rows": 1, "tokens": 6},
        "maths": {"rows": 3, "tokens": 9},
    }
    assert list(found["families"]) == ["chain", "mine"]
    assert found["phases"] == [
        {"rows": 2, "careful": 1.0, "closing": 0.5},
        {"rows": 2, "careful": 0.0, "closing": 0.0},
        {"rows": 0, "careful": 0.0, "closing": 0.0},
    ]


def test_an_empty_corpus_has_no_shares():
    assert Census().describe(1)["mixture"]["realised"] == {"rows": {}, "tokens": {}}
