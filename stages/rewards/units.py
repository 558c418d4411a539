"""Units of measure: what stands after a number, as dimensions and an exact factor.

A table of our own rather than a library: every entry can be read, and no word outside of it is
ever taken for a unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

Dimensions = tuple[tuple[str, int], ...]
LONGEST = 60  # characters of a unit


@dataclass(frozen=True, slots=True)
class Unit:
    """``dimensions`` in base units, sorted; a value v means ``v * factor + offset`` of those.

    ``noun`` holds what is counted where that is no unit of measure ("18 eggs").
    """

    dimensions: Dimensions
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    noun: str = ""


PREFIXES = {
    "T": 12, "G": 9, "M": 6, "k": 3, "d": -1, "c": -2, "m": -3, "u": -6, "n": -9, "p": -12, "f": -15
}  # fmt: skip
LONG_PREFIXES = {
    "giga": 9, "mega": 6, "kilo": 3, "deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9,
    "pico": -12,
}  # fmt: skip

# symbol | long name and its plural | dimensions | factor
SCALED = """
m | meter meters metre metres | m 1 | 1
g | gram grams | kg 1 | 1/1000
s | second seconds | s 1 | 1
A | ampere amperes amp amps | A 1 | 1
K | kelvin kelvins | K 1 | 1
mol | mole moles | mol 1 | 1
Hz | hertz | s -1 | 1
N | newton newtons | kg 1 m 1 s -2 | 1
Pa | pascal pascals | kg 1 m -1 s -2 | 1
J | joule joules | kg 1 m 2 s -2 | 1
W | watt watts | kg 1 m 2 s -3 | 1
C | coulomb coulombs | A 1 s 1 | 1
V | volt volts | kg 1 m 2 s -3 A -1 | 1
F | farad farads | kg -1 m -2 s 4 A 2 | 1
ohm | ohms | kg 1 m 2 s -3 A -2 | 1
T | tesla teslas | kg 1 s -2 A -1 | 1
Wb | weber webers | kg 1 m 2 s -2 A -1 | 1
H | henry henries | kg 1 m 2 s -2 A -2 | 1
Bq | becquerel becquerels | s -1 | 1
L l | liter liters litre litres | m 3 | 1/1000
M | molar | mol 1 m -3 | 1000
Wh | | kg 1 m 2 s -2 | 3600
eV | electronvolt electronvolts | kg 1 m 2 s -2 | 1602176634/10000000000000000000000000000
cal | calorie calories | kg 1 m 2 s -2 | 4184/1000
bar | bars | kg 1 m -1 s -2 | 100000
"""
PLAIN = """
in | inch inches | m 1 | 254/10000
ft | foot feet | m 1 | 3048/10000
yd | yard yards | m 1 | 9144/10000
mi | mile miles | m 1 | 1609344/1000
angstrom | angstroms | m 1 | 1/10000000000
ly | lightyear lightyears | m 1 | 9460730472580800
lb lbs | pound pounds | kg 1 | 45359237/100000000
oz | ounce ounces | kg 1 | 28349523125/1000000000000
tonne | tonnes | kg 1 | 1000
u Da | dalton daltons amu | kg 1 | 166053906660/100000000000000000000000000000000000000
sec secs | | s 1 | 1
min mins | minute minutes | s 1 | 60
h hr hrs | hour hours | s 1 | 3600
day | days | s 1 | 86400
week | weeks | s 1 | 604800
month | months | s 1 | 2629800
year yr yrs | years | s 1 | 31557600
atm | atmosphere atmospheres | kg 1 m -1 s -2 | 101325
psi | | kg 1 m -1 s -2 | 6894757293168/1000000000
gauss | | kg 1 s -2 A -1 | 1/10000
lightspeed | | m 1 s -1 | 299792458
mmHg torr | | kg 1 m -1 s -2 | 101325/760
cc | | m 3 | 1/1000000
gal | gallon gallons | m 3 | 3785411784/1000000000000
mph | | m 1 s -1 | 44704/100000
kph | | m 1 s -1 | 10/36
rad rads | radian radians | rad 1 | 1
deg | degree degrees | deg 1 | 1
percent | pct | percent 1 | 1
dollar | dollars USD | dollar 1 | 1
cent | cents | dollar 1 | 1/100
euro | euros EUR | euro 1 | 1
GBP | | GBP 1 | 1
rupee | rupees INR | rupee 1 | 1
yen | JPY | yen 1 | 1
"""
CELSIUS = Unit((("K", 1),), Fraction(1), Fraction(27315, 100))
FAHRENHEIT = Unit((("K", 1),), Fraction(5, 9), Fraction(27315, 100) - Fraction(160, 9))
DEGREE, PERCENT = Unit((("deg", 1),)), Unit((("percent", 1),))
CURRENCIES = {"$": "dollar", "€": "euro", "£": "GBP", "₹": "rupee", "¥": "yen"}

NO_UNITS = ("in", "us", "pm", "second")  # units, but words of any prose too

UPRIGHT = re.compile(r"\s*\\(?:text|mathrm)\b")
FRACTION = re.compile(
    r"\\[dt]?frac\s*\{((?:[^{}]|\{[^{}]*\}){1,60})\}\s*\{((?:[^{}]|\{[^{}]*\}){1,60})\}"
)
WORD = re.compile(r"[A-Za-z]+")
TOKEN = re.compile(r"\s*(?:(?P<word>[A-Za-z]+)|(?P<power>\^\{?([-+]?[1-9])\}?)|(?P<sign>[*/()]))")
SIGNS = (
    (r"\\%|%", " percent "),
    (r"\^?\{?(?:\\circ(?![a-z])|°)\}?\s*(?:C|Celsius)(?![A-Za-z])", " degC "),
    (r"\^?\{?(?:\\circ(?![a-z])|°)\}?\s*(?:F|Fahrenheit)(?![A-Za-z])", " degF "),
    (r"(?i)\bdegrees?\s+celsius\b", " degC "),
    (r"(?i)\bdegrees?\s+fahrenheit\b", " degF "),
    (r"\^?\{?(?:\\circ(?![a-z])|°)\}?", " deg "),
    (r"\\(?:Omega|ohm)(?![a-z])|[\u2126\u03a9]", "ohm "),
    (r"\\mu\s*|[µμ]", "u"),
    (r"[\u00c5\u212b]|\\AA\b", " angstrom "),
    (r"\\(?:text|textrm|textbf|textit|mathrm|mbox|rm)\s*\{([^{}]*)\}", r" \1 "),
    (r"\\[,;:! ]|\\q?quad|~|(?<=[A-Za-z])-(?=[A-Za-z])", " "),
    (r"\\cdot|\\times|[·×⋅]|(?<=[A-Za-z])\.(?=[A-Za-z])", "*"),
    (r"(?i)\bsq(?:uare|\.)?\s+([a-z]+)", r"\1^2"),
    (r"(?i)\b(?:cubic|cu\.?)\s+([a-z]+)", r"\1^3"),
    (r"(?i)([a-z])\s+squared\b", r"\1^2"),
    (r"(?i)([a-z])\s+cubed\b", r"\1^3"),
    (r"(?i)\bper\b", "/"),
    (r"(?i)\bmm\s+hg\b", "mmHg"),
    (r"(?i)\b(years?|months?)\s+old\b", r"\1"),
    (r"(?<=eV)\s*/\s*c(?![A-Za-z])", "/lightspeed"),
)


def _dimensions(text: str) -> Dimensions:
    words = text.split()
    return tuple(sorted((name, int(power)) for name, power in zip(*[iter(words)] * 2, strict=True)))


def _table() -> dict[str, Unit]:
    """All units by every spelling; a symbol keeps its case, long names are in lower case."""
    found: dict[str, Unit] = {"degC": CELSIUS, "celsius": CELSIUS, "degF": FAHRENHEIT}
    for table, scaled in ((PLAIN, False), (SCALED, True)):
        for line in table.strip().splitlines():
            short, long, dimensions, factor = (part.strip() for part in line.split("|"))
            unit = Unit(_dimensions(dimensions), Fraction(factor))
            for names, prefixes in ((short, PREFIXES), (long, LONG_PREFIXES)):
                for name in names.split():
                    found.setdefault(name, unit)
                    for prefix, power in prefixes.items() if scaled else ():
                        scale = Fraction(10) ** power
                        found.setdefault(prefix + name, replace(unit, factor=unit.factor * scale))
    return found


UNITS = _table()


def unit_word(word: str) -> Unit | None:
    """The unit a word names; None if it names none."""
    return UNITS.get(word) or (UNITS.get(word.lower()) if len(word) > 3 else None)


def parse_unit(text: str) -> Unit | None:
    """A unit as people write it; None if any part of it is in no table.

    >>> parse_unit("km/h") == parse_unit("kilometers per hour")
    True
    >>> parse_unit("apples") is None
    True
    """
    if len(text) > LONGEST:
        return None
    for pattern, plain in SIGNS:
        text = re.sub(pattern, plain, text)
    tokens = _tokens(text.strip().rstrip("."))
    if not tokens:
        return None
    if len(tokens) == 1:
        return unit_word(tokens[0])
    return _composed(tokens)


def units_inline(text: str, marked: bool = False) -> str:
    r"""A text with its fractions of units on one line; ``marked``: only those in upright type.

    >>> units_inline(r"5\frac{\text{m}}{\text{s}^2}")
    '5 \\text{m}/(\\text{s}^2)'
    """

    def inline(found: re.Match[str]) -> str:
        above, below = found[1], found[2]
        known = parse_unit(above) is not None and parse_unit(below) is not None
        upright = UPRIGHT.match(above) and UPRIGHT.match(below)
        return f" {above}/({below})" if known and (upright or not marked) else found[0]

    return FRACTION.sub(inline, text)


def _tokens(text: str) -> list[str]:
    tokens, at = list[str](), 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            return []
        tokens.append("^" + found[3] if found["power"] else found[0].strip())
        at = found.end()
    return tokens


def _composed(tokens: list[str]) -> Unit | None:
    """A product of powers; all that follows a slash is below it, as in J/(mol K).

    A degree beside other units is a difference of temperatures: J/(g °C) is J/(g K).
    """
    dimensions: dict[str, int] = {}
    factor, side, last = Fraction(1), 1, None
    for at, token in enumerate(tokens):
        if token == "/":
            if last is None:
                return None
            side, last = -1, None
        elif token == "*" and last is None:
            return None
        elif token in "*()":
            continue
        else:
            unit = unit_word(token)
            if unit is None and not (token[0] == "^" and last):
                return None
            if unit is None:
                continue
            following = tokens[at + 1] if at + 1 < len(tokens) else ""
            power = side * (int(following[1:]) if following[:1] == "^" else 1)
            factor *= unit.factor**power
            for name, exponent in unit.dimensions:
                dimensions[name] = dimensions.get(name, 0) + exponent * power
            last = unit
    kept = tuple(sorted((name, power) for name, power in dimensions.items() if power))
    return Unit(kept, factor) if last is not None else None


def counted(text: str) -> Unit:
    """What is counted, where it is no unit of measure: words in lower case and the singular."""
    words = [word.lower() for word in WORD.findall(text)]
    singular = (word[:-1] if len(word) > 3 and word[-1] == "s" else word for word in words)
    noun = " ".join(singular)
    return Unit(((noun, 1),), noun=noun)
