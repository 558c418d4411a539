"""lm-eval's model class with what it leaves out: a seed a request, endings, and guards.

Before anything is generated, every prompt is checked: what lm-eval made of it, that it fits its
window with its response, that it begins with one BOS, and that the tokenizer knows all of it. How
the engine was really asked is kept for the record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from stages.base.errors import ConfigError, EngineError
from stages.problems.answers import CLOSE, OPEN
from stages.rewards.judge import FAILED

ENDS = ("stop", "length")
EFFECTIVE = (
    "n", "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty",
    "frequency_penalty", "stop", "stop_token_ids", "ignore_eos", "min_tokens",
)  # fmt: skip
"""Settings of a request that shape its distribution or its end; the seed and the limit vary."""
PROBE = "@@@"
"""Stands for the prompt when the chat template is looked at."""


@dataclass(frozen=True)
class Ending:
    """Why generation ended ("stop", "length", or "error": the engine failed), and after how much.

    ``tokens`` counts what was generated.
    """

    finish: str
    tokens: int


@dataclass(frozen=True)
class Frame:
    """What the chat template writes around a prompt; ``opened`` is the thinking it begins."""

    before: str
    after: str

    @property
    def opened(self) -> str:
        """The end of the template from a <think> that it leaves open, or ""."""
        if self.after.count(OPEN) <= self.after.count(CLOSE):
            return ""
        return self.after[self.after.rindex(OPEN) :]


def check_window(problem: str, prompt: int, max_tokens: int, context: int) -> None:
    """Refuse, before the run, a prompt that would have to be cut."""
    if prompt + max_tokens > context:
        raise ConfigError(
            f"benchmark problem {problem}: prompt of {prompt} tokens + {max_tokens} new ones do "
            f"not fit the window of {context}. Raise run_benchmarks.context or engine.context, "
            "lower run_benchmarks.max_tokens, or leave the benchmark out."
        )


def turns(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """The conversation that a row asks to go on; most are one turn."""
    return document["messages"] or [{"role": "user", "content": document["prompt"]}]


class Guards:
    """Laid over lm-eval's model class by :func:`guarded_model`.

    ``endings`` maps the seed of each request to its :class:`Ending`; ``effective`` holds the
    distinct settings that requests were sampled with.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.endings: dict[int, Ending] = {}
        self.effective: list[dict[str, Any]] = []

    @cached_property
    def bos(self) -> int | None:
        """What the tokenizer begins every text with; None if it writes no such token."""
        encode = super().tok_encode  # type: ignore[misc]
        plain, special = (encode("a", add_special_tokens=add) for add in (False, True))
        begins = len(special) > len(plain) and special[1 : 1 + len(plain)] == plain
        return int(special[0]) if begins else None

    @cached_property
    def frame(self) -> Frame:
        """What stands around every prompt of one turn, a system prompt of the template included."""
        before, _, after = self._dressed([{"role": "user", "content": PROBE}]).partition(PROBE)
        return Frame(before, after)

    def _dressed(self, conversation: list[dict[str, str]]) -> str:
        return str(self.apply_chat_template(conversation))  # type: ignore[attr-defined]

    def tok_encode(self, string: Any, add_special_tokens: Any = None, **kwargs: Any) -> Any:
        """Token ids, exactly one BOS before them where the tokenizer has one."""
        del add_special_tokens  # the chat template writes them, but perhaps the first
        found = super().tok_encode(string, add_special_tokens=False, **kwargs)  # type: ignore[misc]
        if isinstance(string, str):
            return self._begun(found)
        return [self._begun(tokens) for tokens in found]

    def _begun(self, tokens: list[int]) -> list[int]:
        if self.bos is None or tokens[:1] == [self.bos]:
            return tokens
        return [self.bos, *tokens]

    def generate_until(self, requests: Any, disable_tqdm: bool = True) -> list[str]:
        """The responses; every request has its own seed and room."""
        checked = self.check([request.doc for request in requests])
        for request, (text, room) in zip(requests, checked, strict=True):
            context, settings = request.args
            if not request.doc["messages"] and context != text:
                raise EngineError(f"{request.doc['id']}: lm-eval altered the prompt: {context!r}.")
            asked = {**settings, "seed": request.doc["seed"], "max_gen_toks": room}
            request.arguments = (text, asked)
        made = super().generate_until(requests, disable_tqdm=disable_tqdm)  # type: ignore[misc]
        return list(made)

    def check(self, documents: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
        """The text of each prompt and the tokens its response may take.

        ConfigError or EngineError name the first prompt that must not be run.
        """
        texts = [self._dressed(turns(document)) for document in documents]
        different = list(dict.fromkeys(texts))
        encoded = dict(zip(different, self.tok_encode(different), strict=True))
        rooms = [
            self._room(document, encoded[text])
            for document, text in zip(documents, texts, strict=True)
        ]
        return list(zip(texts, rooms, strict=True))

    def _room(self, document: Mapping[str, Any], tokens: list[int]) -> int:
        problem, limit = document["id"], document["max_tokens"]
        window = document["window"] or self.max_length  # type: ignore[attr-defined]
        check_window(problem, len(tokens), limit or 1, window)
        first = self.bos if self.bos is not None else self._special("bos_token_id")
        if first is not None and tokens[:2] == [first, first]:
            raise EngineError(
                f"{problem}: the prompt begins with two BOS tokens ({first}). Take one out of the "
                "chat template of the checkpoint."
            )
        if (unknown := self._special("unk_token_id")) is not None and unknown in tokens:
            raise ConfigError(
                f"benchmark problem {problem}: the tokenizer has no tokens for parts of the "
                "prompt, so the model would not be asked what is scored. Leave the benchmark out "
                "for this model."
            )
        return int(limit or window - len(tokens))

    def _special(self, name: str) -> Any:
        return getattr(getattr(self, "tokenizer", None), name, None)

    def _model_generate(
        self, requests: Any, generate: bool = False, sampling_params: Any = None
    ) -> Any:
        made = super()._model_generate(requests, generate, sampling_params)  # type: ignore[misc]
        for output, asked in zip(made, sampling_params or (), strict=generate):
            if not output.outputs:
                output.outputs = [SimpleNamespace(text="", finish_reason=FAILED, token_ids=())]
            final = output.outputs[0]
            finish = final.finish_reason if final.finish_reason in ENDS else FAILED
            self.endings[asked.seed] = Ending(finish, len(final.token_ids))
            settings = {name: getattr(asked, name, None) for name in EFFECTIVE}
            if settings not in self.effective:
                self.effective.append(settings)
        return made

    def record(self) -> dict[str, Any]:
        """How prompts were dressed and sampled, for provenance."""
        template = str(self.chat_template(True))  # type: ignore[attr-defined]
        return {
            "chat_template_sha256": hashlib.sha256(template.encode()).hexdigest(),
            "before_prompt": self.frame.before,
            "after_prompt": self.frame.after,
            "bos": self.bos,
            "sampling": self.effective,
        }


def guarded_model(kind: Any) -> Any:
    """lm-eval's model class ``kind`` with a seed a request, endings kept, and nothing cut."""
    return type("Guarded", (Guards, kind), {})
