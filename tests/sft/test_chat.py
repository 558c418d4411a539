from __future__ import annotations

import pytest
from transformers import PreTrainedTokenizerFast

from stages.base.errors import DataError
from stages.engines.tokenizer import train_tokenizer
from stages.sft.chat import prompt_ids, response_ids, response_text

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% endif %}"
)


def chatml(template=CHATML):
    """A tokenizer in SmolLM2's manner: ChatML, the turn start doubles as BOS."""
    core = train_tokenizer(["some text"], "text", 300).backend_tokenizer
    core.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|pad|>",
        chat_template=template,
    )


OURS = train_tokenizer(["calc a + 4 . 8 done"], "compact", 40)
TOKENIZERS = [pytest.param(OURS, id="ours"), pytest.param(chatml(), id="chatml")]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_a_response_ends_with_one_turn_end_and_comes_back_as_text(tokenizer):
    text = "<think> a + 4 . </think> 8"
    ids = response_ids(tokenizer, text)
    assert ids[-1] == tokenizer.eos_token_id
    assert ids.count(tokenizer.eos_token_id) == 1
    assert response_ids(tokenizer, text + tokenizer.eos_token) == ids
    padded = [*ids, tokenizer.pad_token_id, tokenizer.pad_token_id]
    assert response_text(tokenizer, ids) == response_text(tokenizer, padded) == text
    assert response_text(tokenizer, ids[:-1]) == text


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_a_turn_end_in_the_midst_of_a_response_is_refused(tokenizer):
    with pytest.raises(DataError, match="in its midst"):
        response_ids(tokenizer, f"a {tokenizer.eos_token} 8")


def test_our_prompt_ends_where_the_answer_begins():
    ids = prompt_ids(OURS, "calc a + 4 . 8")
    assert OURS.convert_ids_to_tokens(ids) == [
        "<role>HUMAN</role>",
        "calc",
        "a",
        "+",
        "4",
        ".",
        "8",
        "<|role_end|>",
        "<role>ASSISTANT</role>",
    ]


@pytest.mark.parametrize("template", [CHATML, "{{ '<|im_start|>' }}" + CHATML])
def test_a_prompt_has_one_bos_at_most(template):
    tokenizer = chatml(template)
    ids = prompt_ids(tokenizer, "hello")
    assert tokenizer.decode(ids) == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_an_empty_response_is_a_turn_end_alone(tokenizer):
    assert response_ids(tokenizer, "") == [tokenizer.eos_token_id]
    assert response_text(tokenizer, [tokenizer.eos_token_id]) == ""
