"""Check params.yaml and its profile against the schema; write resolved.yaml, one section a stage.

Every later stage depends on its own section of resolved.yaml only, so that changing one stage's
parameter reruns that stage and what follows it, nothing else.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from stages.base.artifacts import workspace
from stages.base.benchmark_params import BuildBenchmarks
from stages.base.command import stage_main
from stages.base.errors import ConfigError
from stages.base.events import say
from stages.base.params import Profile, chosen, resolve
from stages.base.paths import PARAMS, PROFILES, RESOLVED
from stages.base.schema import meant
from stages.base.yaml_file import read_yaml
from stages.cleaning import inputs
from stages.engines.plan import resource_plan
from stages.problems import schemas
from stages.problems.registry import require_known

STAGE = "resolve_config"
HEADER = "# Written by `python -m stages.resolve_config`. Edit params.yaml or profiles/ instead.\n"


def read_choice(path: Path = PARAMS) -> tuple[str, dict[str, Any]]:
    """``(profile name, overrides)`` of params.yaml; any other key is a ConfigError."""
    values = read_yaml(path)
    for key in values:
        if key not in ("profile", "overrides"):
            raise ConfigError(f"{path}: {key}: unknown key. Known keys: profile, overrides.")
    profile, overrides = values.get("profile"), values.get("overrides")
    overrides = {} if overrides is None else overrides
    if not isinstance(profile, str):
        raise ConfigError(f"{path}: profile: expected the name of a file in {PROFILES}/.")
    if not isinstance(overrides, dict):
        raise ConfigError(f"{path}: overrides: expected a section of keys, found {overrides!r}.")
    return profile, overrides


def plain(value: Any) -> Any:
    """Nested values with tuples as lists: what YAML can say without tags."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def render(name: str, profile: Profile) -> str:
    """Write resolved.yaml as text: sections in the order of the road, every default spelled out."""
    sections = {"profile": name, **plain(asdict(profile))}
    return HEADER + yaml.safe_dump(sections, sort_keys=False, allow_unicode=True, width=100)


def refuse_early(profile: Profile) -> None:
    """Refuse what a later stage could only refuse, perhaps after hours of training."""
    sft, rl = profile.build_sft_data, profile.build_rl_data
    require_known(profile.build_benchmarks.problems, "build_benchmarks.problems")
    for domain, families in sft.families.items():
        require_known(families, f"build_sft_data.families.{domain}")
    require_known(rl.families, "build_rl_data.families")
    inputs.require_usable(sft.sources, sft.mixture)
    schemas.require_usable(rl.sources, "build_rl_data.sources", profile.run.notation)
    looked_at = profile.check_data
    schemas.require_usable(looked_at.rl, "check_data.rl", "text")
    for source in (*sft.sources, *rl.sources, *looked_at.sft, *looked_at.rl):
        inputs.source_files(source)
    context, asked = profile.engine.context, profile.run_benchmarks
    for stage in ("build_rl_data", "train_reasoning_rl", "train_general_rl"):
        _require_room(f"{stage}.max_tokens", getattr(profile, stage).max_tokens, context)
    longest, whose = asked.context or context, "engine.context"
    if asked.context:
        whose = "run_benchmarks.context"
    _require_room("run_benchmarks.max_tokens", asked.max_tokens, longest, whose)
    listed = _benchmarks(profile.build_benchmarks)
    for name, one in asked.each.items():
        if name not in listed:
            raise ConfigError(
                f"run_benchmarks.each.{name}: build_benchmarks names no such benchmark."
                f"{meant(name, listed)} A mini set ends in _mini."
            )
        key, window = f"run_benchmarks.each.{name}", (longest, whose)
        if one.context and one.context < longest:
            window = (one.context, f"{key}.context")
        _require_room(f"{key}.max_tokens", one.max_tokens or asked.max_tokens, *window)


def _benchmarks(config: BuildBenchmarks) -> list[str]:
    """The names that the registry will have."""
    published = [f"{n}_mini" if one.data == "mini" else n for n, one in config.published.items()]
    preference = ["preference"] if config.preference_prompts else []
    return [*(name for name, count in config.problems.items() if count), *preference, *published]


def _require_room(key: str, most: int | None, context: int, whose: str = "engine.context") -> None:
    """ConfigError if the longest response fills the window; None: it ends with the window."""
    if most is not None and most >= context:
        raise ConfigError(
            f"{key}: {most} leaves no room for a prompt in {whose}, {context} tokens. "
            "Lower it, or raise the context."
        )


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Resolve, then write or (``--check``) only show."""
    name, overrides = read_choice()
    profile = resolve(name, overrides)
    refuse_early(profile)
    text = render(name, profile)
    changed = ", ".join(name for name, keys in chosen(overrides).items() if keys) or "nothing"
    say(f"{STAGE}: profile {name}, seed {profile.run.seed}, overridden: {changed}")
    if profile.run.hardware.gpus_per_node > 0:
        say(resource_plan(profile))
    if options.check:
        sys.stdout.write(text)
        sys.exit(0)
    with workspace(STAGE, {}, [PARAMS, PROFILES / f"{name}.yaml"], [RESOLVED]) as space:
        space.out(RESOLVED).write_text(text, encoding="utf-8")
    return {}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``--check``: show what would be written."""
    parser.add_argument("--check", action="store_true", help="print the result, write nothing")


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
