"""Which language a response is in, by langdetect under a fixed seed.

langdetect draws random numbers; with its seed fixed, its profiles read in order and no state shared
with anyone else's detector, the same text always gets the same answer. It judges the response as a
whole. On a few letters it only guesses ("Hallo" is Finnish to it): that guess counts for a named
language, while for "English, in capitals" so short a text need only be of plain Latin letters. A
text in which it finds nothing to go by (digits, an address) is in no language at all.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from langdetect.detector_factory import (  # type: ignore[import-untyped]
    PROFILES_DIRECTORY,
    DetectorFactory,
)
from langdetect.lang_detect_exception import LangDetectException  # type: ignore[import-untyped]

SEED = 0
SHORT = 20  # letters; below, langdetect's answer says nothing
ENGLISH = "en"
NAMES = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "kn": "Kannada", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "mr": "Marathi",
    "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "so": "Somali", "sq": "Albanian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "vi": "Vietnamese", "zh-cn": "Chinese", "zh-tw": "Chinese",
}  # fmt: skip
"""The codes a detector can find, with their English names."""


@cache
def _detectors() -> Any:
    """The factory of detectors, ours alone: the module's own would share its seed with others."""
    profiles = sorted(Path(PROFILES_DIRECTORY).glob("[!.]*"))
    factory = DetectorFactory()
    factory.set_seed(SEED)
    factory.load_json_profile([profile.read_text(encoding="utf-8") for profile in profiles])
    return factory


def detected(text: str) -> str | None:
    """The code of the likeliest language; None if the text gives nothing to go by."""
    detector = _detectors().create()
    detector.append(text)
    try:
        found = detector.get_probabilities()
    except LangDetectException:
        return None
    return str(found[0].lang) if found else None


def in_language(text: str, language: str) -> bool:
    """The response is in this language."""
    return detected(text) == language


def all_capital(text: str) -> bool:
    """English, and every letter a capital."""
    return text.isupper() and _english(text)


def all_lowercase(text: str) -> bool:
    """English, and no letter a capital."""
    return text.islower() and _english(text)


def _english(text: str) -> bool:
    """English whatever its case, which langdetect often misses in capitals: it sees small ones.

    Of 541 English openings it took 51 for another language in capitals, 6 in small letters.
    """
    letters = [character for character in text if character.isalpha()]
    if len(letters) < SHORT:
        return all(map(str.isascii, letters))
    return detected(text.lower()) == ENGLISH
