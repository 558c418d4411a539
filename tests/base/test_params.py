"""Profiles and overrides are checked as a whole; every section reads back as its dataclass."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from stages.base.errors import ConfigError, DataError
from stages.base.params import TrainReasoningRl, overlay, resolve
from stages.base.schema import parse
from stages.base.yaml_file import read_yaml
from tests.tables import each

PROFILES = sorted(path.stem for path in Path("profiles").glob("*.yaml"))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_resolves(profile: str) -> None:
    assert resolve(profile, {}).run.seed >= 0


def test_an_override_reaches_its_stage_and_nothing_else() -> None:
    plain = resolve("tiny", {})
    changed = resolve("tiny", {"train_reasoning_rl": {"objective": "grpo"}})
    assert changed.train_reasoning_rl.objective == "grpo"
    assert changed.train_general_rl == plain.train_general_rl


@each(
    ("overrides", "message"),
    [
        ({"train_reasoning_rl": {"alpha": 1.5}}, r"alpha \(1\.5\) must be below 1"),
        ({"train_sft": {"lr": 1}}, r"overrides\.train_sft\.lr: unknown key"),
        ({"build_sft_data": {"mixture": {"maths": 0.9}}}, "mixture: the shares must be positive"),
        ({"nonsense": {}}, r"overrides\.nonsense: unknown key"),
        ({"engine": {"size": 3}}, r"overrides\.engine\.size: the name 'size' is reserved"),
        ({"make_base_model": {"architecture": {"heads": 3}}}, "no multiple of kv_heads"),
    ],
)
def test_bad_overrides_are_refused(overrides: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        resolve("tiny", overrides)


RL_STAGES = ("train_reasoning_rl", "train_general_rl")


@pytest.mark.field_bug(23)
@each("stage", RL_STAGES)
@each("value", [1.0, 0.9, 20, None])
@each("key", ["top_p", "top_k", "min_p", "typical_p", "repetition_penalty", "presence_penalty"])
def test_rl_samples_from_the_distribution_it_trains(stage: str, key: str, value: object) -> None:
    message = rf"overrides\.{stage}\.{key}: .*off by the kept mass\. Leave it out\."
    with pytest.raises(ConfigError, match=message):
        resolve("tiny", {stage: {key: value}})


@pytest.mark.field_bug(23)
def test_a_profile_is_told_the_same_as_an_override() -> None:
    values = asdict(resolve("tiny", {}).train_reasoning_rl)
    with pytest.raises(ConfigError, match=r"mine\.top_p: .*the ratio would be off"):
        parse(TrainReasoningRl, {**values, "top_p": 1.0}, "mine")


@pytest.mark.field_bug(21, 24)
@pytest.mark.parametrize("stage", RL_STAGES)
@pytest.mark.parametrize("value", [0.7, 1.2, 0.0, -1.0, float("nan")])
def test_rl_knows_one_temperature_for_both_engines_and_it_is_1(stage: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"{stage}.*temperature.*(must be 1|not a number)"):
        resolve("tiny", {stage: {"temperature": value}})
    assert getattr(resolve("tiny", {stage: {"temperature": 1}}), stage).temperature == 1.0
    for key in ("rollout_temperature", "train_temperature"):
        with pytest.raises(ConfigError, match=rf"{stage}\.{key}: there is one temperature"):
            resolve("tiny", {stage: {key: 1.0}})


@pytest.mark.parametrize("stage", RL_STAGES)
@pytest.mark.parametrize("key", ["bias_rate", "router_aux_loss_coef"])
def test_rl_offers_nothing_that_would_balance_the_experts(stage: str, key: str) -> None:
    with pytest.raises(ConfigError, match=rf"{stage}\.{key}: RL leaves the balance of the experts"):
        resolve("tiny", {stage: {key: 0.0}})


@pytest.mark.parametrize(
    "bounds",
    [{"alpha": 1.0}, {"alpha": 1.5}, {"beta": 1.0}, {"beta": 0.9}, {"alpha": 2.0, "beta": 5.0}],
)
def test_a_band_that_rejects_engines_that_agree_is_refused(bounds: dict) -> None:
    with pytest.raises(ConfigError, match=r"alpha \(.*\) must be below 1 and beta .*0\.5 and 5\.0"):
        resolve("tiny", {"train_reasoning_rl": bounds})


def test_null_means_as_the_profile_says() -> None:
    assert resolve("tiny", {"run": {"seed": None}, "train_sft": {}}) == resolve("tiny", {})


def leaves(tree: dict, *path: str) -> list[tuple[str, ...]]:
    """Paths of all keys that hold no further section."""
    return [
        leaf
        for key, value in tree.items()
        for leaf in (leaves(value, *path, key) if isinstance(value, dict) else [(*path, key)])
    ]


def test_every_key_params_yaml_offers_is_a_parameter() -> None:
    profile = resolve("tiny", {})
    offered = leaves(read_yaml(Path("params.yaml"))["overrides"])
    assert ("train_reasoning_rl", "objective") in offered
    for section, key in offered:
        assert hasattr(getattr(profile, section), key), f"{section}.{key}"


def test_an_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'tine' is unknown\. Known: .*tiny"):
        resolve("tine", {})


def test_overlay_leaves_both_sides_alone() -> None:
    base, changes = {"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": 4}
    assert overlay(base, changes) == {"a": {"b": 1, "c": 3}, "d": 4}
    assert base == {"a": {"b": 1, "c": 2}}
    assert changes == {"a": {"c": 3}, "d": 4}


def test_broken_yaml_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text("profile: tiny\noverrides: {a: [1\n")
    with pytest.raises(ConfigError, match=r"params\.yaml:\d+: not YAML"):
        read_yaml(path)
    path.write_bytes(b"profile: \xff\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_yaml(path)
    with pytest.raises(DataError, match="no such file"):
        read_yaml(tmp_path / "other.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profile: tiny\nprofile: smollm2\n", r"params\.yaml:2: .*'profile' stands here a second"),
        ("run: {seed: 0, seed: 1}\n", "'seed' stands here a second time"),
        ("a: 2020-99-99\n", "not YAML"),
        ("a: !!int abc\n", "not YAML"),
        ("a: \x07\n", "not YAML"),
        ("a: " + "[" * 1000 + "]" * 1000 + "\n", "not YAML"),
    ],
)
def test_yaml_that_says_two_things_or_nothing_is_refused(tmp_path, text, message):
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_yaml(path)


def test_an_alias_that_holds_itself_is_refused(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text("profile: tiny\noverrides: &a\n  run: *a\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="holds itself"):
        resolve("tiny", read_yaml(path)["overrides"])


@pytest.mark.field_bug(38)
@each(
    ("overrides", "message"),
    [
        ({"train_sft": {"learning_rate": float("inf")}}, "learning_rate: not finite"),
        ({"train_sft": {"learning_rate": 10**400}}, "learning_rate"),
        ({"train_sft": {"betas": [0.9]}}, "betas: expected 2 values, found 1"),
        ({"train_sft": {"zero_stage": 2}}, "muon needs whole matrices"),
        ({"train_sft": {"betas": [2.0, 0.9]}}, r"betas\[0\]: 2\.0 must be less than 1"),
        ({"build_benchmarks": {"problems": {"chain": -5}}}, "chain: -5 is below"),
        ({"run_benchmarks": {"each": {"chain": {"k": 2}}}}, r"each\.chain\.k: unknown key"),
        ({"build_benchmarks": {"published": {"gsm8k": {"data": "web"}}}}, "raw, hub, mini"),
        ({"build_sft_data": {"mixture": {"maths": float("nan")}}}, "maths: not a number"),
        ({"train_reasoning_rl": {"rollouts_per_prompt": 1}}, "rollouts_per_prompt: 1 is below"),
        ({"make_base_model": {"architecture": {"dense_layers": 99}}}, "dense_layers: 99 of only"),
        ({"make_base_model": {"architecture": {"top_groups": 9}}}, "top_groups: 9 of only"),
    ],
)
def test_values_that_cannot_work_are_refused_by_name(overrides, message):
    with pytest.raises(ConfigError, match=message):
        resolve("tiny", overrides)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"domain": "cooking", "path": "data/raw/a.jsonl"}, "'cooking' has no share"),
        ({"domain": "maths", "path": "/elsewhere/a.jsonl"}, "not below data/raw"),
    ],
)
def test_a_source_has_a_share_and_lies_where_dvc_sees_it(source, message):
    sources = [{"name": "mine", "kind": "jsonl", **source}]
    with pytest.raises(ConfigError, match=message):
        resolve("tiny", {"build_sft_data": {"sources": sources}})


def sft(**changes: object) -> dict:
    none = {"chain": 0.0, "countdown": 0.0}
    mine = {"name": "m", "kind": "jsonl", "path": "data/raw/m.jsonl", "domain": "maths"}
    base = {
        "mixture": {"maths": 1.0, "stem": 0.0, "code": 0.0, "other": 0.0},
        "families": {"maths": none},
        "sources": [mine],
    }
    return {"build_sft_data": {**base, **changes}}


def test_a_corpus_of_own_rows_alone_is_a_profile() -> None:
    found = resolve("tiny", sft()).build_sft_data
    assert not any(found.families["maths"].values())
    with pytest.raises(ConfigError, match=r"mixture: nothing gives rows of maths.*Name families"):
        resolve("tiny", sft(sources=[]))
    with pytest.raises(ConfigError, match="nothing gives rows of maths"):
        resolve("tiny", sft(sources=[], short_domains="cap"))


def test_two_sources_of_one_name_are_refused_in_sft_too() -> None:
    mine = sft()["build_sft_data"]["sources"][0]
    with pytest.raises(ConfigError, match="the name 'm' stands twice"):
        resolve("tiny", sft(sources=[mine, {**mine, "path": "data/raw/n.jsonl"}]))


def test_families_of_a_domain_that_is_in_no_mixture_are_refused() -> None:
    changes = {"families": {"mathz": {"chain": 1.0}}}
    with pytest.raises(ConfigError, match=r"families.mathz: .*Did you mean 'maths'"):
        resolve("tiny", {"build_sft_data": changes})


def test_an_endpoint_reads_no_messages() -> None:
    server = {"base_url": "http://localhost:1/v1", "model": "m", "max_tokens": 9}
    mine = {**sft()["build_sft_data"]["sources"][0], "kind": "endpoint", "endpoint": server}
    with pytest.raises(ConfigError, match="reads no messages"):
        resolve("tiny", sft(sources=[{**mine, "format": "messages"}]))


def test_rl_may_live_on_sources_alone() -> None:
    alone = rl_sources({})
    alone["build_rl_data"]["problems"] = 0
    assert resolve("tiny", alone).build_rl_data.problems == 0
    with pytest.raises(ConfigError, match="none has a share, and problems asks for 1200"):
        families = dict.fromkeys(resolve("tiny", {}).build_rl_data.families, 0.0)
        resolve("tiny", {"build_rl_data": {"families": families}})
    with pytest.raises(ConfigError, match="problems: 0, and no sources"):
        resolve("tiny", {"build_rl_data": {"problems": 0}})


@pytest.mark.parametrize("value", [None, 0.1])
def test_an_unknown_override_is_named_where_it_stands_null_or_not(value):
    message = r"params\.yaml: overrides\.train_sft\.learning_rte: .*Did you mean 'learning_rate'"
    with pytest.raises(ConfigError, match=message):
        resolve("tiny", {"train_sft": {"learning_rte": value}})
    with pytest.raises(ConfigError, match=r"overrides\.make_base_model\.architecture\.hiden"):
        resolve("tiny", {"make_base_model": {"architecture": {"hiden": value}}})


@pytest.mark.parametrize(
    ("sandbox", "why"),
    [
        ({"backend": "remote"}, "sandbox.url: '' is no address of HTTP"),
        ({"backend": "remote", "url": "localhost:8080"}, "'localhost:8080' is no address of HTTP"),
        ({"url": "http://localhost:8080"}, "namespaces asks no service. Set backend: remote"),
    ],
)
def test_an_address_of_a_sandbox_and_its_backend_go_together(sandbox, why):
    with pytest.raises(ConfigError, match=why):
        resolve("tiny", {"sandbox": sandbox})


def rl_sources(*changes: dict) -> dict:
    base = {"name": "s", "kind": "jsonl", "path": "data/raw/a", "domain": "maths", "schema": "math"}
    return {"build_rl_data": {"sources": [{**base, **change} for change in changes]}}


@each(
    ("overrides", "why"),
    [
        (rl_sources({}, {}), "the name 's' stands twice"),
        (rl_sources({"path": "a.jsonl"}), "is not below data/raw"),
        (rl_sources({"domain": "chess"}), "is not one of maths, stem, code, logic, general"),
        (rl_sources({"kind": "endpoint"}), "is not one of jsonl, parquet, datasets"),
        (rl_sources({"shema": "math"}), "Did you mean 'schema'"),
        ({"build_rl_data": {"label_confidence": 1.0}}, "must be less than 1"),
        ({"build_rl_data": {"judge": {"base_url": "localhost"}}}, "judge.model: missing"),
    ],
)
def test_sources_of_rl_that_make_no_sense_are_refused_by_name(overrides, why):
    with pytest.raises(ConfigError, match=why):
        resolve("tiny", overrides)


def test_a_source_of_rl_needs_a_schema_and_may_be_a_hub_id():
    given = rl_sources({"kind": "datasets", "path": "someone/some-set"})
    (source,) = resolve("tiny", given).build_rl_data.sources
    assert (source.schema, source.split) == ("math", "train")
    del given["build_rl_data"]["sources"][0]["schema"]
    with pytest.raises(ConfigError, match=r"sources\[0\]\.schema: missing"):
        resolve("tiny", given)
