"""The edge of the command line: the event loop, exit codes, and errors as a person reads them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import NoReturn, TypeVar

import orjson
import typer
from rich.console import Console
from rich.text import Text

from dramaturg.kernel.errors import (
    AuthorError,
    BudgetExceeded,
    DramaturgError,
    ModelError,
    StoreError,
    VoiceError,
)
from dramaturg.kernel.settings import Settings, read_settings

T = TypeVar("T")

OK, FAULT, AUTHOR, MODEL, BUDGET, STORE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
_EXITS: tuple[tuple[type[DramaturgError], int], ...] = (
    (AuthorError, AUTHOR),
    (BudgetExceeded, BUDGET),
    (ModelError, MODEL),
    (VoiceError, MODEL),
    (StoreError, STORE),
)


def exit_code(error: DramaturgError) -> int:
    return next((code for kind, code in _EXITS if isinstance(error, kind)), 1)


def settings_of(project: Path) -> Settings:
    return read_settings(project, os.environ)


def perform(work: Callable[[], Coroutine[object, object, T]], *, json: bool = False) -> T:
    """Run a command's coroutine; leave with the right code and one clear message where it fails."""
    _heed_ctrl_c()
    try:
        return asyncio.run(work())
    except DramaturgError as error:
        fail(error, json=json)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except typer.Exit:
        raise
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is left to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(OK) from None
    except Exception as error:  # noqa: BLE001  # reason: the last door of the program; a traceback is not for who uses it
        _bug(error)


def _heed_ctrl_c() -> None:
    """At a terminal Ctrl-C works even if the parent process ignores it; in the background it stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and sys.stdin is not None and sys.stdin.isatty():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _bug(error: Exception) -> NoReturn:
    """Ours, not the user's: one line that helps to report it; the traceback for who asks for it."""
    if os.environ.get("DRAMATURG_TRACEBACK"):
        raise error
    tell(f"dramaturg: this is a fault in dramaturg itself: {type(error).__name__}: {error}")
    tell("What was played is kept. DRAMATURG_TRACEBACK=1 shows where it happened; please report it.")
    raise typer.Exit(FAULT) from None


def fail(error: DramaturgError, *, json: bool) -> NoReturn:
    if json:
        say(error_of(error))
    else:
        tell(f"dramaturg: {error.message}")
    raise typer.Exit(exit_code(error)) from None


def error_of(error: DramaturgError) -> dict[str, object]:
    from dramaturg.scenes.wire import error_of as shaped

    return shaped(error)


def say(value: object) -> None:
    """One JSON value on a line of stdout."""
    sys.stdout.buffer.write(orjson.dumps(value, default=str) + b"\n")
    sys.stdout.buffer.flush()


def stdout() -> Console:
    return Console(highlight=False)


def tell(text: str, style: str = "") -> None:
    """A word to the person, beside the output proper; never wrapped, so that a command in it can be copied."""
    Console(stderr=True, highlight=False).print(Text(text, style), soft_wrap=True)
