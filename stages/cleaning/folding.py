r"""Forms of a text that hide what a reader does not see or does not mind.

``visible`` undoes widths and takes out invisible characters; ``fold`` also undoes case and the ways
to write an operator, so that copies in another notation compare equal.
"""

from __future__ import annotations

import re
import unicodedata

IGNORABLE_CHARACTERS = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point: drawn as nothing. Marks and letters are among them."""

IGNORABLE = re.compile(f"[{IGNORABLE_CHARACTERS}]")
OPERATORS = str.maketrans(
    {
        **dict.fromkeys("×∗⋅∙✕✖", "*"),
        **dict.fromkeys("−‐⁃", "-"),
        **dict.fromkeys("÷∕⁄➗", "/"),
        **dict.fromkeys("≤⩽≦", "<="),
        **dict.fromkeys("≥⩾≧", ">="),
    }
)
"""Signs that are nothing but operators; dashes and the middle dot are also punctuation."""

LATEX = {
    **dict.fromkeys(("times", "cdot", "ast"), "*"),
    **dict.fromkeys(("le", "leq", "leqslant"), "<="),
    **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
    "div": "/",
    "lt": "<",
    "gt": ">",
}
LATEX_OPERATOR = re.compile(rf"\\({'|'.join(LATEX)})(?![a-z])")
RAISED = re.compile(r"(?<=[0-9])[⁰¹²³⁴-⁹⁺⁻ⁱⁿ]+")  # after a digit NFKC would make another number
POWER = re.compile(
    r"(?<=[^\W\d_]|[)\]}|])\s*\^\s*\{?(?=[\w(+\-\\])"
    r"|(?<=\b[^\W\d_]|[)\]}])(?:\*\*(?=[\w(])| \*\* (?=[0-9]))"
)
"""x^2, x^{2}, x**2: as NFKC leaves x². Two stars after a word may be bold type and stay."""


def visible(text: str) -> str:
    """NFKC without invisible characters (format, zero-width, selectors, fillers, soft hyphens)."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _without_invisible(text))


def fold(text: str) -> str:
    """The visible text, case folded, every operator and power in one notation."""
    if text.isascii():
        folded = text.lower()
    else:
        raised = RAISED.sub(r"^\g<0>", _without_invisible(text))
        folded = unicodedata.normalize("NFKC", raised).casefold().translate(OPERATORS)
    if "\\" in folded:
        folded = LATEX_OPERATOR.sub(lambda match: LATEX[match.group(1)], folded)
    return POWER.sub("", folded) if "^" in folded or "**" in folded else folded


def _without_invisible(text: str) -> str:
    shown = IGNORABLE.sub("", text)
    return "".join(c for c in shown if unicodedata.category(c) != "Cf")
