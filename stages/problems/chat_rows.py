"""General prompts: chat, translation, questions and answers of forums, checkable instructions.

A given response is kept as the reference, for a judge to look at; no rule compares with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stages.base.errors import DataError
from stages.base.records import NO_VERIFIER
from stages.problems.outside import Draft, Fields, Parsed, Unfit, from_json, text, turns

LANGUAGES = {
    "cs": "Czech",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "is": "Icelandic",
    "ja": "Japanese",
    "ru": "Russian",
    "uk": "Ukrainian",
    "zh": "Chinese",
}


def magpie(fields: Fields) -> list[Parsed]:
    """Magpie and its kin: instruction and response, or one conversation of two turns."""
    if isinstance(fields.get("instruction"), str):
        return [_referenced(text(fields, "instruction"), text(fields, "response", "output"))]
    return [_conversation(turns(fields, "conversations", "messages"))]


def autoif(fields: Fields) -> list[Parsed]:
    """AutoIF-instruct: a conversation whose instruction was checked by programs.

    The programs are not part of the rows, so a judge has to look at a response.
    """
    return [_conversation(turns(fields, "messages", "conversations", "conversation"))]


def zhihu(fields: Fields) -> list[Parsed]:
    """Zhihu-KOL: a question and the answer of one person, who is not named here."""
    return [_referenced(text(fields, "INSTRUCTION"), text(fields, "RESPONSE"))]


def wmt(fields: Fields) -> list[Parsed]:
    """A WMT pair: ``{translation: {de: .., en: ..}}``, or the languages in ``lg`` as ``en-zh``.

    The first language is the source. A pair without a stated direction is read as it is written.
    """
    pair = fields.get("translation")
    direction = fields.get("lg", fields.get("lang_pair"))
    pair = pair if isinstance(pair, Mapping) else fields
    names = direction.split("-") if isinstance(direction, str) else _pair_of(pair)
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(LANGUAGES):
        raise DataError(f"no pair of known languages ({', '.join(LANGUAGES)})")
    source, target = names
    said, reference = text(pair, source), text(pair, target)
    if said == reference:
        return [Unfit("the translation is the original")]
    prompt = f"Translate from {LANGUAGES[source]} into {LANGUAGES[target]}.\n\n{said}"
    return [Draft(prompt, reference, NO_VERIFIER, {"pair": f"{source}-{target}"})]


def _pair_of(pair: Mapping[str, Any]) -> list[str]:
    return [name for name in pair if name in LANGUAGES]


def ifeval(fields: Fields) -> list[Parsed]:
    """IFEval's layout: prompt, ids of instructions, and the arguments of each.

    What checks a response stands in ``meta["instructions"]``, in the layout of its data set.
    """
    ids, arguments = fields.get("instruction_id_list"), fields.get("kwargs")
    if not isinstance(ids, list) or not isinstance(arguments, list) or len(ids) != len(arguments):
        raise DataError("fields 'instruction_id_list' and 'kwargs' are no lists of one length")
    if not ids or not all(isinstance(name, str) for name in ids):
        raise DataError("field 'instruction_id_list' holds no ids")
    prompt, given = text(fields, "prompt"), [_without_nothing(each) for each in arguments]
    row = {"prompt": prompt, "instruction_id_list": ids, "kwargs": given}
    return [Draft(prompt, "", "instructions", {"instructions": row})]


def rlvr_ifeval(fields: Fields) -> list[Parsed]:
    """RLVR-IFeval: a conversation, and in ``ground_truth`` the function that checks a response."""
    truth = from_json(fields, "ground_truth")
    if not isinstance(truth, Mapping) or not isinstance(truth.get("func_name"), str):
        raise DataError("field 'ground_truth' names no function")
    prompt = _prompt(turns(fields, "messages"))
    if isinstance(prompt, Unfit):
        return [prompt]
    messages = [{"role": "user", "content": prompt}]
    row = {"messages": messages, "ground_truth": json.dumps(_without_nothing(truth))}
    return [Draft(prompt, "", "instructions", {"instructions": row})]


def _without_nothing(arguments: Any) -> dict[str, Any]:
    """Arguments that are given: tables fill the others with null."""
    if not isinstance(arguments, Mapping):
        raise DataError("an instruction's arguments are no object")
    return {str(name): value for name, value in arguments.items() if value is not None}


def _conversation(said: list[tuple[str, str]]) -> Parsed:
    prompt = _prompt(said)
    if isinstance(prompt, Unfit):
        return prompt
    answers = [words for role, words in said if role == "assistant"]
    return _referenced(prompt, answers[0] if answers else "")


def _prompt(said: list[tuple[str, str]]) -> str | Unfit:
    """The prompt of a conversation of one question; a system turn stands before it."""
    asked = [words for role, words in said if role == "user"]
    if len(asked) != 1:
        return Unfit("not a conversation of one question")
    before = [words for role, words in said if role == "system" and words]
    return "\n\n".join([*before, asked[0]])


def _referenced(prompt: str, reference: str) -> Draft:
    return Draft(prompt, reference, NO_VERIFIER)
