"""The mixture: how many rows of each domain give the wanted shares of tokens.

Paper, SFT: maths 46, STEM 26, code 20, other 8 percent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from stages.base.errors import DataError
from stages.base.shares import apportion

STEP = "mixture"


class Length(NamedTuple):
    """A row as the mixture sees it."""

    domain: str
    words: int


@dataclass(frozen=True)
class Part:
    """A stretch of a stock that is mixed by itself, for messages; ``have`` is the whole stock's."""

    name: str
    have: Mapping[str, int]  # domain -> rows


@dataclass(frozen=True)
class Mixed:
    """What was chosen, as places in the stock.

    ``left`` gives the reason for each place that was not; ``wanted`` the rows a domain's share
    asks for; ``capped`` those it has, for domains that have too few.
    """

    kept: list[int]
    left: dict[int, str]
    wanted: dict[str, int]
    capped: dict[str, int]


def rows_for_tokens(
    total: int, shares: Mapping[str, float], mean_words: Mapping[str, float]
) -> dict[str, int]:
    """Rows of each part, ``total`` in all, so that token shares come out as ``shares``."""
    return apportion(total, {name: share / mean_words[name] for name, share in shares.items()})


def mix(
    stock: Sequence[Length],
    shares: Mapping[str, float],
    total: int,
    short_domains: Literal["error", "cap"] = "error",
    part: Part | None = None,
) -> Mixed:
    """The first rows of each domain, ``total`` in all, with token shares close to ``shares``.

    Rows of a domain that has no share, or more than its share, are left. A domain with too few
    rows is a DataError, or (``cap``) gives all it has: the others then divide what is left of the
    total by their shares, as far as they have the rows. ``part`` says of what the stock is a part.
    """
    shares = {domain: share for domain, share in shares.items() if share > 0}
    lengths: dict[str, list[int]] = defaultdict(list)
    for row in stock:
        lengths[row.domain].append(row.words)
    missing = [domain for domain in shares if not lengths.get(domain)]
    if missing and short_domains == "error":
        where = "" if part is None else f" in {part.name}"
        raise DataError(
            f"mixture: no rows of {', '.join(missing)}{where}. Add a source, set share 0, or "
            "short_domains: cap."
        )
    stocked = {domain: share for domain, share in shares.items() if lengths.get(domain)}
    means = {domain: sum(lengths[domain]) / len(lengths[domain]) for domain in stocked}
    wanted = rows_for_tokens(total, stocked, means) if stocked else {}
    have = {domain: len(lengths[domain]) for domain in stocked}
    if short_domains == "error":
        _refuse_short(wanted, have, shares, part)
    counts, capped = _capped(total, stocked, means, have)
    kept, left = _take(stock, counts)
    return Mixed(kept, left, wanted, dict.fromkeys(missing, 0) | capped)


def _refuse_short(
    wanted: Mapping[str, int],
    have: Mapping[str, int],
    shares: Mapping[str, float],
    part: Part | None,
) -> None:
    for domain, count in wanted.items():
        if count > have[domain]:
            left = f"only {have[domain]} are left after cleaning"
            if part is not None:
                left = (
                    f"of the {part.have[domain]} rows left after cleaning only {have[domain]} fell "
                    f"to {part.name}"
                )
            raise DataError(
                f"mixture: domain {domain} needs {count} rows for its share of "
                f"{shares[domain]:.0%} but {left}. Lower rows or its share, add a source, or set "
                "short_domains: cap, which takes what there is."
            )


def _capped(
    total: int, shares: Mapping[str, float], means: Mapping[str, float], have: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Rows of each domain, none more than it has; and of those that give all they have."""
    capped: dict[str, int] = {}
    uncapped = dict(shares)
    while uncapped:
        wanted = rows_for_tokens(total - sum(capped.values()), uncapped, means)
        short = [domain for domain, count in wanted.items() if count > have[domain]]
        if not short:
            return capped | wanted, capped
        for domain in short:
            capped[domain] = have[domain]
            del uncapped[domain]
    return capped, capped


def _take(stock: Sequence[Length], counts: Mapping[str, int]) -> tuple[list[int], dict[int, str]]:
    taken: Counter[str] = Counter()
    kept, left = list[int](), dict[int, str]()
    for place, (domain, _) in enumerate(stock):
        if taken[domain] < counts.get(domain, 0):
            taken[domain] += 1
            kept.append(place)
        else:
            left[place] = "over_share" if domain in counts else "domain_without_share"
    return kept, left
