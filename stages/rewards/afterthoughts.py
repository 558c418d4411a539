r"""What the words after an answer do to it: they take it back, or conclude with another one.

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

LONGEST = 300  # characters of a sentence that concludes with a value
ANSWER = r"(?:the|my)\s+(?:\w+\s+)?(?:answer|result|value|solution|choice)"
AIM = rf"(?:that|this|it|which|{ANSWER})"
SURELY = r"(?:\s+(?:all|also|clearly|obviously|definitely|simply|just|completely|probably|still))?"
FAULT = (
    r"(?:false|off|invalid|impossible|nonsense|absurd|bogus|flawed|(?:only|just|merely)\s+an?\s+\w+|an?\s+(?:\w+\s+)?(?:guess|trap|error|bound|"
    r"estimate|fallacy|misconception|distractor))"
)
EXCESS = r"too\s+(?:small|large|big|low|high|many|few|much|little)"
RETRACTED = re.compile(
    r"(?i)\b(?:wrong|incorrect|wait|actually|instead|rather|correction|sorry|mistake|mistaken|"
    r"maybe|perhaps|possibly|(?:is|was|that's)\s+not\s+(?:true|the|it|[-$\\0-9])|"
    r"(?:isn't|wasn't)\s+(?:right|correct|true|the|it|[-$\\0-9])|not\s+(?:correct|right)|no,|"
    r"alternatively,?\s+(?:the\s+answer|it|[-$\\0-9])|(?:could|might|may)\s+(?:also\s+)?be|"
    r"or\s+else|scratch\s+that|never\s*mind|(?:take|took)\s+(?:that|it)\s+back|"
    r"ignore\s+(?:that|the\s+above)|forget\s+(?:that|it)|changed\s+my\s+mind|misread|"
    r"(?:ignore|disregard|discard|scrap|strike|retract|withdraw|undo|delete|cancel|drop|forget)\s+"
    r"(?:that|this|it|the\s+above|my|what\s+I)|I\s+(?:retract|withdraw|reconsider|doubt)|"
    r"let\s+(?:me|us)\s+(?:reconsider|rethink|redo|start\s+over|try\s+again)|"
    r"(?:can\s?not|can't|couldn't|does(?:n't|\s+not)|did(?:n't|\s+not))\s+(?:\w+\s+)?(?:be|seem|look|"
    r"sound|feel|appear)\s+(?:to\s+be\s+)?(?:right|correct|true|so|it|plausible)|"
    r"I(?:'m|\s+am|\s+was|\s+feel)\s+(?:\w+\s+){0,2}?(?:un|not\s+(?:\w+\s+){0,2}?)"
    r"(?:sure|certain|confident|convinced)|"
    r"I\s+(?:do(?:n't|\s+not)|no\s+longer)\s+(?:\w+\s+)?(?:think|believe|trust|know|agree)|"
    r"(?:made|make|making|contains?|is|was|found|find|have|has|there's|had)\s+(?:an?|some)\s+"
    r"(?:\w+\s+)?(?:error|slip|blunder|typo|oversight|flaw)s?|miscount\w*|miscalculat\w*|"
    rf"{ANSWER}\s+(?:is|was|seems|looks|feels|must\s+be|has\s+to\s+be|would\s+be){SURELY}\s+{FAULT}|"
    r"(?:that|this|it|which|the\s+answer|the\s+result)\s+contradicts)(?![a-z])"
)
NEGATED = re.compile(
    r"(?i)(?:^|[.!?\n]\s{0,9})(?:no|nope|not\s+(?:so|quite|really|exactly|yet))[.!](?=\s|$)"
)
REFUSED = re.compile(
    rf"(?i)^[\s$*_)}}.,;:!]*(?:{AIM}\s+(?:does(?:n't|\s+not)|can\s?not|can't|won't|fails?\s+to)\s+"
    r"(?:work|hold|fit|follow|make\s+sense|add\s+up|satisfy|check|count|apply)"
    rf"|{AIM}\s+(?:is|was|seems|looks|feels|must\s+be|has\s+to\s+be|would\s+be){SURELY}\s+"
    rf"(?:{FAULT}(?!\s+to\b)|{EXCESS})"
    rf"|(?:is|was|are|would\s+be|seems|looks){SURELY}\s+(?:{FAULT}|{EXCESS}|(?:an?|the|one)\s+(?:\w+\s+){{0,2}}"
    r"(?:trap|guess|mistake|error|bound|estimate|fallacy|misconception|distractor|decoy)|tempting|"
    r"naive|plausible|possible|what\s+(?:\w+\s+){0,2}(?:think|say|guess|expect)s?)"
    r"|(?:is|was|would\s+be)\s+(?:the\s+)?(?:right|correct|true|answer|best)?[^.\n]{0,30}?\b"
    r"(?:if|unless|only\s+(?:if|when))\b"
    r"|(?:at\s+(?:most|least)|or\s+(?:more|less|fewer|so|above|below)|and\s+(?:above|up)|"
    r"(?:only\s+)?(?:if|unless|provided)\s+(?!(?:rounded|we|you|needed|necessary|simplified|written|"
    r"expressed|desired)\b))\b)"
)
"""What takes back an answer only straight after it: later it may speak of another case."""

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
        r"(?:^[ \t]{0,9}|[.!?,;:]\s{1,9}|\b(?:but|and|however,?|now)\s+)(?:the\s+)?"
        r"(?!(?:but|and|however|now|it|this|that|which)\b)(\S{0,39}[\w)}$*])(?:\s+\w{1,9})?\s+"
        rf"(?:is|are|would\s+(?:also\s+)?be)\s+(?:also\s+|in\s+fact\s+|the\s+)?{CLAIM}\b",
        rf"\b{CLAIM}(?:\s+(?:final\s+)?(?:answer|value|choice|option|one|result|number))?\s*"
        r"(?:\bis\b|:|=)\s*([^.!?\n]{1,60}(?:\.\d[^.!?\n]*)?)",
        r"(?:^[ \t]{0,9}|[.!?]\s{1,9}|\()(?:or|also|hmm+|oops|on\s+second\s+thoughts?|no|but)"
        r"\b[,:\s]*"
        r"(?:(?:it|that)(?:'s|\s+is)\s+)?([^.!?\n()]{1,60}(?:\.\d[^.!?\n()]*)?)",
        r"\b(?:recheck|check\s+again|second\s+look)\b[^.\n]{0,99}?\b(?:it\s+is|it's)\s+([^.!?\n]{1,60})",
        rf"\b{AGAIN}\b(?::|[^\n]{{0,99}}?\b(?:is|be|gives?|gave|yields?|gets?|got|finds?|found|"
        rf"obtain|shows?|makes?)\b){VALUE}",
        r"(?:^|[.!?]\s{1,9})(?:so|thus|therefore|hence|oh|ah|oops|hmm+)[,.!]?\s+(?:the|it|this)\b"
        rf"[^.!?\n\d\\$]{{0,60}}\b(?:is|are|equals)\b{VALUE}",
    )
)

LEADS = (
    r"(?:(?:so|thus|hence|therefore|then|finally|overall|consequently|accordingly|now|ultimately|"
    r"in\s+(?:conclusion|summary|short|total|all|the\s+end|other\s+words)|that\s+is|i\.e\.|namely|"
    r"(?:I|we)\s+(?:conclude|see|find|get|have|obtain|know|deduce)(?:\s+that)?|"
    r"it\s+follows(?:\s+that)?|which\s+means(?:\s+that)?|(?:this|that|it)\s+means(?:\s+that)?|"
    r"and|[⇒→∴]|\\(?:therefore|implies|Rightarrow))(?![a-z])[,:]?\s*)"
)
BE = (
    r"(?:'s\b|(?:is|was|are|equals?|(?:should|must|has\s+to|have\s+to|ought\s+to|will|would)\s+be|"
    r"turns\s+out\s+to\s+be|comes\s+(?:out\s+)?(?:to|at|as)|becomes|gives|yields|makes|leaves)\b|"
    r"=|:)(?:\s+(?:equal\s+to|just|simply|exactly|in\s+fact|really|now|still|only|then))?"
)
POINTING = r"(?:it|this|that|these|which|the\s+(?:(?:final|correct|overall|new|total|real|desired|required|whole|updated|revised)\s+)*(?:answer|result|total|value|solution|outcome|final\s+number|final))"
VARIABLE = (
    r"\$?\s*(?P<name>(?:[A-Za-z]|\\(?:alpha|beta|theta|lambda|mu|phi|omega))"
    r"(?:_\{?\w{1,9}\}?|'|\(\w{1,3}\))?)\s*\$?"
)
ABOUT = r"(?P<about>(?:(?:about|approximately|roughly|around|nearly|\\approx|≈|~)\s*)?)"
BEGUN = r"(?=[-+−±$£€¥\\(\[{√*.]*\s*(?:\d|\\[a-z]|[πA-Z](?![A-Za-z'])))"
STATED = re.compile(
    rf"(?i:(?P<lead>{LEADS}*)(?:{POINTING}(?:\s+of\s+\$?\w\$?)?\s*{BE}|(?P<equation>{VARIABLE})"
    rf"\s*(?:=|\bis\b|\bequals\b|\\approx|≈)|(?P<bare>(?:there\s+(?:is|are)\s+)?))[\s$]*{ABOUT})"
    rf"(?P<value>{BEGUN}.+)"
)
CORRECTED = re.compile(
    r"(?i)(?:\W{0,4}(?:and|but|so|no|oh)\b)?\W{0,4}(?:revised|revision|edit(?:ed)?|updated?|corrected|fix(?:ed)?|amended|amendment|"
    r"erratum|make\s+(?:that|it)|I\s+mean(?:t)?|better|new|final(?:ly)?|in\s+fact|oops|p\.?s\.?|"
    r"re-?evaluat\w+|second\s+attempt|retry)(?:\s+(?:final\s+)?(?:answer|value|result|total|version|solution|number))?"
    r"(?:\s*[:=,–—-]|\s+(?:is|to)\b|(?=\s+[-$\\\d])|(?<=that)(?=\s)|(?<=mean)(?=\s)|(?<=it)(?=\s))+\s*"
    rf"(?:(?:it|that|this)\s*{BE}\s*|\$?[a-z]\$?\s*=\s*)?(?P<value>\S.*)"
)
CUT = re.compile(
    r"(?<![0-9]),?\s+(?:because|since|as|so|for|when|if|in\s+order|after|with|which|where|but|and\s+(?:so|that|we|the))\b|"
    r",\s+(?![0-9])|[.;!?](?:\s|$)|\s*\\\]|\s+\("
)
CHANGED = re.compile(
    r"(?i)^\S+\s+(?:(?:\w+\s+)?(?:more|less|fewer|greater|smaller|higher|lower|other|different|out|of|"
    r"times|to|in|from|possible|ways?\s+to)\b|(?:distinct|real|positive|negative)\s+\w+)"
)
CHECK = re.compile(
    r"(?i)^\W*(?:to\s+)?(?:check|verif\w+|substitut\w+|plug\w*|confirm\w*|sanity|validat\w+|when|if|"
    r"let|suppose|case|for|e\.g|example|note|recall|since|because|given|where|with|remember|using|"
    r"by|indeed|step|here)\b|\b(?:as\s+(?:required|needed|desired|expected|given|claimed|stated|wanted|"
    r"we\s+wanted)|matches|agrees|checks\s+out|holds)\b|[✓✔]"
)
CALLED = re.compile(r"(?i)\b(?:check|verif\w+|substitut\w+|plug\w*|confirm\w*|sanity|validat\w+)")
NAME = re.compile(rf"{VARIABLE}\s*=\s*$")
OWN_NAME = re.compile(rf"{VARIABLE}\s*=(?!.*=)")
PROPER = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*")
IT_IS = re.compile(
    rf"(?i:{LEADS}*(?:it|that|this|the\s+answer)\s*{BE})\s+(?P<value>[A-Z][A-Za-z ]*)[.!]?"
)
SUBJECT = re.compile(r"(?i)^(?:each|every|the|its|their|his|her)\b")
LETTER = re.compile(r"\(?[A-Za-z]\)?")
WORD = re.compile(r"(?<!\\)(?<![A-Za-z\\])[A-Za-z]{3,}")
SYMBOL = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
CLOSED_FORM = re.compile(r"\\(?:[dt]?frac|sqrt|pi|log|ln|sin|cos|tan)|[/^√π!]|[a-z]")
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

    @cached_property
    def kind(self) -> str:
        """What it is made of: a letter, words, or figures and signs."""
        if LETTER.fullmatch(self.words.strip(" .$")):
            return "letter"
        figures = re.search(r"[0-9]|\\(?!text)", self.words)
        return "words" if WORD.search(self.words) and not figures else "figures"


def doubted(words: str) -> bool:
    """Whether words speak of a mistake, or take back what stands beside them."""
    return RETRACTED.search(words) is not None


def taken_back(tail: str) -> bool:
    """Whether the text after an answer takes it back.

    >>> taken_back(". This cannot be right."), taken_back(". No other value works.")
    (True, False)
    """
    found = RETRACTED.search(tail) or NEGATED.search(tail) or REFUSED.match(tail)
    return found is not None


def rivals(answer: Answer, tail: str) -> list[str]:
    """What the text after an answer calls the right one, offers beside it, or concludes with.

    >>> rivals(Answer("12", ""), ". Hence x = 15. Check: 12 + 3 = 15.")
    ['15']
    """
    if not tail.strip(" .$*_\n"):
        return []
    found = [match[1].strip(" $*_,;:") for rival in RIVALS for match in rival.finditer(tail)]
    found += _concluded(answer, tail)
    return [words for words in found if words]


def _concluded(answer: Answer, tail: str) -> Iterator[str]:
    """The values that later sentences conclude with, unless they were said before the answer."""
    checking = False
    for sentence in SENTENCE.split(tail):
        sentence = sentence.lstrip(" \t*_#>$-.,;)}\\]").rstrip(" \t*_$.")
        if not 0 < len(sentence) <= LONGEST:
            continue
        corrected = CORRECTED.fullmatch(sentence)
        if corrected:
            yield from _corrected(answer, _cut(corrected["value"]))
            continue
        checking = checking or CALLED.search(sentence) is not None
        if CHECK.search(sentence):
            continue
        yield from _stated(answer, sentence, checking)


def _corrected(answer: Answer, value: str) -> Iterator[str]:
    """What a word of correction leads to, if it is of the kind of the answer."""
    if value and (answer.kind == "words" or _alike(answer, value)):
        yield value


def _stated(answer: Answer, sentence: str, checking: bool) -> Iterator[str]:
    """The value that one sentence concludes with."""
    if answer.kind == "words":
        named = IT_IS.fullmatch(sentence)
        if named and PROPER.fullmatch(named["value"]) and PROPER.fullmatch(answer.words):
            yield named["value"]
        return
    found = STATED.fullmatch(sentence)
    if found is None:
        yield from _plain(answer, sentence)
        return
    value, lead = _cut(found["value"]), found["lead"].strip()
    if LETTER.fullmatch(value) and len(found["value"].strip(" .$*_()")) > 1:
        return  # "A, C and D are out"
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
    value = _cut(found[1])
    said = BLANK.sub("", sentence[lead.end() :]).casefold() in answer.plain_before
    if value and not said and _alike(answer, value) and not CHANGED.match(value):
        yield value


def _said(answer: Answer, found: re.Match[str]) -> bool:
    """Whether an equation was written before the answer already."""
    equation = BLANK.sub("", f"{found['name']}={_cut(found['value'])}").casefold()
    return equation in answer.plain_before


def _cut(value: str) -> str:
    """A value without what a sentence goes on with."""
    return CUT.split(value, maxsplit=1)[0].strip(" $*_,;:.")


def _alike(answer: Answer, value: str) -> bool:
    """Whether a value can stand where the answer stands: letters for a letter, no new variables."""
    if answer.kind == "letter" or LETTER.fullmatch(value):
        return answer.kind == "letter" and LETTER.fullmatch(value) is not None
    return bool(re.search(r"[0-9\\π√]", value)) and (
        bool(SYMBOL.search(answer.words)) or "=" not in value
    )


def _compared(answer: Answer, value: str, about: bool) -> str:
    """A value as it is to be judged: a rounded one beside the exact answer."""
    rounded = about or ("." in value and CLOSED_FORM.search(answer.words))
    return rf"{answer.words} \approx {value}" if rounded else value
