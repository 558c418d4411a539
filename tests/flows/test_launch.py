"""A launch: what it refuses, the texts it hands in, and the Slurm script on nodes that are none."""

from __future__ import annotations

import contextlib
import copy
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from flows import jobs, launch
from stages.base.errors import ResourceError
from tests.flows.conftest import wait_until
from tests.tables import each

ROOT = Path(__file__).parents[2]
VERSIONS = ("1.32", "1.37")
FIELDS = {
    "spec": {
        *("entrypoint", "backoffLimit", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished"),
        "rayClusterSpec",
    },
    "rayClusterSpec": {"rayVersion", "authOptions", "headGroupSpec", "workerGroupSpecs"},
    "headGroupSpec": {"rayStartParams", "template"},
    "workerGroupSpecs": {
        *("groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"),
    },
}
"""Those of KubeRay's definition of a RayJob (1.5.1 to 1.7) that are used here, and no others."""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the profiles and stages of this project, set to two nodes of eight GPUs."""
    monkeypatch.chdir(tmp_path)
    for name in ("profiles", "dvc.yaml"):
        Path(name).symlink_to(ROOT / name)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    choose({})
    return tmp_path


def choose(run, profile="ring_mini"):
    values = {"profile": profile, "overrides": {"run": run}}
    Path("params.yaml").write_text(yaml.safe_dump(values))


def launched(capfd, *arguments):
    code = launch.main(arguments)
    said = capfd.readouterr()
    return code, said.out, said.err


POD = ("kubernetes", "--image", "registry/everystep:1", "--claim", "everystep")


@each(
    "arguments, words",
    [
        (("ray", "--dry-run"), "Give --address HOST:6379"),
        (("ray", "--address", "h:1", "--targets", "train_stf"), "Did you mean 'train_sft'?"),
        (("slurm", "--name", "My run"), "lower-case letters"),
        (("slurm", "--retries", "-1"), "0 or more"),
        ((*POD, "--folder", "here"), "from the root"),
    ],
)
def test_what_cannot_run_is_refused_before_it_waits_in_a_queue(arguments, words, project, capfd):
    code, out, err = launched(capfd, *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_a_profile_for_one_machine_is_not_taken_to_a_cluster(project, capfd):
    choose({}, profile="tiny")
    code, _, err = launched(capfd, "slurm", "--dry-run")
    assert (code, "overrides.run.runtime: ray" in err) == (2, True)


def test_a_cluster_that_stands_gets_the_doctor_then_the_run(project, capfd, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    code, out, _ = launched(capfd, "ray", "--dry-run", "--targets", "train_sft", "pack_sft")
    doctor, run = out.splitlines()
    assert code == 0
    assert doctor.endswith("-m stages.engines.doctor --address 10.0.0.1:6379 --nodes 2")
    assert run.endswith("-m dvc repro train_sft pack_sft")
    assert all(line.startswith("RAY_ADDRESS=10.0.0.1:6379 ") for line in (doctor, run))


def test_commands_run_one_after_the_other_until_one_fails(project, capfd):
    shown = ["sh", "-c", "echo $RAY_ADDRESS >> seen"]
    commands = [shown, ["sh", "-c", "echo second >> seen; exit 3"], shown]
    assert launch.run_here(commands, "10.0.0.1:6379") == 3
    assert Path("seen").read_text().split() == ["10.0.0.1:6379", "second"]
    with launch.only_one("the pipeline", launch.LOCK):
        with pytest.raises(ResourceError, match="another process is at work in this folder"):
            launch.run_here(commands, "10.0.0.1:6379")


def test_the_lock_is_that_of_the_pipeline():
    from flows import pipeline

    assert launch.LOCK == pipeline.LOCK


# --- Kubernetes


def manifest(capfd, *arguments):
    code, out, err = launched(capfd, *POD, "--dry-run", *arguments)
    assert code == 0, err
    return yaml.safe_load(out)


def groups(found):
    cluster = found["spec"]["rayClusterSpec"]
    return [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]


@each("version", VERSIONS)
def test_every_pod_of_the_ray_job_fits_kubernetes_schema(version, project, capfd):
    schema = pytest.importorskip("kubernetes_validate", reason="Kubernetes' schemas are not here")
    for group in groups(manifest(capfd)):
        pod = {"apiVersion": "v1", "kind": "Pod", **group["template"]}
        pod["metadata"] = {"name": "node", **pod["metadata"]}
        schema.validate(pod, version, strict=True)
        wrong = copy.deepcopy(pod)
        wrong["spec"]["containers"][0]["volumeMount"] = []
        with pytest.raises(schema.ValidationError):
            schema.validate(wrong, version, strict=True)


def test_the_ray_job_has_the_fields_of_kuberay_and_the_nodes_of_the_profile(project, capfd):
    found = manifest(capfd, "--targets", "train_sft", "--retries", "4", "--name", "mine")
    cluster = found["spec"]["rayClusterSpec"]
    assert (found["apiVersion"], found["kind"]) == ("ray.io/v1", "RayJob")
    assert found["metadata"]["name"] == "mine"
    assert set(found["spec"]) == FIELDS["spec"]
    assert set(cluster) == FIELDS["rayClusterSpec"]
    assert set(cluster["headGroupSpec"]) == FIELDS["headGroupSpec"]
    (workers,) = cluster["workerGroupSpecs"]
    assert set(workers) == FIELDS["workerGroupSpecs"]
    assert {workers[f"{name}eplicas"] for name in ("r", "minR", "maxR")} == {1}
    assert found["spec"]["backoffLimit"] == 4
    assert found["spec"]["entrypoint"] == (
        "cd /everystep && python -m stages.engines.doctor --nodes 2 --wait 900 && "
        "python -m dvc repro train_sft"
    )
    assert cluster["authOptions"] == {"mode": "token"}
    for requirements in ("cpu", "gpu"):
        locked = (ROOT / f"requirements/{requirements}.txt").read_text()
        assert f"\nray=={cluster['rayVersion']}\n" in locked


def test_every_node_has_the_gpus_the_shared_folder_and_shared_memory(project, capfd):
    for group in groups(manifest(capfd)):
        spec = group["template"]["spec"]
        (container,) = spec["containers"]
        assert container["image"] == "registry/everystep:1"
        assert container["resources"]["limits"] == container["resources"]["requests"]
        assert container["resources"]["limits"]["nvidia.com/gpu"] == "8"
        assert container["resources"]["limits"]["memory"] == f"{900 * 1024}Mi"
        mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
        volumes = {one["name"]: one for one in spec["volumes"]}
        claim = volumes[mounts["/everystep"]]["persistentVolumeClaim"]["claimName"]
        assert claim == "everystep"
        assert volumes[mounts["/dev/shm"]]["emptyDir"]["medium"] == "Memory"
        assert {"name": "PYTHONPATH", "value": "/everystep"} in container["env"]
        params = group["rayStartParams"]
        assert all(isinstance(value, str) for value in params.values())
        ports = [int(value) for key, value in params.items() if key.endswith("port")]
        assert max(ports) < 32768, "above are the kernel's own"


def test_a_cluster_of_one_node_without_gpus_asks_for_none(project, capfd):
    choose({"hardware": {"nodes": 1, "gpus_per_node": 0}})
    found = manifest(capfd)
    (workers,) = found["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert workers["replicas"] == 0
    assert "nvidia.com/gpu" not in str(groups(found)[0]["template"]["spec"]["containers"])
    code, script, _ = launched(capfd, "slurm", "--dry-run")
    assert (code, "gpus-per-node" in script, "--num-gpus" in script) == (0, False, False)


# --- Slurm: the rendered script, with nodes, Ray and the run played by small programs

PLAYED = {
    "scontrol": """
        [ "$1" = show ] && for node in n1 n2 n3; do echo $node; done
        [ "$1" = show ] || echo "scontrol $*" >> $LOG""",
    "srun": """
        nodes="n1 n2 n3"; options=
        while [ "${1#--}" != "$1" ]; do
          case "$1" in
            --nodelist=*) nodes=${1#*=};;
            --exclude=*) nodes=$(echo $nodes | sed "s/${1#*=}//");;
          esac
          shift
        done
        trap 'kill $(jobs -p) 2> /dev/null' TERM EXIT
        for node in $nodes; do PLAYED=$node "$@" & done
        code=0
        for step in $(jobs -p); do wait $step || code=$?; done
        exit $code""",
    "ray": """
        [ "$1" = health-check ] && exec grep --quiet -e --head $LOG
        echo "$PLAYED ray $*" >> $LOG
        exec sleep 600""",
    "python": """
        case "$2" in
          stages.engines.cluster.addresses) echo "$PLAYED $*" >> $LOG; echo 10.0.0.${PLAYED#n};;
          stages.engines.doctor) echo "$PLAYED $* at $RAY_ADDRESS" >> $LOG; exit ${DOCTOR:-0};;
          dvc) echo "$PLAYED $* at $RAY_ADDRESS" >> $LOG; exec ${RUN:-true};;
          *) echo secret;;
        esac""",
}


@pytest.fixture
def slurm(project, capfd):
    """The script of three nodes, ready to be run; what its programs are told stands in ``log``."""
    choose({"hardware": {"nodes": 3, "gpus_per_node": 4}})
    bin_folder = Path(".venv/bin")
    bin_folder.mkdir(parents=True)
    for name, text in PLAYED.items():
        (bin_folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (bin_folder / name).chmod(0o755)
    code, script, err = launched(capfd, "slurm", "--dry-run", "--targets", "train_sft")
    assert code == 0, err
    Path("job.sh").write_text(script)
    return project


def start(**environment: str) -> subprocess.Popen[str]:
    told = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3]", "LOG": str(Path("log").resolve())}
    return subprocess.Popen(
        ["bash", "job.sh"],
        env={**os.environ, **told, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def running(group: int) -> bool:
    """Whether a process of the group is alive."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def ended(script: subprocess.Popen[str]) -> tuple[int, str, list[str]]:
    """Status, output, and what the programs were told; nothing of the script is left running."""
    try:
        said, _ = script.communicate(timeout=60)
        gone = wait_until(lambda: not running(script.pid), 20, strict=False)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(script.pid, signal.SIGKILL)
    assert gone, "a step is left running"
    return script.returncode, said, Path("log").read_text().splitlines()


def test_the_script_is_bash_and_asks_slurm_for_what_the_profile_says(slurm):
    subprocess.run(["bash", "-n", "job.sh"], check=True)
    lines = Path("job.sh").read_text().splitlines()
    asked = {line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH")}
    assert {"--nodes=3", "--gpus-per-node=4", "--ntasks-per-node=1", "--requeue"} <= asked
    assert f"--output={slurm.resolve()}/.scratch/launch/slurm-%j.log" in asked


def test_the_head_comes_first_then_the_nodes_the_doctor_and_the_run(slurm):
    code, said, log = ended(start())
    assert code == 0, said
    assert log[0] == "n3 -m stages.engines.cluster.addresses --of n1"
    head, *rest = [line for line in log if " ray start" in line]
    assert head.startswith("n1 ray start --head --node-ip-address=10.0.0.3 --port=6379")
    assert [line.split(" --block")[0] for line in sorted(rest)] == [
        f"n{k} ray start --address=10.0.0.3:6379 --node-ip-address=10.0.0.{k}" for k in (2, 3)
    ]
    assert all("--num-gpus=4" in line for line in (head, *rest))
    at = "at 10.0.0.3:6379"
    asked = f"n1 -m stages.engines.doctor --nodes 3 --wait 900 {at}"
    run = f"n1 -m dvc repro train_sft {at}"
    assert [line for line in log if at in line] == [asked, run]
    assert log.index(head) < log.index(asked)
    assert Path(".scratch/launch/7.status").read_text() == "0\n"
    assert not Path(".scratch/launch/7.token").exists()


def test_all_fixed_ports_differ_and_stay_below_the_kernels_own(slurm):
    found = re.findall(
        r"--[a-z-]+-port=(\d+)|^port=(\d+)", Path("job.sh").read_text(), re.MULTILINE
    )
    ports = [int(one or other) for one, other in found]
    assert len(set(ports)) == len(ports) == 9
    assert max(ports) < 32768


def test_a_run_that_fails_goes_back_into_the_queue_until_the_last_time(slurm):
    code, said, log = ended(start(RUN="false"))
    assert (code, log[-1]) == (1, "scontrol requeue 7")
    assert "back into the queue" in said
    assert not Path(".scratch/launch/7.status").exists()
    Path("log").unlink()
    code, said, log = ended(start(RUN="false", SLURM_RESTART_COUNT="2"))
    assert "for the last time" in said
    assert not [line for line in log if "requeue" in line]
    assert Path(".scratch/launch/7.status").read_text() == "1\n"


def test_a_run_is_not_started_on_a_cluster_that_the_doctor_refuses(slurm):
    code, _, log = ended(start(DOCTOR="1", SLURM_RESTART_COUNT="2"))
    assert code == 1
    assert not [line for line in log if "dvc" in line]


def test_near_the_time_limit_the_job_goes_back_into_the_queue(slurm):
    script = start(RUN="sleep 600")
    log = Path("log")
    wait_until(lambda: log.exists() and "dvc repro" in log.read_text(), 60)
    os.kill(script.pid, signal.SIGUSR1)
    code, said, told = ended(script)
    assert (code, told[-1]) == (1, "scontrol requeue 7")
    assert "time limit" in said


def test_a_job_that_somebody_ends_does_not_come_back(slurm):
    script = start(RUN="sleep 600")
    log = Path("log")
    wait_until(lambda: log.exists() and "dvc repro" in log.read_text(), 60)
    os.kill(script.pid, signal.SIGTERM)
    code, _, told = ended(script)
    assert code == 143
    assert not [line for line in told if "requeue" in line]
    assert Path(".scratch/launch/7.status").read_text() == "143\n"
    assert not Path(".scratch/launch/7.token").exists()


# --- handing in, and following


def play(folder: Path, monkeypatch, **programs: str) -> None:
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(launch, "EVERY", 0.01)


@pytest.mark.parametrize("status", [0, 1, None])
def test_a_slurm_job_is_followed_to_the_status_it_left(status, project, monkeypatch, capfd):
    written = "" if status is None else f"echo {status} > .scratch/launch/41.status;"
    play(
        project,
        monkeypatch,
        sbatch='echo "$*" > options; cat > script; echo "41;cluster"',
        squeue=f'if [ -e asked ]; then {written} echo "5 RUNNING"; '
        'else touch asked; echo "41 RUNNING"; fi',
    )
    code, _, err = launched(capfd, "slurm", "--sbatch=--partition=gpu", "--follow")
    assert Path("options").read_text() == "--parsable --partition=gpu\n"
    assert Path("script").read_text() == jobs.slurm_script(jobs.read_job((), "everystep", 2))
    assert code == (1 if status is None else status)
    assert "41: RUNNING" in err
    assert ("ended from outside" in err) == (status is None)


def test_a_kubernetes_job_is_followed_through_hiccups_to_its_end(project, monkeypatch, capfd):
    play(
        project,
        monkeypatch,
        kubectl='case "$1" in create) echo "$*" > options; cat > manifest; exit;; esac\n'
        "echo x >> asked; case $(wc -l < asked) in "
        "1) exit;; 2) echo down >&2; exit 1;; 3) echo Running;; *) echo Failed;; esac",
    )
    code, _, err = launched(capfd, *POD, "--namespace", "training", "--follow")
    assert code == 1
    assert yaml.safe_load(Path("manifest").read_text())["kind"] == "RayJob"
    assert Path("options").read_text() == "create --namespace training --filename -\n"
    words = [line.partition(": ")[2] for line in err.splitlines() if line.startswith("everystep:")]
    assert [word.split()[0] for word in words] == ["Submitted", "no", "Running", "Failed"]


def test_who_stops_following_ends_the_job(project, monkeypatch, capfd):
    play(project, monkeypatch, scancel='echo "$*" > ended')

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        launch.follow(launch.Submitted("41", interrupted, ["scancel", "41"]))
    assert Path("ended").read_text() == "41\n"


def test_a_program_that_is_not_here_is_one_plain_message(project, monkeypatch, capfd):
    monkeypatch.setenv("PATH", str(project))
    code, _, err = launched(capfd, "slurm")
    assert (code, "sbatch is not on this machine" in err) == (2, True)


def test_the_work_pools_flow_takes_the_same_way(project):
    from flows.cluster import launched as flow_launched

    named = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    (deployment,) = [one for one in named if one["name"] == "cluster"]
    assert deployment["entrypoint"] == "flows/cluster.py:launched"
    assert deployment["work_pool"] == {"name": "cluster"}
    choose({}, profile="tiny")
    state = flow_launched.fn(**deployment["parameters"])
    assert (state.is_failed(), "overrides.run.runtime: ray" in state.message) == (True, True)
    choose({})
    state = flow_launched.fn("ray", ["--adress", "h:1"])
    assert (state.is_failed(), "no such command" in state.message) == (True, True)
