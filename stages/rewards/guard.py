"""A checker that fails gives no reward: its failure becomes ``Verdict.ERROR`` with the reason."""

from __future__ import annotations

from collections.abc import Callable

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Problem, Verdict

FAILURES = (ValueError, ArithmeticError, LookupError, TypeError, RecursionError)
"""What a checker raises when its problem, or its own code, is broken."""

SHOWN = 200  # characters of a failure quoted in a reason


def guarded(problem: Problem, check: Callable[[], Judgement]) -> Judgement:
    """The judgement of a check, or ERROR without a reward if the check cannot do its work."""
    try:
        return check()
    except VerifierError as error:
        return Judgement(Verdict.ERROR, None, str(error))
    except FAILURES as error:
        reason = f"{problem.id}: the checker failed: {error!r:.{SHOWN}}"
        return Judgement(Verdict.ERROR, None, reason)
