"""Tables of answers, a line a case: + (must pass) or - (must not), gold, response, problem."""

from __future__ import annotations

from stages.base.records import Problem, Verdict
from stages.rewards.router import verify


def is_judged_as_its_line_says(verifier: str, line: str) -> bool:
    """Whether the verdict is a pass, or wrong or unparsed, as the sign of the line has it."""
    wanted, gold, response, *prompt = [line[:1], *line[2:].split(" ¦ ")]
    asked = Problem("p", "", "", "".join(prompt), gold, "p", meta={"verifier": verifier})
    found = verify(asked, response.replace("⏎", "\n"), "stop").verdict
    return found in ((Verdict.PASS,) if wanted == "+" else (Verdict.WRONG, Verdict.UNPARSED))
