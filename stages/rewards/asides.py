r"""What stands beside an answer and takes nothing back, said so that it does not look as if it did.

"Instead", "rather", "may be" and "is wrong" after an answer mean another one, so that a response
with such a word states nothing. Some turns with those words speak of the method, of the form, or of
the other options. They are put into words without that sound before the conclusion is sought.
"""

from __future__ import annotations

import re

from stages.rewards.conclusions import LONGEST, MARK

SOUNDS = re.compile(
    r"(?i)\b(?:may|might|could|instead|rather|wait(?:ing)?|mistake|error|wrong|incorrect|correction)\b"
)
PARTICIPLES = """
simplified written rewritten shown seen verified checked confirmed found derived expressed
calculated computed obtained done solved used applied proven proved generalized generalised
interpreted ignored neglected reduced factored represented approximated described explained noted
tempting useful helpful
"""
STATES = r"\b(?:it|that|this|answer|result|value)(?:'s|\s+(?:is|was|should|would|must|has))\b"
SENTENCE = rf"(?<![^.\n])((?:(?!{STATES})[^.\n]){{0,200}}?"
OTHER_THAN = r"\b(?:instead\s+of|rather\s+than)"
TURNS = tuple(
    (re.compile(f"(?i){pattern}"), plain)
    for pattern, plain in (
        (
            rf"\b(?:may|might|could)\s+(?:also\s+)?be(?=\s+(?:{'|'.join(PARTICIPLES.split())})\b)",
            "is",
        ),
        (
            rf"{SENTENCE}){OTHER_THAN}(?=\s+(?:[a-z]{{1,12}}ly\s+)?(?!being|having)[a-z]{{2,12}}ing\b)",
            r"\1without",
        ),
        (
            rf"{SENTENCE}\b(?:use[ds]?|using|count(?:s|ed)?)\b[^.\n\d\\$]{{0,80}}?){OTHER_THAN}"
            r"(?=[^.\n\d\\$]{1,80}(?:[.\n]|$))",
            r"\1without",
        ),
        (rf"{OTHER_THAN}(?=\s+(?:just|only|merely)\s+(?:the|an?)\b)", "without"),
        (
            r"((?:^|\n)[ \t*_#]{0,6}|\b(?:the|other)\s+)(?:wrong|incorrect)"
            r"(?=\s+(?:options|choices|answers|ones)\b)",
            r"\1other",
        ),
        (
            r"\b((?:the|all|all\s+the)\s+others?(?:\s+options|\s+choices)?\s+(?:are|is))\s+"
            r"(?:all\s+)?(?:wrong|incorrect|false)\b",
            r"\1 out",
        ),
        (r"\ba\s+rather(?=\s+[a-z]{4,20}\s+[a-z])", "a quite"),
        (r"\b(to|must|will|would|should)\s+wait\b", r"\1 stay"),
        (r"\bwait(?:ing)?(?=\s+times?\b)", "delay"),
        (
            r"\b(a|one|the)\s+(common|frequent|typical|usual|easy)\s+(?:mistake|error)",
            r"\1 \2 trap",
        ),
        (
            r"\b(it)\s+(?:is|would\s+be)\s+(?:wrong|incorrect)(?=\s+to\s+(?:use|add|subtract|"
            r"multiply|divide|assume|ignore|neglect|count|forget|apply|treat)\b)",
            r"\1 is no use",
        ),
        (r"\bcorrection(?=\s+(?:factor|term)s?\b)", "adjustment"),
    )
)
"""What sounds like a second answer, as a pattern, and words for it that do not."""
REFUSED = re.compile(
    r"(?i)\b(?:instead\s+of|rather\s+than)(?P<between>[\s$*(]{0,4})\\(?:f(?:rame)?)?box(?:ed)?\s*\{"
)
DISMISSED = re.compile(
    r"(?m)(?:^[ \t>*_-]{0,9}|[.;:,]\s{1,3}|\b(?i:because|since|while|whereas|and|but|as)\s{1,3})"
    r"[*_(]{0,3}(?:(?i:options?|choices?|answers?|statements?)\s{1,3})?"
    r"(?P<letters>[*_(]{0,3}\b[A-Z]\b"
    r"(?:[*_)]{0,3}(?:,[ \t]{0,2}(?:(?:and|or)[ \t])?|[ \t](?:and|or|&)[ \t])[*_(]{0,3}[A-Z]\b)"
    r"{0,8})"
    r"[ \t*_).:,-]{0,6}(?:\([^()\n]{1,60}\)[ \t]?)?"
    r"(?P<verdict>(?:is|are|was|were|(?:would|must|can)\s+be)\s+"
    r"(?:all\s+|both\s+|also\s+|clearly\s+|therefore\s+)?"
    r"(?:wrong|incorrect|false|not\s+(?:correct|right|true))\b|(?i:incorrect|wrong|false)\b|"
    r"(?:is|might|may|could|seems?|looks?)\b[^.\n]{1,60}?\bbut\s+(?:it\s+|they\s+)?(?:is|are)\s+"
    r"(?:wrong|incorrect|false)\b)"
)
LETTER = re.compile(r"\b[A-Z]\b")


def without_asides(text: str) -> str:
    r"""A response with what follows its last statement in words that take nothing back.

    A box that is named only to refuse it ("\boxed{6} instead of \boxed{5}") is no statement.

    >>> without_asides("The answer is 3. It may be written as a fraction.")
    'The answer is 3. It is written as a fraction.'
    """
    if len(text) > LONGEST or not SOUNDS.search(text):
        return text  # too long to state anything, or without such a word
    text = REFUSED.sub(lambda found: f"instead of{found['between']}{{", text)
    at = _stated(text)
    tail = text[at:]
    for pattern, plain in TURNS:
        tail = pattern.sub(plain, tail)
    return text[:at] + tail


def without_dismissals(text: str) -> tuple[str, frozenset[str]]:
    """A response without what it says against options after its answer, and those options.

    >>> without_dismissals("Answer: B. A is wrong.")
    ('Answer: B. A is out.', frozenset({'A'}))
    """
    at = _stated(text) if len(text) <= LONGEST else len(text)
    dismissed = set[str]()

    def out(found: re.Match[str]) -> str:
        dismissed.update(LETTER.findall(found["letters"]))
        start, end = (place - found.start() for place in found.span("verdict"))
        return f"{found[0][:start]}is out{found[0][end:]}"

    tail = DISMISSED.sub(out, text[at:])
    return text[:at] + tail, frozenset(dismissed)


def _stated(text: str) -> int:
    """Where the last box or mark of an answer is; the end if there is neither."""
    box = text.rfind("\\boxed")
    if box >= 0:
        return box
    found, at = len(text), 0
    for line in text.splitlines(keepends=True):
        found = max((at + mark.end() for mark in MARK.finditer(line)), default=found)
        at += len(line)
    return found
