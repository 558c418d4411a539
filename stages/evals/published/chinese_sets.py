"""C-Eval and CMMLU: Chinese questions with four options, a file for each subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.clusters import macro, shares_by
from stages.evals.published.entries import Entry
from stages.evals.published.totals import by_group
from stages.evals.scoring import Scored

OPTIONS = ("A", "B", "C", "D")
SPLITS = ("_val", "_dev", "_test")  # at the end of a file's name
ASKED = "请思考后作答，最后一行写“答案：”和正确选项的字母。"
CEVAL = {
    "STEM": """
        computer_network operating_system computer_architecture college_programming college_physics
        college_chemistry advanced_mathematics probability_and_statistics discrete_mathematics
        electrical_engineer metrology_engineer high_school_mathematics high_school_physics
        high_school_chemistry high_school_biology middle_school_mathematics middle_school_biology
        middle_school_physics middle_school_chemistry veterinary_medicine
    """,
    "Social Science": """
        college_economics business_administration marxism mao_zedong_thought education_science
        teacher_qualification high_school_politics high_school_geography middle_school_politics
        middle_school_geography
    """,
    "Humanities": """
        modern_chinese_history ideological_and_moral_cultivation logic law
        chinese_language_and_literature art_studies professional_tour_guide legal_professional
        high_school_chinese high_school_history middle_school_history
    """,
    "Other": """
        civil_servant sports_science plant_protection basic_medicine clinical_medicine
        urban_and_rural_planner accountant fire_engineer environmental_impact_assessment_engineer
        tax_accountant physician
    """,
    "Hard": """
        advanced_mathematics discrete_mathematics probability_and_statistics college_chemistry
        college_physics high_school_mathematics high_school_chemistry high_school_physics
    """,
}
"""Subjects of C-Eval by category; the hard ones are in another too."""

CMMLU = {
    "STEM": """
        anatomy astronomy college_actuarial_science college_engineering_hydrology
        college_mathematics college_medical_statistics computer_science conceptual_physics
        electrical_engineering elementary_mathematics genetics high_school_biology
        high_school_chemistry high_school_mathematics high_school_physics machine_learning virology
    """,
    "Humanities": """
        arts chinese_history chinese_literature college_law global_facts international_law
        jurisprudence logical marxist_theory philosophy professional_law world_history
        world_religions
    """,
    "Social Science": """
        ancient_chinese business_ethics chinese_civil_service_exam chinese_food_culture
        chinese_foreign_policy chinese_teacher_qualification college_education economics education
        elementary_chinese ethnology high_school_geography high_school_politics journalism
        management marketing modern_chinese professional_accounting professional_psychology
        public_relations security_study sociology
    """,
    "Other": """
        agronomy chinese_driving_rule clinical_knowledge college_medicine computer_security
        construction_project_management elementary_commonsense
        elementary_information_and_technology food_science human_sexuality legal_and_moral_basis
        nutrition professional_medicine sports_science traditional_chinese_medicine
    """,
    "China specific": """
        ancient_chinese chinese_civil_service_exam chinese_driving_rule chinese_food_culture
        chinese_foreign_policy chinese_history chinese_literature chinese_teacher_qualification
        construction_project_management elementary_chinese elementary_commonsense ethnology
        high_school_politics modern_chinese traditional_chinese_medicine
    """,
}
"""Subjects of CMMLU by category; those about China are in another too."""


def ceval(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``id``, ``question``, ``A`` to ``D``, ``answer``; the file, or its folder, is the subject."""
    del shuffle
    subject = _subject(entry, CEVAL)
    name = entry.text("id") if entry.has("id") else entry.name
    yield _problem(entry, f"{subject}/{name}", subject, "question")


def cmmlu(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``Question``, ``A`` to ``D``, ``Answer``; the file, or its folder, is the subject."""
    del shuffle
    subject = _subject(entry, CMMLU)
    yield _problem(entry, f"{subject}/{entry.name}", subject, "Question")


def _subject(entry: Entry, categories: Mapping[str, str]) -> str:
    known = {subject for subjects in categories.values() for subject in subjects.split()}
    file = entry.file
    for split in SPLITS:
        file = file.removesuffix(split)
    for name in (str(entry.row.get("subject") or ""), file, entry.folder):
        if name in known:
            return name
    raise DataError(
        f"{entry.where}: neither the file nor its folder is named after a subject, as in "
        f"{min(known)}.csv."
    )


def _problem(entry: Entry, name: str, subject: str, question: str) -> Problem:
    gold = str(entry.row.get("answer") or entry.row.get("Answer") or "").strip().upper()
    if gold not in OPTIONS:
        raise DataError(
            f"{entry.where}: the answer {gold!r} is none of A to D. A test split without answers "
            "cannot be scored: docs/benchmarks.md says which has them."
        )
    options = [entry.text(letter).strip() for letter in OPTIONS]
    lettered = [f"{letter}. {words}" for letter, words in zip(OPTIONS, options, strict=True)]
    prompt = "\n".join([entry.text(question).strip(), *lettered, "", ASKED])
    meta = {"verifier": "letters", "group": subject, "options": options}
    return problem_of(name, prompt, gold, "science", meta)


def ceval_measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``macro`` over subjects, the published average; ``categories``; ``subjects``."""
    return _measures(samples, CEVAL)


def cmmlu_measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``macro`` over subjects, the published average; ``categories``; ``subjects``."""
    return _measures(samples, CMMLU)


def _measures(samples: Sequence[Sample], categories: Mapping[str, str]) -> dict[str, Any]:
    def of(question: Scored) -> list[str]:
        subject = question.problem.meta["group"]
        return [name for name, subjects in categories.items() if subject in subjects.split()]

    subjects = by_group(samples)
    return {"macro": macro(subjects), "categories": shares_by(samples, of), "subjects": subjects}
