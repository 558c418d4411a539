"""What one run may use, and what a worker is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from stages.base.errors import DataError

MEBIBYTE = 1 << 20
WALL_TIMES, WALL_MORE = 3.0, 2.0
"""Wall time: so many times the processor time, or so many seconds more, whichever is longer."""

INTERPRETER = 64 * MEBIBYTE  # address space that an interpreter takes before any program
OPEN_FILES = 128
FILES = 4096  # in the box
DEEP = 64 * MEBIBYTE  # of stack


@dataclass(frozen=True)
class Limits:
    """``time_s`` is processor time of all processes of a run together; ``nproc`` counts threads."""

    time_s: float = 5.0
    mem_mb: int = 512
    disk_mb: int = 16
    nproc: int = 32
    output_mb: int = 8

    @classmethod
    def parse(cls, value: object) -> Limits:
        """From a row; DataError names what is unknown or out of range."""
        if value is None:
            return cls()
        if not isinstance(value, Mapping):
            raise DataError("limits: an object is expected")
        known = [field.name for field in fields(cls)]
        for name, number in value.items():
            if name not in known:
                raise DataError(f"limits: unknown '{name}'; there are {', '.join(known)}")
            if type(number) not in (int, float) or not 0 < number <= 1 << 20:
                raise DataError(f"limits: {name} must be a number above 0")
        whole = {n: v if n == "time_s" else max(1, int(v)) for n, v in value.items()}
        return cls(**whole)

    @property
    def wall(self) -> float:
        """Seconds a run may take, those not counted in which it waits for a processor."""
        return max(WALL_TIMES * self.time_s, self.time_s + WALL_MORE)

    def as_request(self) -> dict[str, Any]:
        """For a worker."""
        memory = self.mem_mb * MEBIBYTE
        return {
            "cpu": self.time_s,
            "wall": self.wall,
            "memory": memory,
            "output": self.output_mb * MEBIBYTE,
            "disk": self.disk_mb * MEBIBYTE,
            "files": FILES,
            "limits": {
                "CPU": int(self.time_s) + 1,
                "AS": memory + INTERPRETER,
                "DATA": memory + INTERPRETER,
                "FSIZE": self.disk_mb * MEBIBYTE,
                "NOFILE": OPEN_FILES,
                "NPROC": self.nproc + 2,  # the one who watches, and the program itself
                "STACK": DEEP,
                "MEMLOCK": 0,
                "MSGQUEUE": 0,
                "SIGPENDING": 1024,  # and timers
                "NICE": 0,  # no priority, whatever the host's own limits allow
                "RTPRIO": 0,
            },
        }
