"""Chinese prose around an answer, in the English words that the reader of answers knows.

What stands in a box, or after "the answer is", stays as it is: only what is said around it counts
here, and each word that denies, hedges or compares keeps doing so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.rewards.extraction import MARKED, boxes

LONGEST_LINE = 400  # characters of a last sentence
STOPS = str.maketrans({"。": ". ", "：": ": "})
HAN = re.compile(r"[\u4e00-\u9fff]")
MARK = re.compile(
    r"(?:^|(?<=[\n。；！.;!]))[ \t*_#>]{0,6}"
    r"(?:(?:因此|所以|故|综上(?:所述)?|于是|从而|则|那么|最后)[，,、]?\s{0,2}){0,2}"
    r"【?(?:最终|最后|正确|本题|该题|此题)?的?(?:答案|答)(?:应)?(?:就)?"
    r"(?:是|为|】|[*_]{0,2}[：:])[：:*_ \t]{0,4}"
    r"(?P<said>(?:[^\n。；，！？\\]|\\(?!boxed)){0,200}?)(?P<box>\$?\\boxed|(?=[\n。；，！？]|$))"
)
TO_CHOICE = (
    r"(?:(?:因此|所以|故|综上(?:所述)?|于是|从而|则|那么|最后|本题|此题|该题|正确|应该?|答案|但是?)"
    r"[，,、]?\s{0,2})"
)
CHOSEN = re.compile(
    rf"(?:(?:^|(?<=[\n。；！.;!]))[ \t*_#>]{{0,6}}{TO_CHOICE}{{0,4}}|"
    rf"(?<=[，,])\s{{0,2}}{TO_CHOICE}{{1,4}})"
    r"(?:选(?:择|项)?(?:是|为)?\s{0,2}[：:]?\s{0,2}[*_(（$]{0,4}(?P<letter>[A-J])[*_)）$]{0,4}项?"
    r"|选项\s?(?P<right>[A-J])\s?(?:是|为)?正确的?)(?=[\s。；，！.,;]|$)"
)
"""A letter that is chosen: 故选B, 正确选项是B, 选项B正确."""
REASON = re.compile(r"[，,]\s?(?:因为|由于|理由|原因)")
COUNTER = re.compile(
    r"(?<=[0-9$}*])\s?(?:个(?![月小百千万亿分半])|[只颗条张名位人块支件辆台棵种次朵匹头本套](?![百千万亿分半]))"
    r"[\u4e00-\u9fff]{0,6}$"
)
LEADS = (
    r"(?:(?:因此|所以|故|综上(?:所述)?|于是|从而|那么|最终|最后|这样|可得|解得|即|得)"
    r"[，,、：:]?\s{0,2})"
)
UNPLAIN = (
    r"[不没非未否无若如假设当可许概猜估原另除少多超过至约每误错前余第其个一]|"
    r"最[^终后]|[大小低高长短]于|[倍半]|平方|立方|分之"
)
"""What makes a subject another one than that which is asked for, or denies, bounds, supposes."""
PLAIN = re.compile(
    rf"(?:(?:^|(?<=[\n。；！.;!]))[ \t*_#>]{{0,6}}{LEADS}{{0,3}}|(?<=[，,])\s{{0,2}}{LEADS}{{1,3}})"
    r"(?:(?P<equation>\$?[A-Za-z](?:_\w)?\s?=\s?)|"
    rf"(?P<subject>(?:一共|总共|(?!{UNPLAIN})[\u4e00-\u9fff]){{0,14}}?)\s?(?:\$?[A-Za-z](?:_\w)?\$?\s?)?"
    r"(?:是|为|等于|(?:一共|总共|共)?有|得到?|共|需要?|花了?|剩下?|用了?|=|[：:])\s?[：:]?)"
    r"[ \t*_`]{0,4}(?P<value>[-+−$\\(\[0-9][^\n。；，、！？]{0,200}?)[ \t*_`]*[。.!！]?[ \t*_]*$"
)
"""A last sentence that states one value: 因此面积为 15, 综上, x=15. No box or mark stands by it."""
SUPPOSES = re.compile(r"如果|若|假设|假如|要是|除非|倘|当")
SUBJECT = re.compile(
    r"^(?!.*[不没非未少多超至约])[\u4e00-\u9fff]{0,12}(?:有|是|为|需要?|剩下?|得到?|花了?|用了?)(?=\s*[-$0-9])"
)
"""Who has what is counted: 她一共有20个."""
WORDS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"(?:我|还|并)?(?:不太?确定|没有?把握|不敢肯定)", " perhaps "),
        (
            r"(?:不可能|不能|不会)(?:是)?(?:对的?|正确|成立)|"
            r"(?:这|那|它|答案|结果|以上|上面|刚才)[^。，；\n]{0,6}(?:错|有问题)的?|作废|划掉|收回",
            " wrong ",
        ),
        (
            r"(?:忽略|不考虑|去掉|违反|不管|无视)[^。；\n\\$0-9]{0,8}(?:条件|限制|约束|要求|规则)",
            " ignoring the condition ",
        ),
        (r"不[太大]?对|不正确|错误|错了|有误|算错|更正|修正|纠正|抱歉", " wrong "),
        (r"等等|等一下|等下|且慢|其实|实际上|重新|再算|再检查|改成|应该?[是为]|改为", " wait "),
        (
            r"(?:所以|因此|故|于是|从而|那么?|结果|最后|最终)(?:就|应|结果|它|总数|总共|一共|共)*"
            r"(?:是|为|等于|得到?|有)(?=\s*[-$\\0-9])",
            ". So it is ",
        ),
        (r"(?:即|也就是说?|换言之)(?=\s*[-$\\0-9])", ", that is "),
        (r"(?:所以|因此|故(?![\u4e00-\u9fff])|于是|从而)[，,]?", ". So "),
        (r"(?<![\u4e00-\u9fff])不[，,]", " no, "),
        (r"第[一二三四五六七八九十0-9]+步", "\nStep 1"),
        (
            r"(?:有(?:的|些)?人|很多人|许多人|大家|学生|人们|容易)(?:可能|会|常|往往)*(?:错误地)?(?:误?认为|误?以为|"
            r"觉得|说|答)[^，。\n\\$0-9]{0,8}",
            " perhaps ",
        ),
        (
            r"(?:没有?|并不|不会|不能|无法|未)[^的，。；：！？,.;:!?\n\\$0-9]{0,12}(?=[\s$]*$)",
            " not ",
        ),
        (
            r"(?:而不|并不|不可能|不会|不等于|不能|并非|绝非|而非|非|不应|没有|无法|除了|除(?!以)|不)"
            r"[是为]?",
            " not ",
        ),
        (r"或许|也许|可能|大概|似乎|不确定|猜|估计|疑似", " perhaps "),
        (r"或者?|抑或|还是", " or "),
        (r"[小大少多低高短长]于|超过|不到|不足|至多|至少|最多|最少|介于|之间|以上|以下", " than "),
        (r"百分之|分之", " minus "),
        (r"[负减加]|[乘除]以?", " minus "),
        (r"倍|的?一半|的?[二三四五六七八九十]分", " times "),
        (r"(?<![\u4e00-\u9fff])\s*(?:[十百千万亿]|打(?![\u4e00-\u9fff]))", " thousand "),
        (r"正确(?:的)?(?:答案|结果|值)?(?:是|为|[：:])", "\nThe correct answer is "),
        (r"(?:最终|最后|正确)?的?答案(?:是|为|[：:])", "\nThe answer is "),
        (r"答案", " answer "),
        (r"[。]", ".\n"), (r"！", "!\n"), (r"？", "?\n"), (r"，|、", ", "), (r"；", "; "),
        (r"：", ": "), (r"（", " ("), (r"）", ") "),
        (r"[\u4e00-\u9fff]+", " it "),
    )
)  # fmt: skip
"""Chinese words by what they do to an answer beside them; all others do nothing."""

PUZZLES = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\*\*", ""),
        (
            r"(?m)^[ \t*_#>【]*(?:测试)?"
            r"(?:输入|题目|原题|谜题|原始?(?:网格|谜题|数独)?|给定(?:网格)?)[】*_ ]*[：:][*_ \t]*",
            "Given:",
        ),
        (
            rf"(?:(?m:^)|(?<=[。；！]))[ \t*_#>【]*{LEADS}{{0,2}}"
            rf"(?:(?!{UNPLAIN})[\u4e00-\u9fff]|一个|一种|最短|可行){{0,9}}"
            r"(?:解答|答案|答|输出|结果|路径|网格|表达式|列表|电荷|解|数字?|解法)"
            r"(?:如下)?(?:[】*_ ]*[：:]|[就应]?[是为](?!\s*[\u4e00-\u9fff])\s*[：:]?)】?[ \t]*",
            "\nAnswer: ",
        ),
        (r"(?:一共|总共|共)?有\s*\*{0,2}(\d)\*{0,2}\s*[名个位]?\s*骑士", r"There are \1 knights"),
        (r"(\d)\s*[名个位]\s*骑士", r"\1 knights"),
        (r"不是\s*骑士", " is not a knight"),
        (r"不是\s*(?:无赖|骗子|恶棍|说谎者|流氓)", " is not a knave"),
        (r"[是为]?\s*骑士", " is a knight"),
        (r"[是为]?\s*(?:无赖|骗子|恶棍|说谎者|流氓)", " is a knave"),
        (r"(?<![\u4e00-\u9fff])[向往]?上(?![\u4e00-\u9fff])", "up"),
        (r"(?<![\u4e00-\u9fff])[向往]?下(?![\u4e00-\u9fff])", "down"),
        (r"(?<![\u4e00-\u9fff])[向往]?左(?![\u4e00-\u9fff])", "left"),
        (r"(?<![\u4e00-\u9fff])[向往]?右(?![\u4e00-\u9fff])", "right"),
        (r"、", ", "),
        (r"。(?=\s*$)", "."),
    )
)
"""Chinese of puzzles; only what is sure to say the same is in here, all else stays unread."""


def in_english(text: str) -> str:
    r"""A response with the Chinese prose around its answers in English.

    >>> in_english("所以答案为72。")
    '\nThe answer is 72.\n'
    >>> in_english("答案不是 \\boxed{72}")
    ' answer  not  \\boxed{72}'
    """
    kept = list(_answers(text)) if HAN.search(text) else []
    if not kept:
        return text.translate(STOPS)
    parts, at = list[str](), 0
    for start, end, plain in kept:
        if start < at:
            continue
        parts += [_plain(text[at:start]), plain]
        at = end
    return "".join([*parts, _plain(text[at:])])


def _answers(text: str) -> Iterator[tuple[int, int, str]]:
    """Start and end of each answer in a text with what shall stand there, in order."""
    found = [(start, end, text[start:end]) for start, _, end in boxes(text)]
    for chosen in CHOSEN.finditer(text):
        letter = chosen["letter"] or chosen["right"]
        stop = "." if REASON.match(text, chosen.end()) else ""
        found.append((*chosen.span(), f"\nThe answer is {letter}{stop}\n"[: None if stop else -1]))
    for mark in MARK.finditer(text):
        if mark["box"]:
            continue  # the box itself is kept, and the words before it are prose
        said = SUBJECT.sub("", COUNTER.sub("", mark["said"].strip().rstrip("*_ ")))
        found.append((mark.start(), mark.end(), f"\nThe answer is {said}" if said else ""))
    found = [item for item in found if item[2]]
    yield from sorted(found or _plainly(text))


def _plainly(text: str) -> Iterator[tuple[int, int, str]]:
    """The value of a plain last sentence."""
    text = text.rstrip()
    start = max(text.rfind("\n"), len(text) - LONGEST_LINE, 0)
    stated = None if MARKED.search(text) else PLAIN.search(text, start)
    if stated is None or SUPPOSES.search(text, max(text.rfind("。", 0, len(text) - 1), start)):
        return
    value = COUNTER.sub("", stated["value"].strip().rstrip("*_` "))
    if not HAN.search(value):
        yield *stated.span(), f"\nThe answer is {stated['equation'] or ''}{value}"


def puzzle_in_english(text: str) -> str:
    """A response to a puzzle with its Chinese in English: headings, types of people, directions.

    >>> puzzle_in_english("最短路径：下、右").strip()
    'Answer: down, right'
    """
    if not HAN.search(text):
        return text
    for pattern, plain in PUZZLES:
        text = pattern.sub(plain, text)
    return in_english(text) if HAN.search(text) else text


def _plain(prose: str) -> str:
    for pattern, plain in WORDS:
        prose = pattern.sub(plain, prose)
    return prose
