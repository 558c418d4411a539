"""Formulas of time: by hand at small sizes, against sampling, and in how they grow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stages.base.params import resolve
from stages.engines import costs
from stages.engines.costs import Layout, Lengths, Machine
from stages.engines.sizes import count_parameters, push_bytes
from tests.tables import each

PROFILE = resolve("ring_mini", {})
SHAPE = PROFILE.make_base_model.architecture
MACHINE = Machine()
LAYOUT = Layout(2, 8, trainers=16, engines=8, tensor_parallel=2)


@each(
    ("median", "spread", "longest"), [(4096.0, 1.0, 32768), (48.0, 0.78, 460), (8192.0, 1.5, 9000)]
)
def test_moments_of_cut_lengths_are_those_of_a_sample(median, spread, longest):
    drawn = np.random.default_rng(3).lognormal(np.log(median), spread, 400_000).clip(0, longest)
    lengths = Lengths(median, spread, longest)
    assert lengths.mean == pytest.approx(drawn.mean(), rel=0.01)
    assert lengths.square == pytest.approx((drawn**2).mean(), rel=0.02)
    for tokens in (median / 2, median, longest - 1, longest):
        assert lengths.longer(tokens) == pytest.approx((drawn > tokens).mean(), abs=0.005)


def test_what_stands_in_a_full_pool_is_half_a_length_weighted_by_itself():
    drawn = np.random.default_rng(4).lognormal(np.log(100.0), 0.6, 200_000).clip(1, 400)
    expected = (drawn * drawn / 2).sum() / drawn.sum()
    assert Lengths(100.0, 0.6, 400).standing == pytest.approx(expected, rel=0.01)


def test_a_step_reads_the_experts_that_are_touched():
    cost = costs.decode_cost(SHAPE, MACHINE, replace(LAYOUT, tensor_parallel=1), "bfloat16")
    read_rate = 3350e9 * 0.7
    expert = 3 * 2048 * 512 * 2 * 19
    one = cost.seconds(1, 0) - cost.seconds(0, 0)
    assert one == pytest.approx(8 * expert / read_rate + cost.flops / cost.product_rate, rel=1e-6)
    full = cost.seconds(10_000, 0) - 10_000 * cost.flops / cost.product_rate
    whole = (count_parameters(SHAPE).total - SHAPE.vocabulary * SHAPE.hidden) * 2
    assert full == pytest.approx(cost.fixed + whole / read_rate, rel=1e-6)


def test_a_step_reads_every_cached_token_once_a_copy_of_its_head():
    context = 1e6
    for parallel, share in ((1, 1.0), (2, 0.5), (4, 0.25), (8, 0.25)):
        layout = replace(LAYOUT, tensor_parallel=parallel)
        cost = costs.decode_cost(SHAPE, MACHINE, layout, "bfloat16")
        read = (cost.seconds(64, context) - cost.seconds(64, 0)) * cost.read_rate
        assert read == pytest.approx(share * 2 * 20 * 4 * 128 * 2 * context, rel=1e-6)


def test_engines_are_priced_alike_one_by_one_and_together():
    cost = costs.decode_cost(SHAPE, MACHINE, LAYOUT, "bfloat16")
    sequences, context = np.array([1.0, 30.0, 128.0]), np.array([10.0, 5e4, 9e5])
    each_alone = [cost.seconds(n, c) for n, c in zip(sequences, context, strict=True)]
    assert cost.seconds(sequences, context) == pytest.approx(each_alone)


def test_an_update_is_computed_in_whole_rows():
    def found(rows, trainers):
        layout = replace(LAYOUT, trainers=trainers, nodes=1000)
        return costs.update_cost(SHAPE, MACHINE, layout, 1000.0 * rows, 0.0, 1000)

    one = found(1, 1)
    assert one.computing == pytest.approx(
        6 * count_parameters(SHAPE).active * 1000 / (989e12 * 0.35)
    )
    assert one.moving == 0
    assert found(16, 16).computing == pytest.approx(one.computing)
    assert (found(17, 16).passes, found(16, 16).passes) == (2, 1)
    assert found(17, 16).idle == pytest.approx(15 / 32)
    assert found(16, 8000).computing == pytest.approx(one.computing), "more ranks than rows"
    assert found(16, 8000).idle == pytest.approx(1 - 16 / 8000)


def test_zero_3_moves_the_weights_thrice_a_pass_and_2_twice_a_step():
    size, n = count_parameters(SHAPE).total * 2, 16
    for stage, passes_moves, step_moves in ((1, 0, 2), (2, 1, 1), (3, 3, 0)):
        layout = replace(LAYOUT, zero_stage=stage)
        for rows in (16, 48):
            found = costs.update_cost(SHAPE, MACHINE, layout, 1000.0 * rows, 0.0, 1000)
            moves = passes_moves * found.passes + step_moves
            assert found.moved == pytest.approx(moves * size * (n - 1) / n)


def test_a_ring_grows_with_its_hops_and_hardly_with_its_bytes():
    def ring(nodes, size):
        layout = replace(LAYOUT, nodes=nodes, trainers=8 * nodes)
        return costs.ring_seconds(size, 8 * nodes, MACHINE, layout)

    assert costs.ring_seconds(1e9, 1, MACHINE, LAYOUT) == 0
    assert ring(1, 1e9) == pytest.approx(1e9 * 7 / 8 / 360e9 + 7e-6)
    assert ring(1000, 0.0) == pytest.approx(7000e-6 + 6000e-6)
    assert ring(1000, 1e12) < 1.2 * ring(2, 1e12)


def push(layout=LAYOUT, transport="gloo"):
    return costs.push_seconds(SHAPE, MACHINE, layout, "bfloat16", 16.0, transport)


def test_a_push_by_gloo_leaves_rank_0_once_a_doubling_of_its_receivers():
    """Measured between namespaces: 2,170 MB/s to one receiver, 1,130 MB/s to two."""
    seconds = push_bytes(SHAPE, "bfloat16") / 2e9
    alone = replace(LAYOUT, trainers=1)
    for engines, rounds in ((1, 1), (2, 2), (3, 2), (4, 3), (8, 4), (4000, 12)):
        assert push(replace(alone, engines=engines)) == pytest.approx(rounds * seconds)
    assert push(replace(alone, engines=2)) / push(replace(alone, engines=1)) == pytest.approx(
        2170 / 1130, rel=0.05
    )


def test_a_push_by_nccl_is_bound_by_one_card_and_shards_by_all():
    size, card = push_bytes(SHAPE, "bfloat16"), 400e9 * 0.8 / 8
    few = push(LAYOUT, "NCCL")
    assert size / card < few < 1.2 * size / card
    many = replace(LAYOUT, nodes=1000, trainers=8000, engines=4000)
    assert few < push(many, "NCCL") < push(many) / 10
    assert push(many, "shards") == pytest.approx(size / 2 / card)
    assert push(LAYOUT, "pointer") == 0
    assert push(replace(LAYOUT, zero_stage=2), "NCCL") < few, "nothing is gathered"


def test_disks_add_up_until_the_store_is_full():
    assert costs.disk_seconds(1e12, MACHINE, 1) == pytest.approx(200)
    assert costs.disk_seconds(1e12, MACHINE, 10) == pytest.approx(20)
    assert costs.disk_seconds(1e12, MACHINE, 1000) == pytest.approx(10)


def generation(scheduler="c3po", lengths=None, capacity=1024, cache=24.0, engines=8, groups=128):
    config = replace(
        PROFILE.train_reasoning_rl,
        scheduler=scheduler,
        capacity=capacity,
        prompts_per_step=groups,
    )
    engine = replace(PROFILE.engine, cache_gib=cache)
    lengths = lengths or Lengths(4096.0, 1.0, 32768)
    layout = replace(LAYOUT, engines=engines)
    return costs.generation(SHAPE, MACHINE, layout, engine, config, lengths, 512.0)


def test_a_full_pool_makes_its_budget_step_by_step():
    found = generation()
    assert found.running == 1024 / 8
    steps = found.tokens / (8 * found.running)
    assert found.seconds == pytest.approx(found.recomputing + steps * found.step)


def test_what_the_cache_does_not_hold_waits():
    short = generation(cache=2.0)
    assert short.running == pytest.approx(short.cached)
    assert short.running < short.wanted
    assert short.seconds > generation().seconds


def test_without_partition_the_longest_response_is_waited_for():
    even, tailed = Lengths(6000.0, 0.05, 32768), Lengths(4096.0, 1.0, 32768)
    assert generation("synchronous", even).tokens == pytest.approx(
        generation("synchronous", tailed).tokens, rel=0.1
    )
    assert generation("synchronous", tailed).seconds > 2 * generation("synchronous", even).seconds
    more = generation("synchronous", tailed, engines=64)
    assert more.seconds > generation("synchronous", tailed).seconds / 4, "the tail does not shrink"


def test_the_controller_is_priced_by_token_report_call_and_byte():
    machine = replace(MACHINE, token_us=0.5, report_us=16.0, call_ms=1.0)
    assert costs.controller_seconds(machine, 2e6, 8, 1000, 0) == pytest.approx(1.0 + 4.0 + 1.0)
    assert costs.controller_seconds(machine, 2e6, 64, 1000, 3e9) == pytest.approx(
        1.0 + 0.5 + 1.0 + 3
    )


def test_a_recovery_waits_reads_replays_and_pushes():
    reading = costs.checkpoint_seconds(SHAPE, MACHINE, LAYOUT)
    found = costs.recovery_seconds(SHAPE, MACHINE, LAYOUT, 7.0, 2.0)
    assert found == pytest.approx(30 + 120 + reading + 7 + 2)
    assert costs.dvc_seconds(2.4e9, MACHINE) == pytest.approx(1 + 4.8 / 5)
    assert costs.switch_seconds(50e9, MACHINE) == 1
