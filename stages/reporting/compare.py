"""Two results side by side: which values changed, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MISSING = "(absent)"


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Leaves of nested mappings under dotted keys; lists are leaves."""
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        leaves.update(flatten(value, name) if isinstance(value, Mapping) else {name: value})
    return leaves


def changed_leaves(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Dotted keys whose values differ, each with both values; a missing one is `MISSING`."""
    first, second = flatten(before), flatten(after)
    keys = list(first) + [key for key in second if key not in first]
    pairs = {key: (first.get(key, MISSING), second.get(key, MISSING)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


@dataclass(frozen=True)
class Section:
    """A part of the comparison: a title, lines of text, and a table that may be empty."""

    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def as_markdown(sections: Iterable[Section]) -> str:
    """The comparison as Markdown, for a pull request."""
    out: list[str] = []
    for section in sections:
        out += [f"## {section.title}", ""]
        out += [f"- {line}" for line in section.lines] + ([""] if section.lines else [])
        if section.rows:
            out += [_cells(section.columns), _cells(["---"] * len(section.columns))]
            out += [_cells(row) for row in section.rows] + [""]
    return "\n".join(out)


def _cells(row: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def as_text(sections: Iterable[Section]) -> str:
    """The comparison as plain text in aligned columns."""
    out: list[str] = []
    for section in sections:
        out += [section.title, *(f"  {line}" for line in section.lines)]
        if section.rows:
            table = [section.columns, *section.rows]
            widths = [max(len(row[i]) for row in table) for i in range(len(section.columns))]
            for row in table:
                cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                out.append(f"  {'  '.join(cells)}".rstrip())
        out.append("")
    return "\n".join(out)
