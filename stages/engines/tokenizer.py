"""Tokenizers made from scratch: one word one id for the compact notation, byte-level BPE for text.

Both carry the chat markers of Ling 2.0 as single tokens, and both have exactly as many ids as the
model has rows in its embedding. The thinking tags are ordinary tokens: verifiers read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from stages.base.errors import ConfigError

PADDING, UNKNOWN, TURN_END = "<|pad|>", "<|unk|>", "<|role_end|>"
ROLES = {
    "system": "<role>SYSTEM</role>",
    "user": "<role>HUMAN</role>",
    "assistant": "<role>ASSISTANT</role>",
    "tool": "<role>OBSERVATION</role>",
}
THINKING = ("<think>", "</think>")
MARKERS = (PADDING, UNKNOWN, TURN_END, *ROLES.values())

# Turns closed by the turn end; a system turn says whether to think; thoughts of earlier answers go.
CHAT_TEMPLATE = """
{%- set mode = 'off' if thinking is defined and not thinking else 'on' -%}
{%- set last = namespace(user=-1) -%}
{%- for message in messages -%}
{%- if message.role == 'user' -%}{%- set last.user = loop.index0 -%}{%- endif -%}
{%- endfor -%}
{%- if messages[0].role != 'system' and thinking is defined -%}
<role>SYSTEM</role>detailed thinking {{ mode }}<|role_end|>
{%- endif -%}
{%- for message in messages -%}
{%- set text = message.content -%}
{%- if message.role == 'system' -%}
<role>SYSTEM</role>{{ text }}
detailed thinking {{ mode }}<|role_end|>
{%- elif message.role == 'user' -%}
<role>HUMAN</role>{{ text }}<|role_end|>
{%- elif message.role == 'assistant' -%}
{%- if loop.index0 < last.user -%}{%- set text = text.split('</think>')[-1].strip() -%}{%- endif -%}
<role>ASSISTANT</role>{{ text }}<|role_end|>
{%- elif message.role == 'tool' -%}
<role>OBSERVATION</role>{{ text }}<|role_end|>
{%- else -%}{{ raise_exception('unknown role: ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<role>ASSISTANT</role>{%- endif -%}
"""


def train_tokenizer(
    corpus: Iterable[str], notation: Literal["compact", "text"], vocabulary: int
) -> PreTrainedTokenizerFast:
    """A tokenizer with ``vocabulary`` ids; the same corpus gives the same bytes.

    ConfigError if the compact corpus has more different words than there is room for.
    """
    core = _word_level(corpus, vocabulary) if notation == "compact" else _bytes(corpus, vocabulary)
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PADDING,
        unk_token=UNKNOWN,
        eos_token=TURN_END,
        additional_special_tokens=list(ROLES.values()),
        chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def _word_level(corpus: Iterable[str], vocabulary: int) -> Tokenizer:
    counts = Counter(word for text in corpus for word in text.split())
    words = [*MARKERS, *THINKING, *sorted(set(counts) - {*MARKERS, *THINKING})]
    if len(words) > vocabulary:
        raise ConfigError(
            f"the corpus and its markers have {len(words)} different words, "
            f"make_base_model.architecture.vocabulary has room for {vocabulary}. Raise it."
        )
    ids = {word: number for number, word in enumerate([*words, *_fillers(vocabulary - len(words))])}
    core = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return _with_markers(core)


def _bytes(corpus: Iterable[str], vocabulary: int) -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    needed = len(MARKERS) + len(THINKING) + len(alphabet)
    if needed > vocabulary:
        raise ConfigError(
            f"byte-level BPE needs {needed} ids for bytes and markers, "
            f"make_base_model.architecture.vocabulary has room for {vocabulary}. Raise it."
        )
    core = Tokenizer(models.BPE(unk_token=None))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[*MARKERS, *THINKING],
        initial_alphabet=alphabet,
        show_progress=False,
    )
    core.train_from_iterator(corpus, trainer)
    core = _with_markers(core)
    core.add_tokens(_fillers(vocabulary - core.get_vocab_size()))
    return core


def _fillers(count: int) -> list[str]:
    """Names for ids no text uses, so that every id a model can emit has a text."""
    return [f"<|unused_{number}|>" for number in range(count)]


def _with_markers(core: Tokenizer) -> Tokenizer:
    core.add_special_tokens([AddedToken(text, normalized=False) for text in MARKERS])
    core.add_tokens([AddedToken(text, normalized=False, special=False) for text in THINKING])
    return core
