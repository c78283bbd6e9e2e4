"""Who holds a run: a process, distinguished from a later one that reused its pid."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.text.digits import whole_number


@dataclass(frozen=True, slots=True)
class Holder:
    """One process on one machine. `born` distinguishes it from a later process that reused the pid."""

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

    def may_be_alive(self) -> bool:
        """False only if this machine knows that the process is gone; of other machines we know nothing."""
        if self.host != _host():
            return True
        return _exists(self.pid) and _born(self.pid) == self.born


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
    """When the process began, in the machine's ticks; empty if it is dead or the machine does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else fields[18]
