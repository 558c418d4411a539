"""The filter, step by step as the kernel takes it, for processors that the tests do not run on."""

from __future__ import annotations

import struct

import pytest

from stages.sandbox.seccomp import ALONE, DENIED, REFUSED, programs

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}


def answer(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    data = struct.pack("<IIQ", number, AUDIT[machine] if audit is None else audit, 0)
    data += struct.pack("<6Q", *arguments, *[0] * (6 - len(arguments)))
    return both(programs(machine), data)


def both(filters: tuple[bytes, bytes], data: bytes) -> int:
    """What the kernel does: it runs the last filter first, and takes the stricter answer."""
    found = {passed(one, data) for one in filters}
    return next(strict for strict in (KILL, EPERM, ENOSYS, ALLOW) if strict in found)


def passed(filter_: bytes, data: bytes) -> int:
    steps = list(struct.iter_unpack("<HBBI", filter_))
    at = value = 0
    while True:
        code, if_true, if_false, constant = steps[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, constant)
        elif code == 0x54:
            value &= constant
        elif code == 0x06:
            return constant
        else:
            held = {0x15: value == constant, 0x35: value >= constant}[code]
            at += if_true if held else if_false


@pytest.mark.field_bug("S23", "S28")
@pytest.mark.parametrize("machine", list(AUDIT))
def test_calls_that_are_denied_whatever_their_arguments(machine):
    numbers = [pair[COLUMN[machine]] for pair in DENIED.values()]
    for number in numbers:
        if number is not None:
            assert answer(machine, number, 1, 2, 3) == EPERM
    assert answer(machine, 435) == ENOSYS
    for number in (457, 999, 0x3FFFFFFF):  # younger than the list
        assert answer(machine, number) == ENOSYS
    assert answer(machine, 1, audit=0x40000003) == KILL  # calls of a 32-bit program


@pytest.mark.field_bug("S24", "S28")
@pytest.mark.parametrize("machine", list(AUDIT))
def test_calls_that_are_denied_for_some_arguments(machine):
    def call(x86: int, arm: int, *arguments: int) -> int:
        return answer(machine, (x86, arm)[COLUMN[machine]], *arguments)

    assert call(56, 220, 17) == ALLOW  # fork
    assert call(56, 220, 0x10000000 | 17) == EPERM
    assert call(16, 29, 1, 0x5401) == ALLOW
    assert call(16, 29, 1, 0x5412 | 1 << 32) == EPERM  # the kernel takes the low half
    assert call(53, 199, 1) == ALLOW
    assert call(53, 199, 16) == EPERM
    assert call(9, 222, 0, 4096, 3, 0x22) == ALLOW  # private
    assert call(9, 222, 0, 4096, 3, 0x1) == ALLOW  # of a file
    assert call(9, 222, 0, 4096, 3, 0x21) == EPERM
    assert call(9, 222, 0, 4096, 3, 0x40023) == EPERM
    assert call(302, 261, 0, 7) == ALLOW
    assert call(302, 261, 1, 7) == EPERM
    assert call(141, 140, 0, 0, 19) == ALLOW
    assert call(141, 140, 2, 0, 19) == EPERM
    assert call(203, 122, 1) == EPERM
    assert call(28, 233, 0, 4096, 4) == ALLOW  # madvise MADV_DONTNEED
    assert call(28, 233, 0, 4096, 21) == EPERM
    assert call(55, 209, 4, 1, 17) == ALLOW  # getsockopt SO_PEERCRED
    assert call(55, 209, 4, 1, 77) == EPERM
    assert call(157, 167, 15) == ALLOW  # prctl PR_SET_NAME
    assert call(157, 167, 62, 1) == EPERM
    assert call(0, 63, 0) == ALLOW  # read
    if machine == "x86_64":
        assert answer(machine, 0x40000000) == KILL  # calls of an x32 program


def test_every_rule_is_of_a_call_that_is_not_denied_anyway():
    denied = set(DENIED.values())
    assert [pair for pair, *_ in REFUSED + ALONE if pair in denied] == []


@pytest.mark.parametrize("machine", list(AUDIT))
def test_only_a_shell_may_say_what_becomes_of_its_children(machine):
    number = (13, 134)[COLUMN[machine]]  # rt_sigaction
    for signal, alone in ((17, EPERM), (2, ALLOW)):
        data = struct.pack("<IIQ6Q", number, AUDIT[machine], 0, signal, *[0] * 5)
        assert both(programs(machine), data) == alone
        assert both(programs(machine, children=True), data) == ALLOW
