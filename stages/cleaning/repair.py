"""Repair: what can be mended is mended before any filter looks, so all judge the text that is kept.

Kept: newline and tab, joiners and marks inside emoji and scripts that need them. ftfy runs with
everything off that would touch code or LaTeX: quotes, ligatures, widths, HTML entities; it leaves
code alone, and lines that set the right form beside the broken one (talk about encodings).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

import ftfy
from ftfy.badness import is_bad

from stages.cleaning.folding import IGNORABLE
from stages.cleaning.rows import Filtered, Row

LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028\u2029]")
SEPARATORS = re.compile(r"\x0crac(?=\s*\{)|[\v\f\x1c-\x1f]")
"""Control characters that stand between words; the first is the escape of a lost backslash."""

CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
CODEC = re.compile(r"\b(?:en|de)code\(")
ABOUT = re.compile(
    r"mojibake|\b(?:utf|latin|iso|cp|windows|ascii|unicode|charset|misread|garbled|becomes?|"
    r"turns)\b|"
    r"instead of|shows? up|appears? as|->|=>|→|[ck]odier|encod|decod|wird zu|statt\b",
    re.IGNORECASE,
)
"""What is said of a wrong encoding."""
WORD = re.compile(r"[^\W\d_]+")
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[()][0-9A-Z])")
"""What a terminal takes for a colour, a place, a title or a set of letters."""
SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")
MISREAD = re.compile(r"[\x1b\x80-\x9f\ud800-\udfff]|^[ÃÂ][ \xa0]", re.MULTILINE)
DENSE = re.compile(r"[^\x00-\x7f]{2}|[ÂÃŒœ]")  # whatever ftfy finds bad holds one of these
ROUNDS = 5
JOINERS = "\u200c\u200d"
SELECTOR = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
SELECTABLE = frozenset(("So", "Sm", "Sc", "Sk", "Po", "Pd", "Ps", "Pe", "Lo"))
IN_PLACE = re.compile(
    "(?<=[\u1800-\u18af])[\u180b-\u180d\u180f]|(?<=[\u1780-\u17ff])[\u17b4\u17b5]|"
    "(?<=[\u1100-\u115f\ua960-\ua97f])\u1160|\u115f(?=[\u1160-\u11ff\ud7b0-\ud7ff])|"
    "(?<=[#*0-9])\ufe0f(?=\u20e3)|(?<=[\u2139\u24c2])[\ufe0e\ufe0f]"
)
"""Invisible marks where Mongolian, Khmer, old Korean, keycaps, two letter-like emoji use them."""
FTFY = ftfy.TextFixerConfig(
    unescape_html=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    remove_control_chars=False,
    normalization=None,
    explain=False,
)


def repair_rows(rows: Sequence[Row]) -> Filtered:
    """Every row with prompt and response repaired; nothing is dropped, repairs are counted."""
    kept, repairs = list[Row](), Counter[str]()
    for row in rows:
        mended = dict[str, str]()
        for name in ("prompt", "response"):
            mended[name], counts = repair(row[name])
            repairs.update(counts)
        changed = any(mended[name] != row[name] for name in mended)
        kept.append({**row, **mended} if changed else row)
    return Filtered(kept, [], dict(sorted(repairs.items())))


def repair(text: str) -> tuple[str, Counter[str]]:
    """The text without broken or invisible characters, and how many of each kind were mended."""
    counts: Counter[str] = Counter()
    if not SUSPECT.search(text):
        return text, counts
    fixed, counts["terminal_sequence"] = ANSI.subn("", text) if "\x1b" in text else (text, 0)
    fixed, counts["line_end"] = LINE_ENDS.subn("\n", fixed)
    fixed, separators = SEPARATORS.subn(_separator, fixed)
    counts["control_character"] += separators
    for _ in range(ROUNDS):  # what is laid bare by one repair may need the other
        plain = fixed if fixed.isascii() else _decoded(fixed)
        counts["mojibake"] += plain != fixed
        before, fixed = fixed, _visible(plain, counts)
        if fixed == before:
            break
    return fixed, +counts


def _separator(found: re.Match[str]) -> str:
    separator = found.group()
    if len(separator) > 1:
        return "\\frac"
    return "\n" if separator in "\v\f" else " "


def _decoded(text: str) -> str:
    """The text with mojibake undone, but not in code."""
    if not MISREAD.search(text) and not (DENSE.search(text) and is_bad(text)):
        return text  # ftfy would look line by line, slowly, and leave it
    parts = CODE.split(text)
    parts[::2] = ("\n".join(map(_decoded_line, part.split("\n"))) for part in parts[::2])
    return "".join(parts)


def _decoded_line(line: str) -> str:
    """Its broken stretches mended; as it is if it is about encodings."""
    if line.isascii() or CODEC.search(line):
        return line
    plain = ftfy.fix_text(line, FTFY)
    return line if plain == line or _about_encodings(line, plain) else plain


def _about_encodings(line: str, plain: str) -> bool:
    """Whether the right form stands beside the broken one as its explanation.

    In a mixed text it stands there as well, inside other words or as the same word elsewhere.
    """
    if ABOUT.search(line):
        brought = Counter(plain) - Counter(line)
        return any(character > "\x7f" and character in line for character in brought)
    words = Counter(WORD.findall(line))
    new = Counter(WORD.findall(plain)) - words
    return any(len(word) == 1 and word > "\x7f" and words[word] for word in new)


def _visible(text: str, counts: Counter[str]) -> str:
    if not any(map(_doubtful, set(text))):
        return text
    characters, last = list[str](), ""
    for at, character in enumerate(text):
        kind = _unwanted(text, at, last)
        if kind:
            counts[kind] += 1
        else:
            characters.append(character)
            last = character
    return "".join(characters)


@cache
def _doubtful(character: str) -> bool:
    """Whether it may have to go: it is a control, draws nothing, or is nothing."""
    if character in "\n\t" or " " <= character <= "~":
        return False
    return unicodedata.category(character)[0] == "C" or bool(IGNORABLE.match(character))


def _unwanted(text: str, at: int, last: str) -> str:
    """Why the character goes, "" if it stays; ``last`` is the one kept before it."""
    character = text[at]
    if character in "\n\t" or " " <= character <= "~":
        return ""
    category = unicodedata.category(character)
    if category == "Cf" or IGNORABLE.match(character):
        if _in_place(text, at, last):
            return ""
        return "format_character" if category == "Cf" else "invisible_mark"
    if category == "Cn":  # unassigned: newer emoji are kept, noncharacters are not
        return "noncharacter" if _noncharacter(ord(character)) else ""
    names = {"Cc": "control_character", "Co": "private_use", "Cs": "surrogate"}
    return names.get(category, "")


def _noncharacter(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _in_place(text: str, at: int, last: str) -> bool:
    """Whether an invisible character does its work where it stands."""
    character, after = text[at], text[at + 1 : at + 2]
    if character in JOINERS:
        return _shown(last) and _shown(after)
    selectable = last > "\x7f" and unicodedata.category(last) in SELECTABLE
    if SELECTOR.match(character) and selectable and not IGNORABLE.match(last):
        return True
    return bool(IN_PLACE.match(text, at))


def _shown(neighbour: str) -> bool:
    """Whether it belongs to an emoji or a script that uses joiners, and is no joiner itself."""
    if not neighbour > "\u0590":
        return False
    return bool(SELECTOR.match(neighbour)) or not IGNORABLE.match(neighbour)
