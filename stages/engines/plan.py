"""What a profile needs (parameters, memory, tokens a step), and refusing a machine too small.

A profile is never shrunk to fit. On a machine without its GPUs the plan is printed and the stage
ends with a ResourceError. As a command it says what fits where on so many nodes, which bytes move
and how long a step of RL takes, by formula (docs/scale.md), with all that it assumes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import fields, replace

from stages.base.cluster_params import Cluster
from stages.base.errors import ConfigError, EverystepError, ResourceError
from stages.base.events import say
from stages.base.params import (
    Architecture,
    Engine,
    Profile,
    ReinforcementLearning,
    Run,
    resolve,
)
from stages.base.paths import RESOLVED
from stages.base.schema import parse
from stages.base.yaml_file import read_yaml
from stages.engines.costs import Layout, Machine
from stages.engines.forecast import (
    PROMPT,
    SPREAD,
    USABLE,
    Task,
    arrange,
    forecast,
    lengths_of,
)
from stages.engines.sizes import (
    GIB,
    TRAINING_BYTES,
    cache_bytes,
    count_parameters,
    readable,
    training_bytes,
)


def resource_plan(profile: Profile) -> str:
    """What a profile asks of a machine, in lines; says whether its own hardware holds it."""
    run, shape = profile.run, profile.make_base_model.architecture
    hardware = run.hardware
    gpus = hardware.nodes * hardware.gpus_per_node
    lines = [
        f"hardware      {hardware.nodes} node(s) x {hardware.gpus_per_node} GPU(s) of "
        f"{hardware.gpu_memory_gib:g} GiB; {hardware.ram_gib:g} GiB of memory a node",
    ]
    if shape is not None:
        lines += _model_lines(shape, profile)
        lines += _gpu_lines(shape, profile, gpus) if gpus else []
    lines += [
        f"SFT step      {profile.train_sft.rows_per_step} x {profile.pack_sft.length:,} tokens = "
        f"{profile.train_sft.rows_per_step * profile.pack_sft.length:,}",
        _rl_line("reasoning RL", profile.train_reasoning_rl),
        _rl_line("general RL", profile.train_general_rl),
    ]
    return "\n".join(lines)


def _model_lines(shape: Architecture, profile: Profile) -> list[str]:
    counts, precision = count_parameters(shape), profile.train_sft.precision
    sizes = TRAINING_BYTES[precision].items()
    parts = ", ".join(f"{name} {readable(counts.total * size)}" for name, size in sizes)
    context = profile.engine.context
    return [
        f"parameters    {counts.total:,} in all, {counts.active:,} a token",
        f"training      {parts} ({precision})",
        f"cache         {readable(cache_bytes(shape, context))} a sequence of {context:,} tokens",
    ]


def _gpu_lines(shape: Architecture, profile: Profile, gpus: int) -> list[str]:
    memory = profile.run.hardware.gpu_memory_gib
    cluster, parallel = profile.run.cluster, profile.engine.tensor_parallel
    apart = cluster.layout == "disaggregated"
    used = (max, sum)[apart]((cluster.trainers, cluster.engines * parallel))
    ranks, precision = cluster.trainers, profile.train_sft.precision
    training, sampling = gpu_needs(shape, profile.engine, ranks, precision)
    most = max(training, sampling) if apart else training + sampling
    fits = most <= USABLE * memory * GIB and used <= gpus
    return [
        f"GPUs          {used} of {gpus}: {ranks} trainer rank(s), {cluster.engines} engine(s) of "
        f"{parallel}, {cluster.layout}",
        f"each GPU      training {readable(training)} before activations (ZeRO-3 over {ranks}), "
        f"sampling {readable(sampling)} (weights over {parallel}, and cache)",
        f"memory fits   {'yes, without activations' if fits else 'NO'}: {USABLE:.0%} of "
        f"{memory:g} GiB may be used; all of it: python -m stages.engines.plan",
    ]


def gpu_needs(
    shape: Architecture, engine: Engine, ranks: int, precision: str
) -> tuple[float, float]:
    """Bytes a GPU holds for training over so many ranks, and for sampling."""
    total = count_parameters(shape).total
    training = sum(training_bytes(total, precision, 3, ranks).values())
    sampling = total * 2 / engine.tensor_parallel + engine.cache_gib * GIB
    return training, sampling


def _rl_line(name: str, config: ReinforcementLearning) -> str:
    rollouts = config.prompts_per_step * config.rollouts_per_prompt
    limit = rollouts * config.max_tokens
    return (
        f"{name:<13} {config.prompts_per_step} x {config.rollouts_per_prompt} rollouts of up to "
        f"{config.max_tokens:,} tokens = {limit:,}; token budget {config.token_budget:,} "
        f"({config.token_budget / limit:.1%} of it)"
    )


def refuse_if_too_small(run: Run) -> None:
    """ResourceError with the plan if this machine lacks the GPUs or the memory of the profile."""
    hardware, lacking = run.hardware, []
    if hardware.gpus_per_node > 0 and (found := _gpus()) < hardware.gpus_per_node:
        lacking.append(f"{hardware.gpus_per_node} GPUs a node are asked for, {found} are here")
    if hardware.ram_gib > (found_gib := _memory_gib()):
        lacking.append(
            f"{hardware.ram_gib:g} GiB of memory are asked for, {found_gib:.1f} are here"
        )
    if lacking:
        plan = resource_plan(parse(Profile, _without_name(), str(RESOLVED)))
        raise ResourceError(
            f"this machine is too small for the profile: {'; '.join(lacking)}.\n{plan}\n"
            "Run it where that is available, or choose another profile in params.yaml."
        )


def _without_name() -> dict[str, object]:
    return {name: value for name, value in read_yaml(RESOLVED).items() if name != "profile"}


def _gpus() -> int:
    import torch  # noqa: PLC0415  heavy

    return torch.cuda.device_count()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB


def task_of(profile: Profile, options: argparse.Namespace, cluster: Cluster | None = None) -> Task:
    """A profile's RL stage on the nodes that were asked for, which ranks and engines fill.

    ``cluster``: another than the profile's. ConfigError if the profile describes no model or the
    nodes have no GPUs.
    """
    hardware, shape = profile.run.hardware, profile.make_base_model.architecture
    if shape is None:
        raise ConfigError(
            f"profile {options.profile}: make_base_model.architecture is not given. A plan needs "
            "the shape of the model."
        )
    per_node = hardware.gpus_per_node if options.gpus_per_node is None else options.gpus_per_node
    nodes = options.nodes or hardware.nodes
    if per_node < 1:
        raise ConfigError(
            f"profile {options.profile} asks for no GPUs. Give --gpus-per-node (1 for a node that "
            "computes on its CPU, with --gpu-memory-gib and --peak-tflops of that node)."
        )
    engine = replace(
        profile.engine, tensor_parallel=options.tensor_parallel or profile.engine.tensor_parallel
    )
    config: ReinforcementLearning = getattr(profile, options.stage)
    if options.zero_stage is not None:
        config = replace(config, zero_stage=options.zero_stage)
    cluster = cluster or profile.run.cluster
    layout, ahead = options.layout or cluster.layout, options.ahead_steps
    if ahead is None:
        ahead = cluster.ahead_steps if layout == "disaggregated" else 0
    asked = replace(cluster, layout=layout, ahead_steps=ahead)
    filled = arrange(asked, nodes, per_node, engine.tensor_parallel)
    filled = replace(
        filled,
        trainers=options.trainers or filled.trainers,
        engines=options.engines or filled.engines,
    )
    return Task(
        profile=replace(profile, engine=engine),
        shape=shape,
        config=config,
        layout=Layout(
            nodes,
            per_node,
            filled.trainers,
            filled.engines,
            engine.tensor_parallel,
            config.zero_stage,
            colocated=filled.layout == "colocated",
        ),
        cluster=cluster,
        filled=filled,
        machine=_machine(profile, options),
        lengths=lengths_of(config, options.median, options.spread),
        prompt=options.prompt,
    )


def _machine(profile: Profile, options: argparse.Namespace) -> Machine:
    """The rates given, the profile's memory, else the defaults."""
    hardware = profile.run.hardware
    known = {"gpu_memory_gib": hardware.gpu_memory_gib, "ram_gib": hardware.ram_gib}
    given = {one.name: getattr(options, one.name) for one in fields(Machine)}
    chosen = {name: known.get(name) if value is None else value for name, value in given.items()}
    for name, value in given.items():
        if value is not None and value <= 0:
            raise ConfigError(f"--{name.replace('_', '-')} {value:g}: it must be more than 0.")
    return replace(Machine(), **{name: value for name, value in chosen.items() if value})


def parser() -> argparse.ArgumentParser:
    """The command line; one option a rate of :class:`stages.engines.costs.Machine`."""
    made = argparse.ArgumentParser(
        prog="python -m stages.engines.plan",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--profile", default="ring_1t", help="default: %(default)s")
    made.add_argument(
        "--stage",
        choices=("train_reasoning_rl", "train_general_rl"),
        default="train_reasoning_rl",
        help="default: %(default)s",
    )
    made.add_argument("--nodes", type=int, help="default: the profile's")
    made.add_argument("--gpus-per-node", type=int, help="default: the profile's")
    made.add_argument("--layout", choices=("colocated", "disaggregated"))
    made.add_argument("--trainers", type=int, help="ranks, a GPU each; default: all that fit")
    made.add_argument("--engines", type=int, help="default: all that fit")
    made.add_argument("--tensor-parallel", type=int, help="GPUs of an engine")
    made.add_argument("--zero-stage", type=int, choices=(0, 1, 2, 3))
    made.add_argument("--ahead-steps", type=int, help="engine steps during an update")
    lengths = made.add_argument_group("responses, lognormal")
    lengths.add_argument("--median", type=float, default=0.0, help="default: max_tokens / 8")
    lengths.add_argument("--spread", type=float, default=SPREAD, help="default: %(default)s")
    lengths.add_argument("--prompt", type=float, default=PROMPT, help="default: %(default)s")
    rates = made.add_argument_group("the machine")
    for one in fields(Machine):
        rates.add_argument(
            f"--{one.name.replace('_', '-')}",
            type=float,
            metavar="X",
            help=f"{one.metadata['what']} (default: {one.default:g})",
        )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the forecast; 2 with one plain message when there can be none."""
    options = parser().parse_args(arguments)
    try:
        _require_sensible(options)
        profile = resolve(options.profile, {})
        sys.stdout.write(f"{forecast(task_of(profile, options))}\n")
    except EverystepError as error:
        say(f"plan: {error}")
        return 2
    return 0


def _require_sensible(options: argparse.Namespace) -> None:
    for name in ("nodes", "trainers", "engines", "tensor_parallel", "spread", "prompt"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise ConfigError(f"--{name.replace('_', '-')} {value}: it must be more than 0.")


if __name__ == "__main__":
    sys.exit(main())
