"""Algorithm 1: capacity, budget, retention, groups; over random lengths and interruptions."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import EngineError
from stages.base.records import Trajectory
from stages.rl.c3po import C3PO, Harvest, Synchronous, make_scheduler, retention
from tests.rl.lengths import LengthSampler
from tests.rl.small import small_config


@dataclass(frozen=True)
class Case:
    """One random set-up of the scheduler."""

    prompts: int
    members: int
    capacity: int
    budget: int
    sigma: int
    longest: int
    slots: int
    counter: str
    seed: int

    @property
    def config(self):
        return small_config(
            rollouts_per_prompt=self.members,
            capacity=self.capacity,
            token_budget=self.budget,
            max_partitions=self.sigma,
            max_tokens=20,
            counter=self.counter,
        )

    def scheduler(self):
        return C3PO({f"p{n}": [1, n] for n in range(self.prompts)}, self.config, self.seed)

    def sampler(self):
        return LengthSampler(self.seed, self.longest, self.slots)


def scheduler_prompt(prompt_id: str) -> list[int]:
    """The tokens :meth:`Case.scheduler` gives a prompt."""
    return [1, int(prompt_id[1:])]


cases = st.builds(
    Case,
    prompts=st.integers(1, 12),
    members=st.integers(1, 5),
    capacity=st.integers(1, 12),
    budget=st.integers(1, 60),
    sigma=st.integers(0, 4),
    longest=st.integers(1, 30),
    slots=st.integers(1, 12),
    counter=st.sampled_from(["finished", "generated"]),
    seed=st.integers(0, 1000),
)


@dataclass
class Run:
    """What happened over some iterations."""

    harvests: list[Harvest] = field(default_factory=list)
    sampler: LengthSampler | None = None


def iterate(scheduler, sampler, version) -> Harvest:
    sampler.version = version
    scheduler.begin()
    # A snapshot: trajectories that are carried over go on growing.
    return copy.deepcopy(scheduler.harvest(sampler.rollout(scheduler)))


def play(case: Case, iterations: int = 6) -> Run:
    scheduler, run = case.scheduler(), Run(sampler=case.sampler())
    for version in range(iterations):
        run.harvests.append(iterate(scheduler, run.sampler, version))
    return run


def ids(harvest: Harvest) -> list[str]:
    return [member.id for group in harvest.groups for member in group.members]


@pytest.mark.field_bug(37, 38)
@settings(settings.get_profile("costly"))
@given(cases)
def test_whole_groups_are_trained_and_each_visit_of_a_prompt_once(case):
    trained = Counter()
    for harvest in play(case).harvests:
        for group in harvest.groups:
            assert len(group.members) == case.members
            assert all(member.finished for member in group.members)
            assert len({member.id for member in group.members}) == case.members
            for member in group.members:
                assert member.group_id == group.visit.group_id
                assert member.prompt_id == group.visit.prompt_id
                assert member.prompt == scheduler_prompt(member.prompt_id)
            trained[group.visit.prompt_id, group.visit.epoch] += 1
    assert set(trained.values()) <= {1}


@settings(settings.get_profile("costly"))
@given(cases)
def test_no_token_is_lost(case):
    """What was ever generated was trained on, purged, or is still carried."""
    run = play(case)
    generated = sum(harvest.generated_tokens for harvest in run.harvests)
    trained = sum(group.tokens for harvest in run.harvests for group in harvest.groups)
    purged = sum(group.tokens for harvest in run.harvests for group in harvest.purged)
    carried = sum(group.tokens for group in run.harvests[-1].carried)
    assert generated == trained + purged + carried


@pytest.mark.field_bug(39, 42)
@settings(settings.get_profile("costly"))
@given(cases)
def test_capacity_budget_and_sigma_hold(case):
    run = play(case)
    assert run.sampler.most_in_flight <= case.capacity
    for harvest in run.harvests:
        counted = (
            harvest.generated_tokens
            if case.counter == "generated"
            else sum(map(len, harvest.finished))
        )
        last_step = case.capacity * (1 if case.counter == "generated" else 20)
        assert case.budget <= counted < case.budget + last_step
        for group in [*harvest.groups, *harvest.carried]:
            assert group.age <= case.sigma + 1
        assert all(group.age == case.sigma + 1 for group in harvest.purged)
        for group in harvest.groups:
            assert all(len(member) <= member.max_tokens for member in group.members)


@settings(settings.get_profile("costly"))
@given(cases)
def test_the_pool_is_kept_full_while_the_budget_is_open(case):
    scheduler, sampler = case.scheduler(), case.sampler()
    seen = []
    original = scheduler.advance

    def watch(generated, finished):
        seen.append(len(scheduler._running))
        original(generated, finished)

    scheduler.advance = watch
    for version in range(4):
        iterate(scheduler, sampler, version)
    assert set(seen) == {case.capacity}


@pytest.mark.field_bug(41, 43)
@settings(settings.get_profile("costly"))
@given(cases, st.integers(0, 5))
def test_resuming_from_json_equals_going_on(case, cut):
    straight = play(case)
    scheduler, sampler, harvests = case.scheduler(), case.sampler(), []
    for version in range(6):
        if version == cut:
            stored = json.loads(json.dumps(scheduler.state(), allow_nan=False))
            scheduler, sampler = case.scheduler(), case.sampler()
            scheduler.restore(stored)
        harvests.append(iterate(scheduler, sampler, version))
    assert harvests == straight.harvests


@settings(deadline=None, max_examples=10)
@given(cases)
def test_the_same_seed_gives_the_same_run(case):
    assert play(case).harvests == play(case).harvests


@pytest.mark.field_bug(20)
@settings(settings.get_profile("costly"))
@given(cases)
def test_a_resumed_trajectory_keeps_its_tokens_and_remembers_its_policies(case):
    scheduler, sampler = case.scheduler(), case.sampler()
    before: dict[str, Trajectory] = {}
    for version in range(6):
        harvest = iterate(scheduler, sampler, version)
        now = [m for group in [*harvest.groups, *harvest.carried] for m in group.members]
        for member in now:
            assert member.versions == sorted(member.versions)
            assert len(member.tokens) == len(member.logprobs) == len(member.versions)
            if member.id in before:
                older = before[member.id]
                assert member.tokens[: len(older)] == older.tokens
                assert member.logprobs[: len(older)] == older.logprobs
        before = {member.id: Trajectory.from_row(member.to_row()) for member in now}


@pytest.mark.field_bug(42)
def test_retention_counts_cuts_and_waiting():
    """Two members, one long: the short one waits and ages with it."""
    config = small_config(rollouts_per_prompt=2, capacity=2, token_budget=1, max_partitions=9)
    scheduler = C3PO({"p": [1]}, config, seed=0)
    sampler = LengthSampler(0, 1)
    sampler.wanted = lambda trajectory: {"0": 1, "1": 3}[trajectory.id[-1]]
    first = iterate(scheduler, sampler, 0)
    assert not first.groups
    assert [m.partitions for m in first.carried[0].members] == [1, 1]
    second = iterate(scheduler, sampler, 1)
    done = [group for group in second.groups if group.visit.number == 0]
    while not done:
        done = [g for g in iterate(scheduler, sampler, 2).groups if g.visit.number == 0]
    assert done[0].members[1].versions[0] == 0
    assert done[0].age >= 1
    assert retention(done) == {str(done[0].age): 2}


@pytest.mark.field_bug(42)
def test_a_group_beyond_sigma_goes_whole_and_its_prompt_comes_back():
    config = small_config(rollouts_per_prompt=2, capacity=4, token_budget=1, max_partitions=1)
    scheduler = C3PO({"slow": [1]} | {f"quick{n}": [2] for n in range(9)}, config, seed=0)
    sampler = LengthSampler(0, 1)
    sampler.wanted = lambda trajectory: 8 if trajectory.prompt_id == "slow" else 1
    harvests = [iterate(scheduler, sampler, version) for version in range(12)]
    purged = [group for harvest in harvests for group in harvest.purged]
    assert purged
    assert {group.visit.prompt_id for group in purged} == {"slow"}
    assert all(len(group.members) == 2 for group in purged)
    visits = [
        g.visit for h in harvests for g in [*h.purged, *h.carried] if "slow" in g.visit.group_id
    ]
    assert len({visit.number for visit in visits}) > 1
    assert len({visit.group_id for visit in visits}) == len({visit.number for visit in visits})


def grow(trajectory, count, ended=""):
    trajectory.tokens += [0] * count
    trajectory.logprobs += [-1.0] * count
    trajectory.versions += [0] * count
    trajectory.ended = ended


@pytest.mark.parametrize(("counter", "still_open"), [("finished", False), ("generated", True)])
def test_finished_counts_whole_lengths_and_generated_only_new_tokens(counter, still_open):
    config = small_config(rollouts_per_prompt=1, capacity=2, token_budget=5, counter=counter)
    scheduler = C3PO({"a": [1], "b": [2]}, config, seed=0)
    scheduler.begin()
    first, second = scheduler.admit()
    grow(first, 5, "stop")
    grow(second, 3)
    scheduler.advance(8, [first])
    assert not scheduler.open
    scheduler.harvest([second])
    scheduler.begin()
    assert second in scheduler.admit()
    grow(second, 2, "stop")
    scheduler.advance(2, [second])
    assert scheduler.open == still_open


@settings(settings.get_profile("costly"))
@given(cases, st.integers(1, 6))
def test_synchronous_runs_exactly_its_groups_to_the_end(case, prompts):
    config = small_config(
        scheduler="synchronous",
        prompts_per_step=prompts,
        rollouts_per_prompt=case.members,
        capacity=case.capacity,
        max_tokens=20,
    )
    scheduler = make_scheduler({f"p{n}": [1] for n in range(case.prompts)}, config, case.seed)
    assert isinstance(scheduler, Synchronous)
    sampler = case.sampler()
    for version in range(4):
        harvest = iterate(scheduler, sampler, version)
        assert len(harvest.groups) == prompts
        assert not harvest.carried
        assert not harvest.purged
        assert all(set(m.versions) == {version} for g in harvest.groups for m in g.members)
    assert sampler.most_in_flight <= case.capacity


@pytest.mark.field_bug(20)
def test_a_broken_trajectory_is_refused():
    scheduler = Case(3, 1, 2, 10, 1, 5, 5, "finished", 0).scheduler()
    scheduler.begin()
    (trajectory, _) = scheduler.admit()
    trajectory.tokens, trajectory.logprobs, trajectory.versions = [1, 2], [-0.1], [0, 0]
    trajectory.ended = "stop"
    with pytest.raises(EngineError, match="2 tokens, 1 log-probabilities"):
        scheduler.advance(2, [trajectory])


@pytest.mark.field_bug(39)
def test_a_response_beyond_its_limit_is_refused():
    scheduler = Case(3, 1, 2, 10, 1, 5, 5, "finished", 0).scheduler()
    scheduler.begin()
    (trajectory, _) = scheduler.admit()
    trajectory.tokens, trajectory.ended = [0] * 21, "length"
    trajectory.logprobs, trajectory.versions = [-0.1] * 21, [0] * 21
    with pytest.raises(EngineError, match="at most 20"):
        scheduler.advance(21, [trajectory])


def test_a_trajectory_the_sampler_lost_is_missed():
    scheduler = Case(3, 1, 2, 10, 1, 5, 5, "finished", 0).scheduler()
    scheduler.begin()
    scheduler.admit()
    with pytest.raises(EngineError, match="other trajectories"):
        scheduler.harvest([])


@pytest.mark.field_bug(29, 32)
def test_a_log_probability_that_is_missing_survives_the_checkpoint():
    case = Case(3, 1, 2, 1, 3, 20, 5, "finished", 0)
    scheduler = case.scheduler()
    iterate(scheduler, case.sampler(), 0)
    scheduler._groups[0].members[0].logprobs[0] = math.nan
    stored = json.loads(json.dumps(scheduler.state(), allow_nan=False))
    restored = case.scheduler()
    restored.restore(stored)
    assert math.isnan(restored._groups[0].members[0].logprobs[0])
