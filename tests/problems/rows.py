"""Small samples in the layouts of public data sets, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stages.base.params import RlSource
from stages.problems.outside import Outside, parse_rows
from stages.problems.schemas import DOMAINS, SCHEMAS

DAPO_PROMPT = (
    "Solve the following math problem step by step. The last line of your response should be of "
    "the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n"
    '{}\n\nRemember to put your answer on its own line after "Answer:".'
)


def source(schema: str, name: str = "s", **changes: Any) -> RlSource:
    """A source of some schema, in the first domain that fits."""
    domain = changes.pop("domain", min(DOMAINS[SCHEMAS[schema].kind]))
    base = {"name": name, "kind": "jsonl", "path": f"data/raw/{name}.jsonl", "domain": domain}
    return RlSource(**{**base, "schema": schema, **changes})


def parsed(schema: str, *rows: dict[str, Any], **changes: Any) -> Outside:
    """What the parser of a schema makes of some rows."""
    raws = [(Path("a.jsonl"), number, row, "") for number, row in enumerate(rows, start=1)]
    return parse_rows(source(schema, **changes), SCHEMAS[schema], raws)


def taco_row(**changes: Any) -> dict[str, Any]:
    """A row of TACO or APPS: JSON inside of texts."""
    base = {
        "question": "Read n, then n numbers. Print the largest.",
        "solutions": json.dumps(["n = int(input())\nprint(max(map(int, input().split())))\n"]),
        "input_output": json.dumps({"inputs": ["3\n1 5 2\n", "1\n4\n"], "outputs": ["5\n", "4\n"]}),
        "difficulty": "EASY",
        "starter_code": "",
    }
    return {**base, **changes}


ROWS: dict[str, dict[str, Any]] = {
    "math": {"problem": "What is 6 times 7?", "solution": r"So \boxed{42}.", "level": "Level 1"},
    "gsm8k": {"question": "Ann has 1,200 pens and buys 3. How many?", "answer": "add\n#### 1,203"},
    "dapo": {
        "prompt": [{"role": "user", "content": DAPO_PROMPT.format("Find x if 2x = 10.")}],
        "reward_model": {"ground_truth": "5", "style": "rule"},
        "ability": "MATH",
    },
    "choice": {
        "question": "What is the chemical symbol of gold?",
        "choices": {"text": ["Ag", "Au", "Fe", "Pb"], "label": ["A", "B", "C", "D"]},
        "answerKey": "B",
    },
    "sciq": {
        "question": "What gas do plants take in?",
        "correct_answer": "carbon dioxide",
        "distractor1": "oxygen",
        "distractor2": "helium",
        "distractor3": "nitrogen",
    },
    "code": {
        "problem": "Add two numbers.",
        "solution": "def add(a, b):\n    return a + b\n",
        "entry": "add",
        "tests": [{"input": [1, 2], "output": 3}],
    },
    "taco": taco_row(),
    "apps": taco_row(),
    "leetcode": {
        "task_id": "two-sum",
        "problem_description": "Indices of two numbers that add up to target, in any order.",
        "prompt": "from typing import List",
        "completion": "class Solution:\n    def twoSum(self, nums, target):\n        return [0, 1]",
        "entry_point": "Solution().twoSum",
        "input_output": [{"input": "nums = [3, 3], target = 6", "output": "[0, 1]"}],
        "difficulty": "Easy",
    },
    "molecule": {"question": "Draw ethanol.", "smiles": "<SMILES> CCO </SMILES>"},
    "logic": {"family": "charge", "instance": {"terms": [["Na", 1], ["Cl", 2], ["Mg", 1]]}},
    "magpie": {
        "conversations": [
            {"from": "human", "value": "Name a colour."},
            {"from": "gpt", "value": "Blue."},
        ]
    },
    "autoif": {
        "messages": [
            {"role": "system", "content": "Answer in capitals."},
            {"role": "user", "content": "Name a colour."},
            {"role": "assistant", "content": "BLUE"},
        ]
    },
    "zhihu": {"INSTRUCTION": "怎样学习编程？", "RESPONSE": "多写。", "SOURCE": "Zhihu"},
    "wmt": {"translation": {"de": "Guten Morgen.", "en": "Good morning."}},
    "ifeval": {
        "key": 1,
        "prompt": "Write without commas.",
        "instruction_id_list": ["punctuation:no_comma"],
        "kwargs": [{"num_words": None}],
    },
    "rlvr_ifeval": {
        "messages": [{"role": "user", "content": "Answer in lower case."}],
        "ground_truth": json.dumps({"func_name": "validate_lowercase", "N": None}),
    },
    "arena": {
        "model_a": "a",
        "model_b": "b",
        "winner": "model_b",
        "language": "English",
        "conversation_a": [
            {"role": "user", "content": [{"type": "text", "text": "Hi, name a tree."}]},
            {"role": "assistant", "content": [{"type": "text", "text": "No."}]},
        ],
        "conversation_b": [
            {"role": "user", "content": "Hi, name a tree."},
            {"role": "assistant", "content": "Oak."},
        ],
    },
    "stackoverflow": {
        "question": "<p>How do I <code>x &lt; y</code>?</p>",
        "answers": [
            {"text": "<p>No.</p>", "pm_score": 0, "selected": False},
            {"text": "<p>Like this.</p>", "pm_score": 4, "selected": True},
        ],
    },
}
"""One sound row of each schema."""
