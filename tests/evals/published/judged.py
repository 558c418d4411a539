"""Judges that follow rules, for the mini sets: what they find is known, and reads like a model's.

``python -m tests.evals.published.judged`` writes what they say of the mini sets' responses to
``verdicts.jsonl`` beside them, after a prompt was changed.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stages.evals.judges.asker import Reply, Scripted
from stages.evals.judges.judging import UNNAMED, Panel
from stages.evals.judges.store import Store
from stages.evals.published.creative_writing import CRITERIA, LESS_IS_BETTER
from stages.evals.published.score import score_file
from tests.evals.published.minis import MINI
from tests.problems.runs import Broken

SETS = ("right.jsonl", "mixed.jsonl")


def fenced(prompt: str, name: str) -> str:
    """What stands in the prompt's fence of that name."""
    block = rf"(?ms)^<<<{name.upper()} ([0-9a-f]{{16}})>>>\n(.*?)\n<<<END \1>>>$"
    found = re.search(block, prompt)
    assert found, f"no fence {name}"
    return found[2]


def says(verdict: str, *lines: str) -> str:
    return "\n".join(["<think>Let me see.</think>", "It is clear.", *lines, "", _line(verdict)])


def _line(verdict: str) -> str:
    return f"Verdict: [[{verdict}]]"


def _quoted(text: str) -> list[str]:
    return re.findall('"([^"]+)"', text)


def hle(prompt: str) -> str:
    gold, response = fenced(prompt, "right_answer"), fenced(prompt, "response")
    stated = (re.findall(r"(?m)^Answer: (.*)$", response) or [response.split("\n")[0]])[-1]
    right = gold.lower() in re.findall(r"[\w]+", stated.lower())
    sure = (re.findall(r"Confidence: (\d+)", response) or ["100"])[-1]
    return says("yes" if right else "no", f"Answer: {stated}", f"Confidence: {sure}")


def healthbench(prompt: str) -> str:
    answer, words = fenced(prompt, "answer"), _quoted(fenced(prompt, "criterion"))
    return says("yes" if all(word in answer for word in words) else "no")


def multichallenge(prompt: str) -> str:
    response, words = fenced(prompt, "response"), _quoted(fenced(prompt, "question"))
    return says("yes" if all(word in response for word in words) else "no")


def worth(text: str) -> int:
    return int((re.findall(r"worth (\d+)", text) or ["0"])[-1])


def arena_hard(prompt: str) -> str:
    lead = worth(fenced(prompt, "answer_a")) - worth(fenced(prompt, "answer_b"))
    if not lead and "comes first" in fenced(prompt, "request"):
        return says("A>B")  # whichever stands first
    labels = {-2: "B>>A", -1: "B>A", 0: "A=B", 1: "A>B", 2: "A>>B"}
    return says(labels[max(-2, min(2, lead))])


def creative_writing(prompt: str) -> str:
    level = worth(fenced(prompt, "piece"))
    scores = {name: 20 - level if name in LESS_IS_BETTER else level for name in CRITERIA}
    lines = [f"{name}: {score}" for name, score in scores.items() if name != "Weak Dialogue"]
    return says("scored", *lines, "Weak Dialogue: N/A")


def olympiad(prompt: str) -> str:
    proof, solution = fenced(prompt, "proof"), fenced(prompt, "solution")
    return says("7" if proof == solution else str(worth(proof)))


SCRIPTS: dict[str, Callable[[str], str | Reply]] = {
    "hle": hle,
    "healthbench": healthbench,
    "multichallenge": multichallenge,
    "arena_hard": arena_hard,
    "creative_writing": creative_writing,
    "olympiad": olympiad,
}


def panel(name: str, store: Store | None = None) -> Panel:
    return Panel(store or Store(), Scripted(SCRIPTS[name]))


def judged(
    name: str, responses: Path, output: Path, by: Panel | None = None, share: float = 0.02
) -> dict[str, Any]:
    """Scores of responses to a mini set, by its script if no other panel is given."""
    data = MINI / name
    return score_file(name, responses, Broken(), data, output, None, by or panel(name), share)


def main() -> None:
    for name, script in SCRIPTS.items():
        path = MINI / name / "verdicts.jsonl"
        path.unlink(missing_ok=True)
        for file in SETS:
            by = Panel(Store(path), Scripted(script, UNNAMED))
            with tempfile.TemporaryDirectory() as folder:
                judged(name, MINI / name / file, Path(folder), by)


if __name__ == "__main__":
    main()
