"""The edge of the command line: the event loop, exit codes, and errors as a person reads them.

Every command imports this module, so it imports nothing heavy itself.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

import typer

from dramaturg.cli.option_group import OptionGroup
from dramaturg.cli.output import is_refused
from dramaturg.kernel.errors import (
    AuthorError,
    BudgetExceeded,
    DramaturgError,
    InvalidConfig,
    LineUnspeakable,
    ModelError,
    NoSuchVoice,
    ProviderBusy,
    StoreBlocked,
    StoreError,
    VoiceError,
)

if TYPE_CHECKING:
    from rich.console import Console

    from dramaturg.kernel.settings import Settings
    from dramaturg.studio import Studio
    from dramaturg.trust import Wish

T = TypeVar("T")
OK, BUG, AUTHOR, MODEL, BUDGET, STORE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
_EXITS: tuple[tuple[type[DramaturgError], int], ...] = (
    (AuthorError, AUTHOR),
    (BudgetExceeded, BUDGET),
    (ModelError, MODEL),
    (ProviderBusy, MODEL),
    (NoSuchVoice, AUTHOR),
    (LineUnspeakable, AUTHOR),
    (VoiceError, MODEL),
    (StoreError, STORE),
)


@OptionGroup
def trusting(
    trust: Annotated[bool, typer.Option("--trust", help="Allow the project what it asks for, this time.")] = False,
) -> bool:
    """Whether `--trust` was given."""
    return trust


def exit_code(error: DramaturgError) -> int:
    return next((code for kind, code in _EXITS if isinstance(error, kind)), BUG)


def check_project(project: Path) -> None:
    """Raises NotFound if a project's folder does not exist: a mistyped one must not be made."""
    from dramaturg import trust  # when it is needed: help is shown without it

    trust.check_project(project)


def settings_of(project: Path) -> Settings:
    """The settings of a project that its user allows what it asks for. Raises NotFound or NotTrusted."""
    from dramaturg.kernel.settings import read_settings

    check_project(project)
    return consented(read_settings(project, os.environ, trust=trusting()))


def consented(settings: Settings) -> Settings:
    """The settings, once the user allows what they ask for: remembered, or asked here. Raises NotTrusted."""
    from dramaturg.trust import ConsentBook, missing_consent, refusal, wishes_of

    missing = missing_consent(settings)
    if not missing:
        return settings
    wishes = wishes_of(settings)  # before the answer: nothing that changes meanwhile is allowed
    if not somebody_is_here() or not confirm_wishes(missing):
        raise refusal(settings.project, missing)
    try:
        ConsentBook.of(settings.env).remember(settings.project, wishes)
    except StoreError as error:
        tell(error.message, "yellow")
    return settings.model_copy(update={"asks_first": False})


def somebody_is_here() -> bool:
    """Whether a person can be asked: the question and the answer both go through a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def confirm_wishes(wishes: Sequence[Wish]) -> bool:
    """Asks the person at the terminal whether a project may do all this."""
    tell("This project comes from someone and asks for more than its own files. It would:", "bold")
    for wish in wishes:
        tell(f"  - {wish.sentence}", "yellow")
    return typer.confirm("Do you trust whoever wrote it, and allow this?", default=False, err=True)


def open_studio(settings: Settings, *, queued: bool = False) -> AbstractAsyncContextManager[Studio]:
    from dramaturg.studio import Studio

    return Studio.open(settings, queued=queued)


def in_studio(project: Path, work: Callable[[Studio], Coroutine[object, object, T]], *, json: bool = False) -> T:
    """Run a command's coroutine in the project's studio."""

    async def opened() -> T:
        async with open_studio(settings_of(project)) as studio:
            return await work(studio)

    return perform(opened, json=json)


def perform(work: Callable[[], Coroutine[object, object, T]], *, json: bool = False) -> T:
    """Run a command's coroutine. If it fails, exit with the right code and one clear message."""
    import asyncio

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
        # The reader of our output has gone (`| head`), so there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(OK) from None
    except Exception as error:  # noqa: BLE001  # reason: the program's last resort; users should not see a traceback
        _report_bug(error)


@contextmanager
def without_traceback() -> Iterator[None]:
    """The same last resort for what a command does outside of `perform`."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # reason: as above
        try:
            fail(error) if isinstance(error, DramaturgError) else _report_bug(error)
        except typer.Exit as end:
            sys.exit(end.exit_code)


def _heed_ctrl_c() -> None:
    """At a terminal Ctrl-C works even if the parent process ignores it; in the background it stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and sys.stdin is not None and sys.stdin.isatty():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _report_bug(error: Exception) -> NoReturn:
    """Ours to mend, unless the machine allows no more: say so, and how to report it; the traceback comes on request."""
    if is_refused(error) or os.environ.get("DRAMATURG_TRACEBACK"):
        raise error
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        tell("dramaturg: no more files can be opened. Allow this process more of them, as with 'ulimit -n 1024'.")
        tell("Everything played so far is saved.")
        raise typer.Exit(STORE) from None
    tell(f"dramaturg: this is a bug in dramaturg itself: {type(error).__name__}: {error}")
    tell("Everything played so far is saved. Please report it, with the traceback that DRAMATURG_TRACEBACK=1 shows.")
    raise typer.Exit(BUG) from None


def fail(error: DramaturgError, *, json: bool = False) -> NoReturn:
    if json:
        print_json(error_of(error))
    else:
        tell(f"dramaturg: {error.message}")
    raise typer.Exit(exit_code(error)) from None


def error_of(error: DramaturgError) -> dict[str, object]:
    from dramaturg.scenes.wire import error_of as shaped

    return shaped(error)


def print_json(value: object) -> None:
    """Print a value as one line of JSON on stdout."""
    import orjson

    from dramaturg.kernel.text.control import visible_json

    sys.stdout.buffer.write(visible_json(orjson.dumps(value, default=str).decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def stdout() -> Console:
    """The terminal, or whatever stdout is. Control characters in what is printed are shown, not obeyed."""
    from dramaturg.cli.console import VisibleConsole

    return VisibleConsole(highlight=False)


def stderr() -> Console:
    from dramaturg.cli.console import VisibleConsole

    return VisibleConsole(stderr=True, highlight=False)


def echo(text: object, *, end: str = "\n") -> None:
    """Print plain text on stdout, with its control characters shown."""
    from dramaturg.kernel.text.control import visible

    sys.stdout.write(visible(str(text)) + end)
    sys.stdout.flush()


def tell(text: str, style: str = "") -> None:
    """Print a remark to the user on stderr; never wrapped, so that a command in it can be copied."""
    from rich.text import Text

    stderr().print(Text(text, style), soft_wrap=True)


def project_option(project: Path) -> str:
    """The option that a suggested command needs to find the same project again."""
    return "" if project == Path() else f" --project {project}"


def at_speaking_pace(settings: Settings, *, watched: bool, pace: float | None = None) -> Settings:
    """With a pace, the rehearsal company plays at it; else in real time, if somebody watches and the settings agree."""
    if pace is None and (not watched or settings.scenes.pace is not None):
        return settings
    pace = 1.0 if pace is None else pace
    return settings.model_copy(update={"scenes": settings.scenes.model_copy(update={"pace": pace})})


def with_queue(settings: Settings) -> Settings:
    """The settings with the queue that workers share, for commands that are about it."""
    return settings.model_copy(update={"queue": settings.queue.model_copy(update={"enabled": True})})


def with_engine(settings: Settings, engine: str | None) -> Settings:
    """The settings with another speech engine, if one is named. Raises `InvalidConfig` if there is no such engine."""
    if engine is None:
        return settings
    from dramaturg.kernel.settings import ENGINES

    if engine not in ENGINES:
        raise InvalidConfig(f"There is no engine '{engine}'. Available: {', '.join(ENGINES)}.", engine=engine)
    from dramaturg.voices.engines import HOSTED

    # An engine of this machine has no use for the address and the key of another, so it asks for neither.
    unused = {} if engine in HOSTED else {"base_url": None, "key_env": None}
    voices = settings.voices.model_copy(update={"engine": engine, **unused})
    return consented(settings.model_copy(update={"voices": voices}))


def check_can_write(file: Path, *, force: bool) -> None:
    """Raises `InvalidConfig` if the file is a folder, or exists and may not be overwritten."""
    if file.is_dir() or not file.name:
        raise InvalidConfig(f"{file} is a folder. Give the name of a file.", file=str(file))
    if file.exists() and not force:
        raise InvalidConfig(f"{file} already exists. Choose another name, or use --force.", file=str(file))


def write_out(file: Path, data: bytes) -> None:
    """Write a file that the user has named, whole or not at all; what is a device or a pipe is written to.

    Raises `InvalidConfig` for a place where no file can be, and `StoreUnavailable` where there is no room for it.
    """
    from dramaturg.kernel.files import real_path, replace_file
    from dramaturg.kernel.store.failures import unwritable

    place = real_path(file)
    try:
        if place.exists() and not (place.is_file() and os.access(place, os.W_OK)):
            place.write_bytes(data)
        else:
            replace_file(place, data)
    except OSError as error:
        fault = unwritable(error, file)
        if isinstance(fault, StoreBlocked):
            raise fault from error
        said = error.strerror or error
        raise InvalidConfig(f"{file} cannot be written: {said}. Choose another place.", file=str(file)) from error
