"""What a run asks of a cluster, and the texts that ask for it: a RayJob and a Slurm script.

Nodes, GPUs and memory are the profile's (``run.hardware``); the texts are deploy/ray/, filled in.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from stages.base.artifacts import SCRATCH
from stages.base.cluster_params import Cluster
from stages.base.errors import ConfigError
from stages.base.params import Run, resolve
from stages.base.paths import PARAMS
from stages.base.schema import meant
from stages.base.yaml_file import read_yaml

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "deploy/ray"
LAUNCHED = SCRATCH / "launch"
"""Logs of Slurm jobs, and how they ended; on the shared folder, where all nodes write it."""
REPRODUCE = ("python", "-m", "dvc", "repro")
DOCTOR = ("python", "-m", "stages.engines.doctor")
WAIT = 900  # seconds for all nodes to come


@dataclass(frozen=True)
class Job:
    """One run: what, of which profile, with how many new starts after a failure."""

    run: Run
    targets: tuple[str, ...]
    name: str = "everystep"
    retries: int = 2

    @property
    def command(self) -> list[str]:
        """What the run is; it goes on from the last checkpoint of whichever stage was killed."""
        return [*REPRODUCE, *self.targets]

    @property
    def cluster(self) -> Cluster:
        """The profile's settings of the cluster."""
        return self.run.cluster


def read_job(targets: Sequence[str], name: str, retries: int) -> Job:
    """The run that params.yaml asks for; ConfigError before it waits in a queue for nothing."""
    values = read_yaml(PARAMS)
    profile = str(values.get("profile"))
    run = resolve(profile, values.get("overrides") or {}).run
    if run.runtime != "ray":
        raise ConfigError(
            f"profile {profile}: run.runtime is '{run.runtime}': it runs on one machine "
            "(`dvc repro`). For a cluster set overrides.run.runtime: ray in params.yaml."
        )
    known = read_yaml(Path("dvc.yaml")).get("stages") or {}
    for target in targets:
        if target.partition("@")[0] not in known:
            raise ConfigError(f"no stage is called '{target}'.{meant(target, known)}")
    if not re.fullmatch(r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?", name):
        raise ConfigError(
            f"--name {name}: lower-case letters, digits and hyphens, 40 at most, beginning with "
            "a letter."
        )
    if retries < 0:
        raise ConfigError(f"--retries {retries}: 0 or more.")
    return Job(run, tuple(targets), name, retries)


def slurm_script(job: Job) -> str:
    """The text for ``sbatch``."""
    hardware = job.run.hardware
    return _filled(
        "slurm.sh",
        name=job.name,
        nodes=hardware.nodes,
        gpus=hardware.gpus_per_node,
        retries=job.retries,
        interface=shlex.quote(job.cluster.interface),
        command=shlex.join(job.command),
        folder=shlex.quote(str(Path.cwd())),
        log=Path.cwd() / LAUNCHED / "slurm-%j.log",
        wait=WAIT,
    )


def ray_job(job: Job, image: str, claim: str, folder: str) -> str:
    """The manifest for ``kubectl``: ``folder`` is where the volume ``claim`` has the project."""
    if not folder.startswith("/"):
        raise ConfigError(f"--folder {folder}: where the project lies in the pods, from the root.")
    hardware = job.run.hardware
    threads = hardware.training_threads * max(1, hardware.gpus_per_node)
    limits: dict[str, str] = {
        "cpu": str(threads + hardware.verifier_processes),
        "memory": f"{hardware.ram_gib * 1024:.0f}Mi",
    }
    if hardware.gpus_per_node:
        limits["nvidia.com/gpu"] = str(hardware.gpus_per_node)
    doctor = [*DOCTOR, "--nodes", str(hardware.nodes), "--wait", str(WAIT)]
    steps = [["cd", folder], doctor, job.command]
    return _filled(
        "rayjob.yaml",
        name=job.name,
        entrypoint=json.dumps(" && ".join(shlex.join(step) for step in steps)),
        retries=job.retries,
        ray=json.dumps(ray_version()),
        image=json.dumps(image),
        claim=json.dumps(claim),
        folder=json.dumps(folder),
        resources=json.dumps({"requests": limits, "limits": limits}),
        shm=json.dumps(f"{hardware.ram_gib * 512:.0f}Mi"),  # half of the memory
        workers=hardware.nodes - 1,
    )


def ray_version() -> str:
    """The version of Ray that the image has: the one locked for machines with GPUs."""
    locked = (ROOT / "requirements/gpu.txt").read_text(encoding="utf-8")
    found = re.search(r"^ray==(\S+)", locked, re.MULTILINE)
    assert found is not None, "requirements/gpu.txt names no ray"
    return found[1]


def _filled(template: str, **values: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701  no page: each value is quoted for its language above
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values)
