"""Lines typed at a terminal: edited, remembered, completed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.output import create_output

from dramaturg.kernel.text.control import visible


class TerminalLines:
    """A prompt with the usual keys of a shell."""

    at_terminal = True

    def __init__(self, screen: TextIO, history: Path | None, commands: Mapping[str, str]) -> None:
        self._session: PromptSession[str] = PromptSession(
            output=create_output(screen),
            history=_history(history),
            completer=CommandCompleter(commands) if commands else None,
            # While something else is typed, no room is reserved for the menu.
            complete_while_typing=Condition(lambda: self._session.default_buffer.text.startswith("/")),
            enable_suspend=True,
        )

    async def next(self, prompt: str = "") -> str | None:
        try:
            return await self._session.prompt_async([("bold", visible(prompt))])
        except EOFError:
            return None


class CommandCompleter(Completer):
    """Completes slash commands, and shows what each does."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        typed = document.text_before_cursor
        if not typed.startswith("/"):
            return
        for name, about in self._commands.items():
            if name.startswith(typed):
                yield Completion(name, start_position=-len(typed), display_meta=about)


def _history(file: Path | None) -> History:
    """What was typed here before; only for this session if it cannot be stored."""
    if file is None or file.is_symlink() or file.parent.is_symlink():
        return InMemoryHistory()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(file)


@contextmanager
def type_ahead() -> Iterator[None]:
    """Keep what is typed between two prompts for the next one, unseen until then. Ctrl-C stays an interrupt."""
    if sys.platform == "win32":
        yield
        return
    import termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    unseen = termios.tcgetattr(terminal)
    unseen[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(terminal, termios.TCSANOW, unseen)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
