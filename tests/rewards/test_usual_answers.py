"""Answers as models write them in English and Chinese, and the ways in which they hide none.

They stand in ``usual_answers.txt``, by verifier, in the form of ``tables``.
"""

from pathlib import Path

import pytest

from stages.rewards.extraction import marked_bold, without_courtesies
from tests.rewards.tables import is_judged_as_its_line_says
from tests.tables import each

pytestmark = pytest.mark.slow  # many cases

HEAD = "%% "


def cases():
    """Verifier and line of each case."""
    found, verifier = [], ""
    for line in (Path(__file__).parent / "usual_answers.txt").read_text("utf-8").splitlines():
        if line.startswith(HEAD):
            verifier = line.removeprefix(HEAD)
        else:
            found.append((verifier, line))
    return found


@each(("verifier", "line"), cases())
def test_an_answer_is_judged_as_its_line_says(verifier, line):
    assert is_judged_as_its_line_says(verifier, line)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("It is 4. Would you like more?", "It is 4."),
        ("4\n\nFeel free to ask! Let me know if it helps.", "4"),
        ("是4。希望对你有帮助！", "是4。"),
        ("4\n\nLet me know if this is wrong.", None),
        ("4\n\nIf you want, 5 also works.", None),
    ],
)
def test_only_an_offer_of_help_is_left_out(said, kept):
    assert without_courtesies(said) == (said if kept is None else kept)


def test_a_bold_line_is_marked_if_nothing_after_it_speaks_of_another_answer():
    assert marked_bold("**4**\n\n**Check:** 2 + 2.").startswith("Answer: 4\n")
    for said in ("**4**\n\nCheck: this fails.", "**4** Check: 2", "\\boxed{4}\n**4**\n\nCheck: 2"):
        assert marked_bold(said) == said
