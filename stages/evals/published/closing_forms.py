r"""Forms in which responses close that state an answer without saying so: JSON, the answer first.

They are put into a line "Answer: ..." before a response is read; what else it says stays, so that
another answer beside it still counts.
"""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 20_000  # characters at the end of a response in which its JSON is looked for
STRING = r'"(?:[^"\\]|\\.)*"'
VALUE = rf"(?:{STRING}|-?[0-9][0-9.eE+-]*|true|false|null)"
MEMBER = rf"{STRING}\s*:\s*{VALUE}"
OBJECT = re.compile(
    rf"(?:```(?:json)?\s*)?(?P<object>\{{\s*{MEMBER}(?:\s*,\s*{MEMBER})*\s*\}})\s*(?:```)?\s*\Z"
)
KEY = re.compile(r"(?:the[ _]?)?(?:final[ _]?|correct[ _]?)?(?:answer|option|choice)")
ESCAPE = re.compile(r'\\(["\\/]|u[0-9a-fA-F]{4})?')
FIRST = re.compile(
    r"\A[ \t*_]{0,6}(?P<said>\(?[A-J]\)?|-?\$?[0-9][0-9,.]{0,30})[ \t*_.]{0,6}\n\s*\n"
    r"(?=[ \t*_#]{0,6}(?i:(?:the\s)?reason(?:ing)?|explanation|justification|because|解析|解释|"
    r"理由)(?![A-Za-z]))"
)
"""A first line that is an answer alone, before what is said for it."""


def marked(text: str) -> str:
    r"""A response whose last JSON object or first line is its answer, as a line that says so.

    >>> marked('So:\n{"why": "x", "answer": "B"}'), marked("B\n\nExplanation: it fits.")
    ('So:\n\nAnswer: B\n', 'Answer: B\n\nExplanation: it fits.')
    """
    text = FIRST.sub(r"Answer: \g<said>\n\n", text)
    start = max(len(text) - LONGEST, 0)
    found = OBJECT.search(text, start)
    said = _answer(found["object"]) if found else None
    return text if found is None or said is None else f"{text[: found.start()]}\nAnswer: {said}\n"


def _answer(written: str) -> str | None:
    """The one answer that an object names; commands of LaTeX may have one backslash."""
    escaped = ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", written)
    try:
        members: list[tuple[str, Any]] = json.loads(
            escaped, object_pairs_hook=list, parse_int=str, parse_float=str
        )
    except ValueError:
        return None
    said = [value for name, value in members if KEY.fullmatch(name.strip().casefold())]
    one = said[0] if len(said) == 1 else None
    return str(one) if isinstance(one, str | bool) and str(one).strip() else None
