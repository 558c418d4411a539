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

SIGN = re.compile(
    rf"[{''.join(sign for sign in SIGNS if sign not in GREEK)}]"
    rf"|(?<![\u0370-\u03ff])[{''.join(GREEK)}](?![\u0370-\u03ff])"  # no letter of a Greek word
)
COMMANDS = (
    (r"\\(?:times|cdot|ast)(?![a-z])", "*"),
    (r"\\(?:le|leq|leqslant)(?![a-z])", "<="),
    (r"\\(?:ge|geq|geqslant)(?![a-z])", ">="),
    (r"\\div(?![a-z])", "/"),
    (r"\\lt(?![a-z])", "<"),
    (r"\\gt(?![a-z])", ">"),
    (r"\\neq(?![a-z])", r"\\ne "),
    (r"\\[dtc]frac(?![a-z])", r"\\frac"),
    (r"\\[dt]binom(?![a-z])", r"\\binom"),
    (r"\\var(?=(?:epsilon|theta|phi|pi|rho|sigma)(?![a-z]))", r"\\"),
    (r"\\(?:[lc]?dots|dots[bcimo])(?![a-z])", "..."),
    (
        r"\\(?:left|right|middle|[Bb]igg?[lmr]?|quad|qquad|text(?:bf|it|rm|tt|sf|normal)?|mbox|hbox"
        r"|math(?:rm|bf|it|sf|tt|bb|cal|frak|scr|normal|ord|bin|rel|op)|operatorname|boldsymbol|bm"
        r"|(?:display|text|script)style|limits|nolimits|thinspace|,|;|:|!|\s)(?![a-z])",
        " ",
    ),
    (r"\\(?:begin|end)\s*\{[a-z]+\*?\}", " "),
    (r"(\\(?:frac|binom|sqrt))\s*([0-9])", r"\1 \2 "),  # \frac12 is one half
    (r"(\\[a-z]+)(?=[0-9])", r"\1 "),
)
"""LaTeX that means an operator, another command, or nothing; texts are in lower case by then."""

LATEX = tuple((re.compile(pattern), written) for pattern, written in COMMANDS)
THOUSANDS = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
RAISED = re.compile(r"(?<=[0-9])[⁰¹²³⁴-⁹⁺⁻ⁱⁿ]+")  # after a digit NFKC would make another number
POWER = re.compile(
    r"\^(?<=[^\W\d_]\^|[)\]}|]\^)\{?(?=[\w(+\-\\])"
    r"|\*\*(?<=\b[^\W\d_]\*\*|[)\]}]\*\*)(?=[\w(])"
    r"| \*\* (?<=\b[^\W\d_] \*\* |[)\]}] \*\* )(?=[0-9])"
)
"""x^2, x^{2}, x**2: as NFKC leaves x². Two stars after a word may be bold type and stay."""


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
    if "^" in folded or "**" in folded:
        folded = POWER.sub("", folded.replace(" ^", "^").replace("^ ", "^"))
    return THOUSANDS.sub("", folded)


def _plain(text: str) -> str:
    """Case folded, as near to ASCII as it can be written."""
    for typographic, plain in TYPOGRAPHIC:
        text = text.replace(typographic, plain)
    if text.isascii():
        return text.lower()
    raised = RAISED.sub(r"^\g<0>", INVISIBLE.sub("", text))
    folded = unicodedata.normalize("NFKC", raised).casefold()
    return folded if folded.isascii() else SIGN.sub(_named, folded)


def _named(sign: re.Match[str]) -> str:
    return SIGNS[sign.group()]


def _without_latex(text: str) -> str:
    text = text.replace(r"\!", "").replace("{,}", ",")
    text = re.sub(r"\\,(?<=[0-9]\\,)(?=[0-9]{3}(?![0-9]))", ",", text)
    for pattern, written in LATEX:
        text = pattern.sub(written, text)
    return text
