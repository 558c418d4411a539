"""SFT rows made by a served model: the prompts of a file, each answered once.

A prompt's seed comes from (run seed, source, prompt), so an answer does not depend on its place in
the file. A prompt without an answer is put aside with the reason, like an unreadable row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from stages.base.errors import ConfigError
from stages.base.params import Source
from stages.base.seeds import derive_seed
from stages.base.served import Served
from stages.cleaning.inputs import Raw
from stages.cleaning.rows import not_a_text


def answered(source: Source, prompts: Iterable[Raw], seed: int) -> Iterator[Raw]:
    """The rows with the model's answer as their response, in the order of the prompts."""
    if source.endpoint is None:
        raise ConfigError(f"source {source.name}: no endpoint is given. Name one.")
    served = Served(source.endpoint)

    def answer(raw: Raw) -> Raw:
        return _answer(source, served, raw, seed)

    with ThreadPoolExecutor(source.endpoint.parallel) as pool:
        yield from pool.map(answer, islice(prompts, source.rows))


def _answer(source: Source, served: Served, raw: Raw, seed: int) -> Raw:
    fields = raw.fields
    if fields is None:
        return raw
    wrong = not_a_text(fields, source.prompt_field)
    if wrong:
        return raw._replace(fields=None, reason=wrong)
    prompt = fields[source.prompt_field]
    turn = {"role": "user", "content": prompt}
    found = served.ask([turn], derive_seed(seed, "endpoint", source.name, prompt))
    if found.failure:
        return raw._replace(fields=None, reason=f"the endpoint: {found.failure}")
    response = f"<think>\n{found.thinking.strip()}\n</think>\n\n{found.text.strip()}"
    whole = response if found.thinking.strip() else found.text
    return raw._replace(fields={**fields, source.response_field: whole})
