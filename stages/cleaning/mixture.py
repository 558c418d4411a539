"""The mixture: how many rows of each domain give the wanted shares of tokens.

Paper, SFT: maths 46, STEM 26, code 20, other 8 percent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from stages.base.errors import DataError
from stages.base.shares import apportion
from stages.cleaning.rows import Dropped, Filtered, Row, words_in

STEP = "mixture"


def rows_for_tokens(
    total: int, shares: Mapping[str, float], mean_words: Mapping[str, float]
) -> dict[str, int]:
    """Rows of each part, ``total`` in all, so that token shares come out as ``shares``."""
    return apportion(total, {name: share / mean_words[name] for name, share in shares.items()})


def mix(rows: Sequence[Row], shares: Mapping[str, float], total: int) -> Filtered:
    """The first rows of each domain, ``total`` in all, with token shares close to ``shares``.

    Rows of a domain that has no share, or more than its share, are dropped. A domain with too few
    rows is a DataError.
    """
    lengths: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        lengths[row["domain"]].append(words_in(row))
    shares = {domain: share for domain, share in shares.items() if share > 0}
    missing = [domain for domain in shares if not lengths.get(domain)]
    if missing:
        raise DataError(f"mixture: no rows of {', '.join(missing)}. Add a source, or set share 0.")
    means = {domain: sum(lengths[domain]) / len(lengths[domain]) for domain in shares}
    wanted = rows_for_tokens(total, shares, means)
    for domain, count in wanted.items():
        if count > len(lengths[domain]):
            raise DataError(
                f"mixture: domain {domain} needs {count} rows for its share of "
                f"{shares[domain]:.0%} but only {len(lengths[domain])} are left after cleaning. "
                "Lower rows or its share, or add a source."
            )
    return _take(rows, wanted)


def _take(rows: Sequence[Row], wanted: Mapping[str, int]) -> Filtered:
    taken: Counter[str] = Counter()
    kept, dropped = list[Row](), list[Dropped]()
    for row in rows:
        domain = row["domain"]
        if taken[domain] < wanted.get(domain, 0):
            taken[domain] += 1
            kept.append(row)
        else:
            reason = "over_share" if domain in wanted else "domain_without_share"
            dropped.append(Dropped(row, STEP, reason, {"domain": domain}))
    return Filtered(kept, dropped)


def realised(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Shares of the domains by rows and by tokens, as they came out."""
    counts, tokens = Counter[str](), Counter[str]()
    for row in rows:
        counts[row["domain"]] += 1
        tokens[row["domain"]] += words_in(row)
    return {"rows": _shares(counts), "tokens": _shares(tokens)}


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {name: round(counts[name] / total, 6) for name in sorted(counts)}
