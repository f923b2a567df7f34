"""The launcher of one agent: confines it as far as somebody who is not root can, and ends all that it started.

Run as a program of its own, by path, with the standard library alone: `jail.py PLAN -- argv…`. PLAN is JSON:
{"writes": [folders], "reads": [files and folders], "grace": seconds, "file_size": bytes}. SIGTERM ends the agent:
SIGTERM to all of it, and SIGKILL after `grace`. The exit status is the agent's; 128 + n where signal n ended it.
"""

import ctypes
import json
import os
import platform
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NoReturn

LINUX = sys.platform == "linux"
CANNOT_START = 127

# --- prctl ---
PDEATHSIG, SECCOMP, DROP_CAPABILITY, SUBREAPER, NO_NEW_PRIVS = 1, 22, 24, 36, 38
CAPABILITIES_VERSION, MOST_CAPABILITIES = 0x20080522, 64

# --- Landlock: numbers are the same on every architecture ---
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # ABI → how many rights over files it knows
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL_DEV = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
SCOPES = 3  # abstract sockets, and signals to processes outside; from ABI 6
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/proc",
    "/sys/devices/system/cpu", "/sys/fs/cgroup", "/run/systemd/resolve",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")

# --- seccomp: machine → (its name in the kernel, socket, io_uring_setup) ---
MACHINES = {"x86_64": (0xC000003E, 41, 425), "aarch64": (0xC00000B7, 198, 425)}
UNIX, EACCES = 1, 13


def libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def landlock_abi() -> int:
    """Which Landlock the kernel offers; 0: none."""
    return max(int(libc().syscall(CREATE_RULESET, None, 0, 1)), 0) if LINUX else 0


def confine(reads: Iterable[str], writes: Iterable[str]) -> None:
    """Let this process and its children read and write only there, and make no socket of the local kind."""
    libc().prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
    _no_capabilities()
    if abi := landlock_abi():
        _landlock(abi, reads, writes)
    _no_unix_sockets()


def _no_capabilities() -> None:
    """Where the worker runs as root, its agent is a root that may do nothing special: read no other process."""
    for capability in range(MOST_CAPABILITIES):
        libc().prctl(DROP_CAPABILITY, capability, 0, 0, 0)
    libc().capset(struct.pack("Ii", CAPABILITIES_VERSION, 0), bytes(24))


def _landlock(abi: int, reads: Iterable[str], writes: Iterable[str]) -> None:
    all_rights = (1 << next(RIGHTS[known] for known in sorted(RIGHTS, reverse=True) if known <= abi)) - 1
    ruleset = struct.pack("QQQ", all_rights, 0, SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    descriptor = libc().syscall(CREATE_RULESET, ruleset, size, 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "landlock")
    for paths, rights in (
        ((*SYSTEM, *reads), EXECUTE | READ_FILE | READ_DIR),
        (DEVICES, READ_FILE | WRITE_FILE | IOCTL_DEV),
        (writes, all_rights),
    ):
        for path in paths:
            _allow(descriptor, path, rights & all_rights)
    if libc().syscall(RESTRICT_SELF, descriptor, 0):
        raise OSError(ctypes.get_errno(), "landlock")
    os.close(descriptor)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        there = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # this machine has none
    if not os.path.isdir(path):
        rights &= OF_FILES
    libc().syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, there), 0)
    os.close(there)


def _no_unix_sockets() -> None:
    """Services of this machine, the database too, listen on sockets that need no password: socket() makes none.

    Pairs of sockets stay. io_uring and the calls of other architectures, which would go around it, are refused.
    """
    known = MACHINES.get(platform.machine())
    if not LINUX or known is None:
        return
    machine, socket, io_uring = known
    refuse, allow, argument = 0x00050000 | EACCES, 0x7FFF0000, 16
    program = [
        (0x20, 0, 0, 4),  # the machine
        (0x15, 0, 7, machine),
        (0x20, 0, 0, 0),  # the call
        (0x35, 5, 0, 0x40000000),  # x32
        (0x15, 4, 0, io_uring),
        (0x15, 0, 2, socket),
        (0x20, 0, 0, argument),
        (0x15, 1, 0, UNIX),
        (0x06, 0, 0, allow),
        (0x06, 0, 0, refuse),
    ]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)
    libc().prctl(SECCOMP, 2, struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer)), 0, 0)


# --- the agent, and all that it starts ---


def start(plan: dict[str, Any], argv: Sequence[str]) -> int:
    """Fork, confine and run the agent; its process id."""
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (plan["file_size"], plan["file_size"]))
        if LINUX:
            libc().prctl(PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            confine(plan["reads"], plan["writes"])
        os.execvp(argv[0], [*argv])  # noqa: S606
    except BaseException as error:
        os.write(2, f"the agent cannot be started: {error}\n".encode())
    os._exit(CANNOT_START)


def children() -> list[int]:
    """Our own, by now also those whose parents have ended."""
    found = []
    for name in os.listdir("/proc") if LINUX else ():
        if name.isdigit() and _parent_of(name) == os.getpid():
            found.append(int(name))
    return found


def descendants() -> Iterator[int]:
    parents = {int(name): _parent_of(name) for name in os.listdir("/proc") if name.isdigit()} if LINUX else {}
    found = [os.getpid()]
    for process in found:
        below = [child for child, parent in parents.items() if parent == process]
        found += below
        yield from below


def _parent_of(process: str) -> int:
    try:
        with open(f"/proc/{process}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def send(which: int, processes: Iterable[int]) -> None:
    for process in processes:
        try:
            os.kill(process, which)
        except (ProcessLookupError, PermissionError):
            continue


def end_all(agent: int) -> None:
    """Kill what is left; those whose parent dies become our children, so nothing gets away."""
    while True:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(agent, signal.SIGKILL)
        send(signal.SIGKILL, children())
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            return


class Signals:
    """SIGTERM, remembered; it and SIGCHLD end a wait."""

    def __init__(self) -> None:
        self.asked_to_end = False
        self._reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writer)

    def _end(self, *_: object) -> None:
        self.asked_to_end = True

    def wait(self, seconds: float) -> None:
        if select.select([self._reader], [], [], seconds)[0]:
            os.read(self._reader, 4096)


def watch(agent: int, signals: Signals, grace: float) -> int:
    """Until the agent ends by itself, or SIGTERM and `grace` end it; its exit status as shells write it."""
    deadline: float | None = None
    while (status := _reaped(agent)) is None:
        now = time.monotonic()
        if signals.asked_to_end and deadline is None:
            deadline = now + grace
            send(signal.SIGTERM, [*descendants(), agent])
        if deadline is not None and now >= deadline:
            send(signal.SIGKILL, [agent])
        signals.wait(60 if deadline is None else max(deadline - now, 0.01))
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _reaped(agent: int) -> int | None:
    """The agent's wait status once it has ended; what became ours and has ended is forgotten on the way."""
    while True:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == agent:
            return status
        if ended == 0:
            return None


def main() -> NoReturn:
    plan, argv = json.loads(sys.argv[1]), sys.argv[3:]
    signals = Signals()
    if LINUX:
        libc().prctl(SUBREAPER, 1, 0, 0, 0)
        libc().prctl(PDEATHSIG, signal.SIGTERM, 0, 0, 0)  # a worker that is killed takes its agents along
    agent = start(plan, argv)
    code = watch(agent, signals, plan["grace"])
    end_all(agent)
    os._exit(code)


if __name__ == "__main__":
    main()
