"""Machines on one machine: namespaces of their own, joined by cables to one switch.

A machine is a process that is number 1 in its own pid namespace, with its own network, mounts,
host name and shared memory. It lives as long as this process holds the other end of its standard
input: whatever ends this process, ``kill -9`` included, ends the machine and all that runs on it,
and the kernel then takes the network away. Only mounts and folders of the host can be left over;
their names tell whose they are, and ``sweep`` removes those of processes that are gone.

Nothing of the host's network is touched: the switch has a namespace of its own, too.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from tests.engines.cluster.cluster import ROOT, ClusterError, Process

TMP = Path("/tmp")
MARK = "esnodes"  # short: Ray's sockets lie in folders named so, and bear no long paths
_HOMES = itertools.count()
UNSHARE = [
    "unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child",
    "--mount-proc",
]  # fmt: skip
TOOLS = ("ip", "unshare", "nsenter", "mount", "bash")
PROBE = """set -e
ip link add br0 type bridge
ip link add v0 type veth peer name v1
ip link set v0 master br0
hostname probe
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /dev/shm
"""
# Of /tmp only the folders named stay in sight, so that a file one machine leaves there is no
# message to another. The last line waits for the end of the lifeline; bash reaps orphans.
BOOT = """set -e
hostname "$1"; stage=$2; shift 2
mount -t sysfs sysfs /sys
mount -t tmpfs -o size=1g tmpfs /dev/shm
mount -t tmpfs tmpfs "$stage"
chmod 1777 "$stage"
for folder in "$@"; do
    mkdir -p "$stage/${folder#/tmp/}"
    mount --rbind "$folder" "$stage/${folder#/tmp/}"
done
mount --move "$stage" /tmp
echo up
read -r _ || true
"""


@cache
def why_not() -> str | None:
    """Why no machines can be made here, in words; None if they can."""
    if sys.platform != "linux":
        return f"namespaces are Linux's, and this is {sys.platform}"
    if os.geteuid() != 0:
        return f"network namespaces need root, and this is user {os.geteuid()}"
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"not installed: {', '.join(missing)} (packages iproute2 and util-linux)"
    tried = ran([*UNSHARE, "bash", "-c", PROBE])
    if tried.returncode:
        return f"this kernel or container allows no namespaces: {last_line(tried.stderr)}"
    return None


def last_line(text: str) -> str:
    """The last line that says something (``unshare --kill-child`` grumbles after it)."""
    said = [line for line in text.splitlines() if line.strip() and "sigprocmask" not in line]
    return said[-1] if said else "no word of why"


def ran(command: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A short command, when it has ended."""
    return subprocess.run(
        command, check=False, input=stdin, capture_output=True, text=True, timeout=60
    )


def checked(command: Sequence[str], stdin: str = "") -> str:
    """Standard output of a command that must succeed."""
    done = ran(command, stdin)
    if done.returncode:
        raise ClusterError(f"{' '.join(command)}: {last_line(done.stderr)}")
    return done.stdout


def space(pid: int | str, kind: str = "pid") -> str:
    """The namespace of a kind in which a process is."""
    return str(Path(f"/proc/{pid}/ns/{kind}").readlink())


# -- whose is what is left over ------------------------------------------------------------------


def started(pid: int) -> str:
    """When a process started, in the kernel's ticks; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def own_name() -> str:
    """A name for what belongs to this process: its number and its start."""
    return f"{MARK}.{os.getpid()}.{started(os.getpid())}"


def new_home() -> Path:
    """An empty folder of this process."""
    home = TMP / f"{own_name()}.{next(_HOMES)}"
    home.mkdir(mode=0o700)
    return home


def is_orphan(name: str) -> bool:
    """Whether the process after which something was named is gone."""
    mark, pid, start = name.split(".")[:3]
    return mark == MARK and started(int(pid)) != start


def mounts() -> Iterator[tuple[str, str]]:
    """Source and place of each of the host's mounts that is named as ours."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        source, place = line.split()[:2]
        if source.startswith(f"{MARK}."):
            yield source, place.replace("\\040", " ")


def sweep() -> list[str]:
    """Remove what processes that are gone have left: mounts and folders. Gives their names."""
    left = [(source, place) for source, place in mounts() if is_orphan(source)]
    for _, place in left:
        checked(["umount", "--lazy", place])
    homes = [home for home in TMP.glob(f"{MARK}.*") if is_orphan(home.name)]
    for home in homes:
        shutil.rmtree(home, ignore_errors=True)
    return [place for _, place in left] + [str(home) for home in homes]


# -- machines ------------------------------------------------------------------------------------


class Machine:
    """One machine: on when made, until ``off``."""

    def __init__(self, name: str, stage: Path, seen: Sequence[Path]) -> None:
        folders = [str(folder) for folder in outermost(seen) if folder.is_relative_to(TMP)]
        self.name = name
        self._holder = subprocess.Popen(
            [*UNSHARE, "bash", "-c", BOOT, "boot", name, str(stage), *folders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        assert self._holder.stdout
        if self._holder.stdout.readline().strip() != "up":
            _, errors = self._holder.communicate(timeout=10)
            raise ClusterError(f"{name} did not come up: {last_line(errors)}")
        holder = self._holder.pid
        self.first = int(Path(f"/proc/{holder}/task/{holder}/children").read_text().split()[0])
        self._space = space(self.first)

    @property
    def is_on(self) -> bool:
        """Whether its first process lives."""
        return self._holder.poll() is None

    @property
    def root(self) -> Path:
        """Its file system, seen from outside."""
        return Path(f"/proc/{self.first}/root")

    def enter(self, command: Sequence[str], folder: Path = ROOT) -> list[str]:
        """The command that runs another on this machine, in a folder."""
        if not self.is_on:
            raise ClusterError(f"{self.name} is off")
        return [
            "nsenter", f"--target={self.first}", "--net", "--mount", "--pid", "--uts", "--ipc",
            f"--wdns={folder}", "--", *command,
        ]  # fmt: skip

    def wire(self, *commands: str) -> None:
        """Commands of `ip` in this network, and in nothing else of it: numbers are the host's."""
        network = ["nsenter", f"--target={self.first}", "--net", "ip", "-batch", "-"]
        checked(network, "\n".join(commands) + "\n")

    def processes(self) -> list[Process]:
        """All that live here but the first; zombies do not."""
        return [] if not self.is_on else [p for p in living(self._space) if p.inner != 1]

    def off(self) -> None:
        """All at once, as when the power fails: nobody says goodbye."""
        if self.is_on:
            os.kill(self.first, signal.SIGKILL)
        self._holder.communicate(timeout=30)
        for process in living(self._space):  # the kernel has done it: to be sure
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def outermost(folders: Sequence[Path]) -> list[Path]:
    """Folders that lie in no other one of them."""
    real = sorted({folder.resolve() for folder in folders})
    return [one for one in real if not any(one.is_relative_to(o) for o in real if o != one)]


def living(wanted: str, kind: str = "pid") -> Iterator[Process]:
    """Processes of a namespace that are no zombies."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if space(entry.name, kind) != wanted:
                continue
            status = dict(
                line.split(":\t", 1)
                for line in (entry / "status").read_text().splitlines()
                if ":\t" in line
            )
            words = (entry / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it is gone, or not even root may look: none of ours
        state = status["State"][0]
        if state not in "ZX":
            inner = int(status["NSpid"].split()[-1])
            yield Process(int(entry.name), inner, words.decode(errors="replace"), state)


class Switch:
    """A bridge, and a cable to each machine."""

    def __init__(self, stage: Path) -> None:
        self._box = Machine("switch", stage, ())
        self._box.wire("link add br0 type bridge", "link set br0 up")

    def plug(self, machine: Machine, number: int, address: str) -> None:
        """A cable to a machine; its end there is eth0, with the address given.

        The hardware address goes with the number, so that the others find a machine again that
        was off.
        """
        hardware = f"02:00:0a:4d:00:{number:02x}"
        self._box.wire(
            f"link add v{number} type veth peer name eth0 address {hardware} netns {machine.first}",
            f"link set v{number} master br0 up",
        )
        machine.wire("link set lo up", f"addr add {address}/24 dev eth0", "link set eth0 up")

    def pull(self, number: int) -> None:
        """Take the cable away. At once: a kernel that only loses a machine does it some time."""
        self._box.wire(f"link del v{number}")

    def cut(self, number: int) -> None:
        """No word passes, and nobody is told so."""
        self._box.wire(f"link set v{number} down")

    def mend(self, number: int) -> None:
        """Words pass again."""
        self._box.wire(f"link set v{number} up")

    def off(self) -> None:
        """The end of the network."""
        self._box.off()


# -- disks ---------------------------------------------------------------------------------------


class Disk:
    """A folder with little room, the same one on every machine: mounted before they are made."""

    def __init__(self, folder: Path, mib: int) -> None:
        self.folder, self.mib = folder, mib
        folder.mkdir(parents=True, exist_ok=True)
        checked(["mount", "-t", "tmpfs", "-o", f"size={mib}m", own_name(), str(folder)])

    def free(self) -> int:
        """Bytes left."""
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize

    def fill(self, leave: int = 0) -> None:
        """From now on only as many more bytes (whole pages) can be written, by any machine."""
        found = os.statvfs(self.folder)
        used = (found.f_blocks - found.f_bfree) * found.f_frsize
        self._resize(max(used + leave, found.f_frsize))

    def drain(self) -> None:
        """All its room again."""
        self._resize(self.mib * 2**20)

    def _resize(self, size: int) -> None:
        checked(["mount", "-o", f"remount,size={size}", str(self.folder)])

    def remove(self) -> None:
        """Unmount it: what was on it is gone."""
        checked(["umount", "--lazy", str(self.folder)])
