"""A warm interpreter: the program is imported once, and every command of a test is a fork of it.

Importing the program takes longer than most commands do, and much longer than a server takes to open its store. A
command still gets a process, an environment, a folder and three streams of its own, and its process can be killed,
stopped and continued; it only begins with the modules that it would have imported. What starting itself does (options
of the interpreter, what is imported when, a missing extra, coverage of the first lines) is tested by real starts.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.child import clean_environment, uncounted
from tests.warm.process import started

HERE = Path(__file__).parent
_STARTING = threading.Lock()


async def start(
    *words: str | Path, stdin: Any = None, stdout: Any = None, stderr: Any = None, env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None, limit: int = 2**16, terminal: bool = False,
) -> asyncio.subprocess.Process:  # fmt: skip
    """`asyncio.create_subprocess_exec(sys.executable, *words, …)`, as a fork.

    With `terminal`, it is the leader of a session of its own, and its input is that session's terminal.
    """
    door = await asyncio.to_thread(_interpreter)
    return await started(
        door, tuple(map(str, words)), stdin=stdin, stdout=stdout, stderr=stderr, limit=limit, terminal=terminal,
        env=os.environ if env is None else env, cwd=cwd or Path.cwd(),
    )  # fmt: skip


def begin() -> None:
    """Starts the interpreter, unless it was."""
    _interpreter()


def python() -> tuple[str, ...]:
    """The words to type instead of `python`, where something else types them."""
    return (sys.executable, "-I", "-S", str(HERE / "client.py"), str(_interpreter()))


def program() -> tuple[str, ...]:
    """The words to type instead of `dramaturg`."""
    return (*python(), "-m", "dramaturg")


def _interpreter() -> Path:
    """The socket of the warm interpreter of this test process."""
    with _STARTING:
        return _started()


@cache
def _started() -> Path:
    """Starts the interpreter, and ends it with this process."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.warm.interpreter", str(folder / "socket")],
        cwd=HERE.parents[1], env=uncounted(clean_environment(folder)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "warm\n"

    def end() -> None:
        process.stdin.close()  # the end of its input is its end
        process.wait()
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return folder / "socket"
