"""The warm interpreter itself: imports the program, then forks for every command until its input ends."""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import termios
import threading
import time
import types
from contextlib import suppress
from typing import NoReturn

import dramaturg
from tests.child import MEASURED

LATER = (
    "aiohttp", "anyio._backends._asyncio", "httpcore2", "httpx2", "jinja2.meta", "jinja2.sandbox",
    "mcp.server.mcpserver", "psycopg", "rich.console", "rich.logging", "typer._adapters", "uvicorn",
)  # fmt: skip
"""What the program imports when it needs it."""


def import_program() -> None:
    """Everything that a command may import, but for what starts threads or needs an extra that is not there."""
    for module in pkgutil.walk_packages(dramaturg.__path__, "dramaturg."):
        if "migrations" not in module.name and not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)
    for name in LATER:
        with suppress(ImportError):
            importlib.import_module(name)


def serve(path: str) -> None:
    """Answers commands until our own input ends. Each connection is looked after by one fork, and played by another."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(path)
        door.listen(64)
        print("warm", flush=True)
        while True:
            ready, _, _ = select.select([door, sys.stdin], [], [])
            _bury()
            if sys.stdin in ready:
                return
            line, _ = door.accept()
            if not os.fork():
                door.close()
                look_after(line)
            line.close()


def _bury() -> None:
    """Waits for the children that have ended, so that their time counts as ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def look_after(line: socket.socket) -> NoReturn:
    """Plays one command in a child, tells its number and its end; whoever hangs up ends it."""
    size, streams, _, _ = socket.recv_fds(line, 8, 3)
    asked = json.loads(line.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    child = os.fork()
    if not child:
        line.close()
        play(asked, streams)
    for stream in streams:
        os.close(stream)
    _tell(line, child)
    threading.Thread(target=_end_when_nobody_listens, args=(line, child), daemon=True).start()
    _, status = os.waitpid(child, 0)
    _tell(line, os.waitstatus_to_exitcode(status))
    os._exit(0)


def _tell(line: socket.socket, number: int) -> None:
    with suppress(OSError):
        line.sendall(number.to_bytes(8, "big", signed=True))


def _end_when_nobody_listens(line: socket.socket, child: int) -> None:
    line.recv(1)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def play(asked: dict, streams: list[int]) -> NoReturn:
    """The command, in a process that looks as if `python` had just been started for it."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if asked.get("terminal"):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = 1
    try:
        _count_lines()
        _run(asked["words"], asked["folder"])
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - reason: as an interpreter does, at its outermost
        sys.excepthook(*sys.exc_info())
    finally:
        threading._shutdown()  # as at the end of any interpreter: threads, then what was registered, then the streams
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _count_lines() -> None:
    """Coverage, where it is counted: of what runs, since what is imported was imported before."""
    if any(name in os.environ for name in MEASURED):
        import coverage

        coverage.process_startup()


def _run(words: list[str], folder: str) -> None:
    """As `python WORDS` would in a folder."""
    first, *rest = words
    for place in reversed(os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        if place and place not in sys.path:
            sys.path.insert(1, place)
    if first == "-m":
        sys.path[0] = folder
        sys.argv = [f"-m {rest[0]}", *rest[1:]]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.path[0] = ""
        sys.argv = ["-c", *rest[1:]]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), main.__dict__)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(first))
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    import_program()
    gc.freeze()  # forks share what is never collected
    assert threading.active_count() == 1, f"{dramaturg.__name__} starts threads when it is imported"
    serve(sys.argv[1])
