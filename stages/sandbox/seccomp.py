"""System calls that no program needs and attacks do: a deny list as a classic BPF program.

A deny list, for an allow list breaks with every new C library. What it lets through is bounded by
namespaces, limits and the absence of capabilities; what it denies are doors into the kernel, ways
to make further namespaces, and memory that no limit counts.
"""

from __future__ import annotations

import errno
import struct

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
    # no network, and no way to ask for one; socketpair stays, for event loops
    "socket": (41, 198),
}  # fmt: skip
"""Answered with EPERM."""

ABSENT = {"clone3": (435, 435)}
"""Answered with ENOSYS: the C library then uses clone, whose flags a filter can read."""

_CLONE, _IOCTL = (56, 220), (16, 29)
_NAMESPACES = 0x7E020000  # all CLONE_NEW* that clone takes
_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into the terminal of another
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24  # offsets; of arguments the low 32 bits


def program(machine: str) -> bytes:
    """The filter for this processor, 8 bytes an instruction."""
    which = list(_AUDIT).index(machine)
    lines = [
        _step(_LOAD, _ARCH),
        _step(_EQUAL, _AUDIT[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        lines += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    for calls, answer in ((DENIED, errno.EPERM), (ABSENT, errno.ENOSYS)):
        for numbers in calls.values():
            number = numbers[which]
            if number is not None:
                lines += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ERRNO | answer)]
    refuse = _step(_RETURN, _ERRNO | errno.EPERM)
    lines += [
        _step(_EQUAL, _CLONE[which], 0, 3), _step(_LOAD, _FIRST),
        _step(_ANY_BIT, _NAMESPACES, 0, 1), refuse,
        _step(_LOAD, _NUMBER), _step(_EQUAL, _IOCTL[which], 0, 4), _step(_LOAD, _SECOND),
        _step(_EQUAL, _TERMINAL[0], 1, 0), _step(_EQUAL, _TERMINAL[1], 0, 1), refuse,
        _step(_RETURN, _ALLOW),
    ]  # fmt: skip
    return b"".join(lines)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
