r"""Forms of a text that hide what a reader does not see or does not mind.

``visible`` undoes widths and takes out invisible characters; ``fold`` also undoes case and the ways
to write an operator or a formula, so that copies in another notation compare equal.
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
FORMAT_CHARACTERS = (
    r"\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f"
)
"""Unicode's category Cf, as far as it is not ignorable."""

INVISIBLE = re.compile(f"[{IGNORABLE_CHARACTERS}{FORMAT_CHARACTERS}]+")
TYPOGRAPHIC = (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'), ("…", "..."), ("\xa0", " "))
GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega"
)
GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψω", GREEK_NAMES.split(" "), strict=True))
SIGNS = {
    **dict.fromkeys("×∗⋅∙✕✖", "*"),
    **dict.fromkeys("−‐⁃", "-"),
    **dict.fromkeys("÷∕⁄➗", "/"),
    **dict.fromkeys("≤⩽≦", "<="),
    **dict.fromkeys("≥⩾≧", ">="),
    **{"√": " sqrt ", "∞": " infty ", "°": " circ ", "≠": " ne ", "±": " pm "},
    **{"∑": " sum ", "∫": " int ", "∈": " in "},
    **{letter: f" {name} " for letter, name in GREEK.items()},
}
"""Signs that are nothing but operators or names; dashes and the middle dot are also punctuation."""

SIGN = re.compile(f"[{''.join(SIGNS)}]")
GREEK_LETTERS = range(0x370, 0x400)
FORMATTING = (
    "left right middle big bigg bigl bigr bigm biggl biggr quad qquad text textbf textit textrm "
    "texttt textsf textnormal mbox hbox mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak "
    "mathscr mathnormal mathord mathbin mathrel mathop operatorname boldsymbol bm displaystyle "
    "textstyle scriptstyle limits nolimits thinspace"
)
LATEX = {
    **dict.fromkeys(FORMATTING.split(" "), " "),
    **dict.fromkeys(("times", "cdot", "ast"), "*"),
    **dict.fromkeys(("le", "leq", "leqslant"), "<="),
    **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
    **{"div": "/", "lt": "<", "gt": ">", "neq": r"\ne"},
    **dict.fromkeys(("dfrac", "tfrac", "cfrac"), r"\frac"),
    **dict.fromkeys(("dbinom", "tbinom"), r"\binom"),
    **{f"var{name}": rf"\{name}" for name in ("epsilon", "theta", "phi", "pi", "rho", "sigma")},
    **dict.fromkeys(("dots", "ldots", "cdots", "dotsc", "dotsb", "dotsm"), "..."),
}
"""Commands that mean an operator, another command, or nothing; they are in lower case by then."""

ONE_DIGIT = (r"\frac", r"\binom", r"\sqrt")  # \frac12 is one half
COMMAND = re.compile(r"\\(?:(?:begin|end)\s*\{[a-z]+\*?\}|([a-z]+)(?:\s*([0-9]))?|[,;:\s])")
THIN_THOUSANDS = re.compile(r"\\,(?<=[0-9]\\,)(?=[0-9]{3}(?![0-9]))")
THOUSANDS = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
RAISED = re.compile(r"[⁰¹²³⁴-⁹⁺⁻ⁱⁿ](?<=\d.)")  # NFKC would make another number of it
POWER = re.compile(r"\^(?<=[^\W\d_]\^|[)\]}|]\^)\{?\s*(?=[\w(+\-\\])")
STARRED_POWER = re.compile(r"\*\*(?<=\b[^\W\d_]\*\*|[)\]}]\*\*)(?=[\w(])")
SPACED_STARS = re.compile(r"\*\*\s[0-9]")
SPACED_POWER = re.compile(r"\s\*\*\s(?<=\b[^\W\d_]\s\*\*\s|[)\]}]\s\*\*\s)(?=[0-9])")
"""x^2, x^{2}, x**2: as NFKC leaves x². Two stars after a word may be bold type and stay."""

UNUSUAL = re.compile(r"[^\x00-\x7f]+")


def visible(text: str) -> str:
    """NFKC without invisible characters (format, zero-width, selectors, fillers, soft hyphens)."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text))


def fold(text: str) -> str:
    """The visible text, case folded, every operator, power and formula in one notation."""
    folded = text.lower() if text.isascii() else _plain(text)
    if "\\" in folded:
        folded = _without_latex(folded)
    if "^" in folded:
        folded = POWER.sub("", "^".join(map(str.strip, folded.split("^"))))
    if "**" in folded:
        folded = STARRED_POWER.sub("", folded)
        if SPACED_STARS.search(folded):
            folded = SPACED_POWER.sub("", folded)
    return THOUSANDS.sub("", folded.replace("{,}", ","))


def _plain(text: str) -> str:
    """Case folded, as near to ASCII as it can be written."""
    for typographic, plain in TYPOGRAPHIC:
        text = text.replace(typographic, plain)
    if text.isascii():
        return text.lower()
    unusual = "".join(UNUSUAL.findall(text))  # most texts hold few of them: looked at first
    if INVISIBLE.search(unusual):
        text = INVISIBLE.sub("", text)
    text = RAISED.sub(r"^\g<0>", text)
    folded = unicodedata.normalize("NFKC", text).casefold()
    unusual = unicodedata.normalize("NFKC", unusual).casefold()
    return SIGN.sub(_named, folded) if SIGN.search(unusual) else folded


def _named(sign: re.Match[str]) -> str:
    """The sign in ASCII; a letter of a Greek word is none."""
    at, letter = sign.start(), sign.group()
    if letter in GREEK:
        beside = sign.string[max(0, at - 1) : at] + sign.string[at + 1 : at + 2]
        if any(ord(character) in GREEK_LETTERS for character in beside):
            return letter
    return SIGNS[letter]


def _without_latex(text: str) -> str:
    text = text.replace(r"\!", "")
    return COMMAND.sub(_command, THIN_THOUSANDS.sub(",", text))


def _command(found: re.Match[str]) -> str:
    name, digit = found.groups()
    if name is None:
        return " "
    written = LATEX.get(name, f"\\{name}")
    if digit is None:
        return written
    return f"{written} {digit}{' ' if written in ONE_DIGIT else ''}"
