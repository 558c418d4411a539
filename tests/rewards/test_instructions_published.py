"""IFEval's 541 published prompts, where they are at hand, and the reference lm-eval comes with.

For each of their 834 instructions a response is made that follows it and one that just does not.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from stages.base.jsonl import read_jsonl
from stages.base.records import Verdict
from stages.rewards.instructions.checking import check_instructions
from stages.rewards.instructions.consistency import inconsistencies
from stages.rewards.instructions.languages import detected
from stages.rewards.instructions.registry import IFEVAL, Instruction, bound
from stages.rewards.instructions.rows import read_row
from tests.rewards.test_instructions import CASES

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "ifeval_input_data.jsonl"
needs_prompts = pytest.mark.skipif(not PUBLISHED.is_file(), reason=f"no {PUBLISHED.name}")

SPOKEN = {
    "ar": "الطقس جميل جدا اليوم وسنذهب إلى الحديقة بعد الظهر.",
    "bg": "Днес времето е много хубаво и следобед ще отидем в парка с децата.",
    "bn": "আজ আবহাওয়া খুব সুন্দর এবং আমরা বিকেলে পার্কে যাব।",
    "de": "Das Wetter ist heute sehr schön, und wir gehen am Nachmittag in den Park.",
    "fa": "امروز هوا خیلی خوب است و بعد از ظهر به پارک می‌رویم.",
    "fi": "Sää on tänään erittäin kaunis, ja menemme iltapäivällä puistoon lasten kanssa.",
    "gu": "આજે હવામાન ખૂબ સરસ છે અને અમે બપોરે બગીચામાં જઈશું.",
    "hi": "आज मौसम बहुत अच्छा है और हम दोपहर में पार्क जाएंगे।",
    "it": "Oggi il tempo è molto bello e nel pomeriggio andremo al parco con i bambini.",
    "kn": "ಇಂದು ಹವಾಮಾನ ತುಂಬಾ ಚೆನ್ನಾಗಿದೆ ಮತ್ತು ನಾವು ಮಧ್ಯಾಹ್ನ ಉದ್ಯಾನಕ್ಕೆ ಹೋಗುತ್ತೇವೆ.",
    "ko": "오늘은 날씨가 매우 좋아서 오후에 공원에 갈 것입니다.",
    "mr": "आज हवामान खूप छान आहे आणि आम्ही दुपारी बागेत जाणार आहोत.",
    "ne": "आज मौसम धेरै राम्रो छ र हामी दिउँसो पार्कमा जानेछौं।",
    "pa": "ਅੱਜ ਮੌਸਮ ਬਹੁਤ ਵਧੀਆ ਹੈ ਅਤੇ ਅਸੀਂ ਦੁਪਹਿਰ ਨੂੰ ਪਾਰਕ ਜਾਵਾਂਗੇ।",
    "pt": "O tempo está muito bonito hoje e à tarde vamos ao parque com as crianças.",
    "ru": "Сегодня очень хорошая погода, и после обеда мы пойдём с детьми гулять в парк.",
    "sw": "Hali ya hewa ni nzuri sana leo na mchana tutakwenda bustanini pamoja na watoto.",
    "ta": "இன்று வானிலை மிகவும் நன்றாக இருக்கிறது, நாங்கள் மதியம் பூங்காவிற்குச் செல்வோம்.",
    "te": "ఈరోజు వాతావరణం చాలా బాగుంది మరియు మేము మధ్యాహ్నం పార్కుకు వెళ్తాము.",
    "th": "วันนี้อากาศดีมากและเราจะไปสวนสาธารณะในตอนบ่าย",
    "ur": "آج موسم بہت اچھا ہے اور ہم دوپہر کو پارک جائیں گے۔",
    "vi": "Hôm nay thời tiết rất đẹp và chiều nay chúng tôi sẽ đi công viên.",
}
ENGLISH = "The weather is lovely today and we will walk to the park in the afternoon."


def counted(unit: str, number: int, relation: str) -> tuple[str, str]:
    """As many units as a relation allows at its edge, and one more or less than that."""
    edge = number if relation == "at least" else number - 1
    beyond = edge - 1 if relation == "at least" else edge + 1
    return f"{unit * edge} ...", f"{unit * beyond} ..."


def paragraphs(number: int) -> tuple[str, str]:
    return "\n***\n".join(["Text."] * number), "\n***\n".join(["Text."] * (number + 1))


def nth(number: int, place: int, word: str) -> tuple[str, str]:
    """The word at the head of one paragraph, and of another instead."""
    parts = [f"{word.capitalize() if n == place else 'Other'} text." for n in range(1, number + 1)]
    return "\n\n".join(parts), "\n\n".join([*parts[1:], parts[0]])


def sections(splitter: str, number: int) -> tuple[str, str]:
    heads = [f"{splitter} {n}\nText.\n" for n in range(1, number + 1)]
    return "".join(heads), "".join(heads[:-1])


MAKERS = {
    "keywords:existence": lambda kw: (f"Of {' and '.join(kw)}!", f"Of {'x and '.join(kw)}x!"),
    "keywords:frequency": lambda kw, n, relation: counted(f"{kw} ", n, relation),
    "keywords:forbidden_words": lambda bad: ("Xyzzy plugh.", f"Xyzzy {bad[-1].upper()}, plugh."),
    "keywords:letter_frequency": counted,
    "language:response_language": lambda code: (SPOKEN[code], ENGLISH),
    "length_constraints:number_sentences": lambda n, relation: counted("See No. 1. ", n, relation),
    "length_constraints:number_paragraphs": paragraphs,
    "length_constraints:number_words": lambda n, relation: counted("so ", n, relation),
    "length_constraints:nth_paragraph_first_word": nth,
    "detectable_content:number_placeholders": lambda n: ("[name] " * n, "[name] " * (n - 1) + "."),
    "detectable_content:postscript": lambda mark: (f"Text.\n\n{mark} More.", "Text.\n\nMore."),
    "detectable_format:number_bullet_lists": lambda n: ("* one\n" * n, "* one\n" * (n + 1)),
    "detectable_format:constrained_response": lambda: ("My answer is maybe.", "Maybe."),
    "detectable_format:number_highlighted_sections": lambda n: ("*so* " * n, "*so* " * (n - 1)),
    "detectable_format:multiple_sections": sections,
    "detectable_format:json_format": lambda: ('```json\n{"a": [1]}\n```', '{"a": [1]'),
    "detectable_format:title": lambda: ("<<A title>>\nText.", "<A title>\nText."),
    "combination:two_responses": lambda: ("One.\n******\nTwo.", "One.\n***\nTwo."),
    "combination:repeat_prompt": lambda said: (f"{said}\n\nAnswer.", f"Sure.\n{said}\n\nAnswer."),
    "startend:end_checker": lambda phrase: (f"Text. {phrase}", f"{phrase} Text."),
    "startend:quotation": lambda: ('"Text."', '"Text.'),
    "change_case:capital_word_frequency": lambda n, relation: counted("GO ", n, relation),
    "change_case:english_capital": lambda: (ENGLISH.upper(), ENGLISH),
    "change_case:english_lowercase": lambda: (ENGLISH.lower(), ENGLISH),
    "punctuation:no_comma": lambda: ("Text.", "Text, text."),
}


def made(instruction: Instruction) -> tuple[str, str]:
    """A response that follows an instruction, and one that does not, by little."""
    fields = IFEVAL[instruction.id].fields
    return MAKERS[instruction.id](*(instruction.kwargs[key] for key in fields))


@cache
def rows():
    return [read_row(row) for row in read_jsonl(PUBLISHED)]


@cache
def instructions() -> list[Instruction]:
    return [instruction for row in rows() for instruction in row.instructions]


def test_the_samples_are_in_their_languages():
    assert {code: detected(text) for code, text in SPOKEN.items()} == {
        code: code for code in SPOKEN
    }


@needs_prompts
def test_every_published_row_is_read_and_each_of_its_instructions_can_be_checked():
    assert len(rows()) == 541
    kinds = Counter(instruction.id for instruction in instructions())
    assert (len(kinds), kinds.total()) == (25, 834)
    assert set(kinds) == set(IFEVAL) == set(MAKERS)
    for instruction in instructions():
        bound(instruction)


@pytest.mark.field_bug("D63")
@needs_prompts
def test_two_published_rows_contradict_themselves_and_no_other_is_accused():
    accused = [
        row.key
        for row in rows()
        if any(inconsistencies(row.prompt, instruction) for instruction in row.instructions)
    ]
    assert accused == ["1174", "337"]


@pytest.mark.field_bug("D66")
@needs_prompts
def test_repeated_ids_keep_a_result_for_each_place():
    """17 of the published prompts give one id twice."""
    repeating = 0
    for row in rows():
        names = [instruction.id for instruction in row.instructions]
        judged = check_instructions(row.instructions, "Text.")
        assert list(judged.parts)[: len(names)] == [f"{n} {name}" for n, name in enumerate(names)]
        repeating += len(set(names)) < len(names)
    assert repeating == 17


@needs_prompts
def test_each_published_instruction_is_followed_and_broken():
    for instruction in instructions():
        good, bad = made(instruction)
        assert check_instructions([instruction], good).verdict is Verdict.PASS, instruction
        assert check_instructions([instruction], bad).verdict is Verdict.WRONG, instruction


NOT_RUN = {"length_constraints:number_sentences", "change_case:capital_word_frequency"}
"""Types whose reference wants a trained tokenizer that is fetched from the network."""

STRICTER = {
    "combination:repeat_prompt": "the case counts, and an answer must follow",
    "combination:two_responses": "responses that differ in blanks or case alone are one",
    "detectable_content:number_placeholders": "[], [0], [x] and links are none",
    "detectable_content:postscript": "it begins a line after other text, goes on, is no P.P.S.",
    "detectable_format:constrained_response": "to list all options is no choice",
    "detectable_format:json_format": "an object or array; no NaN, no open fence",
    "detectable_format:multiple_sections": "headings begin lines and count from 1",
    "detectable_format:number_bullet_lists": "+ is a bullet; a star without blank or text is none",
    "detectable_format:number_highlighted_sections": "words, in asterisks that are not escaped",
    "detectable_format:title": "a title has words",
    "keywords:existence": "whole words, not patterns: art is not in start",
    "keywords:frequency": "the same",
    "language:response_language": "what cannot be detected is in no language",
    "length_constraints:nth_paragraph_first_word": "It's is not the word it",
    "length_constraints:number_paragraphs": "***bold*** divides nothing",
    "length_constraints:number_words": "well-known may be one word",
    "punctuation:no_comma": "commas of other scripts are commas",
    "startend:end_checker": "the phrase is no part of a longer word",
    "startend:quotation": "something stands between the marks",
}
"""Where a response passes with the reference and not with us, and why."""

WIDER = {
    "change_case:english_capital": "a word or two need only Latin letters: no detector knows YES.",
    "change_case:english_lowercase": "the same",
    "combination:repeat_prompt": "line ends are line ends",
    "detectable_format:number_bullet_lists": "a rule or a negative number is no bullet",
    "keywords:existence": "signs stand for themselves; apostrophes and line breaks may differ",
    "keywords:frequency": "there and then are no the",
    "length_constraints:nth_paragraph_first_word": "blank lines before the first are no paragraph",
}
"""Where a response passes with us and not with the reference, and why."""


@pytest.fixture(scope="module")
def reference():
    """lm-eval's own check of one instruction, strict."""
    pytest.importorskip("langdetect")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_RANK", "1")  # it fetches its tokenizer on rank 0 only
        if "immutabledict" not in sys.modules:
            stand_in = types.ModuleType("immutabledict")
            stand_in.immutabledict = dict
            patch.setitem(sys.modules, "immutabledict", stand_in)
        utils = importlib.import_module("lm_eval.tasks.ifeval.utils")
        patch.setattr(sys.modules["langdetect"].DetectorFactory, "seed", 0)

        def follows(instruction: Instruction, text: str) -> bool:
            ids, kwargs = [instruction.id], [dict(instruction.kwargs)]
            example = utils.InputExample(0, ids, "", kwargs)
            return utils.test_instruction_following_strict(example, text).follow_all_instructions

        yield follows


@needs_prompts
@pytest.mark.slow  # imports lm-eval
def test_we_agree_with_the_reference_on_made_responses_of_every_type_that_runs_here(reference):
    same, other = Counter(), Counter()
    for instruction in instructions():
        if instruction.id in NOT_RUN:
            with pytest.raises(LookupError):
                reference(instruction, "Text.")
            continue
        for text in made(instruction):
            ours = bound(instruction)(text)
            (same if reference(instruction, text) == ours else other)[instruction.id] += 1
    assert len(same) == 23
    assert same.total() == 1473
    assert other == {
        "keywords:existence": 39,  # each keyword only inside a longer word
        "keywords:letter_frequency": 2,  # for # and ! the reference draws a letter at random
    }


@pytest.mark.slow  # imports lm-eval
def test_we_differ_from_the_reference_where_we_say_so_and_nowhere_else(reference):
    stricter, wider = set(), set()
    for name, kwargs, good, bad in CASES:
        if name not in IFEVAL or name in NOT_RUN or kwargs.get("letter") == "#":
            continue
        for text, ours in [*((text, True) for text in good), *((text, False) for text in bad)]:
            if len(text) < 1000 and reference(Instruction(name, kwargs), text) != ours:
                (wider if ours else stricter).add(name)
    assert stricter == set(STRICTER)
    assert wider == set(WIDER)
