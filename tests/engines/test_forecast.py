"""The forecast: which GPU does what, what does not fit, and advice that holds when followed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stages.base.cluster_params import Cluster
from stages.base.params import resolve
from stages.engines import forecast, plan
from stages.engines.forecast import arrange
from tests.tables import each

ONE = Cluster()


def task(*arguments, cluster=ONE):
    """On a cluster that says nothing: ranks and engines share all devices."""
    options = plan.parser().parse_args(arguments)
    return plan.task_of(resolve(options.profile, {}), options, cluster)


def advised(*arguments, **changes):
    return "\n".join(forecast.advice(task(*arguments, **changes)))


APART = Cluster(layout="disaggregated", trainers=8, engines=4)


@each(
    ("cluster", "nodes", "parallel", "trainers", "engines"),
    [
        (Cluster(), 2, 2, 16, 8),
        (Cluster(), 64, 32, 512, 16),
        (Cluster(), 1, 32, 8, 1),  # does not fit, and is said to
        (APART, 2, 2, 8, 4),
        (APART, 20, 2, 80, 40),
        (replace(APART, trainers=24), 4, 2, 24, 4),
        (replace(APART, trainers=24), 1, 2, 6, 1),
    ],
)
def test_ranks_and_engines_fill_the_gpus(cluster, nodes, parallel, trainers, engines):
    filled = arrange(cluster, nodes, 8, parallel)
    assert (filled.trainers, filled.engines) == (trainers, engines)


def test_other_counts_than_the_profiles_are_named():
    text = advised("--profile", "ring_mini")
    assert (
        "run.cluster has trainers: 1, engines: 1; this plan has trainers: 16, engines: 8." in text
    )
    assert (
        "run.cluster"
        not in advised("--profile", "ring_mini", cluster=Cluster(trainers=16, engines=8)).split(
            "recovery"
        )[0]
    )


def test_without_another_it_is_the_profiles_cluster():
    found = task("--profile", "ring_mini", cluster=None)
    assert (found.layout.trainers, found.layout.engines, found.layout.colocated) == (8, 4, False)
    assert found.filled == resolve("ring_mini", {}).run.cluster
    wider = task("--profile", "ring_1t", "--nodes", "128", cluster=None)
    assert (wider.layout.trainers, wider.layout.engines) == (512, 16)


def test_what_the_runtime_refuses_to_place_is_told():
    assert "refuses engine.tensor_parallel above 1" in advised("--profile", "ring_mini")
    assert "refuses" not in advised("--profile", "ring_mini", cluster=None)
    assert "refuses" not in advised("--profile", "ring_mini", "--tensor-parallel", "1")
    assert "32 GPUs are 4 nodes" in advised("--profile", "ring_1t", cluster=None)
    assert "engine on one node" not in advised("--profile", "ring_mini", cluster=None)


def test_a_deadline_that_a_push_outlasts_is_told_and_the_one_advised_holds():
    seconds = forecast.phases(task("--profile", "ring_1t"))["push"]
    text = advised("--profile", "ring_1t")
    assert f"a push takes {seconds:,.0f} s" in text
    assert f"Set it to {3 * seconds:,.0f} or more" in text
    patient = Cluster(patience=3 * seconds)
    assert "taken for lost" not in advised("--profile", "ring_1t", cluster=patient)


def test_too_many_ranks_and_idle_ones_are_told():
    arguments = ["--profile", "ring_mini", "--layout", "disaggregated", "--engines", "4"]
    assert "24 GPUs are asked for, 16 are there: give 3 nodes" in advised(
        *arguments, "--trainers", "16"
    )
    assert "4 of 16 GPUs stand idle" in advised(*arguments, "--trainers", "4")


def test_the_nodes_that_are_advised_hold_the_state():
    text = advised("--profile", "ring_1t", "--nodes", "16")
    assert "the state and one layer need 189 ranks, 24 nodes: 128 are there" in text
    for nodes, fits in ((24, True), (23, False)):
        parts = forecast.training_parts(task("--profile", "ring_1t", "--nodes", str(nodes)))
        state = sum(
            size
            for name, size in parts.items()
            if name not in ("layers", "attention masks", "head")
        )
        assert (state <= 0.9 * 141 * 2**30) is fits


def test_the_row_that_is_advised_is_the_longest_that_fits():
    given = task("--profile", "ring_mini")
    longest = forecast.longest_row(given)
    assert f"Rows of {longest:,} tokens would fit here" in advised("--profile", "ring_mini")
    for row, fits in ((longest, True), (longest + 256, False)):
        other = replace(given, config=replace(given.config, pack_length=row))
        assert (sum(forecast.training_parts(other).values()) <= given.usable) is fits


def test_the_tensor_parallel_that_is_advised_fits():
    text = advised("--profile", "ring_1t", "--tensor-parallel", "8")
    assert "set engine.tensor_parallel: 32." in text
    for parallel, fits in (("32", True), ("16", False)):
        parts = forecast.sampling_parts(task("--profile", "ring_1t", "--tensor-parallel", parallel))
        assert (sum(parts.values()) <= 0.9 * 141 * 2**30) is fits


def test_a_small_zero_stage_and_a_small_memory_are_told():
    assert "set zero_stage: 3" in advised("--profile", "ring_mini", "--zero-stage", "2")
    small = advised("--profile", "ring_mini", "--ram-gib", "100")
    assert "a node's memory does not hold what 8 ranks release" in small
    apart = advised("--profile", "ring_mini", "--ram-gib", "100", "--layout", "disaggregated")
    assert "release" not in apart


def test_a_capacity_beyond_the_cache_and_more_ranks_than_rows_are_told():
    text = advised("--profile", "ring_1t")
    assert "capacity asks 240 sequences of an engine, the cache holds 90" in text
    assert "blanks" in advised("--profile", "ring_1t", "--nodes", "1000")


def test_what_is_not_released_stays_beside_the_engine():
    found = task("--profile", "ring_mini", "--tensor-parallel", "1")
    assert forecast.released_bytes(found) == pytest.approx(14 * found.total / 16)
    short = replace(found, config=replace(found.config, pack_length=1024))
    training = sum(forecast.training_parts(short).values())
    sampling = sum(forecast.sampling_parts(short).values())
    assert max(training, sampling) < short.usable < training + sampling
    text = forecast.forecast(short)
    assert f"\n  training: {training / 2**30:.1f} GiB fits" in text
    assert f"\n  sampling: {sampling / 2**30:.1f} GiB fits" in text
    whole = (training + sampling) / 2**30
    assert f"both at once, nothing released: {whole:.1f} GiB does NOT fit" in text


def test_generation_behind_an_update_is_not_counted_twice():
    arguments = ["--profile", "ring_mini", "--layout", "disaggregated", "--trainers", "8"]
    without = forecast.phases(task(*arguments))
    assert "memory" not in without
    text = forecast.forecast(task(*arguments, "--ahead-steps", "1000000"))
    assert f"less {without['update']:,.1f} of update behind generation" in text


@pytest.mark.parametrize("stage", ["train_reasoning_rl", "train_general_rl"])
def test_every_phase_takes_time(stage):
    found = forecast.phases(task("--profile", "ring_1t", "--stage", stage))
    assert found.pop("log-probabilities") == 0, "one pass serves both: theta_old is the latest"
    assert all(seconds > 0 for seconds in found.values())
