r"""Words after an answer that take it back, so that nothing is stated any more.

Some do so wherever they stand ("I made an error."), others only straight after the answer ("That
does not work."): later they may speak of another case.
"""

from __future__ import annotations

import re

ANSWER = (
    r"(?:(?:the|my|this|that)\s+(?:\w+\s+)?(?:answer|result|value|solution|choice|reasoning|"
    r"argument|calculation|work)|the\s+above)"
)
AIM = rf"(?:that|this|it|which|{ANSWER})"
SEEMS = r"(?:is|was|seems|looks|feels|must\s+be|has\s+to\s+be|would\s+be)"
SURELY = r"(?:\s+(?:all|also|clearly|obviously|definitely|simply|just|completely|probably|still))?"
FAULT = (
    r"(?:false|off|invalid|impossible|nonsense|absurd|bogus|flawed|unreliable|suspicious|dubious|doubtful|questionable|fishy|shaky|unclear|withdrawn|retracted|"
    r"rejected|excluded|discarded|extraneous|ruled\s+out|(?:only|just|merely)\s+an?\s+\w+|"
    r"an?\s+(?:\w+\s+)?(?:guess|trap|error|bound|estimate|fallacy|misconception|distractor))"
)
EXCESS = r"too\s+(?:small|large|big|low|high|many|few|much|little)"
NOT = r"(?:does(?:n't|\s+not)|did(?:n't|\s+not)|can\s?not|can't|won't|will\s+not)"
FAILS = (
    rf"(?:{NOT}\s+(?:work|hold|fit|follow|make\s+sense|add\s+up|satisfy|check|count|apply|"
    r"be\s+(?:possible|accepted|the|it))|fails?|violates?|contradicts?|"
    r"(?:can|must|should|may)\s+be\s+(?:ruled\s+out|excluded|rejected|discarded|ignored))\b"
)
ERROR = r"(?:error|slip|blunder|typo|oversight|flaw)s?"
RETRACTED = re.compile(
    r"(?i)\b(?:wrong|incorrect|wait|actually|instead|rather|correction|sorry|mistake|mistaken|"
    r"maybe|perhaps|possibly|(?:is|was|that's)\s+not\s+(?:true|the|it|[-$\\0-9])|"
    r"(?:isn't|wasn't)\s+(?:right|correct|true|the|it|[-$\\0-9])|not\s+(?:correct|right)|no,|"
    r"alternatively,?\s+(?:the\s+answer|it|[-$\\0-9])|(?:could|might|may)\s+(?:also\s+)?be|"
    r"or\s+else|scratch\s+that|never\s*mind|(?:take|took)\s+(?:that|it)\s+back|"
    r"hold\s+on|hang\s+on|I\s+(?:have\s+no\s+(?:idea|clue)|give\s+up)|"
    r"not\s+(?:\w+\s+)?sure|ignore\s+(?:that|the\s+above)|forget\s+(?:that|it)|changed\s+my\s+mind|misread|"
    r"(?:ignore|disregard|discard|scrap|strike|retract|withdraw|undo|delete|cancel|drop|forget)\s+"
    r"(?:that|this|it|the\s+above|my|what\s+I)|I\s+(?:retract|withdraw|reconsider|doubt|guessed)|"
    r"oops,?\s+I|just\s+guessing|(?:just|only|merely)\s+an?\s+(?:\w+\s+)?guess|I\s+(?:just\s+)?(?:forgot|overlooked)|"
    r"(?:this|that|it|which|the\s+above|answer|count|result)\s+(?:(?:misses|overlooks|forgets|overcounts|undercounts|"
    r"double[-\s]counts)\b|(?:ignores|neglects|omits)\s+(?:the\s+|a\s+|one\s+|some\s+)?(?:cases?|possibilit|other|solutions?))|"
    r"grain\s+of\s+salt|I\s+(?:might|may|must)\s+have|"
    r"I\s+have\s+(?:\w+\s+)?doubts|I\s+(?:can\s?not|can't)\s+(?:confirm|guarantee|vouch|verify|"
    r"be\s+(?:sure|certain))|(?:do(?:n't|\s+not))\s+(?:trust|rely|stand\s+by)|"
    r"needs?\s+to\s+be\s+(?:redone|revised|corrected|rechecked)|"
    r"(?:let\s+me|I\s+(?:must|should|will))\s+(?:correct|fix|amend|revise|change)|"
    r"(?:correct|amend|change|revise|fix)\s+(?:that|this|it)\s+to|"
    r"answer\s+(?:is\s+)?(?:withdrawn|retracted)|I\s+(?:was|am)\s+too\s+\w+|"
    r"(?:let\s+(?:me|us)|I\s+(?:must|should|have\s+to|need\s+to|will))\s+"
    r"(?:reconsider|rethink|redo|(?:start|begin|try)\s+(?:over|again))|"
    rf"(?:couldn't|{NOT})\s+(?:\w+\s+)?(?:be|seem|look|"
    r"sound|feel|appear)\s+(?:to\s+be\s+)?(?:right|correct|true|so|it|plausible)|"
    r"I(?:'m|\s+am|\s+was|\s+feel)\s+(?:\w+\s+){0,2}?(?:un|not\s+(?:\w+\s+){0,2}?)"
    r"(?:sure|certain|confident|convinced)|"
    r"I\s+(?:do(?:n't|\s+not)|no\s+longer)\s+(?:\w+\s+)?(?:think|believe|trust|know|agree)|"
    r"(?:made|make|making|contains?|is|was|found|find|have|has|there's|had)\s+(?:an?|some)\s+"
    rf"(?:\w+\s+)?{ERROR}|miscount\w*|miscalculat\w*|something\s+is\s+(?:off|amiss)|"
    rf"{ANSWER}\s+{SEEMS}{SURELY}\s+{FAULT}|"
    r"(?:that|this|it|which|the\s+answer|the\s+result)\s+contradicts)(?![a-z])"
)
NEGATED = re.compile(
    r"(?i)(?:^|[.!?\n]\s{0,9})(?:(?:oh\s+)?no|nope|unsure|no\s+answer|not\s+(?:so|quite|really|exactly|yet))[.!](?=\s|$)"
    r"|\b(?:is|was|are)\s+(?:that|this|it)(?:\s+(?:really|even|all))?"
    r"(?:\s+(?:right|correct|true|so|it|enough|possible))?\s?\?"
)
REFUSED = re.compile(
    r"(?i)^[\s$*_)}.,;:!—–-]*(?:(?:but|however|yet|oh|hmm+|unfortunately|alas|and),?\s+)?"
    rf"(?:{AIM}\s+(?:{FAILS}|{SEEMS}{SURELY}\s+(?:{FAULT}(?!\s+to\b)|{EXCESS}))|{FAILS}"
    rf"|(?:is|was|are|would\s+be|seems|looks){SURELY}\s+(?:{FAULT}|{EXCESS}|"
    r"(?:an?|the|one)\s+(?:\w+\s+){0,2}"
    r"(?:trap|guess|mistake|error|bound|estimate|fallacy|misconception|distractor|decoy)|tempting|"
    r"naive|plausible|possible|what\s+(?:\w+\s+){0,2}(?:think|say|guess|expect)s?)"
    r"|was\s+(?:the|my|our)\s+(?:\w+\s+){0,2}?(?:answer|result)|with\s+(?:a\s+)?probability\b"
    r"|(?:is|was|would\s+be)\s+(?:the\s+)?(?:right|correct|true|answer|best)?[^.\n]{0,30}?\b"
    r"(?:if|unless|only\s+(?:if|when))\b"
    r"|,?\s*(?:but|however|though|although|yet),?\s+[^.\n]{0,60}?\b(?:(?:it|that|this)\s+"
    r"(?:is|was)\s*(?:n't|not)|catch|traps?|ignor\w+|overlook\w*|forgets?|misses)\b)"
    r"|^[ \t$*_)},(]*(?:(?:probably|maybe|perhaps|with\s+(?:a\s+)?probability|"
    r"I\s+(?:guess|suppose)|at\s+best|at\s+(?:most|least)|"
    r"is\s+the\s+answer\s+to\s+(?:another|a\s+different|the\s+other)|or\s+(?:more|less|fewer|so|above|below)|and\s+(?:above|up)|"
    r"(?:only\s+)?(?:if|unless|provided)\s+(?!(?:rounded|we|you|needed|necessary|simplified|written|"
    r"expressed|desired)\b))\b)"
)


def doubted(words: str) -> bool:
    """Whether words speak of a mistake, or take back what stands beside them.

    >>> doubted("I made an error"), doubted("the error bound")
    (True, False)
    """
    return RETRACTED.search(words) is not None


def taken_back(tail: str) -> bool:
    """Whether the text after an answer takes it back.

    >>> taken_back(". This cannot be right."), taken_back(". No other value works.")
    (True, False)
    """
    if not tail.strip(" .$*_\n\\])}"):
        return False
    found = RETRACTED.search(tail) or NEGATED.search(tail) or REFUSED.match(tail)
    return found is not None
