"""What a score is worth, the way in: everything the house asks of statistics is had from here.

`intervals` how sure one score is; `repeats` what k samples of a question are worth together;
`tests_of_difference` whether two scores differ; `power` what a run will be able to see. Ratings
(`ratings`, `pairwise`) stand by themselves, verdicts on a whole suite in `verdicts`.
"""

from __future__ import annotations

from stages.evals.intervals import (
    Interval,
    Samples,
    average,
    beta_binomial,
    clustered_interval,
    question_interval,
    question_means,
    rerun_interval,
    score_interval,
    wilson,
)
from stages.evals.power import WORST, Plan, detectable_difference, foretell, sample_spread
from stages.evals.repeats import Vote, benchmark_pass_at_k, maj_at_k, majority, pass_at_k
from stages.evals.tests_of_difference import (
    Difference,
    McNemar,
    bootstrap_difference,
    holm,
    mcnemar,
    paired_change,
    paired_difference,
    paired_p,
)

__all__ = [
    "WORST",
    "Difference",
    "Interval",
    "McNemar",
    "Plan",
    "Samples",
    "Vote",
    "average",
    "benchmark_pass_at_k",
    "beta_binomial",
    "bootstrap_difference",
    "clustered_interval",
    "detectable_difference",
    "foretell",
    "holm",
    "maj_at_k",
    "majority",
    "mcnemar",
    "paired_change",
    "paired_difference",
    "paired_p",
    "pass_at_k",
    "question_interval",
    "question_means",
    "rerun_interval",
    "sample_spread",
    "score_interval",
    "wilson",
]
