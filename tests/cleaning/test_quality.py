"""Quality: useless rows go with a reason, the others stay as they are."""

import pytest

from stages.base.errors import DataError
from stages.cleaning.quality import quality
from stages.engines.tokenizer import train_tokenizer
from stages.sft.chat import response_ids
from tests.tables import each


@each(
    ("response", "reason"),
    [
        ("<think> I wonder", "unclosed_thinking"),
        ("<think> a <think> b </think> c", "unclosed_thinking"),
        ("a </think> b", "malformed_thinking"),
        ("<think> a </think> b </think> c", "malformed_thinking"),
        ("<think> a </think>  ", "no_final_answer"),
        ("   ", "empty_response"),
        ("wait no " * 20, "repetition"),
        ("wait, no, " * 12, "repetition"),
        ("4<|im_end|>\n<|im_start|>user\nAnd 3 + 3?", "chat_marker"),
        ("4<|im_end|>", "chat_marker"),
        ("4<|endoftext|>", "chat_marker"),
        ("<think> a </think> 4 <|endoftext|> 5", "chat_marker"),
        ("4<|eot_id|><|start_header_id|>user<|end_header_id|>", "chat_marker"),
        ("4<|role_end|><role>HUMAN</role>And?", "chat_marker"),
        ("4<|EOT|>", "chat_marker"),
        ("4<｜end▁of▁sentence｜><｜User｜>", "chat_marker"),
        ("4<end_of_turn>\n<start_of_turn>user", "chat_marker"),
        ("4 [INST] And? [/INST]", "chat_marker"),
        ("4</s>", "chat_marker"),
        ("<s> 4 </s>", "chat_marker"),
        ("It is `<|im_end|>`.", "chat_marker"),
        ("4\n\nHuman: and 3 + 3?\n\nAssistant: 6", "invented_turn"),
        ("\n\nAssistant: 4", "invented_turn"),
        ("4\n\nUser: thanks", "invented_turn"),
        ("<Think> a </Think> b", "foreign_thinking_tag"),
        ("<thinking> a </thinking> b", "foreign_thinking_tag"),
        ("<THINK> a b", "foreign_thinking_tag"),
        ("Sure. <think> a </think> b", "text_before_thinking"),
        (".", "no_final_answer"),
        (" ...\n", "no_final_answer"),
        ("<think> a </think> .", "no_final_answer"),
        ("\ufffd" * 5 + "abc", "unreadable_characters"),
    ],
)
def test_useless_rows_go_with_a_reason(response, reason):
    row = {"id": "1", "domain": "maths", "prompt": "p", "response": response}
    result = quality([row])
    assert not result.kept
    assert result.dropped[0].reason == reason


@each(
    "response",
    [
        "<think> a </think> b",
        "<think> </think> b",
        "no thinking at all",
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        "| - | - | - | - | - | - | - | - | - |",
        "so " * 5 + "that is it",
        "No, no, no, no, no, no, no, no, no, no!",
        "Ha ha ha ha ha ha ha ha ha ha, very good.",
        "\n<think> a </think> b",
        "Replace <s> by your name.",
        "The old price <s>10</s> is 8.",
        "<s>10</s> 8 is the price.",
        "Take |x| < 3, a<|x|>b, and x[INSTANCE]; the mean is <|x|>.",
        "In the Human: Nature exhibit",
        "4\n\nHumans: mammals.",
        "Mechanics\n\nSystem: a block on a plane.",
        "```\n4\n\nHuman: hi\n```",
        "-",
        "?",
        "👍",
        "I was <b>thinking</b> of <thinker>.",
    ],
)
def test_useful_rows_stay(response):
    row = {"id": "1", "domain": "maths", "prompt": "p", "response": response}
    assert quality([row]).kept == [row]


SENTENCE = "Let me check it once more because I am not sure about it at all and should verify it. "


@pytest.mark.parametrize(
    "response",
    [
        "ha" * 500,
        "我想想。" * 500,
        ("ha" * 20 + "\n") * 25,
        "".join(f"x={number}; " for number in range(200)),
        "嗯" * 300,
        "x=1;" * 2000,
        SENTENCE * 30,
        "".join(f"Step {number}: let me check. " for number in range(300)),
        "```\n" + "x = x + 1\n" * 200,
    ],
)
def test_loops_without_blanks_and_of_long_blocks_are_repetition(response):
    row = {"id": "1", "domain": "maths", "prompt": "p", "response": f"So {response}"}
    assert [item.reason for item in quality([row]).dropped] == ["repetition"]


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        ("Add one often.", "```python\n" + "x = x + 1\n" * 12 + "```"),
        ("Write 'I will not talk' 20 times.", "I will not talk\n" * 20),
        ("Write 'I will not talk' twenty times.", "I will not talk\n" * 20),
        ("What does the tag do?", "A model ends its thoughts with `</think>`, after `<think>`."),
        ("What ends it?", "<think> a </think> It is `</think>` that ends them."),
        ("Write a dialogue of a human and a bot.", "Here:\n\nHuman: hi\n\nAssistant: hi"),
        ("Which sign ends a sentence?", "."),
        ("What is `<think>` for?", "For thoughts."),
        ("Count.", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, " * 9),
    ],
)
def test_what_repeats_for_good_reason_and_talk_about_tags_stay(prompt, response):
    row = {"id": "1", "domain": "maths", "prompt": prompt, "response": response}
    assert quality([row]).kept == [row]


def test_more_repeats_than_were_asked_for_are_a_loop():
    row = {"id": "1", "domain": "other", "prompt": "Say it 20 times.", "response": "So it is " * 40}
    assert quality([row]).dropped[0].reason == "repetition"


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("2 + 2? <think> four", "thinking_in_prompt"),
        ("</Think> 2 + 2?", "thinking_in_prompt"),
        ("2 + 2?<|im_end|>\n<|im_start|>assistant", "chat_marker"),
    ],
)
def test_marks_of_turns_and_thoughts_in_a_prompt_go_with_a_reason(prompt, reason):
    row = {"id": "1", "domain": "maths", "prompt": prompt, "response": "4"}
    assert [item.reason for item in quality([row]).dropped] == [reason]


@pytest.mark.parametrize(
    "end",
    [
        "<|role_end|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|end_of_text|>",
        "<|end|>",
        "<end_of_turn>",
        "<｜end▁of▁sentence｜>",
        "</s>",
    ],
)
def test_whatever_packing_refuses_in_a_response_is_dropped_before(end):
    tokenizer = train_tokenizer(["What is left? 45"], "text", 300)
    tokenizer.add_special_tokens({"eos_token": end})
    row = {"id": "1", "domain": "maths", "prompt": "2 + 2?", "response": f"4{end}5"}
    with pytest.raises(DataError, match="turn-end marker"):
        response_ids(tokenizer, row["response"])
    assert [item.reason for item in quality([row]).dropped] == ["chat_marker"]
