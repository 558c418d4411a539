"""System calls that no program needs and attacks do: a deny list as a classic BPF program.

A deny list, for an allow list breaks with every new C library. What it lets through is bounded by
namespaces, limits and the absence of capabilities; what it denies are doors into the kernel, ways
to make further namespaces, and memory that no limit counts.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable

DENIED = {
    # name: (x86_64, aarch64); None: not there
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "perf_event_open": (298, 241),
    "bpf": (321, 280), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "acct": (163, 89),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "iopl": (172, None),
    "ioperm": (173, None), "modify_ldt": (154, None), "syslog": (103, 116),
    "sethostname": (170, 161), "setdomainname": (171, 162), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "personality": (135, 92), "lookup_dcookie": (212, 18), "vhangup": (153, 58),
    "nfsservctl": (180, 42), "mbind": (237, 235), "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "mknod": (133, None),
    "mknodat": (259, 33),
    # memory that counts for no process
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    # of which the machine, or a user, has one small supply
    "io_setup": (206, 0), "inotify_init": (253, None), "inotify_init1": (294, 26),
    # no network, and no way to ask for one; socketpair stays, for event loops
    "socket": (41, 198), "setsockopt": (54, 208),
    # what only attacks and a few servers use
    "vmsplice": (278, 75), "remap_file_pages": (216, 234), "process_mrelease": (448, 448),
    "set_mempolicy_home_node": (450, 450), "uselib": (134, None), "sysfs": (139, None),
    "ustat": (136, None), "_sysctl": (156, None),
    # all that neighbours have not yet written to their disks would be, and they would wait
    "sync": (162, 81), "syncfs": (306, 267),
}  # fmt: skip
"""Answered with EPERM."""

ABSENT = {"clone3": (435, 435)}
"""Answered with ENOSYS: the C library then uses clone, whose flags a filter can read."""

_NEWER = 457  # so are calls from this number on, which are younger than this list

_SELF, _ALL = 0, 0xFFFFFFFF
Rule = tuple[tuple[int, int], int, int, int, bool]
CLONED: Rule = ((56, 220), 0, 0x7E020000, 0, False)  # clone into new namespaces, by any CLONE_NEW*
REFUSED: list[Rule] = [
    # (calls, argument, mask, value, whether it is refused when the masked argument is the value)
    CLONED,
    ((16, 29), 1, _ALL, 0x5412, True),  # ioctl TIOCSTI: typing into the terminal of another
    ((16, 29), 1, _ALL, 0x541C, True),  # ioctl TIOCLINUX: the same
    ((53, 199), 0, _ALL, 1, False),  # socketpair of any family but AF_UNIX: loads a driver
    # shared memory without a file stays when no process has it mapped, so nobody counts it
    ((9, 222), 3, 0x21, 0x21, True),  # mmap MAP_SHARED | MAP_ANONYMOUS
    ((28, 233), 2, _ALL, 21, True),  # madvise MADV_PAGEOUT: nobody counts what is in swap
    ((72, 25), 1, _ALL, 1024, True),  # fcntl F_SETLEASE: others wait to open the file
    ((55, 209), 2, _ALL, 77, True),  # getsockopt SO_PEERPIDFD: a handle of a process of the host
    ((157, 167), 0, _ALL, 62, True),  # prctl PR_SCHED_CORE: others are kept off half the core
    # another process: the first one of the cell, which ends the others, has the program's user id
    ((302, 261), 0, _ALL, _SELF, False),  # prlimit64
    ((302, 261), 1, _ALL, 4, True),  # prlimit64 and setrlimit of RLIMIT_CORE: see limits.py
    ((160, 164), 0, _ALL, 4, True),
    ((141, 140), 0, _ALL, 0, False),  # setpriority of a group or user
    ((141, 140), 1, _ALL, _SELF, False),
    ((251, 30), 0, _ALL, 1, False),  # ioprio_set of a group or user
    ((251, 30), 1, _ALL, _SELF, False),
    ((144, 119), 0, _ALL, _SELF, False),  # sched_setscheduler
    ((142, 118), 0, _ALL, _SELF, False),  # sched_setparam
    ((203, 122), 0, _ALL, _SELF, False),  # sched_setaffinity
    ((314, 274), 0, _ALL, _SELF, False),  # sched_setattr
]
"""Answered with EPERM for some arguments only."""

ALONE: list[Rule] = [
    ((13, 134), 0, _ALL, 17, True),  # rt_sigaction of SIGCHLD
]
"""The same, but not in a shell: who ignores its children has their processor time forgotten."""

MAKERS = {"mount", "pidfd_open"}
"""With these, and ``CLONED``, a cell makes programs: it loses them only as it becomes one."""

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets; of an argument's 8 bytes the low 4 come first


def programs(machine: str, children: bool = False) -> tuple[bytes, bytes]:
    """Two filters for this processor, 8 bytes an instruction; ``children``: of a shell.

    The first is for a cell and so for all its programs, for to install one that is long takes the
    kernel long; the second is for a program. Both apply, and the stricter answer counts.
    """
    which = list(_AUDIT).index(machine)
    rules = REFUSED if children else REFUSED + ALONE
    long = {name: numbers[which] for name, numbers in DENIED.items() if name not in MAKERS}
    lines = [
        _step(_LOAD, _ARCH),
        _step(_EQUAL, _AUDIT[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        lines += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    lines += _denied(long.values(), errno.EPERM)
    lines += _denied((numbers[which] for numbers in ABSENT.values()), errno.ENOSYS)
    lines += [_step(_AT_LEAST, _NEWER, 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    lines += _refused((rule for rule in rules if rule is not CLONED), which)
    last = [
        _step(_LOAD, _NUMBER),
        *_denied((DENIED[n][which] for n in sorted(MAKERS)), errno.EPERM),
    ]
    last += _refused([CLONED], which)
    return _joined(lines), _joined(last)


def _denied(numbers: Iterable[int | None], answer: int) -> list[bytes]:
    lines = []
    for number in numbers:
        if number is not None:
            lines += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ERRNO | answer)]
    return lines


def _refused(rules: Iterable[Rule], which: int) -> list[bytes]:
    lines = []
    for both, argument, mask, value, same in rules:
        lines += [
            _step(_EQUAL, both[which], 0, 5),
            _step(_LOAD, _ARGUMENTS + 8 * argument),
            _step(_AND, mask),
            _step(_EQUAL, value, 0 if same else 1, 1 if same else 0),
            _step(_RETURN, _ERRNO | errno.EPERM),
            _step(_LOAD, _NUMBER),
        ]
    return lines


def _joined(lines: list[bytes]) -> bytes:
    return b"".join([*lines, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
