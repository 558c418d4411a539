"""The simulated cluster: nothing lost, the scheduler hears what a plain loop would tell it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import scale
from benchmarks.controller import ControllerCost
from benchmarks.simulated import Rough, SimulatedCluster
from stages.engines import forecast
from stages.engines.costs import Lengths
from stages.rl.c3po import make_scheduler
from tests.tables import each

EVEN = Rough(noise=0.0, slow_share=0.0)
COST = ControllerCost(0.3, 9.4, 0.07, 0.2, 0.4, 10.0, 50.0, 80.0, 0.5)
PROMPTS = {f"p{number}": [1] for number in range(40)}


def task(*arguments, nodes=2, **changes):
    options = scale.parse([*arguments])
    found = next(scale.tasks("ring_mini", [nodes], options))
    return replace(found, config=replace(found.config, **changes))


def small(*arguments, **changes):
    """16 places, groups of four, responses of about 70 tokens, a budget of about one pool."""
    settings = {"capacity": 16, "rollouts_per_prompt": 4, "token_budget": 1000, "max_tokens": 400}
    found = task(*arguments, **{**settings, **changes})
    return replace(found, lengths=Lengths(60.0, 0.8, 400))


def cluster(given, seed=0):
    made = SimulatedCluster(given, make_scheduler(PROMPTS, given.config, seed), EVEN, seed)
    made.first = False
    return made


@each(
    ("steps", "scheduler"),
    [("1", "c3po"), ("8", "c3po"), ("64", "c3po"), ("8", "synchronous")],
)
def test_every_token_is_trained_purged_or_carried(steps, scheduler):
    simulated = cluster(small("--slice-steps", steps, "--scheduler", scheduler))
    generated = gone = 0
    for _ in range(8):
        harvest, stretch = simulated.iterate()
        generated += stretch.generated
        gone += sum(group.tokens for group in [*harvest.groups, *harvest.purged])
        assert generated == gone + sum(group.tokens for group in harvest.carried)
        assert stretch.generated == harvest.generated_tokens
    assert gone > 2000


@each("engines", [1, 3])
def test_the_scheduler_hears_what_one_large_engine_would_tell(engines):
    """A plain loop over single steps, no engines in it, trains the same groups in each step."""
    given = small("--slice-steps", "1")
    given = replace(given, layout=replace(given.layout, engines=engines))
    simulated = cluster(given)
    plain = make_scheduler(PROMPTS, given.config, 0)
    for _ in range(6):
        harvest, stretch = simulated.iterate()
        plain.begin()
        running = []
        while plain.open:
            running += plain.admit()
            ended = []
            for one, target in zip(running, simulated._targets(running), strict=True):
                one.tokens, one.logprobs, one.versions = (
                    [*values, 0] for values in (one.tokens, one.logprobs, one.versions)
                )
                if len(one) == target:
                    one.ended = "stop"
                    ended.append(one)
            plain.advance(len(running), ended)
            running = [one for one in running if not one.finished]
        expected = plain.harvest(running)
        assert [group.visit for group in harvest.groups] == [g.visit for g in expected.groups]
        assert [group.tokens for group in harvest.carried] == [g.tokens for g in expected.carried]
        assert harvest.engine_steps == expected.engine_steps == stretch.slices


def test_longer_slices_leave_places_empty_and_report_less_often():
    short, long = (cluster(small("--slice-steps", steps)).iterate()[1] for steps in ("2", "32"))
    assert long.idle_steps > 4 * short.idle_steps
    assert long.slices < short.slices / 4


def test_what_went_on_behind_an_update_is_reported_at_once():
    simulated = cluster(small("--slice-steps", "8"))
    harvest, _ = simulated.iterate()
    assert simulated.ahead(harvest, 10_000) > 0
    _, stretch = simulated.iterate()
    carried = {one.id for group in harvest.carried for one in group.members if len(one)}
    assert carried
    assert stretch.generated < 1000 + 16 * 8 * 60, "they are not generated a second time"


def test_plan_and_simulation_agree_where_both_can_tell():
    """A full pool, even engines: the formula of the steady state against event by event."""
    given = task(nodes=1, capacity=64, token_budget=300_000)
    given = replace(given, lengths=Lengths(600.0, 0.8, 4096))
    simulated = SimulatedCluster(given, make_scheduler(PROMPTS, given.config, 0), EVEN, 0)
    simulated.iterate()
    found = sum(simulated.iterate()[1].engines for _ in range(3)) / 3
    assert found == pytest.approx(forecast.generation_of(given).seconds, rel=0.2)


def test_a_slow_node_slows_the_slices_of_all():
    given = small()
    slow = SimulatedCluster(
        given, make_scheduler(PROMPTS, given.config, 0), Rough(0.0, slow_share=1.0), 0
    )
    _, stretch = slow.iterate()
    assert stretch.slow == pytest.approx(0.3 * (stretch.work + stretch.uneven))
    _, even = cluster(given).iterate()
    assert even.slow == even.noise == 0


def test_a_run_is_priced_and_what_breaks_is_named():
    arguments = ["--horizon", "50", "--node-mtbf-h", "0.1", "--steps", "1"]
    run = scale.simulate(small(*arguments), COST, scale.parse(arguments))
    assert run.failures > 0
    hidden = run.steps[0].hidden
    assert run.whole == pytest.approx(sum(run.mean(phase) for phase in scale.PHASES) - hidden)
    text = "\n".join([*scale.table([run], "small"), *scale.broken([run])])
    assert "| 2 | 8 | 4 | 16 |" in text
    assert "from 2 nodes: push" in text
    direct = scale.parse([*arguments, "--transport", "shards"])
    shards = scale.simulate(small(*arguments), COST, direct)
    assert shards.mean("push") < run.mean("push") / 10
    quiet = replace(run, steps=[replace(run.steps[0], seconds={"work": 1.0})], lost=0.0)
    assert "nothing takes" in "\n".join(scale.broken([quiet]))


def test_weakly_the_work_grows_with_the_nodes_and_strongly_it_does_not():
    given = task(nodes=8)
    weakly = scale.scaled(given, True, 2).config
    assert (weakly.capacity, weakly.token_budget) == (4 * 1024, 4 * 8_388_608)
    assert scale.scaled(given, False, 2).config == given.config
