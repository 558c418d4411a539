from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import ConfigError
from stages.engines.tokenizer import train_tokenizer

WORDS = ["calc", "a", "+", "-", "4", "+1", ".", "(", "Na", "done"]
COMPACT = train_tokenizer([" ".join(WORDS)], "compact", 40)
TEXT = train_tokenizer(["Start with the number 4. What is left?"] * 3, "text", 300)


@given(st.lists(st.sampled_from([*WORDS, "<think>", "</think>"]), max_size=30))
def test_compact_words_are_single_ids_and_come_back_with_single_spaces(words):
    ids = COMPACT.encode("  ".join(words), add_special_tokens=False)
    assert len(ids) == len(words)
    assert COMPACT.unk_token_id not in ids
    assert COMPACT.decode(ids) == " ".join(words)
    assert COMPACT.decode(ids, skip_special_tokens=True) == " ".join(words)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_byte_level_text_comes_back_exactly(text):
    assert TEXT.decode(TEXT.encode(text, add_special_tokens=False)) == text


@pytest.mark.parametrize(("tokenizer", "size"), [(COMPACT, 40), (TEXT, 300)])
def test_every_id_up_to_the_vocabulary_has_a_text(tokenizer, size):
    assert len(tokenizer) == size
    assert sorted(tokenizer.get_vocab().values()) == list(range(size))
    assert all(tokenizer.decode([number]) for number in range(3, 10))


@pytest.mark.parametrize("tokenizer", [COMPACT, TEXT])
def test_markers_are_single_tokens_and_padding_is_not_the_turn_end(tokenizer):
    text = "<role>HUMAN</role>a<|role_end|><role>ASSISTANT</role><think></think>"
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert len(ids) == 6
    assert ids[2] == tokenizer.eos_token_id != tokenizer.pad_token_id
    kept = tokenizer.decode(ids, skip_special_tokens=True).replace(" ", "")
    assert kept == "a<think></think>"


def test_unknown_words_are_marked_not_dropped():
    ids = COMPACT.encode("calc zebra a", add_special_tokens=False)
    assert ids[1] == COMPACT.unk_token_id
    assert len(ids) == 3


def test_too_many_words_are_refused_with_both_numbers():
    with pytest.raises(ConfigError, match=r"have 14 different words.*has room for 12"):
        train_tokenizer(["a b c d e"], "compact", 12)
    with pytest.raises(ConfigError, match=r"needs 265 ids.*has room for 100"):
        train_tokenizer(["a"], "text", 100)


@pytest.mark.parametrize(("notation", "size"), [("compact", 40), ("text", 300)])
def test_the_same_corpus_gives_the_same_bytes_in_any_order(tmp_path, notation, size):
    corpus = ["b a c a", "the cat", "calc 4 + 4"]
    for name, texts in (("a", corpus), ("b", corpus[::-1])):
        train_tokenizer(texts, notation, size).save_pretrained(tmp_path / name)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def render(messages, **options):
    return TEXT.apply_chat_template(messages, tokenize=False, **options)


def turn(role, content):
    return {"role": role, "content": content}


def test_a_single_question_has_no_system_turn():
    assert render([turn("user", "Hi")], add_generation_prompt=True) == (
        "<role>HUMAN</role>Hi<|role_end|><role>ASSISTANT</role>"
    )


def test_the_system_turn_says_whether_to_think():
    assert render([turn("system", "Be brief."), turn("user", "Hi")]) == (
        "<role>SYSTEM</role>Be brief.\ndetailed thinking on<|role_end|>"
        "<role>HUMAN</role>Hi<|role_end|>"
    )
    assert render([turn("user", "Hi")], thinking=False).startswith(
        "<role>SYSTEM</role>detailed thinking off<|role_end|><role>HUMAN</role>"
    )


def test_thoughts_are_kept_only_after_the_last_question():
    answer = turn("assistant", "<think>hm</think>Yes")
    text = render([turn("user", "A?"), answer, turn("tool", "42"), turn("user", "B?"), answer])
    assert text == (
        "<role>HUMAN</role>A?<|role_end|><role>ASSISTANT</role>Yes<|role_end|>"
        "<role>OBSERVATION</role>42<|role_end|><role>HUMAN</role>B?<|role_end|>"
        "<role>ASSISTANT</role><think>hm</think>Yes<|role_end|>"
    )
