"""What the doctor makes of what it saw: facts in, findings out. Nothing here touches a cluster.

A finding that is wrong names the node and says what to do. One check that finds nothing wrong is
one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from stages.base.params import Hardware

State = Literal["ok", "warning", "wrong"]

FILES = (4096, 65535)  # open files: fewer than the first end a run, than the second a big one
SHM_GIB = 0.5  # shared memory below which NCCL, torch or weights on one host do not fit
SLOW_FOLDER = 20.0  # MiB a second and node below which checkpoints take longer than steps
SLOW_RING = 50.0  # MiB a second below which pushing weights takes longer than steps
APART = 1.0  # seconds between two clocks from which logs cannot be laid side by side
GPU_SHARE = 0.95  # of its nominal memory that a GPU shows
NOTICED = (5.0, 60.0)  # seconds after which Ray should notice a dead machine
HEALTH_DEFAULTS = {"period_ms": 3000, "timeout_ms": 10000, "failure_threshold": 5}
"""Ray's own values of ``RAY_health_check_...``, read by the head when it starts."""
EVERYWHERE = "all nodes"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's: what was looked at, what was found where, and what to do."""

    check: str
    state: State
    where: str
    what: str
    todo: str = ""


@dataclass(frozen=True)
class Facts:
    """One node: what Ray knows of it, then what a probe on it has seen."""

    node: str  # as findings name it
    ray_address: str
    ray_gpus: int
    head: bool
    address: str  # on the way to the head, or on the interface that was asked for
    interface: str
    loopback: bool
    versions: Mapping[str, str]  # package -> version, empty if it is not installed
    code: str  # hash of the project's stages/
    code_path: str
    open_files: int
    shm_gib: float
    memory_gib: float
    free_gib: float
    gpus: int
    gpu_memory_gib: float  # of the smallest
    settings: Mapping[str, str] = field(default_factory=dict)  # of the environment


def check_nodes(found: Sequence[str], wanted: int) -> list[Finding]:
    """Whether there are as many nodes as the run counts on."""
    listed = f"{len(found)} node(s): {', '.join(found)}"
    if len(found) < wanted:
        todo = "Start Ray on the others (docs/cluster.md), or wait for them with --wait."
        return [Finding("nodes", "wrong", EVERYWHERE, f"{listed}; {wanted} expected", todo)]
    if len(found) > wanted:
        todo = "Nothing, if others share this cluster."
        return [Finding("nodes", "warning", EVERYWHERE, f"{listed}; {wanted} expected", todo)]
    return [Finding("nodes", "ok", EVERYWHERE, listed)]


def check_versions(facts: Sequence[Facts]) -> list[Finding]:
    """Whether every node has the same Python and packages."""
    wrong = []
    names = list(dict.fromkeys(name for one in facts for name in one.versions))
    for name in names:
        values = {one.node: one.versions.get(name, "") for one in facts}
        usual, odd = _odd_ones(values)
        if not usual and not odd:
            todo = "Install requirements/gpu.txt (or cpu.txt) on every node."
            wrong.append(Finding("versions", "wrong", EVERYWHERE, f"{name} is missing", todo))
        for value, nodes in odd.items():
            what = f"{name} {value or 'is missing'}; elsewhere {usual or 'it is missing'}"
            todo = "Install the same requirements/*.txt there as on the others."
            wrong.append(Finding("versions", "wrong", nodes, what, todo))
    same = ", ".join(f"{name} {facts[0].versions[name]}" for name in names) if facts else "none"
    return wrong or [Finding("versions", "ok", EVERYWHERE, same)]


def check_code(facts: Sequence[Facts]) -> list[Finding]:
    """Whether every node would run the same source."""
    places = {one.node: one.code_path for one in facts}
    usual, odd = _odd_ones({one.node: one.code for one in facts})
    if not odd:
        paths = ", ".join(sorted(set(places.values())))
        return [Finding("code", "ok", EVERYWHERE, f"{usual} in {paths}")]
    return [
        Finding(
            "code",
            "wrong",
            nodes,
            f"stages/ is {value} (in {places[nodes.split(', ')[0]]}), elsewhere {usual}",
            "Use one project folder that all nodes share, or bring this copy to the same commit.",
        )
        for value, nodes in odd.items()
    ]


def check_interfaces(facts: Sequence[Facts], asked: str) -> list[Finding]:
    """Whether each node can be reached where Ray, gloo and vLLM will say that it is.

    ``asked``: the interface of the profile; empty if the kernel's routing chose.
    """
    wrong = []
    for one in facts:
        here = f"{one.address} ({one.interface})"
        if one.loopback and len(facts) > 1:
            what = f"{here} leads back to the node itself"
            todo = "Start Ray with --node-ip-address=ADDRESS, one that the other nodes reach."
            wrong.append(Finding("interface", "wrong", one.node, what, todo))
            continue
        if not asked and one.ray_address != one.address and len(facts) > 1:
            what = f"Ray has {one.ray_address}, the route to the head leaves from {here}"
            todo = f"Start Ray there with --node-ip-address={one.address}."
            wrong.append(Finding("interface", "wrong", one.node, what, todo))
        for name, value in _other_names(one).items():
            what = f"{name}={value} in Ray's environment; the way to the head is {here}"
            todo = f"Unset {name} before `ray start`, or name that interface in run.cluster."
            wrong.append(Finding("interface", "wrong", one.node, what, todo))
    places = [one.address for one in facts]
    for address in sorted({place for place in places if places.count(place) > 1}):
        nodes = ", ".join(one.node for one in facts if one.address == address)
        what, todo = f"share the address {address}", "Start one `ray start` a machine."
        wrong.append(Finding("interface", "warning", nodes, what, todo))
    listed = ", ".join(f"{one.node} {one.address} ({one.interface})" for one in facts)
    return wrong or [Finding("interface", "ok", EVERYWHERE, listed)]


def _other_names(one: Facts) -> dict[str, str]:
    """Settings of the environment that point elsewhere than the way to the head."""
    told = {name: value for name, value in one.settings.items() if name.endswith("_IFNAME")}
    other = {name: value for name, value in told.items() if value.lstrip("=") != one.interface}
    if (host := one.settings.get("VLLM_HOST_IP", one.address)) != one.address:
        other["VLLM_HOST_IP"] = host
    return other


def check_connections(
    reached: Mapping[tuple[str, str], str], ports: tuple[int, int]
) -> list[Finding]:
    """Whether every node can connect to every other: (from, to) -> what went wrong, or nothing."""
    between = f"on a random port of {ports[0]} to {ports[1]}"
    if not reached:
        return [Finding("connections", "ok", EVERYWHERE, "one node, nobody to connect to")]
    failed: dict[tuple[str, str], list[str]] = {}
    for (caller, called), why in reached.items():
        if why:
            failed.setdefault((called, why), []).append(caller)
    return [
        Finding(
            "connections",
            "wrong",
            called,
            f"not reached from {', '.join(callers)} {between}: {why}",
            f"Let TCP pass between the nodes on ports {ports[0]} to {ports[1]}, and those of Ray.",
        )
        for (called, why), callers in failed.items()
    ] or [Finding("connections", "ok", EVERYWHERE, f"{len(reached)} pairs {between}")]


def check_files(facts: Sequence[Facts]) -> list[Finding]:
    """Whether each node may open enough files and connections."""
    least, enough = FILES
    found = []
    for one in facts:
        if one.open_files < enough:
            state: State = "wrong" if one.open_files < least else "warning"
            what = f"ulimit -n is {one.open_files}"
            todo = f"`ulimit -n {enough}` before `ray start` there (limits.conf, LimitNOFILE)."
            found.append(Finding("open files", state, one.node, what, todo))
    fewest = min((one.open_files for one in facts), default=0)
    return found or [Finding("open files", "ok", EVERYWHERE, f"ulimit -n is {fewest} or more")]


def check_memory(facts: Sequence[Facts], hardware: Hardware) -> list[Finding]:
    """Whether shared memory and memory are there, and free."""
    found = []
    for one in facts:
        if one.shm_gib < SHM_GIB:
            what = f"{one.shm_gib:.2f} GiB of shared memory, {SHM_GIB} are the least"
            todo = "Make /dev/shm larger: --shm-size in Docker, an emptyDir in Kubernetes."
            found.append(Finding("memory", "wrong", one.node, what, todo))
        if one.memory_gib < hardware.ram_gib:
            what = f"{one.memory_gib:.1f} GiB of memory, {hardware.ram_gib:g} are asked for"
            todo = "Use a larger node or container, or correct run.hardware.ram_gib."
            found.append(Finding("memory", "wrong", one.node, what, todo))
        elif one.free_gib < hardware.ram_gib:
            what = f"{one.free_gib:.1f} GiB are free of {one.memory_gib:.1f}"
            todo = f"Stop what holds the rest there: {hardware.ram_gib:g} GiB are asked for."
            found.append(Finding("memory", "warning", one.node, what, todo))
    shm = min((one.shm_gib for one in facts), default=0.0)
    free = min((one.free_gib for one in facts), default=0.0)
    what = f"{free:.1f} GiB or more are free, {shm:.1f} GiB or more may be shared"
    return found or [Finding("memory", "ok", EVERYWHERE, what)]


def check_gpus(facts: Sequence[Facts], hardware: Hardware) -> list[Finding]:
    """Whether each node has the GPUs of the profile, and Ray knows of them."""
    wanted, memory = hardware.gpus_per_node, hardware.gpu_memory_gib
    if wanted == 0:
        return [Finding("GPUs", "ok", EVERYWHERE, "none are asked for")]
    found = []
    for one in facts:
        if one.gpus < wanted:
            what = f"{one.gpus} GPU(s) seen by nvidia-smi, {wanted} are asked for"
            todo = "Check the driver there, and that the container or job was given its GPUs."
            found.append(Finding("GPUs", "wrong", one.node, what, todo))
        elif one.ray_gpus < wanted:
            what = f"{one.gpus} GPU(s) are there, Ray was told of {one.ray_gpus}"
            todo = f"Start Ray there with --num-gpus={wanted}."
            found.append(Finding("GPUs", "wrong", one.node, what, todo))
        elif one.gpu_memory_gib < GPU_SHARE * memory:
            what = f"a GPU has {one.gpu_memory_gib:.1f} GiB, {memory:g} are asked for"
            todo = "Use other GPUs, or correct run.hardware.gpu_memory_gib and plan anew."
            found.append(Finding("GPUs", "wrong", one.node, what, todo))
    what = f"{wanted} a node, of {min((one.gpu_memory_gib for one in facts), default=0):.1f} GiB"
    return found or [Finding("GPUs", "ok", EVERYWHERE, what)]


def check_folder(
    folder: str, seconds: Mapping[str, float], seen: Mapping[str, Collection[str]], mib: int
) -> list[Finding]:
    """Whether all nodes write into one folder.

    ``seconds``: of each node's writing ``mib`` MiB, all at once; ``seen``: whose files each found.
    """
    found = []
    for node, others in seen.items():
        if missing := [writer for writer in seconds if writer not in others]:
            what = f"{folder}: what {', '.join(missing)} wrote is not there"
            todo = "Mount the same shared folder at the same path on every node."
            found.append(Finding("folder", "wrong", node, what, todo))
    rates = {node: mib / taken for node, taken in seconds.items()}
    if not rates:
        return found
    slowest = min(rates, key=lambda node: rates[node])
    speed = f"{len(rates)} node(s) wrote {mib} MiB each at once, {rates[slowest]:.0f} MiB/s or more"
    if rates[slowest] < SLOW_FOLDER:
        what = f"{folder}: {speed}"
        todo = "Checkpoints will take long: use a faster folder, or recovery_every above 1."
        found.append(Finding("folder", "warning", slowest, what, todo))
    return found or [Finding("folder", "ok", EVERYWHERE, f"{folder} is one folder; {speed}")]


def check_clocks(offsets: Mapping[str, tuple[float, float]]) -> list[Finding]:
    """Whether clocks agree: node -> (seconds ahead of the doctor's clock, uncertain by)."""
    found = [
        Finding(
            "clocks",
            "warning",
            node,
            f"{abs(ahead):.1f} s {'ahead of' if ahead > 0 else 'behind'} the doctor's clock",
            "Let chrony or ntpd run there: logs and file times cannot be compared otherwise.",
        )
        for node, (ahead, uncertain) in offsets.items()
        if abs(ahead) - uncertain > APART
    ]
    widest = max((abs(ahead) + uncertain for ahead, uncertain in offsets.values()), default=0.0)
    return found or [Finding("clocks", "ok", EVERYWHERE, f"within {widest * 1000:.0f} ms")]


def offset(samples: Iterable[tuple[float, float, float]]) -> tuple[float, float]:
    """(seconds a clock is ahead of ours, uncertain by), from (asked, its answer, answered).

    The quickest round trip decides: its answer was given at most half of it before or after the
    middle.
    """
    asked, answer, answered = min(samples, key=lambda sample: sample[2] - sample[0])
    return answer - (asked + answered) / 2, (answered - asked) / 2


def check_ring(backend: str, rates: Mapping[str, float], mib: int) -> list[Finding]:
    """Whether the ring was fast: node -> MiB a second from the one before it, in ring order."""
    if len(rates) == 1:
        return [Finding("ring", "ok", EVERYWHERE, f"{backend}: a group of one was formed")]
    slowest = min(rates, key=lambda node: rates[node])
    what = f"{backend}: {len(rates)} nodes, {mib} MiB each, {rates[slowest]:.0f} MiB/s or more"
    if rates[slowest] < SLOW_RING:
        todo = "Look at the link of this node, and at the interface that was chosen."
        return [Finding("ring", "warning", slowest, what, todo)]
    return [Finding("ring", "ok", EVERYWHERE, what)]


def check_health(head: Facts) -> list[Finding]:
    """Whether Ray would notice a dead machine before long, and not too easily."""
    values = dict[str, int]()
    for name, usual in HEALTH_DEFAULTS.items():
        told = head.settings.get(f"RAY_health_check_{name}", "")
        if told and not told.isdigit():
            what, todo = f"RAY_health_check_{name}={told} is no number", "Start the head without."
            return [Finding("health checks", "wrong", head.node, what, todo)]
        values[name] = int(told) if told else usual
    each = values["period_ms"] + values["timeout_ms"]
    seconds = each * values["failure_threshold"] / 1000
    what = f"Ray notices a dead machine after about {seconds:.0f} s"
    least, most = NOTICED
    if seconds > most:
        todo = "Start the head with RAY_health_check_timeout_ms=3000 in its environment."
        return [Finding("health checks", "warning", head.node, what, todo)]
    if seconds < least:
        todo = "A busy node would be taken for a dead one: raise RAY_health_check_timeout_ms."
        return [Finding("health checks", "warning", head.node, what, todo)]
    return [Finding("health checks", "ok", head.node, what)]


def check_access(head: Facts) -> list[Finding]:
    """Whether Ray asks for a token: whoever reaches its ports may otherwise run programs."""
    if head.settings.get("RAY_AUTH_MODE", "").lower() == "token":
        return [Finding("access", "ok", EVERYWHERE, "Ray asks for a token")]
    if head.loopback:
        return [Finding("access", "ok", EVERYWHERE, "no token, and nobody outside reaches Ray")]
    what = "Ray asks for no token: whoever reaches its ports runs programs as this user"
    todo = "RAY_AUTH_MODE=token before every `ray start` and run, unless the network is closed."
    return [Finding("access", "warning", head.node, what, todo)]


def _odd_ones(values: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The value most nodes have (of equals the first), and each other one with its nodes."""
    usual = Counter(values.values()).most_common(1)[0][0] if values else ""
    odd: dict[str, list[str]] = {}
    for node, value in values.items():
        if value != usual:
            odd.setdefault(value, []).append(node)
    return usual, {value: ", ".join(nodes) for value, nodes in odd.items()}
