"""The report as chapters, written once and rendered twice: a page for people, Markdown for git."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

TEMPLATES = Path(__file__).parent


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first ``words`` columns are text, the rest are figures set right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    words: int = 1

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of the page."""
        return len(self.head) > 5


@dataclass(frozen=True)
class Picture:
    """A chart with its caption, and ``curve``, the same in one line for Markdown."""

    title: str
    svg: str
    note: str = ""
    curve: str = ""


@dataclass(frozen=True)
class Card:
    """A headline figure: what, how much, between which bounds, and what changed before it."""

    key: str
    title: str
    figure: str
    bounds: str
    change: str = ""
    tone: str = "neutral"


@dataclass(frozen=True)
class Specimen:
    """One response of one checkpoint, its thinking apart from its answer."""

    key: str
    title: str
    thinking: str
    answer: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A problem and what each checkpoint answered."""

    title: str
    prompt: str
    expected: str
    specimens: tuple[Specimen, ...]


@dataclass(frozen=True)
class Part:
    """A part of a chapter under a heading of its own; ``folded`` is opened by the reader."""

    title: str
    lead: str = ""
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    folded: bool = False


@dataclass(frozen=True)
class Chapter:
    """A chapter of the report, its pieces in the order they are read; ``alarms`` stand out."""

    key: str
    title: str
    lead: str = ""
    alarms: Sequence[str] = ()
    cards: Sequence[Card] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()
    parts: Sequence[Part] = ()
    exhibits: Sequence[Exhibit] = ()
    points: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """Title, one sentence that says it all, a line of facts, and the chapters."""

    title: str
    summary: str
    facts: tuple[str, ...]
    chapters: Sequence[Chapter]


def as_html(report: Report) -> str:
    """One self-contained page: no script, no network, light and dark."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    style = Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704  ours
    environment.filters["drawing"] = _drawing
    page = environment.get_template("report.html.j2").render(report=report, style=style)
    return page.rstrip() + "\n"


def _drawing(svg: str) -> Markup:
    """Our own figures are the only markup let through; all text of models and data is escaped."""
    return Markup(svg)  # noqa: S704


def as_markdown(report: Report) -> str:
    """The same report for a terminal, a diff or a pull request."""
    lines = [f"# {report.title}", "", report.summary, "", " · ".join(report.facts), ""]
    for chapter in report.chapters:
        lines += [f"## {chapter.title}", ""]
        lines += [chapter.lead, ""] if chapter.lead else []
        for alarm in chapter.alarms:
            lines += [f"> **Warning.** {alarm}", ""]
        lines += _cards(chapter.cards)
        for table in chapter.tables:
            lines += _table(table)
        lines += _curves(chapter.pictures)
        for part in chapter.parts:
            lines += _part(part)
        for exhibit in chapter.exhibits:
            lines += _exhibit(exhibit)
        lines += [f"- {point}" for point in chapter.points] + ([""] if chapter.points else [])
        for note in chapter.notes:
            lines += [f"*{note}*", ""]
    return "\n".join(lines).rstrip() + "\n"


def _part(part: Part) -> list[str]:
    lines = [f"### {part.title}", ""]
    lines += [part.lead, ""] if part.lead else []
    for table in part.tables:
        lines += _table(table)
    lines += _curves(part.pictures)
    for note in part.notes:
        lines += [f"*{note}*", ""]
    return lines


def _cards(cards: Sequence[Card]) -> list[str]:
    if not cards:
        return []
    rows = tuple((card.title, card.figure, card.bounds, card.change) for card in cards)
    return _table(Table(("checkpoint", "score", "95% interval", "change"), rows))


def _table(table: Table) -> list[str]:
    rule = [":---" if at < table.words else "---:" for at in range(len(table.head))]
    caption = [f"**{table.caption}**", ""] if table.caption else []
    return [*caption, _row(table.head), _row(rule), *map(_row, table.rows), ""]


def _row(cells: Iterable[str]) -> str:
    safe = (html.escape(cell, quote=False).replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(cell.replace("\n", " ") for cell in safe) + " |"


def _curves(pictures: Sequence[Picture]) -> list[str]:
    rows = tuple((picture.title, picture.curve) for picture in pictures if picture.curve)
    return _table(Table(("by step", "first → last"), rows, words=2)) if rows else []


def _exhibit(exhibit: Exhibit) -> list[str]:
    lines = [f"**{exhibit.title}**, expected `{exhibit.expected}`", "", *_fenced(exhibit.prompt)]
    for specimen in exhibit.specimens:
        whole = specimen.thinking + specimen.answer
        lines += [
            f"{specimen.title}: {html.escape(specimen.verdict + specimen.reason, quote=False)}",
            "",
            *_fenced(whole),
        ]
    return lines


def _fenced(text: str) -> list[str]:
    """A code block whose fence no text inside it can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence + "text", text, fence, ""]
