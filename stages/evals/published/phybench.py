r"""PHYBench: physics problems whose answer is one formula; expression edit distance and exactness.

The score of an answer is 100 if it is the gold, else 60 - 100 r, not below 0, with r the edit
distance of the two simplified expression trees over the size of the gold's tree (arXiv
2504.16074); here as shares of one. Whether it is the gold is found by values, all symbols positive,
as simplification misses identities. Nothing of a response is executed: it is read by the grammar of
the maths verifier, after each physical symbol (\hbar, \vec{v}_0, m_{\text{eff}}) got a plain name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.answer_lists import stated
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.clusters import mean_of
from stages.evals.published.entries import Entry
from stages.evals.published.expression_trees import simplified_tree
from stages.evals.published.maths_sets import unwrapped
from stages.evals.published.totals import by_group
from stages.evals.published.tree_distance import distance
from stages.evals.scoring import rounded
from stages.rewards.maths_nodes import Node, UnreadableError, call, number
from stages.rewards.maths_pool import TimeLimitError, holds
from stages.rewards.maths_reading import read
from stages.rewards.maths_values import Relation, Scalar
from stages.rewards.stated import PASS, SHOWN, unparsed

FULL, NEAR = 100.0, 60.0  # the scores of the gold, and of what is almost the gold
EXACT = "exact"
LONGEST = 2_000  # characters of an answer
ASKED = "Close with the formula alone in \\boxed{...}, in LaTeX, in the symbols of the problem."
SIDES = re.compile(r"(?<![<>!])=|\\(?:approx|simeq|equiv)(?![A-Za-z])|≈")
PLAIN = r"\\(?:mathbf|mathrm|mathit|mathsf|text|textbf|boldsymbol|bm|vec|hat|operatorname|rm)"
NAMES = "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|ln|log|exp"
ARGUMENT = r"\s*(?:\\left)?\(([^()]{1,80}?)(?:\\right)?\)"
REWRITTEN = (
    (
        re.compile(rf"\\(?:mathrm|operatorname)\s*\{{\s*(arc(?:sin|cos|tan)h|{NAMES})\s*\}}"),
        r"\\\1 ",
    ),
    (re.compile(rf"\\arcsinh{ARGUMENT}"), r"\\ln((\1)+\\sqrt{(\1)^2+1})"),
    (re.compile(rf"\\arccosh{ARGUMENT}"), r"\\ln((\1)+\\sqrt{(\1)^2-1})"),
    (re.compile(rf"\\arctanh{ARGUMENT}"), r"(\\ln(1+\1)-\\ln(1-(\1)))/2"),
    (re.compile(rf"{PLAIN}\s*\{{([^{{}}]*)\}}"), r"{\1}"),
    (re.compile(rf"{PLAIN}(?![A-Za-z])"), ""),
    (re.compile(r"\\pm(?![A-Za-z])|±"), "+"),
    (re.compile(r"\\mp(?![A-Za-z])|∓"), "-"),
    (re.compile(r"(?:\\left|\\right)?\s*\\\{"), "("),
    (re.compile(r"(?:\\left|\\right)?\s*\\\}"), ")"),
    (re.compile(r"\\q?quad.*$", re.DOTALL), ""),
    (re.compile(r"\{([A-Za-z0-9])\}(?=\s*_)"), r"\1"),
)
"""Dress of symbols, and signs the published reading takes for others, as plain ones."""

OWN_LETTERS = "Xi Upsilon hbar varepsilon vartheta varrho ell varphi Omega"
GREEK = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi chi psi
omega Gamma Delta Theta Lambda Sigma Phi Psi
"""
SAME = {
    "varepsilon": "epsilon", "vartheta": "theta", "varrho": "rho", "varphi": "phi", "ell": "l",
}  # fmt: skip
"""Two shapes of one letter."""

OWN = frozenset(OWN_LETTERS.split())
"""Letters that the grammar does not know, or takes for others."""

LETTERS = OWN | frozenset(GREEK.split())

PRIME = r"(?:'{1,3}|\s*\^\s*(?:\{\s*(?:\\prime\s*){1,3}\}|\\prime(?![A-Za-z])))"
ATOM = re.compile(
    r"(?:(?P<accent>\\(?:bar|overline|tilde|widetilde|dot|ddot|mathcal|mathscr))\s*"
    r"(?:\{\s*(?P<inner>[^{}]{1,40})\}|(?P<bare>\\?[A-Za-z]))"
    rf"|(?P<word>(?:{NAMES}|sqrt|pi|abs)(?![A-Za-z]))|(?P<command>\\[A-Za-z]+)|(?P<letter>[A-Za-z]))"
    rf"(?P<before>{PRIME})?"
    r"(?P<index>\s*_\s*(?:\{(?:[^{}]|\{[^{}]*\}){1,60}\}|\\[A-Za-z]+|[A-Za-z0-9]))?"
    rf"(?P<after>{PRIME})?"
)
SIMPLE = re.compile(r"[A-Za-z0-9]|[0-9]{1,4}")  # an index as the grammar reads it
STAND_IN, FIRST = r"\Psi_{%d} ", 9000  # symbols that no answer has
PLACE = re.compile(r"Psi_(9[0-9]{3})")


def phybench(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``id``, ``tag``, ``content``, ``answer``; rows published without an answer give none."""
    del shuffle
    gold = str(entry.row.get("answer") or "").strip()
    if not gold:
        return
    name = entry.text("id") if entry.has("id") else entry.name
    meta = {"verifier": "formula"} | ({"group": entry.text("tag")} if entry.has("tag") else {})
    prompt = f"{entry.text('content', 'question').strip()}\n\n{ASKED}"
    yield problem_of(name, prompt, gold, "science", meta)


def formula(text: str) -> Node:
    """The formula that an answer comes to: its last side; UnreadableError if it is not one."""
    if len(text) > LONGEST:
        raise UnreadableError("longer than any formula")
    plain = unwrapped(text)
    for pattern, put in REWRITTEN:
        plain = pattern.sub(put, plain)
    plain, names = renamed(SIDES.split(plain)[-1])
    value = read(plain.strip(" .,;$"), units=False)
    while isinstance(value, Relation):
        value = value.sides[-1]
    if not isinstance(value, Scalar):
        raise UnreadableError("no one formula")
    return _named(value.node, names)


def renamed(text: str) -> tuple[str, list[str]]:
    """A formula in which symbols the grammar does not read have stand-ins, and their names."""
    names = list[str]()

    def put(atom: re.Match[str]) -> str:
        name = _name(atom)
        if name is None:
            return _apart(atom)
        if name not in names:
            names.append(name)
        return STAND_IN % (FIRST + names.index(name))

    return ATOM.sub(put, text), names


def _apart(atom: re.Match[str]) -> str:
    """A symbol that the grammar reads, apart from what follows; anything else as it is."""
    known = (atom["command"] or "")[1:] in LETTERS
    if not (known or atom["letter"]):
        return atom[0]
    index = _flat(atom["index"] or "")
    return f"{_joined(atom['command'] or atom['letter'], index and f'{{{index}}}')} "


def _name(atom: re.Match[str]) -> str | None:
    """One name for all spellings of a symbol; None if the grammar reads it as it is."""
    command = (atom["command"] or "")[1:]
    if atom["word"] or (command and command not in LETTERS):
        return None
    index = _flat(atom["index"] or "")
    primes = sum(
        (atom[part] or "").count(sign) for part in ("before", "after") for sign in ("'", "prime")
    )
    base = _flat(atom["inner"] or atom["bare"] or atom["letter"] or command)
    base = SAME.get(base, base)
    plain = not atom["accent"] and not primes and command not in OWN
    if plain and (not index or (SIMPLE.fullmatch(index) and base not in "ei")):
        return None
    accent = (atom["accent"] or "")[1:].replace("widetilde", "tilde").replace("overline", "bar")
    return _joined(f"{accent}{base}{'′' * primes}", index)


def _joined(base: str, index: str) -> str:
    return f"{base}_{index}" if index else base


def _flat(text: str) -> str:
    """The letters and figures of a part of a symbol."""
    return re.sub(r"[^A-Za-z0-9+\-]", "", text)


def _named(node: Node, names: Sequence[str]) -> Node:
    """A formula with the names of its symbols for the stand-ins."""
    found = PLACE.fullmatch(node.name) if node.op == "sym" else None
    if found and int(found[1]) - FIRST < len(names):
        return replace(node, name=names[int(found[1]) - FIRST])
    return replace(node, args=tuple(_named(child, names) for child in node.args))


def positive(node: Node) -> Node:
    """A formula for values of its symbols above zero."""
    if node.op == "sym":
        return call("abs", node)
    return replace(node, args=tuple(map(positive, node.args)))


def below_one(node: Node) -> Node:
    """A formula for values of its symbols between zero and one: a speed is less than light's."""
    if node.op == "sym":
        size = call("abs", node)
        return Node("div", (size, Node("add", (number(1), size))))
    return replace(node, args=tuple(map(below_one, node.args)))


def complex_valued(node: Node) -> Node:
    """A formula that is compared where it is not real too."""
    return Node("mul", (Node("const", name="i"), positive(node)))


def check(problem: Problem, text: str) -> Judgement:
    """The score of the last stated formula; ``parts`` says whether it is the gold."""
    try:
        gold = formula(problem.answer)
    except UnreadableError as error:
        raise VerifierError(
            f"the gold {problem.answer[:SHOWN]!r} cannot be read: {error}"
        ) from error
    said = stated(text)
    if not said:
        return unparsed("no formula is stated, in a box or after 'Answer:'")
    try:
        answer = formula(said[-1])
        return _compared(gold, answer)
    except (UnreadableError, RecursionError) as error:
        return unparsed(f"the answer {said[-1][:SHOWN]!r} cannot be read: {error}")
    except TimeLimitError as error:
        return Judgement(Verdict.TIMEOUT, 0.0, f"{error}: {said[-1][:SHOWN]!r}")


def _compared(gold: Node, answer: Node) -> Judgement:
    if _equal(gold, answer):
        return replace(PASS, parts={EXACT: 1.0})
    (one, whole), (two, done) = simplified_tree(gold), simplified_tree(answer)
    edits = distance(two, one)
    if not edits:
        return replace(PASS, parts={EXACT: 1.0})
    score = max(0.0, NEAR - FULL * edits / one.size)
    left = "" if whole and done else ", not simplified in time"
    reason = f"{edits:.1f} edits from the gold's tree of {one.size}{left}"
    return Judgement(Verdict.WRONG, score / FULL, reason, {EXACT: 0.0})


def _equal(gold: Node, answer: Node) -> bool:
    """Whether two formulas agree in value where they have one; not if that is not found in time."""
    for at in (positive, below_one, complex_valued):
        try:
            return holds("same", at(gold), at(answer))
        except UnreadableError:
            continue  # too few values of this kind
        except TimeLimitError:
            break
    return False


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``exact``: the share of answers that are the gold; ``tags``: the score of each field."""
    known = [one.judgement for one in samples if one.judgement.reward is not None]
    exact = mean_of(one.parts.get(EXACT, 0.0) for one in known)
    return {EXACT: rounded(exact), "tags": by_group(samples)}
