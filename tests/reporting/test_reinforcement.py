from stages.reporting import reinforcement
from tests.reporting.made_up import rl_row, stage_figures

JOURNAL = [rl_row(step, "train_general_rl") for step in range(5)]
FIGURES = stage_figures()["train_general_rl"]


def test_parts_of_the_reward_are_named_for_people() -> None:
    picture = reinforcement.reward_parts(JOURNAL, ["gold_preference", "rules"], "general RL")
    assert "gold_preference" not in picture.svg
    assert "never rewarded" in picture.note
    assert reinforcement.reward_parts(JOURNAL, ["rules"], "general RL").note == ""


def test_a_failed_checker_has_its_own_colour_and_count() -> None:
    picture = reinforcement.verdicts(JOURNAL, FIGURES, "general RL")
    assert ">checker failed<" in picture.svg
    assert picture.note == "the checker failed on 0 of 100"


def test_groups_skipped_updates_and_length_bias_stand_a_step_without_any() -> None:
    for draw in (reinforcement.groups, reinforcement.updates, reinforcement.clipped):
        assert draw(JOURNAL[2:3], "a stage").svg.startswith("<svg")
    bias = reinforcement.length_bias(JOURNAL, 0.97, "a stage")
    assert bias.note == "ratio over the run 0.97"


def test_the_reference_is_drawn_only_where_the_objective_has_one() -> None:
    assert "KL to the reference" not in reinforcement.loss(JOURNAL, "a stage").svg
    pulled = [{**row, "reference_kl": 0.01} for row in JOURNAL]
    assert "KL to the reference" in reinforcement.loss(pulled, "a stage").svg
