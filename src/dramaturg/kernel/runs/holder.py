"""Who holds a run: a process, distinguished from a later one that reused its pid."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dramaturg.kernel.text.digits import whole_number


@dataclass(frozen=True, slots=True)
class Holder:
    """One process on one machine. `born` distinguishes it from a later process that reused the pid.

    After an `@`, it also names the boot and the container: only there does the pid mean this process.
    """

    host: str
    pid: int
    born: str

    @classmethod
    def here(cls) -> Holder:
        """This process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Holder:
        """A process of this machine."""
        return cls(_host(), pid, _born(pid))

    @classmethod
    def read(cls, text: str) -> Holder | None:
        """A holder as `str` wrote it; None for anything else."""
        host, _, rest = text.partition("/")
        pid, _, born = rest.partition("/")
        number = whole_number(pid)
        return cls(host, number, born) if host and number is not None else None

    def __str__(self) -> str:
        return f"{self.host}/{self.pid}/{self.born}"

    @property
    def is_here(self) -> bool:
        """Whether this process could see the other: they share a machine and its processes."""
        _, _, space = self.born.partition("@")
        return self.host == _host() and space in ("", _space())

    def may_be_alive(self) -> bool:
        """False only if this machine knows that the process is gone; of other machines we know nothing."""
        if not self.is_here:
            return True
        ticks, _, _ = self.born.partition("@")
        return _exists(self.pid) and _ticks(self.pid) == ticks


def _host() -> str:
    return socket.gethostname().replace("/", "-")


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # where asking is not harmless, nobody is declared dead
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _born(pid: int) -> str:
    space = _space()
    return f"{_ticks(pid)}@{space}" if space else _ticks(pid)


@cache
def _space() -> str:
    """What distinguishes this boot and this container from others of the same name; empty where nothing says so."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return f"{boot[:8]}-{Path('/proc/self/ns/pid').stat().st_ino:x}"
    except (OSError, ValueError):
        return ""


def _ticks(pid: int) -> str:
    """When the process began, in the machine's ticks; empty if it is dead or the machine does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else fields[18]
