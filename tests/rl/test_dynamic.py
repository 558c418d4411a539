"""Dynamic sampling: off it changes nothing; on it favours what can teach, and can be replayed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.artifacts import latest_checkpoint
from stages.base.errors import CheckpointError, ConfigError
from stages.base.jsonl import read_json
from stages.rl.c3po import make_queue, make_scheduler
from stages.rl.dynamic import FLOOR, DynamicQueue
from stages.rl.prompts import PromptQueue
from tests.rl.bandit import Rig, bandit_problems
from tests.rl.small import small_config

BEFORE = "6546fbdfca337fa1d4b0153eda50f3fab500bba1f16b8f38a7025c8bde05cb2a"
"""Hash of 60 visits and the state after them, from before there was dynamic sampling."""


def queue(count=12, shares=None, seed=0, memory=0.8) -> DynamicQueue:
    domains = {f"p{n}": "logic" if n % 4 == 0 else "maths" for n in range(count)}
    return DynamicQueue(domains, seed, shares or {}, memory)


def test_the_default_order_is_to_the_byte_what_it_was():
    found = make_queue([f"p{n}" for n in range(7)], small_config(), 11, {"p0": "maths"})
    assert type(found) is PromptQueue
    log = []
    for step in range(60):
        visit = found.take()
        found.note(visit.prompt_id, [1.0, 0.0])
        log.append([visit.prompt_id, visit.epoch, visit.number])
        if step % 5 == 0:
            found.give_back(visit)
    assert hashlib.sha256(json.dumps([log, found.state()]).encode()).hexdigest() == BEFORE


def test_shares_of_the_visits_are_those_asked_for():
    dynamic = queue(shares={"maths": 0.3, "logic": 0.7})
    domains = Counter("logic" if int(dynamic.take().prompt_id[1:]) % 4 == 0 else "maths"
                      for _ in range(200))  # fmt: skip
    assert abs(domains["logic"] - 140) <= 1


def test_without_shares_domains_come_as_there_are_prompts():
    dynamic = queue()
    logic = sum(int(dynamic.take().prompt_id[1:]) % 4 == 0 for _ in range(200))
    assert abs(logic - 50) <= 1


def test_prompts_near_one_half_come_oftener_and_none_is_lost():
    dynamic = DynamicQueue({f"p{n}": "maths" for n in range(5)}, 0, {}, memory=1.0)
    for _ in range(20):
        for number, rewards in enumerate(([0.0] * 8, [1.0] * 8, [0.0, 1.0] * 4, [1.0] + [0.0] * 7)):
            dynamic.note(f"p{number}", rewards)
    taken = Counter(dynamic.take().prompt_id for _ in range(3000))
    assert taken["p2"] > taken["p3"] > 2 * taken["p0"] > 100
    assert taken["p1"] > 50
    assert dynamic.weight("p2") == pytest.approx(1.0)
    assert dynamic.weight("p4") == 1.0  # nothing is known of it
    assert dynamic.weight("p0") == dynamic.weight("p1") == FLOOR


def test_old_rewards_fade():
    dynamic = queue(memory=0.5)
    for _ in range(5):
        dynamic.note("p0", [0.0] * 8)
    before = dynamic.weight("p0")
    for _ in range(2):
        dynamic.note("p0", [1.0, 0.0] * 4)
    assert dynamic.weight("p0") > 0.6 > before


def test_checks_that_failed_teach_the_queue_nothing():
    dynamic = queue()
    dynamic.note("p0", [])
    assert dynamic.state()["rewards"] == {}


def test_a_returned_prompt_comes_back_when_the_epoch_ends():
    dynamic = queue(count=4)
    first = dynamic.take()
    dynamic.give_back(first)
    visits = [dynamic.take() for _ in range(5)]
    assert [visit.epoch for visit in visits] == [0, 0, 0, 0, 1]
    back = visits[3]
    assert back.prompt_id == first.prompt_id
    assert back.number > first.number
    assert dynamic.state()["drawn"] == 5


@given(st.lists(st.sampled_from(["take", "back", "note"]), max_size=50), st.integers(0, 50))
def test_a_restored_queue_goes_on_alike(steps, cut):
    shares = {"maths": 0.5, "logic": 0.5}
    straight, resumed = queue(shares=shares), queue(shares=shares)
    for at, step in enumerate(steps):
        if at == cut:
            stored = json.loads(json.dumps(resumed.state()))
            resumed = queue(shares=shares)
            resumed.restore(stored)
        visit = straight.take()
        assert resumed.take() == visit
        for one in (straight, resumed):
            if step == "back":
                one.give_back(visit)
            elif step == "note":
                one.note(visit.prompt_id, [float(at % 2), 1.0, 0.25])


def test_the_same_visits_whatever_the_order_of_the_prompts():
    domains = {f"p{n}": "maths" for n in range(9)}
    one = DynamicQueue(domains, 3, {}, 0.8)
    other = DynamicQueue(dict(reversed(domains.items())), 3, {}, 0.8)
    assert [one.take() for _ in range(30)] == [other.take() for _ in range(30)]
    third = DynamicQueue(domains, 4, {}, 0.8)
    assert [third.take() for _ in range(30)] != [other.take() for _ in range(30)]


def test_group_ids_never_repeat():
    dynamic = queue(count=3)
    ids = [dynamic.take().group_id for _ in range(60)]
    assert len(set(ids)) == 60


@pytest.mark.parametrize("shares", [{"maths": 1.0}, {"maths": 0.5, "logic": 0.4, "code": 0.1},
                                    {"maths": 1.0, "logic": 0.0}])  # fmt: skip
def test_domains_without_a_share_and_shares_without_prompts_are_refused(shares):
    with pytest.raises(ConfigError, match="Give each of these a share, and no other"):
        queue(shares=shares)


def test_other_prompts_do_not_match_the_checkpoint():
    with pytest.raises(CheckpointError, match="other prompts"):
        queue(count=5).restore(queue(count=4).state())


def test_shares_without_dynamic_sampling_are_refused():
    with pytest.raises(ConfigError, match="need dynamic_sampling"):
        small_config(domain_shares={"maths": 1.0})
    with pytest.raises(ConfigError, match="add up to 1"):
        small_config(domain_shares={"maths": 0.9}, dynamic_sampling=True)


def test_the_scheduler_passes_domains_and_rewards_on():
    config = small_config(dynamic_sampling=True, domain_shares={"a": 1.0})
    with pytest.raises(ConfigError, match="prompts are of b"):
        make_scheduler({"p": [1]}, config, 0, {"p": "b"})


def test_the_loop_learns_with_it_and_resumes_to_the_same_bytes(tmp_path):
    changes = {"dynamic_sampling": True, "steps": 14}
    whole = Rig(tmp_path / "whole", **changes)
    journal = whole.run().journal
    Rig(tmp_path / "cut", **{**changes, "steps": 7}).run()
    assert Rig(tmp_path / "cut", **changes).run().journal == journal
    last = latest_checkpoint(tmp_path / "whole")
    assert last is not None
    state = read_json(last / "scheduler.json")["queue"]
    assert set(state["rewards"]) <= set(bandit_problems())
    assert state["rewards"]
    plain = Rig(tmp_path / "plain", steps=14).run().journal
    assert [row["weights"] for row in plain] != [row["weights"] for row in journal]
