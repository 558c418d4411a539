"""Letters of options in responses in Chinese and English: one, or a set of them.

The verifier of choices reads boxes, marks, and plain sentences. Here the spellings that exams and
models add are put into those: full-width letters, quotes, an option called right, an option's words
after its letter, several letters in a row or with commas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Problem
from stages.rewards.science import judge_choice
from stages.rewards.stated import PASS, SHOWN, judge_stated, unparsed, wrong

WIDE = {ord("Ａ") + at: chr(ord("A") + at) for at in range(26)}
WIDE |= {ord("ａ") + at: chr(ord("a") + at) for at in range(26)}
WIDE |= {ord("．"): ". "}
LEADS = (
    r"(?:(?:因此|所以|故|综上(?:所述|可知)?|于是|从而|则|那么|最后|最终|由此(?:可见|可知)?|可见|可知|显然)"
    r"[，,、：:]?\s{0,2}){0,3}"
)
STATES = r"(?:应该?)?(?:是|为|[：:])"
REWRITTEN = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"</?(?:b|strong|em|i|u)>", ""),
        (r"[「『“‘《〈【\"'`]([A-J]{1,8})[」』”’》〉】\"'`]", r"\1"),
        (
            r"(?m)(?:^|(?<=[。；！，.;!,]))([ \t*_#>]{0,6})"
            r"(?:我(?:认为|觉得|会|将|的)?|(?:本|此|该|这道?)题的?|综合(?:以上)?(?:分析|来看)?|"
            r"(?:经|根据)(?:以上|上述)?(?:分析|推理)(?:可知|得出)?|由此(?:可见|可知))[，,：:]?\s?"
            r"(?=(?:(?:最终|最后|最佳|正确)的?)?(?:答案|选项)|应?该?选)",
            r"\1",
        ),
        (
            r"(?m)(?:^|(?<=[。；！，.;!,]))([ \t*_#>]{0,6}(?:因此|所以|故|综上)?[，,]?)"
            rf"(?:正确|最佳)的?选项(?=\s?{STATES})",
            r"\1正确答案",
        ),
        (rf"(答案\s?{STATES}\s?[*_]{{0,2}})选?项\s?(?=[*_(（]{{0,3}}[A-J])", r"\1"),
        (r"选项\s{1,3}([A-J])\s{0,3}(是|为)?\s{0,3}(?=正确)", r"选项\1\2"),
    )
)
"""What stands before a letter, or around it, and says nothing of it."""

REASONED = re.compile(
    rf"(答案\s?{STATES}\s?[*_(（]{{0,3}}[A-J][*_)）]{{0,3}})[，,]\s?"
    r"(?=因为|由于|理由|原因|即|也就是|它|这|该|其)"
)
"""A sentence that goes on after its letter."""

CALLED = re.compile(
    rf"(?:^|(?<=[\n。；！，;!])){LEADS}(?:只有|应(?:该)?选|选择?)?\s?[*_(（]{{0,3}}(?P<letter>[A-J])[*_)）]{{0,3}}\s?"
    r"(?:选?项)?(?P<said>\s?(?:是|为)?\s?(?:唯一)?(?:最)?(?:正确|符合题意|对)的?(?:答案|选项|一项)?|选?项)"
    r"[*_]{0,2}\s?(?=[。.！!；;]?\s*$|[，,])"
)
"""The last sentence calls one option right: B项正确, 因此B是正确答案, 选择B选项."""
ITEM = re.compile(
    r"(?<=[A-J])\s?(?:[一两二三四五六]\s?个?\s?)?(?:选项|项)(?=[\s*_。；，！.,;)）]|$)"
)
SEPARATOR = r"(?:\s{0,2}(?:[、，,;；/&+]|和|与|及|以及|\band\b|\\,|\$)\s{0,2}){1,3}"
ROW = re.compile(rf"(?<![A-Za-z])[(（]?[A-J][)）]?(?:{SEPARATOR}[(（]?[A-J][)）]?)+(?![A-Za-z])")
BOXES = re.compile(r"\\boxed\{\s*(?:\\text\{)?\s*([A-J]{1,8})\s*\}?\s*\}")
BOX_ROW = re.compile(
    rf"{BOXES.pattern}(?:(?:{SEPARATOR}|\s{{1,2}}){BOXES.pattern})+".replace(
        "([A-J]{1,8})", "[A-J]{1,8}"
    )
)
CHOSEN = re.compile(
    rf"(?m)(?:^|(?<=[。；！，.;!]))[ \t*_#>]{{0,6}}{LEADS}(?:本题|此题|该题|正确|应该?|答案)*\s?"
    r"选(?:择|项)?(?:是|为)?\s?[：:]?\s?[*_(（$]{0,4}(?P<letters>[A-J]{2,8})[*_)）$]{0,4}项?"
    r"(?=[\s。；，！.,;]|$)"
)
LETTERS, LETTER = "ABCDEFGHIJ", re.compile("(?<!\\\\)[A-J](?![a-z])")
TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")


def plain(text: str, options: Sequence[str] = ()) -> str:
    """A response with its letters as the verifier of choices reads them.

    ``options``: words that, after their own letter, say nothing more than it does.

    >>> plain("答案是「Ｂ」"), plain("答案：B、北京", ("上海", "北京"))
    ('答案是B', '答案：B')
    """
    text = text.translate(WIDE)
    for pattern, put in REWRITTEN:
        text = pattern.sub(put, text)
    text = REASONED.sub(r"\1。", _without_words(text, options))
    return ITEM.sub("", _called(text))


def _without_words(text: str, options: Sequence[str]) -> str:
    """A response in which no letter is followed by the words of its own option."""
    found = [
        rf"{letter}(?:[、，,:：.)）\s]{{1,4}}{said}|\s?[(（]\s?{said}\s?[)）])"
        for letter, words in zip(ascii_uppercase, options, strict=False)
        if (said := re.escape(words.translate(WIDE).strip()))
    ]
    if not found:
        return text
    pattern = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(found)})(?!\w)")
    return pattern.sub(lambda one: one[0][0] + (")" if one[0][1] in ")）" else ""), text)


def _called(text: str) -> str:
    """The last sentence as a statement, where it calls one option right and no other is."""
    found = list(CALLED.finditer(text))
    letters = {one["letter"] for one in found}
    if not found or len(letters) > 1 or found[-1].end() < len(text.rstrip(" \n。.！!*_")):
        return text
    return f"{text[: found[-1].start()]}\nThe answer is {found[-1]['letter']}"


def check(problem: Problem, text: str) -> Judgement:
    """Whether a response states the right letter, or all of them where ``meta["several"]``."""
    options = problem.meta.get("options", ())
    if problem.meta.get("several"):
        return judge_letters(problem.answer, text, options)
    return judge_choice(problem.answer, plain(text, options))


def judge_letters(gold: str, text: str, options: Sequence[str] = ()) -> Judgement:
    """Whether a response states exactly the letters of the gold, in any order.

    VerifierError if the gold has none. One box a letter counts as one answer.
    """
    expected = read_letters(gold)
    if expected is None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no row of letters. Correct the row.")
    text = BOX_ROW.sub(_one_box, plain(text, options))
    text = CHOSEN.sub(r"\nThe answer is \g<letters>\n", ROW.sub(_one_row, text))
    return judge_stated(text, lambda said: _same(expected, said), prose=False)


def _one_box(row: re.Match[str]) -> str:
    return rf"\boxed{{{''.join(found[1] for found in BOXES.finditer(row[0]))}}}"


def _one_row(row: re.Match[str]) -> str:
    return "".join(LETTER.findall(row[0]))


def _same(expected: frozenset[str], said: str) -> Judgement:
    letters = read_letters(said)
    if letters is None:
        return unparsed(f"no letters are stated in {said[:SHOWN]!r}")
    return PASS if letters == expected else wrong(f"other letters: {''.join(sorted(letters))}")


def read_letters(text: str) -> frozenset[str] | None:
    """The letters that a text consists of; None if it holds anything else.

    >>> sorted(read_letters("(A), C and D") or ()), read_letters("A cat")
    (['A', 'C', 'D'], None)
    """
    bare = TEXT.sub(r"\1", text).strip(" $*_`.。\n")
    row = "".join(LETTER.findall(bare)) if ROW.fullmatch(bare) else bare
    row = row.replace(" ", "").strip("()[]{}")
    return frozenset(row) if row and set(row) <= set(LETTERS) else None
