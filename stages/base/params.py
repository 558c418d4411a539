"""Every parameter of every stage: one frozen dataclass a section, one line of meaning a field.

``params.yaml`` names a profile and overrides; ``profiles/<name>.yaml`` holds the rest; the stage
``resolve_config`` checks both against these classes and writes ``resolved.yaml``, from which every
later stage reads its own section with :func:`load`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from stages.base import paths
from stages.base.benchmark_params import BuildBenchmarks, RunBenchmarks
from stages.base.cluster_params import Cluster
from stages.base.errors import ConfigError
from stages.base.schema import (
    Beta,
    Count,
    Limits,
    Natural,
    NonNegative,
    Positive,
    Share,
    meant,
    parse,
    refuse_reserved,
    refuse_unknown,
)
from stages.base.yaml_file import read_yaml

S = TypeVar("S")

FOUND_AT_LEAST = 0.9  # share of pairs at the threshold of near deduplication


@dataclass(frozen=True)
class Hardware:
    """What a run of this profile needs; a machine with less refuses instead of shrinking it."""

    nodes: Count = 1
    gpus_per_node: Natural = 0
    gpu_memory_gib: NonNegative = 0.0
    ram_gib: Positive = 6.0
    training_threads: Count = 2  # sampling always uses one: bit-exact reruns
    verifier_processes: Count = 1  # check responses beside generation


@dataclass(frozen=True)
class Run:
    """What all stages share."""

    seed: Natural
    notation: Literal["compact", "text"]  # how generated problems are written: symbols or English
    runtime: Literal["local", "ray"] = "local"
    hardware: Hardware = field(default_factory=Hardware)
    cluster: Cluster = field(default_factory=Cluster)


@dataclass(frozen=True)
class Engine:
    """The vLLM inference engine."""

    context: Annotated[int, Limits(ge=16)]  # longest prompt + response, tokens
    max_sequences: Count  # decoded side by side
    cache_gib: Positive  # key-value cache
    dtype: Literal["bfloat16", "float32", "float16"] = "bfloat16"
    tensor_parallel: Count = 1


def require_http(name: str, url: str, such: str) -> None:
    """ConfigError unless a parameter is an address of HTTP, ``such`` as one."""
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"{name}: '{url}' is no address of HTTP. Give one such as {such}.")


@dataclass(frozen=True)
class SandboxSettings:
    """Where programs that a model wrote are run: for rewards, scores, and tests of problems."""

    backend: Literal["namespaces", "remote", "unsafe"] = "namespaces"
    workers: Natural = 0  # programs at a time; 0: one a core
    url: str = ""  # of the service, for remote
    key_variable: str = ""  # environment variable with the service's token; empty: none is sent
    unsafe_rewards: bool = False  # measure rewards and scores with programs that nothing confines

    def __post_init__(self) -> None:
        """A remote sandbox has an address; one without walls is no accident."""
        if self.backend == "remote":
            require_http("sandbox.url", self.url, "http://127.0.0.1:8080")
        elif self.url:
            raise ConfigError(f"sandbox.url: {self.backend} asks no service. Set backend: remote.")
        if self.backend == "unsafe" and not self.unsafe_rewards:
            raise ConfigError(
                "sandbox.backend: 'unsafe' keeps model-written programs from nothing: they can "
                "read what this user can, tests included, and write it. Use 'namespaces', or set "
                "sandbox.unsafe_rewards: true if rewards and scores shall be measured like that."
            )


@dataclass(frozen=True)
class Endpoint:
    """A server that speaks the OpenAI chat protocol; what it answered is kept on disk."""

    base_url: str  # up to and with /v1
    model: str
    max_tokens: Count
    temperature: NonNegative = 1.0
    key_variable: str = ""  # environment variable with the API key; empty: none is sent
    cache: str = "data/interim/endpoint"  # answers by content of the question; empty: none kept
    attempts: Count = 4  # tries a question
    backoff: NonNegative = 1.0  # seconds before the second try, doubled with each
    patience: Positive = 600.0  # seconds a try may take
    parallel: Count = 8  # questions under way at once

    def __post_init__(self) -> None:
        """The address must be one of HTTP."""
        require_http("base_url", self.base_url, "http://localhost:8000/v1")


@dataclass(frozen=True)
class Origin:
    """Where outside rows come from: a file, a folder or a hub data set."""

    name: str
    kind: str
    path: str  # file, folder or hub id
    domain: str
    split: str = "train"
    subset: str = ""  # configuration of a hub data set, where it has several
    rows: Count | None = None  # read at most so many


@dataclass(frozen=True)
class Source(Origin):
    """One outside source of SFT rows; an endpoint answers the prompts of a JSON Lines file."""

    kind: Literal["jsonl", "parquet", "datasets", "endpoint"]
    # messages: a chat of one question and one answer in `messages`, as OpenAI's files have it.
    format: Literal["fields", "messages"] = "fields"
    prompt_field: str = "prompt"  # of format: fields
    response_field: str = "response"
    endpoint: Endpoint | None = None

    def __post_init__(self) -> None:
        """An endpoint is given exactly where the kind asks for one."""
        if self.kind == "endpoint" and self.format == "messages":
            raise ConfigError(
                f"source {self.name}: an endpoint answers prompts, it reads no messages. Leave "
                "format out and name the prompt_field."
            )
        if (self.kind == "endpoint") != (self.endpoint is not None):
            raise ConfigError(
                f"source {self.name}: kind: endpoint and a section `endpoint` belong together."
            )


@dataclass(frozen=True)
class RlSource(Origin):
    """One outside source of RL problems, general prompts or preferences."""

    kind: Literal["jsonl", "parquet", "datasets"]
    domain: Literal["maths", "stem", "code", "logic", "general"]
    schema: str = field(kw_only=True)  # a name in stages.problems.schemas.SCHEMAS
    licence: str = ""  # of rows that state none


@dataclass(frozen=True)
class Phase:
    """A stretch of the SFT corpus, in the order it is trained on."""

    share: Annotated[float, Limits(gt=0, le=1)]  # of all rows
    careful: Share  # share of worked solutions; the rest is answer-only
    closing: Share  # share of answers that end with the closing word


@dataclass(frozen=True)
class NearDedup:
    """Near deduplication: bands of MinHash find pairs of rows, their texts decide."""

    bands: Annotated[int, Limits(ge=1, le=256)] = 18
    band_rows: Annotated[int, Limits(ge=1, le=64)] = 7  # hashes that must be equal in a band
    shingle_words: Annotated[int, Limits(ge=2)] = 5
    jaccard: Annotated[float, Limits(gt=0, le=1)] = 0.8  # of the sets of shingles, at least
    templated_domains: tuple[str, ...] = ("logic",)  # their rows are never compared by text
    repeated_keys: Literal["keep", "drop"] = "keep"  # rows of one key with equal responses

    def __post_init__(self) -> None:
        """The bands must find what the threshold asks for: b and r are easily swapped."""
        found = 1 - (1 - self.jaccard**self.band_rows) ** self.bands
        if found < FOUND_AT_LEAST:
            raise ConfigError(
                f"bands: {self.bands} bands of {self.band_rows} find only {found:.0%} of pairs "
                f"with a Jaccard similarity of {self.jaccard:g}. Give more bands or fewer "
                "band_rows; 18 of 7 find 99% at 0.8."
            )


@dataclass(frozen=True)
class BuildSftData:
    """Long chain-of-thought rows (paper: mixture maths 46, STEM 26, code 20, other 8 percent)."""

    rows: Count
    mixture: dict[str, Share]  # domain -> share of tokens
    # Domain -> generator family -> share of that domain; all 0, or no entry: none is generated.
    families: dict[str, dict[str, Share]]
    phases: tuple[Phase, ...]
    sources: tuple[Source, ...] = ()
    decontamination_ngram: Annotated[int, Limits(ge=2)] = 13  # words
    max_bad_share: Share = 0.01  # unreadable rows
    near_dedup: NearDedup = field(default_factory=NearDedup)
    short_domains: Literal["error", "cap"] = "error"  # a domain with too few rows for its share
    workers: Count = 1  # processes that clean; the bytes are the same

    def __post_init__(self) -> None:
        """Shares must add up; a source has a share, and lies where DVC sees it change."""
        _add_up("mixture", self.mixture)
        for domain, shares in self.families.items():
            if any(shares.values()):
                _add_up(f"families.{domain}", shares)
            if domain not in self.mixture:
                raise ConfigError(
                    f"families.{domain}: the domain has no share in the mixture."
                    f"{meant(domain, self.mixture)}"
                )
        _add_up("phases", {str(i): phase.share for i, phase in enumerate(self.phases)})
        _refuse_sources(self.sources)
        for source in self.sources:
            if source.domain not in self.mixture:
                raise ConfigError(
                    f"sources.{source.name}.domain: '{source.domain}' has no share in the mixture "
                    f"({', '.join(self.mixture)})."
                )
        self._refuse_empty_domains()

    def _refuse_empty_domains(self) -> None:
        """A domain with a share has rows from somewhere: families or a source."""
        given = {domain for domain, shares in self.families.items() if any(shares.values())}
        given |= {source.domain for source in self.sources}
        shared = [domain for domain, share in self.mixture.items() if share]
        empty = [domain for domain in shared if domain not in given]
        if empty and (self.short_domains == "error" or empty == shared):
            raise ConfigError(
                f"mixture: nothing gives rows of {', '.join(empty)}. Name families or a source for "
                "it, or set its share to 0 and raise the others to add up to 1."
            )


@dataclass(frozen=True)
class Architecture:
    """A Ling 2.0 mixture of experts (BailingMoeV2)."""

    hidden: Annotated[int, Limits(ge=8)]
    layers: Count
    dense_layers: Natural  # first layers without experts
    dense_ffn: Annotated[int, Limits(ge=8)]
    expert_ffn: Annotated[int, Limits(ge=8)]
    experts: Count
    experts_per_token: Count
    groups: Count
    top_groups: Count
    shared_experts: Natural
    heads: Count
    kv_heads: Count
    head_dim: Annotated[int, Limits(ge=8)]
    rotary_share: Annotated[float, Limits(gt=0, le=1)]
    rope_theta: Positive
    routed_scaling: Positive
    context: Annotated[int, Limits(ge=16)]
    vocabulary: Annotated[int, Limits(ge=8)]

    def __post_init__(self) -> None:
        """Counts must divide."""
        if self.heads % self.kv_heads:
            raise ConfigError(f"heads: {self.heads} is no multiple of kv_heads, {self.kv_heads}.")
        if self.experts % self.groups:
            raise ConfigError(f"experts: {self.experts} is no multiple of groups, {self.groups}.")
        if self.dense_layers > self.layers:
            raise ConfigError(f"dense_layers: {self.dense_layers} of only {self.layers} layers.")
        if self.top_groups > self.groups:
            raise ConfigError(f"top_groups: {self.top_groups} of only {self.groups} groups.")


@dataclass(frozen=True)
class MakeBaseModel:
    """Where the base checkpoint comes from."""

    origin: Literal["scratch", "smollm2_wheel", "hub", "local"]
    architecture: Architecture | None = None  # the shape; required for scratch, for plans otherwise
    path: str = ""  # hub id or local folder


@dataclass(frozen=True)
class PackSft:
    """Packing without splitting a row (paper: 65,536 tokens)."""

    length: Annotated[int, Limits(ge=16)]
    min_fill: Share = 0.97


@dataclass(frozen=True)
class TrainSft:
    """Long-CoT SFT (paper: AdamW, 2e-4, cosine, 30 warm-up steps, decay 0.1, 3 epochs)."""

    learning_rate: Positive  # AdamW's
    epochs: Count
    rows_per_step: Count  # packed rows in one optimiser step
    micro_rows: Count  # packed rows in one forward pass
    warmup_steps: Natural
    weight_decay: NonNegative
    optimizer: Literal["adamw", "muon"] = "adamw"  # muon: matrices by Muon, the rest by AdamW
    matrix_learning_rate: Positive = 0.02  # Muon's
    final_share: Share = 0.0  # of the learning rate, at the last step
    betas: tuple[Beta, Beta] = (0.9, 0.95)
    gradient_clip: NonNegative = 1.0  # 0 turns it off
    bias_rate: NonNegative = 0.001  # expert bias step by load; SFT only
    precision: Literal["float32", "bfloat16"] = "float32"
    zero_stage: Literal[0, 1, 2, 3] = 0
    checkpoint_every: Count = 200  # steps

    def __post_init__(self) -> None:
        """Muon looks at whole matrices, which ZeRO's optimisers cut up and flatten."""
        if self.optimizer == "muon" and self.zero_stage > 0:
            raise ConfigError(
                "train_sft: muon needs whole matrices, ZeRO gives each rank a flat part of all. "
                "Set optimizer: adamw, or zero_stage: 0."
            )


@dataclass(frozen=True)
class BuildRlData:
    """Verifiable problems, graded by sampling the SFT model (Ring-lite: drop always and never)."""

    problems: Natural  # generated ones; 0: the sources' alone
    families: dict[str, Share]  # family -> share
    samples: Count  # responses a problem
    max_tokens: Count
    keep_above: Share = 0.0  # pass rate must be more than this
    keep_below: Share = 1.0  # and less than this
    keep_unsolved: Share = 0.0  # share of never solved kept
    sources: tuple[RlSource, ...] = ()  # outside problems, beside the generated ones
    max_bad_share: Share = 0.01  # unreadable rows of a source
    decontamination_ngram: Annotated[int, Limits(ge=2)] = 13  # words
    # Confidence of a Wilson interval on each pass rate, written into the rows; 0: none is.
    label_confidence: Annotated[float, Limits(ge=0, lt=1)] = 0.0
    judge: Endpoint | None = None  # a second opinion on each response, recorded, never rewarded

    def __post_init__(self) -> None:
        """Shares must add up; sources differ in name and lie where DVC sees them change."""
        if self.problems and not any(self.families.values()):
            raise ConfigError(
                f"families: none has a share, and problems asks for {self.problems} generated "
                "ones. Give shares, or set problems: 0 and name sources."
            )
        if any(self.families.values()):
            _add_up("families", self.families)
        if not self.problems and not self.sources:
            raise ConfigError("problems: 0, and no sources. Ask for some, or name a source.")
        _refuse_sources(self.sources)


@dataclass(frozen=True)
class CheckData:
    """Sources to look at before they are mixed: cleaned or curated, trained on by none."""

    sft: tuple[Source, ...] = ()
    rl: tuple[RlSource, ...] = ()

    def __post_init__(self) -> None:
        """Sources differ in name and lie where DVC sees them change."""
        _refuse_sources((*self.sft, *self.rl))


ObjectiveName = Literal[
    "icepop", "icepop-narrow", "icepop-wide", "tis", "grpo", "kpop", "dis", "gspo"
]

OTHER_DISTRIBUTION = (
    "rollouts are drawn from the whole distribution at temperature 1. This would sample from "
    "another distribution than the one that is trained: the ratio would be off by the kept mass. "
    "Leave it out."
)
ONE_TEMPERATURE = "there is one temperature for both engines, `temperature`, and it is 1."
FIXED_ROUTER = "RL leaves the balance of the experts alone: the expert bias is moved by SFT only"


@dataclass(frozen=True)
class ReinforcementLearning:
    """One RL stage (paper: 480 x 8 rollouts a step in reasoning RL, 80 x 8 in general RL)."""

    ABSENT: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("top_p", "top_k", "min_p", "typical_p"), OTHER_DISTRIBUTION),
        **dict.fromkeys(
            ("repetition_penalty", "presence_penalty", "frequency_penalty", "logit_bias"),
            OTHER_DISTRIBUTION,
        ),
        **dict.fromkeys(("rollout_temperature", "train_temperature"), ONE_TEMPERATURE),
        "bias_rate": f"{FIXED_ROUTER} (train_sft.bias_rate). Leave it out.",
        "router_aux_loss_coef": f"{FIXED_ROUTER}, and routers have no loss. Leave it out.",
    }

    steps: Count
    objective: ObjectiveName
    scheduler: Literal["c3po", "synchronous"]
    prompts_per_step: Count  # synchronous: trained groups a step
    rollouts_per_prompt: Annotated[int, Limits(ge=2)]  # group members; one has no advantage
    capacity: Count  # Omega_infer: trajectories in flight
    token_budget: Count  # Phi: a partition ends when the counter passes it
    max_partitions: Natural  # sigma: older unfinished trajectories are purged
    max_tokens: Count  # response length limit
    learning_rate: Positive
    counter: Literal["finished", "generated"] = "finished"  # what C counts (Algorithm 1: finished)
    # Who scores segments sampled by older policies: the newest, the sampler then, the trainer then.
    theta_old: Literal["latest", "rollout", "per_segment"] = "latest"
    # Bits a weight of the sampler's matrices, a mismatch of known origin; 0: as the engine has it.
    rollout_bits: Literal[0, 2, 3, 4, 5, 6, 7, 8] = 0
    alpha: Positive = 0.5  # lower bound on k (IcePop) or on current / rollout (DIS)
    beta: Positive = 5.0  # the upper one
    tis_cap: Annotated[float, Limits(ge=1)] = 2.0
    kpop_phi: Positive = 0.5  # most binary KL of a token, nats (in use elsewhere: 0.1 and 2.0)
    sequence_band: tuple[float, ...] = ()  # bounds on a response's geometric mean of k
    clip_low: Share = 0.2
    clip_high: NonNegative = 0.28
    aggregate: Literal["sequence", "token"] = "sequence"
    kl_coefficient: NonNegative = 0.0  # the paper's gamma, 0.0: no reference model is loaded
    temperature: float = 1.0  # of both engines; nothing else is supported
    minibatches: Count = 1  # optimiser steps on one harvest
    warmup_steps: Natural = 0
    betas: tuple[Beta, Beta] = (0.9, 0.999)
    weight_decay: NonNegative = 0.01
    gradient_clip: NonNegative = 1.0
    reward_noise: Annotated[float, Limits(gt=0, le=1)] = 1e-6  # added to a group's deviation
    max_error_share: Share = 0.1  # checker failures before the run stops
    pack_length: Annotated[int, Limits(ge=16)] = 256
    micro_rows: Count = 8
    precision: Literal["float32", "bfloat16"] = "float32"
    zero_stage: Literal[0, 1, 2, 3] = 0
    checkpoint_every: Count = 5  # steps
    dynamic_sampling: bool = False  # whole epochs; True: oftener what is near a pass rate of 1/2
    sampling_memory: Share = 0.8  # weight of a prompt's older rewards when a new group comes in
    domain_shares: dict[str, Share] = field(default_factory=dict)  # of visits; empty: by prompts
    kept_tokens: Natural = 2_000_000  # trained tokens kept for stages.rl.replay

    def __post_init__(self) -> None:
        """Bands must hold 1, the weight of two engines that agree; so must the temperature."""
        if self.temperature != 1:
            raise ConfigError(
                f"temperature ({self.temperature}) must be 1, where the log-probabilities of both "
                "engines are taken. Leave it out."
            )
        if self.alpha >= 1 or self.beta <= 1:
            raise ConfigError(
                f"alpha ({self.alpha}) must be below 1 and beta ({self.beta}) above 1: two engines "
                "that agree have k = 1. The paper's are 0.5 and 5.0."
            )
        if self.sequence_band and not (
            len(self.sequence_band) == 2 and 0 < self.sequence_band[0] <= 1 <= self.sequence_band[1]
        ):
            raise ConfigError(
                f"sequence_band {list(self.sequence_band)}: two bounds are needed, 0 < low <= 1 <= "
                "high, or [] for no gate on whole sequences."
            )
        if self.domain_shares:
            _add_up("domain_shares", self.domain_shares)
            if not self.dynamic_sampling:
                raise ConfigError("domain_shares: they need dynamic_sampling: true.")


@dataclass(frozen=True)
class TrainReasoningRl(ReinforcementLearning):
    """Reasoning RL: rewards from verifiers, IcePop objective, C3PO++ scheduling."""


@dataclass(frozen=True)
class TrainRewardModel:
    """Bradley-Terry on preference pairs."""

    pairs: Annotated[int, Limits(ge=2)]  # at most so many
    heldout_share: Annotated[float, Limits(gt=0, le=0.5)] = 0.2  # of the prompts
    epochs: Annotated[int, Limits(ge=1, le=2)] = 1  # more overfits
    pairs_per_step: Count = 32
    learning_rate: Positive = 1e-3
    warmup_steps: Natural = 5
    weight_decay: NonNegative = 0.01
    centering: NonNegative = 0.01  # pulls the mean score to 0
    max_tokens: Count = 256  # longer pairs are left out and counted
    reads: Literal["answer", "response"] = "answer"  # the answer alone, or the thinking too
    micro_pairs: Count = 32  # pairs in one forward pass
    precision: Literal["float32", "bfloat16"] = "float32"
    zero_stage: Literal[0, 1, 2, 3] = 0


@dataclass(frozen=True)
class TrainGeneralRl(ReinforcementLearning):
    """General RL: GRPO with reward model + rule rewards, same loop."""

    reward_model_weight: Share = 0.5  # rules weigh the rest


@dataclass(frozen=True)
class WriteReport:
    """The report."""

    confidence: Annotated[float, Limits(gt=0, le=0.999)] = 0.95
    samples_shown: Natural = 6  # benchmarks whose first problem is printed in the report


@dataclass(frozen=True)
class Profile:
    """A whole profile: one section for what is shared, one for each stage."""

    description: str
    run: Run
    engine: Engine
    build_benchmarks: BuildBenchmarks
    build_sft_data: BuildSftData
    make_base_model: MakeBaseModel
    pack_sft: PackSft
    train_sft: TrainSft
    build_rl_data: BuildRlData
    train_reasoning_rl: TrainReasoningRl
    train_reward_model: TrainRewardModel
    train_general_rl: TrainGeneralRl
    run_benchmarks: RunBenchmarks
    write_report: WriteReport
    check_data: CheckData = field(default_factory=CheckData)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)


def _refuse_sources(sources: Sequence[Origin]) -> None:
    """Sources differ in name, which their ids begin with, and lie where DVC sees them change."""
    names = [source.name for source in sources]
    for source in sources:
        if source.kind != "datasets" and Path(source.path).parts[:2] != ("data", "raw"):
            raise ConfigError(
                f"sources.{source.name}.path: '{source.path}' is not below data/raw, where "
                "DVC sees changes. Put or link the file there."
            )
        if names.count(source.name) > 1:
            raise ConfigError(f"sources: the name '{source.name}' stands twice. Change one.")


def _add_up(name: str, shares: dict[str, float]) -> None:
    total = sum(shares.values())
    if min(shares.values(), default=0.0) < 0 or abs(total - 1.0) > 1e-6:
        raise ConfigError(f"{name}: the shares must be positive and add up to 1, not {total:.6g}.")


def overlay(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """``base`` with nested keys of ``changes`` laid over it; neither is modified."""
    merged = dict(base)
    for key, value in changes.items():
        inner = merged.get(key)
        both = isinstance(inner, dict) and isinstance(value, dict)
        merged[key] = overlay(inner, value) if both else value  # type: ignore[arg-type]
    return merged


def chosen(overrides: dict[str, Any]) -> dict[str, Any]:
    """Overrides without the keys left at null, which mean "as the profile says"."""
    inner = {key: chosen(v) if isinstance(v, dict) else v for key, v in overrides.items()}
    return {key: value for key, value in inner.items() if value is not None}


def resolve(profile: str, overrides: dict[str, Any], profiles: Path = paths.PROFILES) -> Profile:
    """The checked profile with overrides applied; ConfigError names the offending key."""
    known = sorted(path.stem for path in profiles.glob("*.yaml"))
    if profile not in known:
        raise ConfigError(
            f"params.yaml: profile: '{profile}' is unknown. Known: {', '.join(known)}."
        )
    values = read_yaml(profiles / f"{profile}.yaml")
    try:
        refuse_reserved(values, profile)
        refuse_reserved(overrides, "overrides")
        refuse_unknown(Profile, overrides, "params.yaml: overrides")
        return parse(Profile, overlay(values, chosen(overrides)), profile)
    except RecursionError as error:
        raise ConfigError(
            f"params.yaml or {profile}.yaml: sections nested too deeply, or an alias that holds "
            "itself."
        ) from error


def load(kind: type[S], section: str, path: Path = paths.RESOLVED) -> S:
    """One section of ``resolved.yaml`` as its dataclass, e.g. ``load(TrainSft, "train_sft")``."""
    values = read_yaml(path)
    if section not in values:
        raise ConfigError(
            f"{path}: section '{section}' is missing. Run `dvc repro resolve_config`."
        )
    return parse(kind, values[section], section)
