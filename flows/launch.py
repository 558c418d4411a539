"""Start a run on a cluster: ``python -m flows.launch {ray,kubernetes,slurm}``.

The run is ``dvc repro``, of everything or of ``--targets``, on the nodes that the profile in
params.yaml asks for (``run.hardware``). The doctor looks at the cluster first. A run that was
killed is started by the same command, and goes on from the last checkpoint.

ray         A Ray cluster that stands. The run's controller is started here, on a node of it, and
            ends with this command. It is not handed in as a Ray job: that takes the dashboard,
            which the locked packages are without, and would hide the run's output and end from
            who started it; the head's loss ends both alike.
kubernetes  A RayJob for the KubeRay operator (deploy/ray/rayjob.yaml), handed to ``kubectl``.
slurm       A batch script (deploy/ray/slurm.sh), handed to ``sbatch``.

``--dry-run`` prints what would be run, for a look or for changes of one's own. ``--follow`` stays
until the run has ended, with its status, and ends the run if it is stopped itself.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.jobs import DOCTOR, LAUNCHED, Job, ray_job, read_job, slurm_script
from flows.processes import Trees, only_one
from stages.base.artifacts import SCRATCH
from stages.base.errors import ConfigError, EverystepError, ResourceError
from stages.base.events import say

LOCK = SCRATCH / "run.lock"  # of a run in this folder, as in flows/pipeline.py
EVERY = 15.0  # seconds between two questions after a job
DEAF = 20  # questions in a row without an answer after which nobody is asked any more
SPEAKING = 60.0  # seconds kubectl, sbatch and squeue may take


@dataclass(frozen=True)
class Submitted:
    """A job that was handed in: its name, how it stands, and how to end it.

    ``stands`` gives a word for people, and the exit status once the job has ended.
    """

    name: str
    stands: Callable[[], tuple[str, int | None]]
    end: Sequence[str]


# --- a Ray cluster that stands


def commands_here(job: Job, address: str) -> list[list[str]]:
    """The doctor, then the run, for a node of the cluster at ``address``."""
    doctor = [*DOCTOR, "--address", address, "--nodes", str(job.run.hardware.nodes)]
    return [[sys.executable, *command[1:]] for command in (doctor, job.command)]


def find_address(job: Job, given: str) -> str:
    """The head's HOST:PORT: given, the profile's, or RAY_ADDRESS; ConfigError if there is none."""
    address = given or job.cluster.address or os.environ.get("RAY_ADDRESS", "")
    if not address:
        raise ConfigError(
            "no cluster is named. Give --address HOST:6379 of its head, set run.cluster.address, "
            "or RAY_ADDRESS."
        )
    return address


def run_here(commands: Sequence[Sequence[str]], address: str) -> int:
    """Run one after the other until one fails; all of them end with this process."""
    trees = Trees()
    with only_one(f"a run on the cluster at {address}", LOCK), trees.scope():
        for command in commands:
            sys.stdout.flush()
            with trees.run(command, sys.stdout, RAY_ADDRESS=address) as process:
                if code := process.wait():
                    return code
    return 0


# --- Slurm and Kubernetes


def ask(command: Sequence[str], given: str = "") -> str:
    """What a command of the cluster's says; ResourceError if it is not here, fails, or hangs."""
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=SPEAKING, check=False
        )
    except FileNotFoundError as error:
        raise ResourceError(
            f"{command[0]} is not on this machine. Go where it is, or take the text with "
            "--dry-run and submit it there."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise ResourceError(f"{command[0]} did not answer within {SPEAKING:.0f} s.") from error
    if done.returncode:
        raise ResourceError(f"`{shlex.join(command)}` failed: {done.stderr.strip()}")
    return done.stdout.strip()


def submit_slurm(job: Job, options: Sequence[str]) -> Submitted:
    """Hand the script to ``sbatch``, with options of the site's own."""
    (Path.cwd() / LAUNCHED).mkdir(parents=True, exist_ok=True)
    number = ask(["sbatch", "--parsable", *options], slurm_script(job)).partition(";")[0]
    say(f"Slurm job {number}. Its log: {LAUNCHED}/slurm-{number}.log; to end it: scancel {number}")
    return Submitted(number, lambda: slurm_stands(number), ["scancel", number])


def slurm_stands(number: str) -> tuple[str, int | None]:
    """Slurm's word for a job, or how it ended, which the job has left in the shared folder."""
    listed = ask(["squeue", "--noheader", "--format=%i %T", "--me"])
    words = dict(line.split() for line in listed.splitlines())
    if number in words:
        return words[number], None
    status = LAUNCHED / f"{number}.status"
    if status.is_file():
        code = int(status.read_text(encoding="ascii"))
        return f"ended with {code}", code
    return "was ended from outside, or could not start: see its log", 1


def submit_kubernetes(job: Job, manifest: str, namespace: str) -> Submitted:
    """Hand the manifest to ``kubectl``; a job of the same name must be deleted first."""
    in_space = ["--namespace", namespace] if namespace else []
    ask(["kubectl", "create", *in_space, "--filename", "-"], manifest)
    resource = [*in_space, f"rayjobs.ray.io/{job.name}"]
    delete = ["kubectl", "delete", *resource]
    say(f"RayJob {job.name}. How it stands: {shlex.join(['kubectl', 'get', *resource])}")
    say(f"To end it, and before it can be started again: {shlex.join(delete)}")
    return Submitted(job.name, lambda: kubernetes_stands(resource), delete)


def kubernetes_stands(resource: Sequence[str]) -> tuple[str, int | None]:
    """KubeRay's word for a job."""
    path = "jsonpath={.status.jobDeploymentStatus}"
    word = ask(["kubectl", "get", *resource, "--output", path]) or "Submitted"
    return word, {"Complete": 0, "Failed": 1, "ValidationFailed": 1}.get(word)


def follow(job: Submitted) -> int:
    """Wait for a job's end and say how it stands; end the job if we are stopped ourselves."""
    last, unanswered = "", 0
    code: int | None = None
    try:
        while code is None:
            try:
                word, code = job.stands()
                unanswered = 0
            except ResourceError as error:
                unanswered += 1
                if unanswered == DEAF:
                    raise
                word = f"no answer ({error})"
            if word != last:
                say(f"{job.name}: {word}")
                last = word
            if code is None:
                time.sleep(EVERY)
    finally:
        if code is None:
            say(f"{job.name}: ending it, since nobody follows it any more")
            ask(job.end)
    return code


# --- the command


def launch(options: argparse.Namespace) -> int:
    """Start a run as the command line asks; its exit status, or 0 if it was only handed in."""
    job = read_job(options.targets or (), options.name, options.retries)
    if options.where == "ray":
        address = find_address(job, options.address)
        commands = commands_here(job, address)
        if options.dry_run:
            lines = [f"RAY_ADDRESS={address} {shlex.join(command)}" for command in commands]
            sys.stdout.write("\n".join(lines) + "\n")
            return 0
        return run_here(commands, address)
    if options.where == "kubernetes":
        text = ray_job(job, options.image, options.claim, options.folder)
    else:
        text = slurm_script(job)
    if options.dry_run:
        sys.stdout.write(text)
        return 0
    if options.where == "kubernetes":
        submitted = submit_kubernetes(job, text, options.namespace)
    else:
        submitted = submit_slurm(job, options.sbatch)
    return follow(submitted) if options.follow else 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m flows.launch",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--targets", nargs="+", metavar="STAGE", help="these and what they need")
    shared.add_argument("--dry-run", action="store_true", help="print what would be run")
    places = parser.add_subparsers(dest="where", required=True, metavar="{ray,kubernetes,slurm}")
    ray = places.add_parser("ray", parents=[shared], help="on a Ray cluster that stands")
    ray.add_argument(
        "--address",
        default="",
        help="HOST:PORT of its head (default: run.cluster.address, or RAY_ADDRESS)",
    )
    ray.set_defaults(name="everystep", retries=0)
    queued = argparse.ArgumentParser(add_help=False)
    queued.add_argument("--name", default="everystep", help="of the job (default: everystep)")
    queued.add_argument(
        "--retries", type=int, default=2, help="new starts after a failure (default: 2)"
    )
    queued.add_argument("--follow", action="store_true", help="until it ends; end it if stopped")
    kubernetes = places.add_parser("kubernetes", parents=[shared, queued], help="by KubeRay")
    kubernetes.add_argument("--image", required=True, help="of deploy/ray/Dockerfile")
    kubernetes.add_argument("--claim", required=True, help="the shared volume with the project")
    kubernetes.add_argument(
        "--folder", default="/everystep", help="of the project in the pods (default: /everystep)"
    )
    kubernetes.add_argument("--namespace", default="", help="default: kubectl's own")
    slurm = places.add_parser("slurm", parents=[shared, queued], help="as a batch job")
    slurm.add_argument(
        "--sbatch",
        action="append",
        default=[],
        metavar="OPTION",
        help="an option of the site's, as --sbatch=--partition=gpu; may be given several times",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """The run's exit status; 2 with one plain message when it could not be started."""
    try:
        return launch(parse_arguments(arguments))
    except EverystepError as error:
        say(f"launch: {error}")
        return 2
    except KeyboardInterrupt:
        say("launch: stopped. The same command goes on from the last checkpoint.")
        return 130


if __name__ == "__main__":
    sys.exit(main())
