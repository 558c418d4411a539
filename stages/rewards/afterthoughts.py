r"""Answers after an answer: what the words behind one conclude with, offer or correct it to.

Nothing is paid for the first of two answers. So whatever comes after one and reads as a conclusion
("Hence x = 15.", "It is 15.", "Revised: 15") is handed out as a second answer: where it comes to
the same ("That is 0.5." after 1/2) it does no harm. A check, a case or a remark on the way there is
no conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from stages.rewards.sentences import SENTENCE, plain_value
from stages.rewards.units import unit_word

LONGEST = 300  # characters of a sentence that concludes with a value
CLAIM = r"(?:right|correct|true|real|actual|proper)"
VALUE = r"[\s:$]{0,3}([^.!?\n]{1,60}(?:\.\d[^.!?\n]*)?)"
AGAIN = (
    r"(?:hmm+|oops|re-?check(?:s|ed|ing)?|re-?count(?:s|ed|ing)?|re-?calculat\w{1,5}|"
    r"re-?comput\w{1,5}|"
    r"(?:check|count|calculat|comput|look|add)(?:s|e|es|ed|ing)?(?:\s+\w{1,9})?\s+again|"
    r"again,?\s+(?:I|we)|on\s+(?:reflection|second\s+thoughts?)|second\s+(?:look|check|count|try))"
)
RIVALS = tuple(
    re.compile(rf"(?im){pattern}")
    for pattern in (
        r"(?:^[ \t]{0,9}|[.!?,;:]\s{1,9}|\b(?:but|and|however,?|now)\s+)"
        r"(?:(?:the|option|choice|answer)\s+){0,2}"
        r"(?!(?:but|and|however|now|it|this|that|which)\b)(\S{0,39}[\w)}$*])(?:\s+\w{1,9})?\s+"
        rf"(?:is|are|would\s+(?:also\s+)?be)\s+(?:also\s+|in\s+fact\s+|the\s+)?{CLAIM}\b"
        r"(?!\s+(?:if|when|unless|only)\b)",
        rf"\b{CLAIM}(?:\s+(?:final\s+)?(?:answer|value|choice|option|one|result|number))?\s*"
        r"(?:\bis\b|:|=)\s*([^.!?\n]{1,60}(?:\.\d[^.!?\n]*)?)",
        r"(?:^[ \t]{0,9}|[.!?]\s{1,9}|\()(?:or|also|hmm+|oops|on\s+second\s+thoughts?|"
        r"no(?!\s+(?:other|further|more|longer|such|need|doubt))|but)"
        r"\b[,:\s]*"
        r"(?:(?:it|that)(?:'s|\s+is)\s+)?([^.!?\n()]{1,60}(?:\.\d[^.!?\n()]*)?)",
        r"\b(?:recheck|check\s+again|second\s+look)\b[^.\n]{0,99}?\b(?:it\s+is|it's)\s+([^.!?\n]{1,60})",
        rf"\b{AGAIN}\b(?::|[^\n]{{0,99}}?\b(?:is|be|gives?|gave|yields?|gets?|got|finds?|found|"
        rf"obtain|shows?|makes?)\b){VALUE}",
        r"(?:^|[.!?]\s{1,9})(?:so|thus|therefore|hence|oh|ah|oops|hmm+)[,.!]?\s+(?:the|it|this)\b"
        rf"[^.!?\n\d\\$]{{0,60}}\b(?:is|are|equals)\b{VALUE}",
    )
)

PARTS = re.compile(
    rf"{SENTENCE.pattern}|(?<=[.!?])\s+(?=[0-9]|[a-z]\s*=)|,\s+(?=(?:that\s+is|i\.e\.|which\s+(?:is|equals|gives)|hence|thus|"
    r"(?:(?:so|but|and|therefore|then)\s+)?(?:the|our|my)\s+(?:\w+\s+)?(?:answer|result)\s+(?:is|becomes|equals))\b)"
)
LAYOUT = re.compile(r"^(?:[\s*_#>$—–.,;)}-]|\((?=[a-z])|\\[\[\]()])+")
LEADS = (
    r"(?:(?:so|or|hmm+|err*|um+|oh|ah|oops|whoops|well|ok(?:ay)?|my\s+bad|apologies|clearly|obviously|"
    r"evidently|certainly|really|done|q\.?e\.?d\.?|to\s+be\s+(?:precise|exact|clear)|or\s+better|"
    r"(?:more|or)\s+(?:precisely|exactly|accurately|correctly)|to\s+(?:conclude|sum\s+up)|conclusion|"
    r"summary|as\s+a\s+result|let\s+me\s+(?:rephrase|restate)|by\s+the\s+above|thus|hence|therefore|then|finally|overall|consequently|accordingly|now|ultimately|"
    r"in\s+(?:conclusion|summary|short|total|all|the\s+end|other\s+words)|that\s+is|i\.e\.|namely|"
    r"(?:I|we)\s+(?:(?:therefore|thus|hence|now|then|finally|must|should)\s+)?"
    r"(?:conclude|see|find|get|have|obtain|know|deduce)(?:\s+that)?|"
    r"it\s+follows(?:\s+that)?|which\s+means(?:\s+that)?|(?:this|that|it)\s+means(?:\s+that)?|"
    r"and|[⇒→∴]|\\(?:therefore|implies|Rightarrow))(?![a-z])[,:.!…–—-]{0,4}\s*)"
)
BE = (
    r"(?:'s\b|(?:is|was|are|equals?|(?:should|must|has\s+to|have\s+to|ought\s+to|will|would)\s+be|"
    r"should\s+have\s+been|"
    r"turns\s+out\s+to\s+be|comes\s+(?:out\s+)?(?:to|at|as)|becomes|(?P<weak>gives|yields|makes(?:\s+it)?|leaves))\b|"
    r"=|:)(?:\s+(?:equal\s+to|just|simply|exactly|in\s+fact|really|now|still|only|then))?"
)
KINDS = r"(?:final|correct|overall|new|total|real|desired|required|whole|updated|revised)"
POINTING = (
    rf"(?:it|this|that|these|which|(?:(?:the|my|our)\s+)?(?:{KINDS}\s+)*"
    r"(?:answer|ans|result|total|value|solution|outcome|final(?:\s+\w+)?))"
)
OTHER_WAY = (
    r"(?:(?:re-?(?:do|check|count|comput|calculat|evaluat|work|add|examin|consider|read|try)\w*|fixing|"
    r"correcting)\b.{0,60}?|(?:an?|the|my|after)\s+(?:second|another|other|different|proper|careful|"
    r"closer|fresh|new|better)\s+(?:method|calculation|computation|approach|attempt|way|check|count|"
    r"try|look|reading|solution)|another\s+(?:method|calculation|computation|approach|attempt|way|"
    r"check|count|try|look|reading)|after\s+(?:re-?\w+ing|fixing|correcting)\b.{0,60}?)\s*,?\s*"
    r"(?:(?:I|we)\s+)?(?:now\s+)?(?:gives?|gave|yields?|gets?|got|leads?\s+to|results?\s+in|shows?|"
    r"finds?|found|obtain)(?:\s+\$?\w\$?\s*=)?"
)
CHOOSES = (
    r"(?:(?:now\s+)?(?:I|we|let\s+us|let's|I'll|I'd|we'll|I\s+will|I\s+would)\s+(?:now\s+)?(?:choose|chose|"
    r"pick|select|go\s+with|settle\s+on|say|answer|vote\s+for|get|got)|(?:should|must|ought\s+to)\s+"
    r"(?:be|read|say)|(?:it|this|that|the\s+answer)\s+(?:should|must)\s+(?:read|say)|"
    r"(?:it|this|that|the\s+answer)\s+(?:changes|changed|(?:is|was)\s+changed)\s+to|"
    r"this\s+(?:changes|makes)\s+(?:it|the\s+answer)(?:\s+to)?|"
    r"replace\s+(?:it|that|this|the\s+answer|\S{1,9})\s+(?:by|with)|also\s+possible:|read|"
    r"(?:I|we)\s+(?:should\s+have|meant\s+to)\s+\w+|(?:(?:it|that)(?:'s|\s+is)\s+)?not\s+\S{1,12}\s+but|=)"
    r"(?:\s+(?:option|choice|answer|the\s+answer))?"
)
VARIABLE = (
    r"(?:\$|\\[(\[])?\s*(?P<name>(?:[A-Za-z]|\\(?:alpha|beta|theta|lambda|mu|phi|omega))"
    r"(?:_\{?\w{1,9}\}?|'|\(\w{1,3}\))?)\s*\$?"
)
ABOUT = r"(?P<about>(?:(?:about|approximately|roughly|around|nearly|\\approx|≈|~)\s*)?)"
BEGUN = r"(?=[-+−±$£€¥\\(\[{√*.]*\s*(?:\d|\\[a-z]|[πA-Z](?![A-Za-z'])))"
STATED = re.compile(
    rf"(?i:(?P<lead>{LEADS}*)(?:{POINTING}(?:\s+of\s+\$?\w\$?)?\s*{BE}|(?P<equation>{VARIABLE})"
    rf"\s*(?:=|\b(?:is(?:\s+equal\s+to)?|equals|(?:must|should|has\s+to|will)\s+be|becomes)\b|"
    rf"\\approx|≈)|{OTHER_WAY}|{CHOOSES}|(?P<bare>(?:there\s+(?:is|are)\s+)?))[\s$]*{ABOUT})"
    rf"(?P<value>{BEGUN}.+)"
)
CALLED_IT = re.compile(
    rf"(?i){LEADS}*(?P<value>{BEGUN}\S.{{0,60}}?)\s+(?:(?:is|was|would\s+be|should\s+be|seems|looks|"
    r"fits|works)\s+(?:(?:the|a|my|our)\s+)?"
    rf"(?:{KINDS}\s+)*(?:answer|result|solution|better|best|more\s+(?:likely|accurate|plausible))|it\s+is)\b.*"
)
CORRECTED = re.compile(
    r"(?i)(?:\W{0,4}(?:and|but|so|no|oh)\b)?\W{0,4}(?:revised|revision|edit(?:ed)?|updated?|corrected|"
    r"fix(?:ed)?|amended|amendment|recomputed|recalculated|rechecked|"
    r"erratum|make\s+(?:that|it)|I\s+mean(?:t)?|better|new|final(?:ly)?|in\s+fact|oops|p\.?s\.?|"
    r"re-?evaluat\w+|second\s+attempt|retry)"
    r"(?:\s+(?:final\s+)?(?:answer|value|result|total|version|solution|number))?"
    r"(?:\s*[:=,–—-]|\s+(?:is|to)\b|(?=\s+[-$\\\d])|(?<=that)(?=\s)|(?<=mean)(?=\s)|(?<=it)(?=\s))+\s*"
    rf"(?:(?:it|that|this)\s*{BE}\s*|\$?[a-z]\$?\s*=\s*)?(?P<value>\S.*)"
)
CUT = re.compile(
    r"(?<![0-9]),?\s+(?:because|since|as|so|for|when|if|in\s+order|after|with|which|where|but|"
    r"and\s+(?:so|that|we|the))\b|"
    r",\s+(?![0-9])|[.;!?](?:\s|$)|\s*\\[\])]|[\s$]+is\s+(?:the|our|a)\s+(?:\w+\s+)?(?:answer|solution|result|value)\b|\s+\("
)
CHANGED = re.compile(
    r"(?i)^\S+\s+(?:(?:\w+\s+)?(?:more|less|fewer|greater|smaller|higher|lower|other|different|out|of|"
    r"times|to|in|from|for|per|each|possible|ways?\s+to)\b|(?:distinct|real|positive|negative)\s+\w+)"
)
CHECK = re.compile(
    r"(?i)^\W*(?:to\s+)?(?:check|verif\w+|substitut\w+|plug\w*|confirm\w*|sanity|validat\w+|when|if|"
    r"let(?!'s\s+(?:go|say|settle|choose|pick))|suppose|case|for|e\.g|example|note|recall|since|because|given|where|with|remember|using|"
    r"by|indeed|step|here)\b|\b(?:as\s+(?:required|needed|desired|expected|given|claimed|stated|wanted|"
    r"we\s+wanted)|matches|agrees|checks\s+out|holds)\b|[✓✔]"
)
CALLED = re.compile(r"(?i)\b(?:check|verif\w+|substitut\w+|plug\w*|confirm\w*|sanity|validat\w+)")
NAME = re.compile(rf"{VARIABLE}\s*=\s*$")
OWN_NAME = re.compile(rf"{VARIABLE}\s*=(?!.*=)")
PROPER = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*")
SYMBOLS = re.compile(r"(?=.*[A-Z0-9].*[A-Z0-9])[A-Za-z0-9()=#@\[\]+\\/-]{2,40}")
IT_IS = re.compile(
    rf"(?i:{LEADS}*(?:it|that|this|the\s+answer)\s*{BE})\s+"
    r"(?P<value>[A-Z][^\s.!?,]*(?: [A-Z][a-z]+)*)[.!]?"
)
SUBJECT = re.compile(r"(?i)^(?:each|every|the|its|their|his|her)\b")
FIGURES = re.compile(r"[0-9\\π√]")
DENIED = re.compile(r"(?i)\b(?:not|no|never|than|instead|wrong|cannot|without)\b|n't\b")
TO_VALUE = r"(?:=|\b(?:is|are|was|total|of|to|has|have|had|makes?|spends?|spent|gets?)\b)"
PROSE = re.compile(r"(?: [A-Za-z'-]+)+")
SCALED = re.compile(
    r"(?i)^ (?:percent|dozens?|hundred|thousand|[mb]illion|pairs?|plus|minus|times|over|and|or|to)"
    r"\b"
)
LETTER = re.compile(r"\(?[A-Za-z]\)?")
WORD = re.compile(r"(?<!\\)(?<![A-Za-z\\])[A-Za-z]{3,}")
SYMBOL = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
CLOSED_FORM = re.compile(
    r"\\(?:[dt]?frac|sqrt|pi|log|ln|sin|cos|tan)|[0-9]\s*/\s*[0-9]|[√π!]|(?:[0-9)}]|\be)\s*\^|\bpi\b"
)
"""What has no short decimal of the same value."""
SEVERAL = re.compile(r"(?:,|;|\band\b)[\s$]*(?:and\s+)?\$?\\?[A-Za-z]\w{0,3}\$?\s*=")
BLANK = re.compile(r"[\s$*_{}]|\\[,;:!()\[\]]|\\text")


@dataclass(frozen=True)
class Answer:
    """An answer as it was stated, and the text before it."""

    words: str
    before: str

    @cached_property
    def name(self) -> str | None:
        """The variable whose value it is."""
        found = OWN_NAME.match(self.words) or NAME.search(self.before[-40:])
        return found["name"] if found else None

    @cached_property
    def plain_before(self) -> str:
        """The text before it without layout."""
        return BLANK.sub("", self.before).casefold()

    def comes_again(self, sentence: str) -> bool:
        """Whether a sentence comes to the answer, so that what was concluded before was a step."""
        words = self.words.strip(" .$")
        if not words or words not in sentence or DENIED.search(sentence):
            return False
        end = rf"{TO_VALUE}[\s$\\]*{re.escape(words)}(?![\d.,]*\d)"
        return re.search(end, sentence) is not None

    def with_nouns(self, value: str) -> bool:
        """Whether a value is the answer and what it counts: "12 apples in the basket"."""
        words = self.words.strip(" .$")
        rest = value.removeprefix(words) if words and value.startswith(f"{words} ") else ""
        return bool(PROSE.fullmatch(rest)) and not SCALED.search(rest)

    @cached_property
    def kind(self) -> str:
        """What it is made of: a letter, words, or figures and signs."""
        if LETTER.fullmatch(self.words.strip(" .$")):
            return "letter"
        figures = re.search(r"[0-9]|\\(?!text)", self.words)
        return "words" if WORD.search(self.words) and not figures else "figures"


def rivals(answer: Answer, tail: str) -> list[str]:
    """What the text after an answer calls the right one, offers beside it, or concludes with.

    >>> rivals(Answer("12", ""), ". Hence x = 15. Check: 12 + 3 = 15.")
    ['15']
    """
    if not tail.strip(" .$*_\n\\])}"):
        return []
    found = [match[1].strip(" $*_,;:") for rival in RIVALS for match in rival.finditer(tail)]
    found += _concluded(answer, tail)
    return [words for words in found if words]


def _concluded(answer: Answer, tail: str) -> list[str]:
    """Each correction, and the value that the last of the conclusions comes to.

    Those before it are steps on the way there. What was said before the answer is none.
    """
    corrected, last, checking = list[str](), list[str](), False
    for part in PARTS.split(tail):
        sentence = LAYOUT.sub("", part).rstrip(" \t*_$.")
        if not 0 < len(sentence) <= LONGEST:
            continue
        checking = checking or CALLED.search(sentence) is not None
        if answer.kind == "figures" and not FIGURES.search(sentence):
            continue
        correction = CORRECTED.fullmatch(sentence)
        if correction:
            corrected += _corrected(answer, _cut(correction["value"]))
        elif not CHECK.search(sentence):
            found = list(_stated(answer, sentence, checking))
            again = last and not found and answer.comes_again(sentence)
            last = [] if again else found or last
    return corrected + last


def _corrected(answer: Answer, value: str) -> Iterator[str]:
    """What a word of correction leads to, if it is of the kind of the answer."""
    if value and (answer.kind == "words" or _alike(answer, value)):
        yield value


def _stated(answer: Answer, sentence: str, checking: bool) -> Iterator[str]:
    """The value that one sentence concludes with."""
    if answer.kind == "words":
        named = IT_IS.fullmatch(sentence)
        alike = (form.fullmatch for form in (PROPER, SYMBOLS))
        if named and any(same(named["value"]) and same(answer.words) for same in alike):
            yield named["value"]
        return
    named = CALLED_IT.fullmatch(sentence)
    if named and _alike(answer, value := _cut(named["value"])):
        yield value
        return
    found = STATED.fullmatch(sentence)
    if found is None:
        yield from _plain(answer, sentence)
        return
    value, lead = _cut(found["value"]), found["lead"].strip()
    if found["name"] and SEVERAL.search(found["value"]):
        if re.search(r"[,=]", answer.words):
            yield sentence[found.end("lead") :]
        return
    if LETTER.fullmatch(value) and len(found["value"].strip(" .$*_()")) > 1:
        return  # "A, C and D are out"
    if found["weak"] and WORD.search(value):
        return  # "This gives 4 groups"
    if (found["bare"] is not None or checking) and not lead:
        return
    if found["name"] and (answer.name not in (None, found["name"]) or _said(answer, found)):
        return
    if value and _alike(answer, value) and not CHANGED.match(value):
        yield _compared(answer, value, bool(found["about"]))


def _plain(answer: Answer, sentence: str) -> Iterator[str]:
    """The value of a plain sentence that a word of conclusion begins: "So she has 15 left"."""
    lead = re.match(rf"(?i){LEADS}+", sentence)
    found = plain_value(sentence) if lead else None
    if lead is None or found is None or SUBJECT.match(sentence[lead.end() :]):
        return
    value = _cut(found[1].rpartition("=")[2])
    said = BLANK.sub("", sentence[lead.end() :]).casefold() in answer.plain_before
    if value and not said and _alike(answer, value) and not CHANGED.match(value):
        yield value


def _said(answer: Answer, found: re.Match[str]) -> bool:
    """Whether an equation was written before the answer already."""
    equation = BLANK.sub("", f"{found['name']}={_cut(found['value'])}").casefold()
    return equation in answer.plain_before


def _cut(value: str) -> str:
    """A value without what a sentence goes on with."""
    cut = CUT.split(value, maxsplit=1)[0].strip(" $*_,;:.")
    return cut if cut.count("(") >= cut.count(")") else cut.rstrip(") ")


def _alike(answer: Answer, value: str) -> bool:
    """Whether a value can stand where the answer stands: letters for a letter, no new variables."""
    if answer.with_nouns(value):
        return False
    if answer.kind == "letter" or LETTER.fullmatch(value):
        return answer.kind == "letter" and LETTER.fullmatch(value) is not None
    if not FIGURES.search(value):
        return False
    variables = [letter for letter in SYMBOL.findall(value) if unit_word(letter) is None]
    return bool(SYMBOL.search(answer.words)) or not (variables or re.search("[=<>]", value))


def _compared(answer: Answer, value: str, about: bool) -> str:
    """A value as it is to be judged: a rounded one beside the exact answer."""
    rounded = about or ("." in value and CLOSED_FORM.search(answer.words))
    return rf"{answer.words} \approx {value}" if rounded else value
