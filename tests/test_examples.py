"""The example rows: each faulty one is found for its own reason, each sound one is kept."""

from __future__ import annotations

import io
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stages import problem_file
from stages.base.jsonl import read_json, read_jsonl
from stages.base.params import NearDedup, RlSource
from stages.base.records import Problem, Ran
from stages.cleaning.files import NGRAM, clean_file
from stages.cleaning.problem_rows import refuse_unreadable, repaired_rows
from stages.problem_file import check_file
from stages.problems.intake import Doors, Intake, sft_keys, take_in
from stages.rewards.golds import problem_fault
from stages.rewards.router import verify
from stages.row_file import page_of_file
from tests.problems.rows import source
from tests.problems.runs import InProcess

FOLDER = Path(__file__).resolve().parents[1] / "data/raw/examples"
SCHEMAS = {
    "maths": "math",
    "science": "choice",
    "molecules": "molecule",
    "code": "code",
    "logic": "logic",
    "instructions": "ifeval",
    "chat": "magpie",
    "preferences": "arena",
}
LEFT_OUT = {
    ("decontamination", "benchmark_other_numbers"): "maths-024",
    ("decontamination", "benchmark_text"): "maths-014 stem-024",
    ("exact_dedup", "same_text"): "maths-029 other-034 other-035 stem-021",
    ("harm", "cyber_crime"): "other-001",
    ("harm", "drug_instructions"): "other-026",
    ("harm", "fraud"): "other-021",
    ("harm", "threat"): "other-024",
    ("harm", "violence_instructions"): "other-003 other-037",
    ("harm", "weapon_instructions"): "other-028",
    ("near_dedup", "same_text_nearly"): "code-020 maths-017 maths-023 stem-027",
    ("quality", "chat_marker"): "other-020",
    ("quality", "empty_prompt"): "other-036",
    ("quality", "empty_response"): "stem-020",
    ("quality", "foreign_thinking_tag"): "maths-001",
    ("quality", "invented_turn"): "other-019",
    ("quality", "malformed_thinking"): "stem-001",
    ("quality", "no_final_answer"): "maths-013 stem-006",
    ("quality", "repetition"): "code-019 maths-040 other-032",
    ("quality", "text_before_thinking"): "maths-026",
    ("quality", "thinking_in_prompt"): "stem-011",
    ("quality", "unclosed_thinking"): "maths-019",
    ("quality", "unreadable_characters"): "other-018",
}
"""Rows of sft.jsonl by step and reason."""

REPAIRED = "code-008 maths-036 other-011 other-023 other-025 other-038 stem-009 stem-028 stem-033"
REFUSED = 2
SEEN = "How many positive divisors does 504 have?"

DROPPED: dict[str, dict[str, int]] = {
    "maths": {
        "a copy": 2,
        "asks for a proof": 1,
        "copies disagree about the answer": 2,
        "the answer is the letter of an option": 1,
        "the gold cannot be used": 2,
        "the prompt needs a picture": 1,
    },
    "science": {
        "copies disagree about the answer": 2,
        "multiple choice: an open-ended version is used": 6,
        "multiple choice: an option refers to other options": 1,
        "multiple choice: another option contains the answer": 1,
        "multiple choice: the answer is a judgement of the kind true or false": 1,
        "multiple choice: the answer is no word and no number": 1,
        "multiple choice: the answer is too long to check by rule": 1,
        "multiple choice: the question is an open sentence": 1,
        "multiple choice: the question leans on its options": 1,
        "the prompt needs a picture": 1,
        "two options are alike": 1,
    },
    "molecules": {
        "a copy": 1,
        "copies disagree about the answer": 2,
        "the gold cannot be used": 1,
    },
    "code": {
        "a copy": 1,
        "no wrong mutant fails the tests": 1,
        "several outputs are right and no checker is given": 1,
        "the expected output is the input": 1,
        "the solution fails its own tests": 2,
    },
    "logic": {"a copy": 1, "held out for benchmarks": 1, "no checker for this family": 1},
    "instructions": {"a copy": 1, "the gold cannot be checked": 2},
    "chat": {"not a conversation of one question": 1, "the prompt needs a picture": 1},
    "preferences": {
        "a copy": 1,
        "a response is empty, or both are the same": 1,
        "a tie: no preference": 2,
        "not a conversation of one question": 1,
        "the prompt needs a picture": 1,
        "the two sides were asked different things": 1,
    },
}
KEPT = {
    "maths": 10,
    "science": 4,
    "molecules": 4,
    "code": 8,
    "logic": 6,
    "instructions": 6,
    "chat": 5,
    "preferences": 7,
}
PAIRS, PAIR_COPIES = 5, 1
ACROSS = 2  # a question of maths and science, and a prompt of chat and preferences


class BothStyles(InProcess):
    """These files' programs, which end and do no harm; read from and printed to texts as well."""

    def _run(self, row: Mapping[str, Any]) -> Ran:
        if row["mode"] == "function":
            return super()._run(row)
        printed = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
            patch.setattr(sys, "stdin", io.StringIO(row["input"]))
            try:
                exec(row["program"], {})
            except (ArithmeticError, EOFError, LookupError, TypeError, ValueError) as error:
                return Ran(None, repr(error))
        return Ran(printed.getvalue())


def of_file(name: str) -> RlSource:
    return source(SCHEMAS[name], name, path=str(FOLDER / f"{name}.jsonl"))


def checked(name: str, output: Path) -> dict[str, Any]:
    check_file(of_file(name), None, output)
    return read_json(output / "report.json")


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem_file, "open_sandbox", lambda _: nullcontext(BothStyles()))


@pytest.fixture(scope="module")
def cleaned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("cleaned")
    files = (FOLDER / "sft.jsonl", FOLDER / "benchmark.jsonl")
    clean_file(*files, output / "out", NGRAM, page=page_of_file)
    return output / "out"


@pytest.fixture(scope="module")
def together(cleaned: Path) -> Intake:
    """All files in one intake, as in the stage; a row that cannot be read is refused."""
    doors = Doors(
        repaired_rows,
        partial(refuse_unreadable, max_bad_share=0.0),
        verify,
        problem_fault,
        lambda texts: ["" for _ in texts],
        lambda _: True,
        BothStyles(),
    )
    seen = sft_keys(read_jsonl(cleaned / "kept.jsonl"), of_texts=True)
    return take_in([of_file(name) for name in SCHEMAS], doors, (), seen, modulus=10, seed=0)


def test_every_file_is_named_with_its_licence_in_the_readme() -> None:
    lines = (FOLDER.parent / "README.md").read_text(encoding="utf-8").splitlines()
    for file in FOLDER.iterdir():
        (line,) = (line for line in lines if line.startswith(f"| `examples/{file.name}` |"))
        assert "Apache-2.0" in line


def test_faulty_sft_rows_go_for_their_own_reason_and_no_other_row_goes(cleaned: Path) -> None:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in read_jsonl(cleaned / "dropped.jsonl"):
        found[item["step"], item["reason"]].append(item["id"])
    assert {key: " ".join(sorted(ids)) for key, ids in found.items()} == LEFT_OUT
    kept = read_jsonl(cleaned / "kept.jsonl")
    left = sum(len(ids.split()) for ids in LEFT_OUT.values())
    assert len(kept) + left == len(read_jsonl(FOLDER / "sft.jsonl"))
    assert {row["domain"] for row in kept} == {"maths", "stem", "code", "other"}


def test_rows_alike_that_differ_in_a_number_stay(cleaned: Path) -> None:
    shingles = [
        set(zip(*(words[at:] for at in range(5)), strict=False))
        for row in read_jsonl(cleaned / "kept.jsonl")
        if row["prompt"].startswith("A gardener plants tulips")
        for words in [f"{row['prompt']} {row['response']}".split()]
    ]
    one, other = shingles
    assert len(one & other) / len(one | other) > NearDedup().jaccard


def test_broken_characters_are_repaired_and_refusals_counted(cleaned: Path) -> None:
    given = {row["id"]: row for row in read_jsonl(FOLDER / "sft.jsonl")}
    kept = read_jsonl(cleaned / "kept.jsonl")
    assert sorted(row["id"] for row in kept if row != given[row["id"]]) == REPAIRED.split()
    report = read_json(cleaned / "report.json")
    assert report["repairs"] == {
        "control_character": 3,
        "format_character": 7,
        "line_end": 1,
        "lone_surrogate": 1,
        "mojibake": 2,
        "noncharacter": 1,
        "private_use": 1,
        "terminal_sequence": 2,
    }
    assert report["harm"]["refused"] == REFUSED


@pytest.mark.parametrize("name", SCHEMAS)
def test_faulty_problems_go_for_their_own_reason(
    name: str, in_process: None, tmp_path: Path
) -> None:
    report = checked(name, tmp_path / "out")
    assert report["dropped"] == DROPPED[name]
    assert report["kept"] == KEPT[name]
    assert report["sources"][name]["unreadable"] == 0
    if name == "preferences":
        assert (report["preferences"], report["preference_copies"]) == (PAIRS, PAIR_COPIES)


@pytest.mark.slow
def test_programs_have_the_same_outcome_in_the_sandbox(
    in_process: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inside = checked("code", tmp_path / "inside")
    monkeypatch.undo()
    assert checked("code", tmp_path / "outside") == inside


def test_copies_across_files_and_problems_of_the_sft_rows_are_found(together: Intake) -> None:
    kept = [*together.problems, *together.open]
    assert len(kept) == sum(KEPT.values()) - ACROSS
    reasons = together.figures["set_aside"]
    assert reasons["a copy"] == sum(found.get("a copy", 0) for found in DROPPED.values()) + ACROSS
    assert [problem.prompt for problem in kept if problem.meta["seen_in_sft"]] == [SEEN]


def test_weak_tests_are_told_from_sound_ones(together: Intake) -> None:
    def notes(word: str) -> dict[str, int]:
        (found,) = (one for one in together.problems if word in one.prompt)
        return dict(found.meta["checks"])

    weak, strong = notes("`greet(hour)`"), notes("`runs(word)`")
    assert weak["mutants_failed"] < weak["mutants"] == strong["mutants_failed"]
    assert notes("largest sum of a row")["outside_constraints"] == 1
    made = {one.prompt for one in of_family(together, "code") if one.meta["checks"]["tests_made"]}
    shaped = [row for row in read_jsonl(FOLDER / "code.jsonl") if "shape" in row]
    assert made == {row["problem"] for row in shaped}


def of_family(intake: Intake, family: str) -> list[Problem]:
    return [problem for problem in intake.problems if problem.family == family]


def test_several_languages_and_puzzle_families_are_kept(together: Intake) -> None:
    assert {"english", "german", "chinese"} <= {
        pair.meta["language"] for pair in together.preferences
    }
    families = {problem.family for problem in together.problems}
    assert {"knights", "sudoku", "maze", "game24", "pattern", "open_ended"} <= families
