"""Quality: rows that cannot be used go, with a reason. Nothing is changed here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "quality"
THINKING = ("<think>", "</think>")
REPLACEMENT = "\ufffd"
MAX_REPLACED = 0.01  # share of characters lost to U+FFFD
LONGEST_LOOP = 64  # words of a repeated block
LOOP_TIMES = 8
SHORTEST_LOOP = 24  # words, of all the repeats together: "no, no, no" in a chat is no loop
CLOSE_TIMES = 50  # in code, without blanks, with other numbers: they may repeat for good reason
FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
QUOTED_TAG = re.compile(r"`[^`\n]{0,40}</?think(?:ing)?>[^`\n]{0,40}`", re.IGNORECASE)
MARKER = re.compile(
    r"<[|｜](?:\w+[_▁][\w▁]+|endoftext|startoftext|end|start|eot|eos|bos|pad|unk|sep|mask|system|"
    r"user|"
    r"assistant|observation|tool|message|return|think)[|｜]>|</?(?:start|end)_of_turn>|"
    r"<role>[A-Za-z]{1,12}</role>|\[/?INST\]|<</?SYS>>|\[gMASK\]",
    re.IGNORECASE,
)
"""Of ChatML, Ring, Llama, Gemma, Mistral, DeepSeek, GLM: a tokenizer makes control tokens of these,
and knows no quotation marks. Packing refuses a response with an end of turn in its midst."""

SENTENCE_MARK = re.compile(r"</s>|\A\s*<s>")  # Llama's; in pairs within a text HTML strikes out
STRUCK_OUT = re.compile(r"(?<=\S)\s*<s>[^<>\n]{1,200}</s>|<s>[^<>\n]{1,200}</s>(?=\s*\S)")
NEXT_TURN = re.compile(
    r"(?:\A|\n[ \t]*\n)[ \t]*(?:\*\*|###? ?)?(?:Human|User|Assistant)(?:\*\*)?:(?!:)"
)
DIALOGUE = re.compile(
    r"\b(?:dialogues?|conversations?|chats?|chatbots?|transcripts?|scripts?|screenplays?|scenes?|"
    r"interviews?|role-?play|exchanges?|few-shot|"
    r"(?:human|user|assistant|bot|ai)\b.{0,40}\b(?:human|user|assistant|bot|ai))\b",
    re.IGNORECASE,
)
"""Who asks for turns gets them."""

OTHER_TAG = re.compile(r"</?\s*think(?:ing)?\s*/?>", re.IGNORECASE)
STOPS = re.compile(r"[\s.,;:…。，、]+")
ABOUT_SIGNS = re.compile(
    r"\b(?:signs?|symbols?|characters?|punctuation|marks?|separators?|delimiters?|operators?|"
    r"output|print\w*|regex)\b",
    re.IGNORECASE,
)
TOKEN = re.compile(r"\d+|[^\W\d_]{1,40}+(?![^\W\d_])|\S")
"""A number, a word or a sign; of an endless word the letters."""

NUMBER = re.compile(r"\d+")
ASKED_TIMES = re.compile(r"\b(\d{1,6}|\w+) times\b", re.IGNORECASE)


def fault(row: Row) -> tuple[str, str] | None:
    """Reason and evidence why a row is useless, None if it is not."""
    prompt, response = row["prompt"], row["response"]
    for name, text in (("prompt", prompt), ("response", response)):
        if not text.strip():
            return f"empty_{name}", name
        if text.count(REPLACEMENT) > MAX_REPLACED * len(text):
            return "unreadable_characters", f"{text.count(REPLACEMENT)} of {len(text)} in {name}"
    return (
        _marker_fault(prompt, response)
        or _turn_fault(prompt, response)
        or _tag_fault(_unquoted(prompt), _unquoted(response))
        or _thinking_fault(_unquoted(response))
        or _answer_fault(prompt, response)
        or _loop_fault(prompt, response)
    )


def _unquoted(text: str) -> str:
    return QUOTED_TAG.sub("", text) if "`" in text else text


def _marker_fault(prompt: str, response: str) -> tuple[str, str] | None:
    """Marks of a chat template, which would end a turn or begin another."""
    for name, text in (("prompt", prompt), ("response", response)):
        if "<" not in text and "[" not in text:
            continue
        found = MARKER.search(text)
        if not found and "s>" in text:
            found = SENTENCE_MARK.search(STRUCK_OUT.sub(" ", text))
        if found:
            return "chat_marker", f"{found.group()} in {name}"
    return None


def _turn_fault(prompt: str, response: str) -> tuple[str, str] | None:
    """A response that goes on with turns nobody asked for."""
    if ":" not in response:
        return None
    prose = FENCED.sub(" ", response) if "```" in response else response
    found = NEXT_TURN.search(prose)
    if not found or DIALOGUE.search(prompt):
        return None
    return "invented_turn", prose[found.start() :].strip()[:80]


def _tag_fault(prompt: str, response: str) -> tuple[str, str] | None:
    """Tags of thinking where none can stand, or in another spelling."""
    if "<" in prompt:
        found = re.search(r"</?think>", prompt, re.IGNORECASE)
        if found:
            return "thinking_in_prompt", found.group()
    if "<" in response:
        others = [tag for tag in OTHER_TAG.findall(response) if tag not in THINKING]
        if others:
            return "foreign_thinking_tag", others[0]
    return None


def _answer_fault(prompt: str, response: str) -> tuple[str, str] | None:
    """Nothing but full stops, though nobody asked for a sign."""
    answer = response.rpartition("</think>")[2]
    if STOPS.fullmatch(answer) and not ABOUT_SIGNS.search(prompt):
        return "no_final_answer", answer.strip()
    return None


def _thinking_fault(response: str) -> tuple[str, str] | None:
    opened, closed = response.count("<think>"), response.count("</think>")
    if opened > closed:
        return "unclosed_thinking", f"{opened} opened, {closed} closed"
    if closed > 1 or opened != closed or response.find("</think>") < response.find("<think>"):
        return "malformed_thinking", f"{opened} opened, {closed} closed"
    if closed and not response.partition("</think>")[2].strip():
        return "no_final_answer", response[-80:]
    before = response.partition("<think>")[0].strip()
    if closed and before:
        return "text_before_thinking", before[:80]
    return None


def _loop_fault(prompt: str, response: str) -> tuple[str, str] | None:
    asked = ASKED_TIMES.findall(prompt)
    wanted = max((int(times) if times.isdecimal() else CLOSE_TIMES for times in asked), default=0)
    prose = FENCED.sub(" ", response) if "```" in response else response
    block = _loop(prose.split(), max(LOOP_TIMES, wanted + 1))
    if not block and _dense(response):
        tokens = ["0" if token.isdecimal() else token for token in TOKEN.findall(response)]
        block = _loop(tokens, max(CLOSE_TIMES, wanted + 1))
    return ("repetition", " ".join(block)) if block else None


def _dense(text: str) -> bool:
    """Whether a loop of tokens may be in it: without blanks it is long, with blanks a part is many.

    Lines may be broken inside a loop.
    """
    if max(map(len, text.replace("\n", "").split()), default=0) >= CLOSE_TIMES:
        return True
    counts = Counter(NUMBER.sub("0", text).split())
    return any(times >= CLOSE_TIMES - 1 and _wordy((part,)) for part, times in counts.items())


def _loop(parts: Sequence[str], times: int) -> Sequence[str]:
    """The first block that comes so many times in a row; empty if none does."""
    if max(Counter(parts).values(), default=0) < times:  # cheap, and true of most texts
        return ()
    trigrams = Counter(zip(parts, parts[1:], parts[2:], strict=False))
    if max(trigrams.values(), default=0) < times - 2:
        return ()
    numbers = dict[str, int]()
    codes = np.array([numbers.setdefault(part, len(numbers)) for part in parts])
    for period in range(1, LONGEST_LOOP + 1):
        breaks = np.flatnonzero(codes[period:] != codes[:-period])
        edges = np.concatenate(([-1], breaks, [len(codes) - period]))
        shortest = max(period * (times - 1), SHORTEST_LOOP - period)
        for run in np.flatnonzero(np.diff(edges) > shortest).tolist():
            begin = int(edges[run]) + 1
            if _wordy(parts[begin : begin + period]):
                return parts[begin : begin + period]
    return ()


def _wordy(block: Sequence[str]) -> bool:
    """Whether a block holds words: rows of zeros and table rules repeat for good reason."""
    return any(character.isalpha() for word in block for character in word)


def quality(rows: Sequence[Row]) -> Filtered:
    """Drop the useless rows."""
    kept, dropped = list[Row](), list[Dropped]()
    for row in rows:
        found = fault(row)
        if found:
            dropped.append(Dropped(row, STEP, found[0], {"evidence": found[1]}))
        else:
            kept.append(row)
    return Filtered(kept, dropped)
