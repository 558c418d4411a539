import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from stages.base.errors import ConfigError, DataError
from stages.base.params import (
    Profile,
    TrainGeneralRl,
    TrainReasoningRl,
    TrainSft,
    load,
    overlay,
    resolve,
)
from stages.base.schema import parse
from stages.resolve_config import plain, read_choice, refuse_early, render

ROOT = Path(__file__).resolve().parents[1]
PROFILES = sorted(path.stem for path in (ROOT / "profiles").glob("*.yaml"))

PAPER = {  # the paper's recipe and the published configuration of Ling-1T-base
    "make_base_model.architecture.hidden": 8192,
    "make_base_model.architecture.layers": 80,
    "make_base_model.architecture.dense_layers": 4,
    "make_base_model.architecture.dense_ffn": 18432,
    "make_base_model.architecture.expert_ffn": 2048,
    "make_base_model.architecture.experts": 256,
    "make_base_model.architecture.experts_per_token": 8,
    "make_base_model.architecture.groups": 8,
    "make_base_model.architecture.top_groups": 4,
    "make_base_model.architecture.shared_experts": 1,
    "make_base_model.architecture.heads": 64,
    "make_base_model.architecture.kv_heads": 8,
    "make_base_model.architecture.head_dim": 128,
    "make_base_model.architecture.rotary_share": 0.5,
    "make_base_model.architecture.rope_theta": 600_000.0,
    "make_base_model.architecture.routed_scaling": 2.5,
    "make_base_model.architecture.context": 32768,
    "make_base_model.architecture.vocabulary": 157_184,
    "build_sft_data.mixture": {"maths": 0.46, "stem": 0.26, "code": 0.20, "other": 0.08},
    "pack_sft.length": 65536,
    "train_sft.optimizer": "adamw",
    "train_sft.epochs": 3,
    "train_sft.learning_rate": 2e-4,
    "train_sft.warmup_steps": 30,
    "train_sft.weight_decay": 0.1,
    "train_sft.final_share": 0.0,
    "train_reasoning_rl.objective": "icepop",
    "train_reasoning_rl.alpha": 0.5,
    "train_reasoning_rl.beta": 5.0,
    "train_reasoning_rl.scheduler": "c3po",
    "train_reasoning_rl.counter": "finished",
    "train_reasoning_rl.learning_rate": 2e-6,
    "train_reasoning_rl.betas": (0.9, 0.999),
    "train_reasoning_rl.weight_decay": 0.01,
    "train_reasoning_rl.kl_coefficient": 0.0,
    "train_reasoning_rl.temperature": 1.0,
    "train_reasoning_rl.prompts_per_step": 480,
    "train_reasoning_rl.rollouts_per_prompt": 8,
    "train_reasoning_rl.max_tokens": 65536,
    "train_general_rl.objective": "grpo",
    "train_general_rl.learning_rate": 3e-6,
    "train_general_rl.betas": (0.9, 0.999),
    "train_general_rl.weight_decay": 0.01,
    "train_general_rl.kl_coefficient": 0.0,
    "train_general_rl.temperature": 1.0,
    "train_general_rl.prompts_per_step": 80,
    "train_general_rl.rollouts_per_prompt": 8,
    "train_general_rl.max_tokens": 32768,
    "engine.context": 131_072,
}
RL_SHARES = {"maths": 0.422, "code": 0.186, "science": 0.178, "logic": 0.213}
DOMAIN_OF = {
    "chain": "maths",
    "countdown": "maths",
    "lists": "code",
    "charge": "science",
    **dict.fromkeys(("knights", "sudoku", "maze", "game24", "pattern"), "logic"),
}


def at(profile: Profile, key: str) -> object:
    value: object = profile
    for part in key.split("."):
        value = getattr(value, part)
    return value


def test_ring_1t_holds_the_papers_numbers() -> None:
    profile = resolve("ring_1t", {}, ROOT / "profiles")
    wrong = [f"{key}: {at(profile, key)}" for key in PAPER if at(profile, key) != PAPER[key]]
    assert not wrong, "\n".join(wrong)


def test_ring_1t_holds_the_papers_rl_shares() -> None:
    shares = dict.fromkeys(RL_SHARES, 0.0)
    for family, share in resolve("ring_1t", {}, ROOT / "profiles").build_rl_data.families.items():
        shares[DOMAIN_OF[family]] += share
    assert shares == pytest.approx(RL_SHARES, abs=0.0011)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_resolves_and_survives_the_file(name: str, tmp_path: Path) -> None:
    profile = resolve(name, {}, ROOT / "profiles")
    path = tmp_path / "resolved.yaml"
    path.write_text(render(name, profile))
    assert load(TrainSft, "train_sft", path) == profile.train_sft
    assert load(TrainReasoningRl, "train_reasoning_rl", path) == profile.train_reasoning_rl
    assert load(TrainGeneralRl, "train_general_rl", path) == profile.train_general_rl
    values = yaml.safe_load(path.read_text())
    assert values.pop("profile") == name
    assert parse(Profile, values, name) == profile


@pytest.mark.parametrize("name", PROFILES)
def test_responses_fit_the_windows(name: str) -> None:
    profile = resolve(name, {}, ROOT / "profiles")
    limits = [profile.build_rl_data, profile.train_reasoning_rl, profile.train_general_rl]
    assert all(part.max_tokens < profile.engine.context for part in limits)
    asked, longest = profile.run_benchmarks, profile.run_benchmarks.context
    for part in (asked, *asked.each.values()):
        assert (part.max_tokens or 1) < (longest or profile.engine.context)
    assert profile.train_reasoning_rl.max_tokens < profile.train_reasoning_rl.pack_length
    assert profile.train_general_rl.max_tokens < profile.train_general_rl.pack_length


def test_the_text_is_plain_yaml_with_every_default() -> None:
    text = render("tiny", resolve("tiny", {}, ROOT / "profiles"))
    assert "!!" not in text
    assert "&id" not in text
    assert yaml.safe_load(text)["train_reasoning_rl"]["beta"] == 5.0


def test_overrides_are_laid_over_the_profile() -> None:
    profile = resolve("tiny", {"train_reasoning_rl": {"objective": "grpo"}}, ROOT / "profiles")
    assert profile.train_reasoning_rl.objective == "grpo"
    assert profile.train_reasoning_rl.steps == 30


def test_plain_turns_tuples_into_lists_at_any_depth() -> None:
    assert plain({"a": ({"b": (1, 2)},)}) == {"a": [{"b": [1, 2]}]}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("profile: tiny\noverride: {}\n", "override"),
        ("overrides: {}\n", "profile"),
        ("profile: [tiny]\n", "profile"),
        ("profile: tiny\noverrides: 3\n", "overrides"),
        ("profile: tiny\noverrides: [1]\n", "overrides"),
    ],
)
def test_a_wrong_params_file_names_its_key(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=named):
        read_choice(path)


def test_absent_and_empty_overrides_mean_none(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    for text in (
        "profile: tiny\n",
        "profile: tiny\noverrides:\n",
        "profile: tiny\noverrides: {}\n",
    ):
        path.write_text(text)
        assert read_choice(path) == ("tiny", {})


def link_examples(folder: Path) -> None:
    """The rows that the tiny profile looks at."""
    (folder / "data/raw").mkdir(parents=True)
    (folder / "data/raw/examples").symlink_to(ROOT / "data/raw/examples")


def run_stage(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "profiles").symlink_to(ROOT / "profiles")
    link_examples(folder)
    return subprocess.run(
        [sys.executable, "-m", "stages.resolve_config", *options],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_stage_writes_the_checked_file(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("profile: tiny\noverrides: {run: {seed: 7}}\n")
    done = run_stage(tmp_path)
    assert done.returncode == 0, done.stderr
    values = yaml.safe_load((tmp_path / "resolved.yaml").read_text())
    assert values["run"]["seed"] == 7
    profile = resolve("tiny", {"run": {"seed": 7}}, ROOT / "profiles")
    assert values["run"] == plain(asdict(profile.run))


def test_check_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("profile: tiny\n")
    done = run_stage(tmp_path, "--check")
    assert done.returncode == 0
    assert "profile: tiny" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "params.yaml", "profiles"]


def test_an_unknown_key_ends_the_stage_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("profile: tiny\noverrides: {train_sft: {epoch: 2}}\n")
    done = run_stage(tmp_path)
    assert done.returncode == 2
    assert "train_sft.epoch" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "resolved.yaml").exists()


def own(schema: str = "math", domain: str = "maths", path: str = "profiles", **more: str) -> dict:
    given = {"name": "mine", "kind": "datasets", "path": path, "domain": domain, "schema": schema}
    return {**given, **more}


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"build_rl_data": {"sources": [own("gsm")]}}, "'gsm' .* Did you mean 'gsm8k'"),
        ({"build_rl_data": {"sources": [own("code")]}}, "are of domain code, not 'maths'"),
        ({"check_data": {"rl": [own("code")]}}, "are of domain code, not 'maths'"),
        ({"run_benchmarks": {"max_tokens": 192}}, "leaves no room for a prompt in engine.context"),
        ({"run_benchmarks": {"each": {"chain": {"max_tokens": 192}}}}, r"each\.chain\.max_tokens"),
        (
            {"run_benchmarks": {"each": {"chian": {"samples": 2}}}},
            r"each\.chian: build_benchmarks names no such benchmark.* Did you mean 'chain'",
        ),
        (
            {"run_benchmarks": {"context": 100, "max_tokens": 100}},
            r"in run_benchmarks\.context, 100 tokens",
        ),
        (
            {"run_benchmarks": {"each": {"chain": {"context": 64}}}},  # max_tokens is 96
            r"in run_benchmarks\.each\.chain\.context, 64 tokens",
        ),
        (
            {"build_rl_data": {"sources": [own()]}, "run": {"notation": "compact"}},
            "source mine holds English, and run.notation is 'compact'",
        ),
        (
            {"build_rl_data": {"sources": [own(path="data/raw/gone.jsonl", kind="jsonl")]}},
            r"source mine: data/raw/gone\.jsonl: No such file",
        ),
        (
            {"build_rl_data": {"families": {"chian": 0.0}}},
            "build_rl_data.families: unknown family 'chian'. Did you mean 'chain'",
        ),
        (
            {"build_sft_data": {"families": {"maths": {"chian": 0.0}}}},
            "families.maths: unknown family 'chian'. Did you mean 'chain'",
        ),
        ({"build_benchmarks": {"problems": {"nights": 1}}}, "Did you mean 'knights'"),
    ],
)
def test_what_only_a_late_stage_could_refuse_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, overrides: dict, why: str
) -> None:
    monkeypatch.chdir(ROOT)
    profile = resolve("tiny", overlay({"run": {"notation": "text"}}, overrides))
    with pytest.raises((ConfigError, DataError), match=why):
        refuse_early(profile)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_passes_the_early_checks(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """And they look at it: one misspelt family is enough."""
    monkeypatch.chdir(ROOT)
    refuse_early(resolve(name, {}))
    misspelt = resolve(name, {"build_benchmarks": {"problems": {"nights": 1}}})
    with pytest.raises(ConfigError, match="Did you mean 'knights'"):
        refuse_early(misspelt)


def test_the_command_refuses_before_it_writes(tmp_path: Path) -> None:
    (tmp_path / "profiles").symlink_to(ROOT / "profiles")
    text = "profile: tiny\noverrides: {build_rl_data: {families: {chian: 0.0}}}\n"
    (tmp_path / "params.yaml").write_text(text)
    command = [sys.executable, "-m", "stages.resolve_config"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "unknown family 'chian'" in done.stderr
    assert not (tmp_path / "resolved.yaml").exists()


def test_the_examples_of_own_data_are_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    examples = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert len(examples) == 2
    monkeypatch.chdir(tmp_path)
    link_examples(tmp_path)
    for name in ("mine", "chats", "sums"):
        (tmp_path / f"data/raw/{name}.jsonl").write_text("{}\n")
    for overrides in examples:
        refuse_early(resolve("tiny", overrides, ROOT / "profiles"))
    assert examples[1]["build_rl_data"]["problems"] == 0
