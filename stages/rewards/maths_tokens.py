r"""From LaTeX or plain text to tokens: one form for each sign, and bounds before any parsing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stages.problems.wording import tidy
from stages.rewards.maths_nodes import UnreadableError
from stages.rewards.units import units_inline

LONGEST = 5_000  # characters of an answer
MOST_TOKENS = 600
MOST_DEPTH = 30
MOST_DIGITS = 4_300

SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉ₙ", "0123456789n", strict=True))
RAISED = re.compile(f"[{''.join(SUPERSCRIPTS)}]+")
LOWERED = re.compile(f"[{''.join(SUBSCRIPTS)}]+")
VULGAR = re.compile("[¼½¾⅐-⅞]")

SIGNS = {
    "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "∕": "/", "π": r"\pi ", "∞": r"\infty ",
    "≡": "=", "≈": r"\approx ", "¢": " cents ",
    "≤": "<=", "⩽": "<=", "≥": ">=", "⩾": ">=", "≠": "!=", "∪": r"\cup ", "∈": r"\in ",
    "±": r"\pm ", "∓": r"\mp ", "√": r"\sqrt ", "∅": r"\emptyset ", "ℝ": r"\mathbb{R}",
    "°": r"^\circ ", "θ": r"\theta ", "α": r"\alpha ", "β": r"\beta ", "λ": r"\lambda ",
    "φ": r"\phi ", "ω": r"\omega ", "γ": r"\gamma ", "⟨": r"\langle ", "⟩": r"\rangle ",
    "\u2126": "ohm ", "\u03a9": "ohm ", "\u00c5": "angstrom ", "\u212b": "angstrom ",
    "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ",
}  # fmt: skip
NUMBERS = "two three four five six seven eight nine ten"
BASES = {word: base for base, word in enumerate(NUMBERS.split(), start=2)}
UPRIGHT = r"\\(?:text|textrm|textup|mathrm|rm) ?"
MODULO = (
    r"(?:\\[pb]?mod(?![a-zA-Z])|\\(?:text|mathrm|operatorname) ?\{ ?mod(?:ulo)? ?\}|"
    r"\bmod(?:ulo)?\b) {0,3}\{? {0,3}"
)
REWRITTEN = tuple(
    (re.compile(pattern, re.ASCII), plain)
    for pattern, plain in (
        (r"\s+", " "),
        (r"(?i)\bper cent\b", "percent"),
        (r"\\degree(?![a-zA-Z])", r"^\\circ"),
        (r"(?:\\(?:text|mathrm) ?\{ ?([kMGm]) ?\}|(?<![A-Za-z])([kMGm])) ?\\Omega", r" \1\2ohm"),
        (r"\\mu\s*\\(?:text|mathrm)\s*\{", r"\\text{u"),
        (r"\{ ?\}(?= ?\^)", ""),
        (rf"{UPRIGHT}\{{(?=[^{{}}]*\{{)((?:[^{{}}^]|\^ ?\{{[^{{}}]*\}}|\^(?! ?\{{))*)\}}", r" \1 "),
        (rf"{UPRIGHT}\{{([^{{}}()]*[()][^{{}}()]*)\}}", r" \1 "),
        (
            r"\^? ?\{? ?\\circ ?\}? ?(?:\\(?:text|mathrm) ?\{ ?)?([CF])(?![A-Za-z])\}?",
            r" deg\1 ",
        ),
        (r"\{,\}", ","),
        (r"\\(?:text|textbf|textit|mathrm|mathbf|mbox)\s*\{([^A-Za-z{}]*)\}", r" \1 "),
        (r"(?<=\d)\\[,;:! ](?=\d{3}(?!\d))", ""),
        (r"(?<=,)\s*\\[! ]\s*(?=\d{3})", ""),
        (r"\\!", ""),
        (r"\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])\s*\.?", " "),
        (r"\\(?:displaystyle|textstyle|limits|bf|rm|it)(?![a-zA-Z])", " "),
        (r"(?<!\\)\\[,;: ()\[\]]|\\q?quad(?![a-zA-Z])|(?<=\S)~", " "),
        (r"\\[dtc]frac(?![a-zA-Z])", r"\\frac"),
        (r"\\[dt]binom(?![a-zA-Z])", r"\\binom"),
        (r"\\equiv(?![a-zA-Z])", "="),
        (r"\\(?:simeq|sim)(?![a-zA-Z])", r"\\approx "),
        (r"\((\d{1,200})\) ?_", r"\1_"),
        (
            rf"_ ?\{{? ?\\(?:text|mathrm) ?\{{ ?({'|'.join(BASES)}) ?\}} ?\}}?",
            lambda found: f"_{{{BASES[found[1]]}}}",
        ),
        (r"\\(?:leqslant|leq|le)(?![a-zA-Z])", "<="),
        (r"\\(?:geqslant|geq|ge)(?![a-zA-Z])", ">="),
        (r"\\color\s*\{[a-z]+\}|\\(?:small|large|Large)(?![a-zA-Z])", " "),
        (
            r"(?:(?<=[0-9})])|(?<=\\pi)|(?<=\\pi ))"
            r"\s*(?:\\text\s*\{\s*)?(?:(?:square|cubic|sq\.?|cu\.?) )?units?\s*\}?"
            r"(?:\s*\^\s*\{?[23]\}?)?$",
            "",
        ),
        (r"\\lt(?![a-zA-Z])", "<"),
        (r"\\gt(?![a-zA-Z])", ">"),
        (r"\\(?:neq|ne)(?![a-zA-Z])", "!="),
        (r"\\(?:cdot|times|ast)(?![a-zA-Z])", "*"),
        (r"\\div(?![a-zA-Z])", "/"),
        (r"\{([^{}]+?)\\choose(?![a-zA-Z])([^{}]+)\}", r"\\binom{\1}{\2}"),
        (r"\\(?:lvert|rvert|vert|mid)(?![a-zA-Z])", "|"),
        (r"\\lbrace(?![a-zA-Z])", r"\\{"),
        (r"\\rbrace(?![a-zA-Z])", r"\\}"),
        (r"\\(?:mathrm|mathbf|mathit|operatorname)\s*\{\s*([A-Za-z]|[a-z]{2,6}h?)\s*\}", r" \1 "),
        (r"(?i)\b(?:minus|negative)\b", "-"),
        (r"(?i)\b(?:plus|positive)\b", "+"),
        (r"\*\*", "^"),
        (r"[μµ](?=[A-Za-z])", "u"),
        (r"\\(?:Omega|ohm)(?![a-zA-Z])", "ohm "),
        (
            rf"\( {{0,3}}{MODULO}(\d+) ?\}}? {{0,3}}\)|{MODULO}(\d+) ?\}}?",
            lambda found: rf" \mod {found[1] or found[2]} ",
        ),
        (r"⁄", "/"),
        (r"=<", "<="),
        (r"=>", ">="),
    )
)
TOKEN = re.compile(
    r"""\s*(?:
    (?P<num>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,4}(?![\d.]))?|\.\d+(?:[eE][+-]?\d{1,4}(?![\d.]))?)
    |(?P<text>\\(?:text|textrm|textbf|textit|mbox|hbox|mathrm|mathbf|mathsf|operatorname)\*?
        \s*\{[^{}]*\})
    |(?P<cmd>\\[A-Za-z]+|\\[{}|%$\\&])
    |(?P<word>[A-Za-z]+)
    |(?P<op><=|>=|!=|[-+*/^_!=<>()\[\]{}|,;:%&$€£₹¥])
    )""",
    re.VERBOSE | re.ASCII,
)
OPENING, CLOSING = {"(", "[", "{", r"\{", r"\langle"}, {")", "]", "}", r"\}", r"\rangle"}
REPEATING = re.compile(
    r"(?<![0-9])([0-9]{0,9})\.([0-9]{0,20})\\(?:overline|bar)\s*\{([0-9]{1,20})\}"
)
SPACED = re.compile(r"-?[1-9][0-9]{0,2}(?: [0-9]{3})+")
GROUPED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is num, text, cmd, word, op or end; ``spaced``: a blank stands before it."""

    kind: str
    text: str
    spaced: bool = False
    start: int = 0
    end: int = 0


END = Token("end", "")


def plain_signs(text: str) -> str:
    """A text with one form for each sign; raises UnreadableError if it is too long to look at."""
    if len(text) > LONGEST:
        raise UnreadableError("longer than any answer")
    text = VULGAR.sub(lambda found: f" {found[0]}", text)
    text = RAISED.sub(lambda found: "^{" + "".join(map(SUPERSCRIPTS.get, found[0])) + "}", text)  # type: ignore[arg-type]
    text = LOWERED.sub(lambda found: "_{" + "".join(map(SUBSCRIPTS.get, found[0])) + "}", text)  # type: ignore[arg-type]
    text = "".join(SIGNS.get(letter, letter) for letter in text)
    text = REPEATING.sub(_fraction, units_inline(_currency(tidy(text)), marked=True))
    for pattern, plain in REWRITTEN:
        text = pattern.sub(plain, text)
    text = text.strip().rstrip(".").strip()
    return text.replace(" ", "") if SPACED.fullmatch(text) else text


def _fraction(found: re.Match[str]) -> str:
    """A decimal whose last digits repeat, as a fraction."""
    whole, fixed, repeated = found.groups()
    below = 10 ** len(fixed) * (10 ** len(repeated) - 1)
    above = int(whole + fixed + repeated) - int(f"0{whole}{fixed}")
    return f"({above}/{below})"


def _currency(text: str) -> str:
    """Dollar signs that delimit mathematics gone; those that mean money stay."""
    kept = text.replace(r"\$", "\0")
    if kept.count("$") % 2:
        kept = re.sub(r"\$(?=\s*[-+]?[\d.])", "\0", kept, count=1)
    return kept.replace("$", " ").replace("\0", "$")


def tokens(text: str) -> list[Token]:
    """The tokens of a text that :func:`plain_signs` made; UnreadableError where it has others."""
    found, at = list[Token](), 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise UnreadableError(f"{text[at : at + 20].strip()!r} is nothing known")
        kind, at = match.lastgroup, match.end()
        written = match[kind]
        if kind == "num" and len(written) > MOST_DIGITS:
            raise UnreadableError("a number of too many digits")
        start = match.start(kind)
        found.append(Token(kind, written, start > match.start(), start, at))
        if len(found) > MOST_TOKENS:
            raise UnreadableError("more symbols than any answer has")
    return found


def depth(found: list[Token]) -> int:
    """How deep brackets nest; UnreadableError if they do not close."""
    level = deepest = 0
    for token in found:
        level += (token.text in OPENING) - (token.text in CLOSING)
        deepest = max(deepest, level)
    return deepest


def structure(found: list[Token]) -> tuple[dict[int, int], dict[int, bool]]:
    """For each opening bracket, where it closes, and whether a comma stands directly in it.

    Round and square brackets may close one another: that is how half-open intervals are written.
    """
    closes, commas = dict[int, int](), dict[int, bool]()
    opened = list[int]()
    alike = {"(": ")]", "[": ")]", "{": "}", r"\{": r"\}", r"\langle": r"\rangle"}
    for at, token in enumerate(found):
        if token.text in alike:
            opened.append(at)
        elif token.text in (")", "]", "}", r"\}", r"\rangle"):
            if not opened or token.text not in alike[found[opened[-1]].text]:
                raise UnreadableError("a bracket closes that was not opened")
            closes[opened.pop()] = at
        elif token.text in (",", ";") and opened:
            commas[opened[-1]] = True
    if opened:
        raise UnreadableError("a bracket that does not close")
    return closes, commas


def join_thousands(text: str) -> str:
    """``1,234`` as one number; between brackets only where other commas have blanks after them."""
    found, at, start = list[str](), 0, 0
    level = 0
    for at, letter in enumerate(text):
        if letter in "([{" and level == 0:
            found.append(_joined(text[start:at], inside=False))
            start = at
        level += (letter in "([{") - (letter in ")]}")
        if letter in ")]}" and level == 0:
            found.append(_joined(text[start : at + 1], inside=True))
            start = at + 1
    found.append(_joined(text[start:], inside=level > 0))
    return "".join(found)


def _joined(text: str, inside: bool) -> str:
    if inside and not re.search(r",\s", text):
        return text
    return GROUPED.sub(lambda found: found[0].replace(",", ""), text)
