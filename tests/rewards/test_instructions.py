"""Every type of instruction: what follows it, what breaks it, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.rewards.instructions.checking import SUMMARY, check_instructions, variants
from stages.rewards.instructions.registry import IFEVAL, KINDS, RLVR, Instruction, bound
from tests.tables import each

GERMAN = "Das Wetter ist heute sehr schön, und wir gehen am Nachmittag in den Park."
HINDI = "आज मौसम बहुत अच्छा है और हम दोपहर में पार्क जाएंगे।"
ENGLISH = "The weather is lovely today, so we will walk to the park in the afternoon."
FOUR = "Weekend plans differ.\n\nSome rest.\n\nOthers run.\n\nAll sleep."

CASES = [
    (
        "keywords:existence",
        {"keywords": ["art", "state of mind"]},
        ["Art is a state of mind.", "*ART*, like any State\nof mind!", "“art”: state of mind"],
        ["To start, a state of mind.", "Art is a state of the mind.", "arts, a state of mind"],
    ),
    (
        "keywords:existence",
        {"keywords": ["C++", "don't"]},
        ["Don’t write C++.", "C++, don't you"],
        ["Dont write C++.", "Don't write C."],
    ),
    (
        "keywords:frequency",
        {"keyword": "war", "frequency": 2, "relation": "at least"},
        ["War and war.", "war's end, no _war_"],
        ["Toward the end of the war.", "Wars, warm, war."],
    ),
    (
        "keywords:frequency",
        {"keyword": "the", "frequency": 2, "relation": "less than"},
        ["Then they saw the others there.", "No word of it."],
        ["The cat and the dog."],
    ),
    (
        "keywords:forbidden_words",
        {"forbidden_words": ["can", "ride"]},
        ["Candles for a bride in Canada.", "Pride."],
        ["We CAN go.", "A (ride) home.", "the ride's end"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "o", "let_frequency": 3, "let_relation": "at least"},
        ["Oooh.", "good dog"],
        ["book", "ööö"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "#", "let_frequency": 4, "let_relation": "at least"},
        ["#a #b #c #d"],
        ["#a #b #c", "aaaa bbbb cccc dddd"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "C", "let_frequency": 1, "let_relation": "less than"},
        ["Not one of them."],
        ["Cat", "a cat"],
    ),
    (
        "language:response_language",
        {"language": "de"},
        [GERMAN],
        [ENGLISH, HINDI, "12345 67890", "https://example.org"],
    ),
    ("language:response_language", {"language": "hi"}, [HINDI], [ENGLISH, GERMAN]),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 3, "relation": "less than"},
        ["Dr. Smith paid $3.50 at example.org. He left at 5 p.m. on Jan. 3.", "One."],
        ["One. Two. Three.", "One! Two? Three…", "# Title\n\nOne. Two."],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 3, "relation": "at least"},
        ["One. Two. Three.", "one. two. three.", "“One!” Two? (Three.)"],
        ["One... two... three.", "E.g. Mr. J. R. Smith.", "# Title\n\nOne. Two.", "... . ! ?"],
    ),
    (
        "length_constraints:number_paragraphs",
        {"num_paragraphs": 3},
        ["One\n***\nTwo\n***\nThree", "***\nOne\n***\nTwo *** Three\n***", '"a\n***\nb\n***\nc"'],
        [
            "One\n***\nTwo",
            "One\n***\n***\nThree",
            "One\n\nTwo\n\nThree",
            "One ***bold*** Three",
            "One\n******\nTwo\n******\nThree",
            "One\n* * *\nTwo\n* * *\nThree",
        ],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 3, "relation": "at least"},
        ["One two three", "don't do that - now"],
        ["one two", "well-known word", "one - two *", "*** *** ***"],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 3, "relation": "less than"},
        ["one two", "- one - two", "बहुत अच्छा"],
        ["one two three", "a well-known"],
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 4, "nth_paragraph": 1, "first_word": "weekend"},
        [FOUR, '"' + FOUR + '"', "\n\n\n" + FOUR, FOUR.replace("\n\n", "\n \n\n\n")],
        [
            FOUR.replace("Weekend", "Weekends"),
            FOUR.replace("Weekend", "Weekend-long"),
            FOUR.replace("\n\nAll", "\nAll"),
            FOUR + "\n\nMore.",
        ],
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "it"},
        ["Yes.\n\nIt is.", "Yes.\n\n“It” is."],
        ["It is.\n\nYes.", "Yes.\n\nIt's so.", "Yes.\n\nItem."],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        ["Dear [name], from [my address]", "[name][name]"],
        ["[name]", "[] [ ]", "[0] [1]", "[text](link) [name]", "[x] [name]", "[na\nme] [name]"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        [
            "Dear you\nP.S. I love you",
            "dear you\np.s. i do",
            "Dear\n\n**P.S.** Yes",
            "Hi\nP. S. Yes",
        ],
        [
            "P.S. I love you",
            "Dear you\nP.S.",
            "Dear you\nP.P.S. I do",
            "Dear you. P.S. I do",
            "Dear you\nPSI",
        ],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.P.S"},
        ["Hi\nP.P.S Yes", "Hi\nP.P.S. Yes", "Hi\n\np. p. s: yes"],
        ["Hi\nP.S. Yes", "Hi\nP.P.Some", "Hi"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "Note:"},
        ["Hi\nNote: yes"],
        ["Hi\nNotes yes", "Hi\nNote:"],
    ),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 2},
        ["* a\n* b", "Two:\n- a\n  * b", "* a\n* b\n\n**Bold** end\n---\n-5 degrees\n* * *"],
        [
            "* a",
            "* a\n* b\n* c",
            "**a**\n**b**",
            "*a\n*b",
            "1. a\n2. b",
            "* a\n* b\n+ c",
            "* a\n* ",
        ],
    ),
    (
        "detectable_format:constrained_response",
        {},
        [
            "My answer is no.",
            "I thought long. My answer is no.",
            "My answer is no. My answer is no.",
        ],
        [
            "no",
            "My answer is no",
            "my answer is no.",
            "My answer is yes. My answer is no. My answer is maybe.",
        ],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        ["*one* and *two*", "**one** and ***two***", "* a *b* c\n* d **e f** g"],
        [
            "*one* and two",
            "2 * 3 * 4 * 5",
            "** ** **",
            "*one\ntwo* *three*",
            "* a\n* b\n* c",
            "*.* *!*",
            r"\*one\* \*two\*",
        ],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "SECTION", "num_sections": 2},
        ["SECTION 1\na\nSECTION 2\nb", "**SECTION 1**: a\n\n# SECTION 2\nb\nSECTION 3\nc"],
        [
            "SECTION 1\na",
            "SECTION 1\na\nSECTION 1\nb",
            "section 1\na\nsection 2\nb",
            "Read SECTION 1 and SECTION 2",
            "SECTION X\na\nSECTION Y\nb",
        ],
    ),
    (
        "detectable_format:json_format",
        {},
        [
            '{"a": 1}',
            '```json\n{"a": [1]}\n```',
            "```\n[1, 2]\n```",
            ' \n{"a": "```"}\n',
            "```JSON {}```",
        ],
        [
            "hello",
            '"hello"',
            "5",
            '{"a": NaN}',
            "{'a': 1}",
            'Here: {"a": 1}',
            '```json\n{"a": 1}',
            '{"a": 1}\n```',
            '```json\n{"a": 1}\n```\nDone.',
            "[" * 100_000,
        ],
    ),
    (
        "detectable_format:title",
        {},
        ["<<poem of joy>>\nJoy.", "Text <<A>> text"],
        ["<poem>", "<<>>", "<< >>", "<<po\nem>>", "<< . >>"],
    ),
    (
        "combination:two_responses",
        {},
        ["One\n******\nTwo", "One ****** Two"],
        [
            "One\n******\nOne",
            "One\n******\n  one ",
            "One\n***\nTwo",
            "One\n******\n",
            "One\n******\nTwo\n******\nThree",
            "One\n*******\nTwo",
        ],
    ),
    (
        "combination:repeat_prompt",
        {"prompt_to_repeat": "Write a Haiku.\nNow."},
        ["Write a Haiku.\nNow.\nOld pond", "  Write a Haiku.\r\nNow. Old pond"],
        [
            "Write a Haiku.\nNow.",
            "write a haiku.\nnow.\nOld pond",
            "Sure! Write a Haiku.\nNow.\nOld pond",
            "Write a Haiku. Now.\nOld pond",
        ],
    ),
    (
        "startend:end_checker",
        {"end_phrase": "Peace!"},
        ["Go. Peace!", "GO. PEACE!\n", '"Go. Peace!"', "Peace!"],
        ["Peace! Go.", "Peace", "Go. Peace! :)", "Go. Peace! *", "Warpeace!"],
    ),
    (
        "startend:quotation",
        {},
        ['"All of it."', ' "He said: "Go." And left."\n'],
        ["All of it.", '"', '""', '" "', '"All', "'All'", '"All" of it.', "“All”"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "at least"},
        ["GO NOW.", "WELL-KNOWN things are GOOD"],
        ["GO now.", "I am what I am, A to Z", "WELL-KNOWN"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "less than"},
        ["GO now.", "Go Now."],
        ["GO NOW", "I said GO"],
    ),
    (
        "change_case:english_capital",
        {},
        ["WRITE AN ESSAY ON WILDERNESS PRESERVATION.", "YES."],
        ["THE WEATHER IS LOVELY TODAY, SO we WALK TO THE PARK.", GERMAN.upper(), "123", "JÄ."],
    ),
    (
        "change_case:english_lowercase",
        {},
        ["the weather is lovely today, so we walk to the park.", "yes."],
        [
            "The weather is lovely today, so we walk to the park.",
            GERMAN.lower(),
            "123",
            "ja, schön",
        ],
    ),
    (
        "punctuation:no_comma",
        {},
        ["No comma; none."],
        ["One, two", "1,000", "一，二", "一、二", "نعم، لا"],
    ),
    ("verify_keywords", {"keyword_list": ["art"]}, ["Art!"], ["start"]),
    ("verify_keyword_frequency", {"word": "art", "N": 2}, ["Art, art"], ["art", "art art art"]),
    ("verify_keyword_frequency", {"word": "art", "N": 0}, ["A start."], ["art"]),
    ("validate_forbidden_words", {"forbidden_words": ["art"]}, ["start"], ["Art"]),
    ("verify_letter_frequency", {"letter": "a", "N": 2}, ["Aha"], ["ha", "a a a"]),
    ("validate_response_language", {"language": "de"}, [GERMAN], [ENGLISH]),
    (
        "verify_paragraph_count",
        {"N": 2},
        ["One\n* * *\nTwo"],
        ["One\n***\nTwo", "One", "One\n* * *\n* * *\nTwo"],
    ),
    (
        "validate_word_constraint",
        {"N": 20, "quantifier": "around"},
        ["a " * 18, "a " * 22],
        ["a " * 17, "a " * 23, "a " * 21 + "b-c-d"],
    ),
    (
        "validate_word_constraint",
        {"N": 2, "quantifier": "at most"},
        ["a b", "a"],
        ["a b c", "a b-c"],
    ),
    (
        "verify_sentence_constraint",
        {"N": 20, "quantifier": "around"},
        ["Go. " * 19, "Go. " * 21],
        ["Go. " * 18, "Go. " * 22],
    ),
    (
        "verify_sentence_constraint",
        {"N": 2, "quantifier": "at most"},
        ["One. Two."],
        ["One. Two. Three."],
    ),
    (
        "validate_paragraphs",
        {"N": 2, "first_word": "Two", "i": 2},
        ["One\n\ntwo"],
        ["Two\n\nOne", "One\n\nTwo\n\nThree"],
    ),
    ("verify_postscript", {"postscript_marker": "P.S."}, ["Hi\nP.S. Yes"], ["Hi"]),
    ("validate_placeholders", {"N": 1}, ["[name]"], ["[1]"]),
    ("verify_bullet_points", {"N": 1}, ["* a"], ["**a**", "* a\n- b"]),
    ("validate_title", {}, ["<<A>>"], ["<<>>"]),
    (
        "validate_choice",
        {"options": ["yes", "yes and no", "A"]},
        ["yes", "I say yes and no", "Option A."],
        ["Yesterday", "yes or A", "Apple", "YES"],
    ),
    ("validate_highlighted_sections", {"N": 1}, ["*a*"], ["**", "* a *"]),
    (
        "validate_sections",
        {"N": 1, "section_splitter": "Section"},
        ["Section 1\na"],
        ["Section one", "See Section 1"],
    ),
    ("validate_json_format", {}, ["```json\n{}\n```"], ["{"]),
    ("validate_repeat_prompt", {"original_prompt": "Go."}, ["Go. Gone."], ["Gone.", "Go."]),
    ("validate_two_responses", {}, ["a ****** b"], ["a ****** a"]),
    ("validate_uppercase", {}, ["GO HOME NOW."], ["Go home now.", GERMAN.upper()]),
    ("validate_lowercase", {}, ["go home now."], ["Go home now.", GERMAN.lower()]),
    (
        "validate_frequency_capital_words",
        {"N": 2, "quantifier": "around"},
        ["GO", "GO ON NOW"],
        ["go", "GO ON NOW OK"],
    ),
    (
        "validate_end",
        {"end_phrase": "The end."},
        ["It is the end.", " The end.\n"],
        ["The end. No."],
    ),
    ("validate_quotation", {}, [' "a" '], ['"', "a"]),
    ("validate_no_commas", {}, ["a"], ["a, b"]),
]
FOLLOWING = [(name, kwargs, text) for name, kwargs, good, _ in CASES for text in good]
BREAKING = [(name, kwargs, text) for name, kwargs, _, bad in CASES for text in bad]
WORDS = Instruction("length_constraints:number_words", {"num_words": 2, "relation": "at least"})
COMMA = Instruction("punctuation:no_comma")


def test_all_published_types_are_there_and_each_has_both_kinds_of_case():
    assert (len(IFEVAL), len(RLVR), len(KINDS)) == (25, 25, 50)
    assert {case[0] for case in FOLLOWING} == set(KINDS) == {case[0] for case in BREAKING}


def cases(table, wanted):
    """(case as it is shown, what was judged of it) of one kind."""
    for name, kwargs, text in table:
        if name == wanted:
            yield f"{kwargs} {text!r}"[:300], check_instructions([Instruction(name, kwargs)], text)


@pytest.mark.parametrize("name", KINDS)
def test_what_follows_passes(name):
    right = (Verdict.PASS, 1.0, "")
    found = [(case, (j.verdict, j.reward, j.reason)) for case, j in cases(FOLLOWING, name)]
    wrong = [f"{case}: {said}" for case, said in found if said != right]
    assert not wrong, "\n".join(wrong)


@pytest.mark.field_bug("D64")
@each("name", KINDS)
def test_what_breaks_or_nearly_follows_is_wrong(name):
    right = (Verdict.WRONG, 0.0, True)
    found = [(case, (j.verdict, j.reward, name in j.reason)) for case, j in cases(BREAKING, name)]
    wrong = [f"{case}: {said}" for case, said in found if said != right]
    assert not wrong, "\n".join(wrong)


@each("name", KINDS)
def test_an_empty_response_follows_nothing(name):
    kwargs = next(kwargs for other, kwargs, _ in FOLLOWING if other == name)
    for text in ("", " \n\t "):
        judged = check_instructions([Instruction(name, kwargs)], text)
        assert judged.verdict is Verdict.WRONG, text
        assert set(judged.parts.values()) == {0.0}, text


@pytest.mark.field_bug("D62")
@pytest.mark.parametrize("name", ["keywords:exist", "verify_keyword", "", "combination:rephrase"])
def test_an_unknown_type_is_an_error_and_no_pass(name):
    """Elsewhere 18 of 29 types fell through to True."""
    judged = check_instructions([COMMA, Instruction(name)], "a")
    assert (judged.verdict, judged.reward, judged.parts) == (Verdict.ERROR, None, {})
    assert repr(name) in judged.reason


@pytest.mark.field_bug("D65")
@each("name", [name for name, kind in KINDS.items() if kind.fields])
def test_an_argument_missing_unknown_or_of_the_wrong_kind_is_an_error(name):
    """Elsewhere what was missing was drawn at random, anew for each check."""
    kwargs = next(kwargs for other, kwargs, _ in FOLLOWING if other == name)
    for key in kwargs:
        absent = {other: value for other, value in kwargs.items() if other != key}
        for broken in (absent, {**kwargs, key: None}, {**kwargs, key: [1]}, {**kwargs, "new": 1}):
            for text in ("a", "A, b. " * 50):
                judged = check_instructions([Instruction(name, broken)], text)
                assert (judged.verdict, judged.reward) == (Verdict.ERROR, None)
                assert name in judged.reason


@pytest.mark.parametrize(
    "kwargs",
    [
        {"num_words": True, "relation": "at least"},
        {"num_words": 0, "relation": "at least"},
        {"num_words": "300", "relation": "at least"},
        {"num_words": 300.5, "relation": "at least"},
        {"num_words": 300, "relation": "more than"},
        {"num_words": 300, "relation": "exactly"},
    ],
)
def test_a_number_is_a_number_and_a_relation_one_of_two(kwargs):
    with pytest.raises(VerifierError, match="must be"):
        bound(Instruction(WORDS.id, kwargs))


def test_a_paragraph_beyond_the_last_and_no_instruction_at_all_are_errors():
    kwargs = {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "it"}
    beyond = Instruction("length_constraints:nth_paragraph_first_word", kwargs)
    assert check_instructions([beyond], "a\n\nb").verdict is Verdict.ERROR
    assert check_instructions([], "a").verdict is Verdict.ERROR


def test_arguments_that_are_none_were_not_given():
    filled = Instruction(COMMA.id, {"num_words": None, "keywords": None})
    assert check_instructions([filled], "a").verdict is Verdict.PASS


@pytest.mark.field_bug("D66")
def test_a_repeated_id_keeps_both_results():
    """Elsewhere results stood under the id, and the second overwrote the first."""
    few = Instruction(WORDS.id, {"num_words": 3, "relation": "less than"})
    judged = check_instructions([WORDS, COMMA, few], "one two three")
    assert judged.parts == {
        f"0 {WORDS.id}": 1.0,
        f"1 {COMMA.id}": 1.0,
        f"2 {WORDS.id}": 0.0,
        "instruction_strict": 2 / 3,
        "prompt_strict": 0.0,
        "instruction_loose": 2 / 3,
        "prompt_loose": 0.0,
    }
    assert judged.reason == f"not followed: 2 {WORDS.id}"


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        (COMMA, "Sure, here:\nNo comma."),
        (COMMA, "No comma.\nThat, I hope, helps."),
        (COMMA, "Sure, here:\nNo comma.\nThat, I hope, helps."),
        (Instruction("startend:end_checker", {"end_phrase": "Bye!"}), "*Bye!*"),
        (Instruction("startend:end_checker", {"end_phrase": "Bye!"}), "Hi:\n*Bye!*\nDone"),
    ],
)
def test_loose_leaves_out_first_and_last_line_and_asterisks(instruction, text):
    parts = check_instructions([instruction], text).parts
    assert [parts[name] for name in SUMMARY] == [0.0, 0.0, 1.0, 1.0]


def test_there_are_eight_variants_and_equal_ones_count_once():
    lines = ["*a*\nb\nc", "ab", "a"]
    assert variants("*a*\nb\n*c*") == [
        "*a*\nb\n*c*",
        "a\nb\nc",
        "b\n*c*",
        "b\nc",
        "*a*\nb",
        "a\nb",
        "b",
    ]
    assert [len(variants(line)) for line in lines] == [6, 2, 2]


@pytest.mark.field_bug("D65")
@given(
    st.lists(st.sampled_from([case[:2] for case in CASES]), min_size=1, max_size=3),
    st.text(st.sampled_from('aA b.,!?*#"[]<>{}()1\n\\-`~é\u093e\u2028\ud800\x00'), max_size=60),
)
def test_nothing_a_model_writes_breaks_a_check_and_loose_is_never_below_strict(kinds, text):
    """Elsewhere arguments drawn anew made loose stricter than strict, and scores drift."""
    instructions = [Instruction(name, kwargs) for name, kwargs in kinds]
    judged = check_instructions(instructions, text)
    assert judged.verdict in (Verdict.PASS, Verdict.WRONG)
    assert judged == check_instructions(instructions, text)
    assert judged.parts["instruction_strict"] <= judged.parts["instruction_loose"]
    assert judged.parts["prompt_strict"] <= judged.parts["prompt_loose"]
    assert judged.reward == judged.parts["prompt_strict"]


@pytest.mark.parametrize(
    "piece",
    [".", "…)", " \n", "*", "[a", "<<", '"', "\n", "P.S. ", "* a\n", "a.b.", "```", "[", "- "],
)
@pytest.mark.parametrize("length", [10_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_hostile_responses_are_checked_in_bounded_time(piece, length):
    import time

    text = f"a{piece * (length // len(piece))}a"
    kinds = {name: kwargs for name, kwargs, _ in FOLLOWING if not name.startswith("v")}
    instructions = [Instruction(name, kwargs) for name, kwargs in kinds.items()]
    start = time.process_time()
    assert check_instructions(instructions, text).verdict is Verdict.WRONG
    assert time.process_time() - start < 3
