"""What the doctor does on one node: look at it, listen, connect, write, and join a ring.

One `Probe` lives on each node and answers in plain values. Nothing here knows of Ray.
"""

from __future__ import annotations

import os
import platform
import resource
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

from stages.base.artifacts import SOURCES, content_hash
from stages.base.errors import ResourceError
from stages.engines.cluster.addresses import free_port, own_way

PACKAGES = ("ray", "torch", "vllm", "deepspeed", "transformers")
SETTINGS = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "VLLM_HOST_IP", "RAY_AUTH_MODE")
GIB = 2**30
MIB = 2**20
LINGER = 3.0  # seconds in which a file of another node may appear: folders over NFS are not instant
TRIES = 50  # ports tried before there are said to be none
_HELLO = b"everystep"


class Probe:
    """Eyes and hands of the doctor on one node; ``head`` is the address all nodes must reach."""

    def __init__(self, head: str, interface: str) -> None:
        self._head = head
        self._interface = interface
        self._ear: socket.socket | None = None

    def facts(self) -> dict[str, Any]:
        """What this node is: the fields of `findings.Facts` that only it can know."""
        way = own_way(self._head, self._interface)
        memory, free = _memory()
        shm = os.statvfs("/dev/shm")  # noqa: S108  looked at, not written
        gpus = _gpus()
        versions = {"python": platform.python_version()}
        return {
            "address": way.address,
            "interface": way.interface,
            "loopback": way.loopback,
            "versions": versions | {name: _version(name) for name in PACKAGES},
            "code": content_hash([SOURCES])[:12],
            "code_path": str(SOURCES),
            "open_files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
            "shm_gib": shm.f_blocks * shm.f_frsize / GIB,
            "memory_gib": memory / GIB,
            "free_gib": free / GIB,
            "gpus": len(gpus),
            "gpu_memory_gib": min(gpus, default=0.0),
            "settings": {
                name: value
                for name, value in sorted(os.environ.items())
                if name in SETTINGS or name.startswith("RAY_health_check")
            },
        }

    def now(self) -> float:
        """This node's clock, seconds since 1970."""
        return time.time()

    def listen(self, address: str, lowest: int, highest: int) -> int:
        """Listen on a random port of the range while the probe lives; ResourceError if none is."""
        self._ear = _bound(address, lowest, highest)
        self._ear.listen(128)
        threading.Thread(target=_greet, args=(self._ear,), daemon=True).start()
        return int(self._ear.getsockname()[1])

    def meeting_place(self, address: str) -> tuple[str, int]:
        """Where a group can meet on this node: found as a run's groups find it."""
        return address, free_port(address)

    def reach(self, places: Sequence[tuple[str, int]], seconds: float) -> list[str]:
        """Connect to every (address, port) at once; what went wrong with each, or nothing."""
        with ThreadPoolExecutor(max_workers=16) as pool:
            return list(pool.map(lambda place: _reached(place, seconds), places))

    def write(self, folder: str, name: str, mib: int) -> float:
        """Write ``mib`` MiB, the first line being the name, through to the disk; seconds taken."""
        noise = os.urandom(MIB)  # a file system that packs files shall gain nothing
        started = time.monotonic()
        with Path(folder, name).open("xb") as file:
            file.write(f"{name}\n".encode())
            file.writelines(noise for _ in range(mib))
            file.flush()
            os.fsync(file.fileno())
        return time.monotonic() - started

    def read(self, folder: str, names: Sequence[str]) -> list[str]:
        """Those of the files that are there with the right first line."""
        deadline, seen = time.monotonic() + LINGER, set[str]()
        while len(seen) < len(names):
            seen |= {name for name in names if _first_line(Path(folder, name)) == name}
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        return [name for name in names if name in seen]

    def remove(self, folder: str, names: Sequence[str]) -> None:
        """Remove what was written; what is gone already is no fault."""
        for name in names:
            Path(folder, name).unlink(missing_ok=True)

    def prepare(self) -> str:
        """Import what the ring needs, which takes a while the first time; whether CUDA is there."""
        import torch  # noqa: PLC0415  heavy
        import torch.distributed  # noqa: PLC0415

        # Ray hides the GPUs from actors that reserve none, and the doctor waits for no reservation.
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return "cuda" if torch.cuda.is_available() else "cpu"

    def ring(
        self, backend: str, rank: int, world: int, place: tuple[str, int], mib: int, seconds: float
    ) -> float:
        """Hand ``mib`` MiB to the next rank while taking them from the one before; MiB a second.

        ``place`` is where rank 0 keeps the rendezvous. ResourceError if what came is not what the
        one before has sent. A ring of one only forms the group: 0.
        """
        import torch  # noqa: PLC0415  heavy
        import torch.distributed as dist  # noqa: PLC0415

        way = own_way(self._head, self._interface)
        os.environ["GLOO_SOCKET_IFNAME"] = way.interface
        os.environ["NCCL_SOCKET_IFNAME"] = f"={way.interface}"
        limit = timedelta(seconds=seconds)
        store = dist.TCPStore(  # type: ignore[attr-defined]
            *place, world, rank == 0, timeout=limit, wait_for_workers=False
        )
        dist.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=limit)
        try:
            device = torch.device("cuda" if backend == "nccl" else "cpu")
            total = torch.ones(1, device=device)
            dist.all_reduce(total)
            if int(total) != world:
                raise ResourceError(f"{backend}: {world} ones add up to {float(total)}.")
            return _around(backend, rank, world, mib, device) if world > 1 else 0.0
        finally:
            dist.destroy_process_group()


def _around(backend: str, rank: int, world: int, mib: int, device: Any) -> float:
    import torch  # noqa: PLC0415  heavy
    import torch.distributed as dist  # noqa: PLC0415

    after, before = (rank + 1) % world, (rank - 1) % world
    given = torch.full((mib * MIB,), rank % 251, dtype=torch.uint8, device=device)
    taken = torch.full_like(given, 255)
    seconds = 0.0
    for _ in range(2):  # the first round opens the connections
        dist.all_reduce(torch.ones(1, device=device))
        started = time.monotonic()
        ways = [dist.P2POp(dist.isend, given, after), dist.P2POp(dist.irecv, taken, before)]
        for work in dist.batch_isend_irecv(ways):
            work.wait()
        if backend == "nccl":
            torch.cuda.synchronize()
        seconds = time.monotonic() - started
    if not bool((taken == before % 251).all()):
        raise ResourceError(f"{backend}: what rank {before} sent arrived changed at rank {rank}.")
    return mib / seconds


def _bound(address: str, lowest: int, highest: int) -> socket.socket:
    """A socket on a random free port; random, so that two doctors do not meet."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for _ in range(TRIES):
        port = lowest + secrets.randbelow(highest - lowest + 1)
        ear = socket.socket(family, socket.SOCK_STREAM)
        with suppress(OSError):
            ear.bind((address, port))
            return ear
        ear.close()
    raise ResourceError(
        f"none of {TRIES} ports between {lowest} and {highest} could be listened on at {address}. "
        "Free them, or start Ray with another --min-worker-port and --max-worker-port."
    )


def _greet(ear: socket.socket) -> None:
    while True:
        caller, _ = ear.accept()
        with caller, suppress(OSError):  # one who hangs up keeps nobody else from calling
            caller.sendall(_HELLO)


def _reached(place: tuple[str, int], seconds: float) -> str:
    try:
        with socket.create_connection(place, timeout=seconds) as caller:
            said = b""
            while piece := caller.recv(len(_HELLO)):
                said += piece
    except OSError as error:
        return error.strerror or str(error)
    return "" if said == _HELLO else "something else answered"


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.readline(200).decode("utf-8", "replace").rstrip("\n")
    except FileNotFoundError:
        return ""


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _memory() -> tuple[int, int]:
    """Bytes of memory that there are, and that are free, for this container or machine."""
    told = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    lines = dict(line.split(":", 1) for line in told)
    total, free = (int(lines[key].split()[0]) * 1024 for key in ("MemTotal", "MemAvailable"))
    group = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # "max", or no such group
        limit = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        return min(total, limit), min(free, limit - used)
    return total, free


def _gpus() -> list[float]:
    """GiB of memory of each GPU, as the driver's own tool says; Ray may hide some from us."""
    command = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return []
    lines = said.stdout.splitlines() if said.returncode == 0 else []
    return [float(line) / 1024 for line in lines if line.strip().isdigit()]
