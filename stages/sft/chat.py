"""Text to token ids and back, the same way in SFT, RL and benchmarks.

A prompt goes through the tokenizer's own chat template. A response ends with the turn-end token
exactly once; that token is what the model learns to stop with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stages.base.errors import DataError


def prompt_ids(tokenizer: Any, prompt: str) -> list[int]:
    """Ids of a user turn, up to where the answer begins; at most one BOS."""
    turn = [{"role": "user", "content": prompt}]
    ids = tokenizer.apply_chat_template(turn, add_generation_prompt=True, return_dict=False)
    ids = [int(token) for token in ids]
    while len(ids) > 1 and ids[0] == ids[1] == tokenizer.bos_token_id:
        del ids[0]
    return ids


def response_ids(tokenizer: Any, response: str) -> list[int]:
    """Ids of a response with one turn end behind it; DataError if it ends a turn before its end."""
    end = int(tokenizer.eos_token_id)
    ids = [int(token) for token in tokenizer.encode(response, add_special_tokens=False)]
    while ids and ids[-1] == end:
        del ids[-1]
    if end in ids:
        raise DataError(
            f"a response holds the turn-end marker {tokenizer.eos_token} in its midst: "
            f"{response[:80]!r}. Clean the row, or leave it out."
        )
    return [*ids, end]


def response_text(tokenizer: Any, ids: Sequence[int]) -> str:
    """Text of generated ids: turn end and padding stripped from the end, thinking tags kept."""
    ids = list(ids)
    while ids and ids[-1] in (tokenizer.eos_token_id, tokenizer.pad_token_id):
        del ids[-1]
    return str(tokenizer.decode(ids, skip_special_tokens=False))
