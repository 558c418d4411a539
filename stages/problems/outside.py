"""From rows of outside data sets to problems and preferences, each with where it came from.

A parser knows one public schema. It gives a :class:`Draft` (a problem) or a :class:`Pair` (a
preference), says :class:`Unfit` of a row that is sound but no use here, and raises DataError for a
row that is not of its schema. Ids come from content, so they do not depend on place or order.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from stages.base.conversation import turn
from stages.base.errors import DataError
from stages.base.jsonl import json_type
from stages.base.params import RlSource
from stages.base.records import Problem
from stages.problems.wording import tidy

Fields = Mapping[str, Any]
Raw = tuple[Path, int, Fields | None, str]
Kind = Literal["maths", "choice", "code", "molecule", "logic", "instructions", "chat", "preference"]
LONGEST_PROMPT = 20_000  # characters; more is a document, not a problem

TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|[^\w\s$\\{}.?\"`]")
RAISED = re.compile(r"[⁰¹²³⁴-⁹⁺⁻ⁱⁿ]+")  # NFKC would make 10² one hundred and two
VULGAR = re.compile(r"[¼-¾⅐-⅞]")  # and 2½ twenty-one halves
DRESSING = re.compile(
    r"\\(?:left|right|displaystyle|[,;:! ])(?![a-zA-Z])|\\(?:text|mathrm)(?![a-zA-Z])|\\[()\[\]]"
)
SCRIPTS = (("hiragana", "ja"), ("katakana", "ja"), ("hangul", "ko"), ("cjk", "zh"))
OTHER_SCRIPTS = (("cyrillic", "ru"), ("arabic", "ar"), ("hebrew", "he"), ("thai", "th"))
SOFT_HYPHEN = "\u00ad"  # a minus to who reads an answer, nothing to who reads a text
NEEDS_PICTURE = re.compile(r"!\[[^\]]*\]\(|<image|<img\b", re.IGNORECASE)


@dataclass(frozen=True)
class Draft:
    """A problem as a parser leaves it; ``verifier`` is NO_VERIFIER where no rule can check it.

    A problem of a generator family is checked by that and names none.
    """

    prompt: str
    answer: str
    verifier: str
    meta: dict[str, Any] = field(default_factory=dict)
    family: str = ""  # a generator family; else the schema's kind
    key: str = ""  # its canonical key; else one of the prompt's text
    difficulty: str = ""  # as the row states it


@dataclass(frozen=True)
class Pair:
    """Two responses to one prompt, the better one first."""

    prompt: str
    chosen: str
    rejected: str
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unfit:
    """A sound row that gives nothing, and why."""

    reason: str


Parsed = Draft | Pair | Unfit
Parser = Callable[[Fields], Sequence[Parsed]]


@dataclass(frozen=True)
class Schema:
    """How to read one public schema."""

    kind: Kind
    parse: Parser


@dataclass(frozen=True)
class Preference:
    """A preference between two responses, as a row of ``preferences.jsonl``."""

    id: str
    domain: str
    prompt: str
    chosen: str
    rejected: str
    key: str
    meta: dict[str, Any]

    def to_row(self) -> dict[str, Any]:
        """As a JSON row."""
        return asdict(self)


@dataclass(frozen=True)
class Left:
    """A row that gave nothing: its place, and why."""

    id: str
    source: str
    reason: str

    def to_row(self) -> dict[str, Any]:
        """As a JSON row."""
        return asdict(self)


@dataclass
class Outside:
    """What a source gave; ``unreadable`` holds (file, row number, reason)."""

    problems: list[Problem] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    unfit: list[Left] = field(default_factory=list)
    unreadable: list[tuple[Path, int, str]] = field(default_factory=list)

    @property
    def readable(self) -> int:
        """What rows of the schema gave."""
        return len(self.problems) + len(self.preferences) + len(self.unfit)


def parse_rows(source: RlSource, schema: Schema, raws: Iterable[Raw]) -> Outside:
    """Problems and preferences of the rows of a source, at most ``source.rows`` rows."""
    found = Outside()
    for count, (file, number, fields, reason) in enumerate(raws):
        if count == source.rows:
            break
        if fields is None:
            found.unreadable.append((file, number, reason))
            continue
        try:
            parsed = schema.parse(fields)
        except (DataError, RecursionError) as error:
            found.unreadable.append((file, number, str(error)))
            continue
        for item in parsed:
            _sort_in(source, schema, item, f"{source.name}:{file.name}:{number}", fields, found)
    return found


def _sort_in(
    source: RlSource, schema: Schema, item: Parsed, place: str, fields: Fields, found: Outside
) -> None:
    if isinstance(item, Unfit):
        found.unfit.append(Left(place, source.name, item.reason))
        return
    unfit = _unfit_prompt(item.prompt)
    if unfit:
        found.unfit.append(Left(place, source.name, unfit))
        return
    meta = {
        "notation": "text",
        "thinking": True,  # a response that never ends its thinking states no answer
        "source": source.name,
        "schema": source.schema,
        "licence": _stated(fields, "license", "licence") or source.licence,
        "language": language(_stated(fields, "language", "lang"), item.prompt),
        **item.meta,
    }
    if isinstance(item, Pair):
        found.preferences.append(_preference(source, item, meta))
    else:
        found.problems.append(_problem(source, schema.kind, item, meta))


def _unfit_prompt(prompt: str) -> str:
    if len(prompt) > LONGEST_PROMPT:
        return f"the prompt has more than {LONGEST_PROMPT} characters"
    if NEEDS_PICTURE.search(prompt):
        return "the prompt needs a picture"
    return "" if text_key(prompt) != text_key("") else "the prompt holds no word"


def _problem(source: RlSource, kind: Kind, draft: Draft, meta: dict[str, Any]) -> Problem:
    return Problem(
        id=f"{source.name}-{digest(draft.prompt, draft.answer)}",
        family=draft.family or kind,
        domain=source.domain,
        prompt=draft.prompt,
        answer=draft.answer,
        key=draft.key or text_key(draft.prompt),
        difficulty=draft.difficulty,
        meta=meta if draft.family else {**meta, "verifier": draft.verifier},
    )


def _preference(source: RlSource, pair: Pair, meta: dict[str, Any]) -> Preference:
    return Preference(
        id=f"{source.name}-{digest(pair.prompt, pair.chosen, pair.rejected)}",
        domain=source.domain,
        prompt=pair.prompt,
        chosen=pair.chosen,
        rejected=pair.rejected,
        key=text_key(pair.prompt),
        meta=meta,
    )


def digest(*texts: str) -> str:
    """16 hex digits that stand for some texts in order."""
    joined = "\x1f".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


def text_key(text: str) -> str:
    """The canonical key of a problem in words: equal where only width, case, space or dress differ.

    Numbers, signs and relations stay: problems that differ in a number are different problems.

    >>> text_key("What is $2 + 3$?") == text_key("what is 2+3")
    True
    >>> text_key("What is 2 + 3?") == text_key("What is 2 + 4?")
    False
    """
    kept = VULGAR.sub(r" \g<0>", RAISED.sub(r"^\g<0>", text.replace(SOFT_HYPHEN, "")))
    folded = DRESSING.sub(" ", tidy(kept).casefold())
    tokens = TOKEN.findall(folded)
    while tokens and tokens[-1] in "!,;:":
        tokens.pop()
    words = " ".join(tokens)
    return f"text|{hashlib.blake2b(words.encode(), digest_size=16).hexdigest()}"


def language(stated: str, text: str) -> str:
    """The language a row states, else that of its script, else ``und`` (undetermined).

    >>> language("English", ""), language("", "求方程的解"), language("", "Find x.")
    ('english', 'zh', 'und')
    """
    if stated:
        return stated.strip().lower()
    letters = [character for character in text[:2000] if character.isalpha()]
    names = [unicodedata.name(character, "").lower() for character in letters]
    for script, code in (*SCRIPTS, *OTHER_SCRIPTS):
        share = sum(name.startswith(script) for name in names)
        if share > 0.2 * len(names):
            return code
    return "und"


def text(fields: Fields, *names: str) -> str:
    """The first of some fields that is a text with something in it; DataError if none is."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    listed = "' or '".join(names)
    given = next((name for name in names if fields.get(name) is not None), None)
    if given is None:
        raise DataError(f"field '{listed}' is missing")
    value = fields[given]
    what = "is empty" if isinstance(value, str) else f"is {json_type(value)}, not a text"
    raise DataError(f"field '{given}' {what}")


def _stated(fields: Fields, *names: str) -> str:
    found = (fields.get(name) for name in names)
    return next((value for value in found if isinstance(value, str)), "")


def from_json(fields: Fields, name: str) -> Any:
    """A field that holds JSON, perhaps as text; DataError if it does not."""
    value = fields.get(name)
    if not isinstance(value, str):
        if value is None:
            raise DataError(f"field '{name}' is missing")
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise DataError(f"field '{name}' is not JSON ({error})") from error


def turns(fields: Fields, *names: str) -> list[tuple[str, str]]:
    """(role, text) of the messages of a conversation in one of some fields, in any common form.

    DataError if there is no conversation.
    """
    for name in names:
        found = fields.get(name)
        if isinstance(found, str) and found.lstrip().startswith("["):
            found = from_json(fields, name)
        if isinstance(found, list) and found:
            return [turn(name, message) for message in found]
    listed = "' or '".join(names)
    raise DataError(f"field '{listed}' is missing or no list of messages")
