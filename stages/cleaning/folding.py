r"""Forms of a text that hide what a reader does not see or does not mind.

``visible`` undoes widths and takes out invisible characters; ``fold`` also undoes case, accents,
look-alike letters, mark-up, escapes and the ways to write an operator or a formula, so that copies
in another notation compare equal.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache, lru_cache

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

ONE_DIGIT = (r"\binom", r"\sqrt")  # \binom42 is 4 over 2
BLOCK = r"(?:begin|end)\s*\{\s*[a-z]+\*?\s*\}"
NAMED = r"[a-z]+(?:[0-9]|\s\s*[0-9]|)"
COMMAND = re.compile(
    rf"(\\(?:{BLOCK}|{NAMED}|[,;:]|"
    rf"\s(?:{BLOCK}|(?!(?:left|right|middle|big|text|limits|dots)\s*\w){NAMED}|)))"
)
"""A command, also cut from its backslash by a tokeniser; but "5\\ left over" holds a word."""

LINE_COMMANDS = (  # those whose beginning looks like an escaped end of line
    "abla|atural|e|earrow|eg|eq|ewline|exists|geq?|i|leq?|mid|olimits|onumber|ot|otin|parallel|"
    "rightarrow|subseteq|u|warrow"
)
TAB_COMMANDS = (  # and like an escaped tab
    "an|anh|au|ag|binom|ext[a-z]*|frac|heta|herefore|hinspace|ilde|imes|o|op|riangle[a-z]*"
)
OPTION = r"(?<=n[ei])[).:]\s"  # E) and I) are options after an end of line, no \ne and \ni
ESCAPED_LINE = re.compile(
    rf"\\(?:(?:r\\)?n(?!(?:{LINE_COMMANDS})(?![a-z])(?!{OPTION}))|"
    rf"t(?!(?:{TAB_COMMANDS})(?![a-z])))"
)
ESCAPED_CHARACTER = re.compile(r"\\+u(?!d[89a-f])([0-9a-f]{4})", re.IGNORECASE)
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
TAG_SIGNS = ("</", "<br", "<BR")  # a text with tags has one of them
TAG = re.compile(
    r"</?(?:a|b|blockquote|br|center|code|div|em|font|h[1-6]|hr|i|li|ol|p|pre|span|strong|sub|"
    r"table|tbody|td|th|tr|u|ul)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
RAISED_TAG = re.compile(r"<sup>\s*([^<>]{0,20}?)\s*</sup>", re.IGNORECASE)
MARKED_LINE = re.compile(r"\n[ \t]*(?://+|>+)[ \t]")
LINE_MARK = re.compile(r"[ \t]*(//+|>+)[ \t]")
THIN_THOUSANDS = re.compile(r"\\,(?<=[0-9]\\,)(?=[0-9]{3}(?![0-9]))")
THOUSANDS = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
RAISED = re.compile(r"[⁰¹²³⁴-⁹⁺⁻ⁱⁿ](?<=\d.)")  # NFKC would make another number of it
POWER = re.compile(r"\^(?<=[^\W\d_]\^|[)\]}|]\^)\{?\s*(?=[\w(+\-\\])")
STARRED_POWER = re.compile(r"\*\*(?<=\b[^\W\d_]\*\*|[)\]}]\*\*)(?=[\w(])")
SPACED_STARS = re.compile(r"\*\*\s[0-9]")
SPACED_POWER = re.compile(r"\s\*\*\s(?<=\b[^\W\d_]\s\*\*\s|[)\]}]\s\*\*\s)(?=[0-9])")
"""x^2, x^{2}, x**2: as NFKC leaves x². Two stars after a word may be bold type and stay."""

UNUSUAL = re.compile(r"[^\x00-\x7f]+")
COMBINING = re.compile(r"[\u0300-\u0337\u0339-\u036f]")  # without the stroke that negates a sign
LATIN = dict(zip("ıаеорсухіјѕһԁԛԝӏвнкмт", "iaeopcyxijshdqwlbhkmt", strict=True))
"""Small letters of which one form, small or capital, looks like a Latin letter; most Cyrillic."""

GREEK_ALIKE = dict(zip("αεικνορτυχ", "aeikvoptux", strict=True))
MASKED = re.compile(
    r"(?<=[a-z])(?<!sin)(?<!cos)(?<!tan)(?<!cot)(?<!sec)(?<!csc)(?<!log)(?<!ln)"
    rf"[{''.join(GREEK_ALIKE)}](?=[a-z])|(?<=[a-z])ο|ο(?=[a-z])"
)
"""A Greek letter inside a Latin word; elsewhere it is a sign, but for omicron."""


def visible(text: str) -> str:
    """NFKC without invisible characters (format, zero-width, selectors, fillers, soft hyphens)."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text))


def fold(text: str) -> str:
    """The visible text without mark-up, accents and case, each operator and formula in one form."""
    if "&" in text or "<" in text or "\\" in text:
        text = _without_markup(text)
    if ("/" in text or ">" in text) and MARKED_LINE.search(text):
        text = _without_line_marks(text)
    folded = text.lower() if text.isascii() else _plain(text)
    if "\\" in folded:
        folded = _without_latex(folded)
    if "^" in folded:
        folded = POWER.sub("", "^".join(map(str.strip, folded.split("^"))))
    if "**" in folded:
        folded = STARRED_POWER.sub("", folded)
        if SPACED_STARS.search(folded):
            folded = SPACED_POWER.sub("", folded)
    if "{" in folded:
        folded = folded.replace("{,}", ",")
    return THOUSANDS.sub("", folded) if "," in folded else folded


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
    if COMBINING.search(unusual):  # a mark may have joined an ASCII letter
        unusual = "".join(UNUSUAL.findall(folded))
    folded = unmasked(folded, unusual)
    return SIGN.sub(_named, folded) if SIGN.search(unusual) else folded


def unmasked(text: str, unusual: str) -> str:
    """A case-folded text with bare letters, look-alikes of Latin ones as these.

    ``unusual`` holds every character of the text that is not ASCII.
    """
    letters = set(unusual)
    for letter in sorted(letters):
        if _bare(letter) != letter:
            text = text.replace(letter, _bare(letter))
    if not GREEK_ALIKE.keys().isdisjoint(letters):
        text = MASKED.sub(lambda letter: GREEK_ALIKE[letter.group()], text)
    return text


@cache
def _bare(letter: str) -> str:
    """The letter without accents, a Cyrillic look-alike in Latin; any other sign as it is."""
    if COMBINING.fullmatch(letter):
        return ""
    parts = unicodedata.normalize("NFD", letter)
    if letter.isalpha() and len(parts) > 1 and COMBINING.match(parts[1]):
        letter = COMBINING.sub("", parts)
    return LATIN.get(letter, letter)


def _without_markup(text: str) -> str:
    """Entities and escaped characters as what they stand for, tags as blanks."""
    if "\\u" in text or "\\U" in text:
        text = ESCAPED_CHARACTER.sub(lambda found: chr(int(found[1], 16)), text)
    for _ in range(2 if "&" in text else 0):  # mark-up is sometimes escaped twice
        text, found = ENTITY.subn(lambda entity: html.unescape(entity.group()), text)
        if not found:
            break
    if "<" in text and any(map(text.__contains__, TAG_SIGNS)):
        text = TAG.sub(" ", RAISED_TAG.sub(r"^{\1}", text))
    return text


def _without_line_marks(text: str) -> str:
    """Signs of quotation and comment taken off every line that follows another with the same.

    "x > 3" may be broken before its sign, so the mark of a single line stays.
    """
    lines, previous = list[str](), ""
    for line in text.split("\n"):
        found = LINE_MARK.match(line)
        mark = found[1] if found else ""
        lines.append(line[found.end() :] if found and mark == previous else line)
        previous = mark
    return "\n".join(lines)


def _named(sign: re.Match[str]) -> str:
    """The sign in ASCII; a letter of a Greek word is none."""
    at, letter = sign.start(), sign.group()
    if letter in GREEK:
        beside = sign.string[max(0, at - 1) : at] + sign.string[at + 1 : at + 2]
        if any(ord(character) in GREEK_LETTERS for character in beside):
            return letter
    return SIGNS[letter]


def _without_latex(text: str) -> str:
    while r"\\" in text:  # an escaped text has twice as many
        text = text.replace(r"\\", "\\")
    text = ESCAPED_LINE.sub(" ", text.replace(r"\!", ""))
    pieces = COMMAND.split(THIN_THOUSANDS.sub(",", text))
    pieces[1::2] = map(_command, pieces[1::2])
    return "".join(pieces)


@lru_cache(maxsize=4096)
def _command(found: str) -> str:
    name = found.strip("\\0123456789").strip()
    if not name.isalpha():  # a block or a space
        return " "
    written = LATEX.get(name, f"\\{name}")
    if written == r"\frac":  # what its braces hold says the rest: (3}{20 reads as (3/20
        return f"({found[-1]}/ " if found[-1].isdigit() else "("
    if not found[-1].isdigit():
        return written
    return f"{written} {found[-1]}{' ' if written in ONE_DIGIT else ''}"
