"""The filter of system calls beside one that libseccomp writes from the same rules: equal verdicts.

libseccomp is a second author of the numbers of calls, of the checks of the architecture, and of the program.
Debian's Python has its module (``python3-seccomp``), so a script of that Python writes the filters.
"""

import base64
import errno
import json
import struct
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tourney.bots.sandbox.kernel_rules import MACHINES, refused_calls, seccomp_filter

DEBIAN_PYTHON: Final = Path("/usr/bin/python3")
ARGUMENTS: Final = ("clone", "socket", "socketpair", "msync", "prctl", "getsockopt", "preadv2", "pwritev2")
"""Calls that both judge by their arguments. Rules with a list of what is allowed, as those of fcntl, cannot
be said to libseccomp, and have tests of their own."""
ELSEWHERE: Final = ("fcntl", "ioctl", "open", "openat", "madvise")
SCRIPT: Final = r"""
import base64, json, os, sys, tempfile
import seccomp
from seccomp import ALLOW, EQ, ERRNO, MASKED_EQ, NE, Arch, Arg, Attr, SyscallFilter

def program(arch, refused, build, errors):
    rules = SyscallFilter(defaction=ALLOW)
    rules.set_attr(Attr.ACT_BADARCH, ERRNO(errors["ENOSYS"]))
    if int(arch) != int(Arch(Arch.NATIVE)):
        rules.remove_arch(Arch(Arch.NATIVE))
        rules.add_arch(arch)
    for name, error in refused:
        rules.add_rule(ERRNO(error), name)
    for bit in range(32):
        if 0x7E020000 >> bit & 1:
            rules.add_rule(ERRNO(errors["EPERM"]), "clone", Arg(0, MASKED_EQ, 1 << bit, 1 << bit))
    for name in ("socket", "socketpair"):
        families = (1, 2, 10) if build else (1,)
        for family in range(64):
            if family not in families:
                rules.add_rule(ERRNO(errors["EAFNOSUPPORT"]), name, Arg(0, EQ, family))
    if not build:
        rules.add_rule(ERRNO(0), "msync", Arg(2, MASKED_EQ, 4, 4))
        rules.add_rule(ERRNO(errors["EINVAL"]), "prctl", Arg(0, EQ, 67))
        rules.add_rule(ERRNO(errors["ENOPROTOOPT"]), "getsockopt", Arg(2, EQ, 57))
        for name in ("preadv2", "pwritev2"):
            rules.add_rule(ERRNO(errors["EOPNOTSUPP"]), name, Arg(5, NE, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return base64.b64encode(file.read()).decode()

given = json.load(sys.stdin)
answer = {}
for machine, word in (("x86_64", Arch.X86_64), ("aarch64", Arch.AARCH64)):
    arch = Arch(word)
    numbers = {name: seccomp.resolve_syscall(arch, name) for name in given["names"]}
    answer[machine] = {
        "numbers": numbers,
        "bot": program(arch, given["bot"], False, given["errors"]),
        "build": program(arch, given["build"], True, given["errors"]),
    }
print(json.dumps(answer))
"""


def has_module() -> bool:
    if not DEBIAN_PYTHON.exists():
        return False
    done = subprocess.run([DEBIAN_PYTHON, "-c", "import seccomp"], capture_output=True, check=False)
    return done.returncode == 0


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_module(), reason="Debian's Python has no module seccomp (python3-seccomp)"),
]


@cache
def theirs() -> dict[str, Any]:
    """The filters of libseccomp, and the numbers that it gives the names."""
    refused = {
        kind: [(name, error) for table, error in refused_calls(build=kind == "build") for name in table]
        for kind in ("bot", "build")
    }
    names = sorted({name for rules in refused.values() for name, _ in rules} | {*ARGUMENTS, *ELSEWHERE})
    words = ("ENOSYS", "EPERM", "EAFNOSUPPORT", "EINVAL", "ENOPROTOOPT", "EOPNOTSUPP")
    question = {**refused, "names": names, "errors": {word: getattr(errno, word) for word in words}}
    done = subprocess.run(
        [DEBIAN_PYTHON, "-c", SCRIPT], input=json.dumps(question), capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def verdict(program: bytes, word: int, number: int, *arguments: int) -> int:
    """What the kernel says to a call, by an interpreter of the BPF that both authors use."""
    steps = list(struct.iter_unpack("=HBBI", program))
    data = struct.pack("=IIQ6Q", number, word, 0, *arguments, *[0] * (6 - len(arguments)))
    at = held = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        match code:
            case 0x06:
                return int(value)
            case 0x20:
                (held,) = struct.unpack_from("=I", data, value)
            case 0x54:
                held &= value
            case 0x05:
                at += value
            case 0x15 | 0x25 | 0x35 | 0x45:
                tests = {0x15: held == value, 0x25: held > value, 0x35: held >= value, 0x45: held & value}
                at += yes if tests[code] else no
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


def programs(machine: str, kind: str) -> tuple[bytes, bytes]:
    ours = seccomp_filter(machine, build=kind == "build")
    assert ours is not None
    return ours, base64.b64decode(theirs()[machine][kind])


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_of_calls_are_those_of_libseccomp(machine: str) -> None:
    column = MACHINES[machine][1]
    for table, _ in (*refused_calls(build=False), *refused_calls(build=True)):
        for name, numbers in table.items():
            number = theirs()[machine]["numbers"][name]
            # A negative number is that of a call which the architecture lacks.
            assert numbers[column] == (number if number >= 0 else None), name


@pytest.mark.parametrize("kind", ["bot", "build"])
@pytest.mark.parametrize("machine", MACHINES)
def test_both_filters_judge_every_call_alike(machine: str, kind: str) -> None:
    ours, other = programs(machine, kind)
    word, numbers = MACHINES[machine][0], theirs()[machine]["numbers"]
    elsewhere = {numbers[name] for name in ELSEWHERE}
    # Not -1, by which a tracer skips a call: libseccomp lets it pass.
    for number in (*range(1024), *range(0x40000000, 0x40000400), 0xFFFFFFFE):
        if number not in elsewhere:
            assert verdict(ours, word, number) == verdict(other, word, number), number
            assert verdict(ours, word ^ 1, number) == verdict(other, word ^ 1, number), number


@pytest.mark.parametrize("kind", ["bot", "build"])
@pytest.mark.parametrize("machine", MACHINES)
def test_both_filters_judge_arguments_alike(machine: str, kind: str) -> None:
    ours, other = programs(machine, kind)
    word, numbers = MACHINES[machine][0], theirs()[machine]["numbers"]
    values = (*range(64), 67, *(1 << bit for bit in range(32)), 0x3D0F00, 0x7E020000, 0x11)
    for name in ARGUMENTS:
        for place in range(6):
            for value in values:
                arguments = [0] * 6
                arguments[place] = value
                if name in ("socket", "socketpair") and arguments[0] > 63:
                    continue  # families are listed one by one for libseccomp
                number = numbers[name]
                assert verdict(ours, word, number, *arguments) == verdict(other, word, number, *arguments), (
                    name,
                    arguments,
                )
