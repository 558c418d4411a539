r"""What the words before a box do to what is in it: they may deny, bound, suppose or change it.

``not \boxed{3}`` is not 3, and what one might think, what would hold in another case, or half of
the answer is not the answer.
"""

from __future__ import annotations

import re

from stages.problems.wording import LATEX_TEXT
from stages.rewards.extraction import BEFORE_BOX, OTHER_QUANTITY, REVISED, SIGN_BEFORE

LINKS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\\(?:implies|iff|to|therefore|(?i:(?:long)?rightarrow))(?![a-zA-Z])|[→⇒⟹∴]", ": "),
        (r"\\(?:in|approx|equiv)(?![a-zA-Z])|[≈∈≡]|(?<=[0-9)])!\s*=", "="),
        (r"(?i)\bnot\s+(?:hard|difficult)\s+to\s+\w+", "easy"),
        (r"\\(?:displaystyle|q?quad|Large|large|[,;:!$])(?![a-zA-Z])|&|~", " "),
    )
)
CLAUSES = re.compile(r"[.!?;:,]\s|\n")
SENTENCES = re.compile(r"[.!?]\s|\n\s*\n")
DENIED = re.compile(
    r"(?i)(?:\b(?:not|never|no|nor|or|than|except|but|either|neither|between|unlike|cannot)|n't)"
    r"\W*(?:(?:the|a|an|be|equal|to|exactly|answer|simply|just)\W+){0,3}$"
    r"|(?:\b(?:not|never|false|wrong|incorrect|untrue)|n't)\b.*\banswer\b"
    r"|\b(?:maybe|perhaps|possibly|probably|guess|guessing|unsure)\b|[≠¬]|\\(?:neq?|neg)\b"
)
BOUNDED = re.compile(
    r"(?i)(?:(?:^|\b(?:is|are|was|be|equals|answer|value|result|it))\W*\bat\s+(?:least|most)|"
    r"\b(?:up\s+to|exceeds?|exceeding|above|below|under|over|beyond|"
    r"close\s+to|near|within\s+\S{1,9}\s+of|(?:could|may|might)\s+(?:also\s+)?be|bounded\s+(?:(?:above|below)\s+)?by|less\s+than\s+or\s+equal\s+to|"
    r"(?<!least\s)(?<!greatest\s)(?:upper|lower)\s+(?:bound|limit)\b[^.]{0,40}?(?:is|of|=|:)|"
    r"(?:estimate|approximation|guess)(?:\s+\w+){0,3}\s+(?:is|of|gives)))\W*$"
)
OTHERS_SAY = re.compile(
    r"(?i)\b(?:(?:might|may|could|would|can|often|commonly|wrongly|mistakenly|naively|tempting\s+to|"
    r"tempted\s+to)\s+(?:\w+\s+){0,2}?(?:think|thought|guess(?:ed)?|expect(?:ed)?|suppose|believed?)|"
    r"(?:(?:one|you|someone)\s+(?:might|may|could|would)|students?|people|many|some|someone|others|"
    r"beginners|peers|nobody|no\s+one|wrongly|mistakenly|incorrectly|naively|(?:tempting|tempted)\s+to)\s+"
    r"(?:(?!who\b|which\b|that\b)\w+\s+){0,2}?(?:think|thought|believed?|guess(?:ed)?|say|said|assumed?|answer(?:ed)?|conclude[ds]?|"
    r"claim(?:ed)?|argued?|write|wrote))\b"
)
SUPPOSED = re.compile(
    r"(?i)^\W*(?:(?:now|so|let\s+us|let's|we|I)\s+)*(?:suppos(?:e|ing)|assum(?:e|ing)|imagine|pretend|"
    r"hypothesi[sz]e|conjecture|say)\s+(?:that\s+)?(?:\$?[a-z]\$?\s*=|(?:the|our)\s+(?:answer|result)|"
    r"it\s+is)|^\W*(?:let's\s+|let\s+us\s+)?say\W*$"
)
UNTRUE = re.compile(
    r"(?i)\b(?:wrong|incorrect|false|naive|tempting|mistaken|flawed|erroneous|invalid|bogus|careless|"
    r"hasty|sloppy|fallacious|bad|rejected|discarded)\s+(?:final\s+)?(?:answer|result|value|solution|"
    r"choice|option|approach|method|way|reasoning|argument|calculation|guess|reading|attempt|reader|"
    r"student|solver|person|count|analysis)\b|\b(?:obvious|intuitive|previous|old|earlier|initial|"
    r"preliminary|usual|example's|sample)\s+(?:answer|guess)\b|\b(?:nobody|no\s+one)\s+gets\b"
)
UNREAL = re.compile(
    r"(?i)\b(?:if|had|unless|were|without|otherwise|case)\b.*\b(?:answer|result|solution)\s+"
    r"(?:would|might|could)\b|\b(?:answer|result|solution)\s+would\s+have\s+been\b"
    r"|\bat\s+first\s+(?:glance|sight)|\bI\s+(?:first|initially|originally)\s+(?:thought|guessed|got|had)\b"
    r"|^\W*(?:had|were)\s.*\bwould\b"
    r"|\b(?:previously|formerly|earlier|last\s+(?:time|year))\b.*\b(?:answer|result)\s+was\b"
    r"|\b(?:ignor|neglect|disregard|drop|skip|violat|forget)\w*\s+(?:(?:the|this|that|a|any|all)\s+)?"
    r"(?:\w+\s+)?(?:constraints?|conditions?|restrictions?|requirements?|rules?|steps?)\b"
    r"|\b(?:if|assum\w+|suppos\w+)\b.{0,40}\b(?:forgot|forget|overlook\w*|misread|misinterpret\w*|wrongly|mistakenly)\b"
)
REJECTED = re.compile(
    r"(?i)\b(?:rul(?:e[sd]?|ing)\s+out|reject\w*|discard\w*|exclud\w+|eliminat\w+|differs?\s+from|"
    r"different\s+from|unlike|nearly|almost|avoid)(?![\w-])\W*(?:the\s+\w+\s+)?(?:\$?[A-Za-z]\s*=\W*)?$"
)
TURN = re.compile(r"(?i)\b(?:but|however|yet|though|although|in\s+fact|in\s+reality|whereas)\b")


SIGN_LED = re.compile(r"(?i)\b(?:minus|negative)\b[\s$*]*:[\s$*]*$")
IN_CLAUSE = (SIGN_BEFORE, DENIED, SUPPOSED)
AT_END = (BOUNDED, REJECTED)
NEAR = 120  # characters before a box in which a bound or a rejection stands
IN_SENTENCE = (OTHERS_SAY, UNTRUE, UNREAL)
SOUNDS = """
thin thought guess expect suppos believ say said assum conclu claim argu writ wrot answered
wrong incorrect false naiv tempt mistak flaw erron invalid bogus careless hasty sloppy fallac bad
reject discard obvious intuitiv previous earlier initial prelim usual example's sample nobody
no-one tudents people would could might glance sight first original forg overlook misread
misinterpret formerly last ignor neglect disregard drop skip violat
"""
SUSPECT = (*(word.replace("-", " ") for word in SOUNDS.split()), "old answer", "old guess")
BOUNDARIES = """
least most up exceed above below under over beyond bound limit close near within could may might
estimate approx guess less rul reject discard exclud eliminat differ unlike almost avoid
"""
BOUNDS = tuple(BOUNDARIES.split())
"""Parts of words of which each pattern for a sentence needs one: most sentences have none."""


def stands_free(before: str, revised: bool) -> bool:
    r"""Whether nothing before a box changes what is in it.

    ``before`` is the text since the last box; ``revised``: it says that this box replaces others.

    >>> stands_free("So x = ", False), stands_free("One might think it is ", False)
    (True, False)
    """
    sentence = SENTENCES.split(before)[-1]
    clause = CLAUSES.split(before)[-1]
    clause = REVISED.sub("", clause) if revised else clause
    for pattern, plain in LINKS:
        clause = pattern.sub(plain, clause)
    clause = LATEX_TEXT.sub(r" \1 ", clause)
    if SIGN_LED.search(before[-NEAR:]) or not BEFORE_BOX.search(clause):
        return False
    if any(found.search(clause) for found in IN_CLAUSE):
        return False
    near = clause[-NEAR:]
    bounded = any(map(near.casefold().__contains__, BOUNDS))
    if bounded and any(found.search(near) for found in AT_END):
        return False
    lower = sentence.casefold()
    if ("answer" in lower or "result" in lower) and OTHER_QUANTITY.search(clause):
        return False
    if not any(word in lower for word in SUSPECT):
        return True
    said = TURN.split(sentence)[-1]
    return not any(found.search(said) for found in IN_SENTENCE)
