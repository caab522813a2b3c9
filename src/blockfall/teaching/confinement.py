"""The confinement of this process to what a student's program needs: no network, few files, no other processes.

A confined process cannot free itself again. Nothing here needs a privilege. Layers that a system does not offer are
left out, and the caller is told. The layers on Linux:

| layer | takes away |
|---|---|
| limits (`setrlimit`) | memory beyond a size, files that grow, core dumps |
| namespaces (`unshare`) | network devices, the right to look into other processes |
| Landlock | reading all but the named files, writing any |
| seccomp | new processes and programs, sockets, signals to others, tracing, mounting |

This module runs in a separate process before the student's code, with only the standard library.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

NAMESPACES = 0x10000000 | 0x40000000 | 0x08000000
"""CLONE_NEWUSER, CLONE_NEWNET and CLONE_NEWIPC: the kernel's numbers."""


@dataclass(frozen=True)
class Confinement:
    """The parts of a process's confinement that the system supports."""

    network: bool
    """True if it cannot reach a network."""
    files: bool
    """True if it can read only the files that it was given, and write none."""
    processes: bool
    """True if it cannot start or signal processes."""

    def as_json(self) -> dict[str, bool]:
        """Return the fields, for the parent."""
        return asdict(self)

    @property
    def lacks(self) -> list[str]:
        """The things that the process can still do, in words."""
        words = {"network": "use the network", "files": "read your files", "processes": "start programs"}
        return [text for name, text in words.items() if not getattr(self, name)]


def confine(readable: Iterable[str], memory_bytes: int, cpu_seconds: int) -> Confinement:
    """Confine this process for good. It may still read the folders in `readable`."""
    _limit(memory_bytes, cpu_seconds)
    if not sys.platform.startswith("linux"):
        return Confinement(network=False, files=False, processes=False)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)  # it dies with the grading process
    alone = libc.unshare(NAMESPACES) == 0
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    files = _allow_reading(libc, readable)
    calls = _refuse_calls(libc, writing=not files)
    return Confinement(network=alone or calls, files=files, processes=calls)


_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 38, 22


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    import resource

    limits: dict[int, int] = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_AS: memory_bytes,
    }
    if not sys.platform.startswith("linux"):  # Linux would count threads too, and seccomp refuses processes anyway
        limits[resource.RLIMIT_NPROC] = 0
    for kind, most in limits.items():
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):  # macOS has a memory limit but rejects values
            if kind != resource.RLIMIT_AS:
                raise


# Landlock: linux/landlock.h. Its system call numbers are the same on every processor.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
_ACCESSES = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of kinds of file access in each version. Later versions have no more."""
_NULL = "/dev/null"


def _allow_reading(libc: Any, folders: Iterable[str]) -> bool:
    """Refuse every file access except reading in these folders. Return whether the system supports this."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = (1 << _ACCESSES[min(version, 5)]) - 1
    network = 0b11 if version >= 4 else 0  # to listen, and to connect
    scoped = 0b11 if version >= 6 else 0  # sockets without a file, and signals
    attributes = struct.pack("=QQQ", handled, network, scoped)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if rules < 0:
        return False
    allowed = [(folder, _READ_FILE | _READ_DIR) for folder in folders]
    for path, access in [*allowed, (_NULL, _READ_FILE | _WRITE_FILE)]:
        try:
            there = os.open(path, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
        except OSError:
            continue
        access &= ~_READ_DIR if not os.path.isdir(path) else ~0  # noqa: PTH112 - pathlib is not loaded here
        done = libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", access, there), 0)
        os.close(there)
        if done < 0:
            return False
    done = libc.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)
    return bool(done == 0)


# seccomp: a filter of system calls, with their numbers on x86-64 and on ARM64; -1 if there is no such call.
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_REFUSED = {
    "fork": (57, -1),
    "vfork": (58, -1),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "socket": (41, 198),
    "io_uring_setup": (425, 425),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "setrlimit": (160, 164),
    "memfd_create": (319, 279),  # memory outside the limit, like the next three
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "mq_open": (240, 180),
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}
_CHANGING = {
    "creat": (85, -1),
    "unlink": (87, -1),
    "unlinkat": (263, 35),
    "rename": (82, -1),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, -1),
    "mkdirat": (258, 34),
    "rmdir": (84, -1),
    "link": (86, -1),
    "linkat": (265, 37),
    "symlink": (88, -1),
    "symlinkat": (266, 36),
    "truncate": (76, 45),
    "mknod": (133, -1),
    "mknodat": (259, 33),
}
"""Calls that change the file tree, refused here if Landlock is missing."""
_CLONE, _CLONE3, _OPEN, _OPENAT, _OPENAT2 = (56, 220), (435, 435), (2, -1), (257, 56), (437, 437)
_PRLIMIT = (302, 261)
_CLONE_THREAD = 0x00010000
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_EPERM, _ENOSYS = 1, 38
_X32 = 0x40000000  # x86-64's alternative numbers for the same calls

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in a filter's data

FilterInstruction = tuple[int, int, int, int]
"""An instruction of the filter: its code, the jumps if true and if false, and its operand."""


def _refuse_calls(libc: Any, writing: bool) -> bool:
    """Refuse system calls by a filter, with `writing` also those that write or change files."""
    machine = _MACHINES.get(platform.machine())
    if machine is None or sys.maxsize < 2**32:
        return False
    steps = filter_steps(*machine, writing)
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("=H6xQ", len(steps), ctypes.addressof(buffer))
    return bool(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.create_string_buffer(program, len(program)), 0, 0) == 0)


def filter_steps(machine: int, architecture: int, writing: bool) -> list[FilterInstruction]:
    """Return the filter's instructions. A refused call gives EPERM; a new one gives ENOSYS, as if unknown."""
    steps: list[FilterInstruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == 0:
        steps += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERROR | _EPERM)]

    def refuse(calls: Iterable[tuple[int, int]], error: int = _EPERM) -> None:
        for call in calls:
            if call[machine] >= 0:
                steps.extend([(_EQUAL, 0, 1, call[machine]), (_RETURN, 0, 0, _ERROR | error)])

    def decide(call: tuple[int, int], words: Sequence[int], bits: int, with_bits: int, without: int) -> None:
        """Decide by the bits of an argument; `words` are the offsets of its 32-bit halves."""
        if call[machine] < 0:
            return
        checks: list[FilterInstruction] = []
        for word in words:
            checks += [(_LOAD, 0, 0, 16 + 4 * word), (_ANY_BIT, 0, 1, bits), (_RETURN, 0, 0, with_bits)]
        steps.append((_EQUAL, 0, len(checks) + 1, call[machine]))
        steps.extend([*checks, (_RETURN, 0, 0, without)])

    refuse(_REFUSED.values())
    refuse([_CLONE3], _ENOSYS)  # the C library then calls `clone`, whose flags the filter can see
    decide(_CLONE, [0], _CLONE_THREAD, _ALLOW, _ERROR | _EPERM)
    decide(_PRLIMIT, [4, 5], 0xFFFFFFFF, _ERROR | _EPERM, _ALLOW)  # limits may be read but not changed
    if writing:
        refuse(_CHANGING.values())
        refuse([_OPENAT2], _ENOSYS)
        decide(_OPEN, [2], _TO_WRITE, _ERROR | _EPERM, _ALLOW)
        decide(_OPENAT, [4], _TO_WRITE, _ERROR | _EPERM, _ALLOW)
    steps.append((_RETURN, 0, 0, _ALLOW))
    return steps
