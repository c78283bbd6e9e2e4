"""A conversation with the Foreman, at a terminal or through a pipe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress

from dramaturg.cli.edge import print_json, stdout, tell
from dramaturg.cli.foreman_view import ForemanView, print_book, print_undoable, print_work_order
from dramaturg.cli.foreman_work import print_works, wait_for_work
from dramaturg.cli.line_reader import LineReader, line_reader
from dramaturg.cli.patch_view import print_patches
from dramaturg.kernel.errors import AuthorError, DramaturgError, InvalidConfig
from dramaturg.kernel.text.digits import whole_number
from dramaturg.studio import Studio
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.wire import ConsultDone, ConsultEvent

COMMANDS = {
    "/state": "the book's progress",
    "/work-order": "what the book still needs",
    "/yes": "confirm what the Foreman offered",
    "/works": "the long works of the book, and how each stands",
    "/patches": "the changes that are proposed",
    "/accept": "make changes: /accept 1 3",
    "/reject": "set changes aside: /reject 2",
    "/undo": "revert the last action; also /undo list, /undo ACT, /undo keep-file",
    "/why": "the reasoning behind the last answer",
    "/help": "these commands",
    "/quit": "leave",
}
LEAVE = ("/quit", "/exit", "/q")
PROMPT, CONTINUED = "> ", "… "


class ForemanChat:
    """A writer's conversation with the Foreman: a single message, or one after another until the writer leaves."""

    def __init__(self, studio: Studio, *, model: str | None, file: str, thinking: bool, json: bool) -> None:
        self._foreman = studio.workshop
        self._history = studio.settings.data / "history" / "foreman"
        self._model, self._active, self._json = model, ActiveContext(file=file), json
        self._view = ForemanView(stdout(), thinking=thinking)

    async def send(self, message: str) -> bool:
        """Send one message and print the consultation; whether it was answered."""
        return await self._show(self._foreman.consult(message, model=self._model, active=self._active))

    async def wait_for_works(self) -> None:
        """Wait for the long works that were started here: they end with this process. What came of each is printed."""
        for run in self._foreman.works.playing:
            if not self._json:
                tell(f"Run {run} is still at work. Ctrl-C stops it; 'dramaturg runs resume {run}' goes on.", "dim")
            with suppress(DramaturgError):  # its row says what went wrong
                await wait_for_work(self._foreman, run, quiet=self._json)
            print_works([await self._foreman.works.detail(run)], json=self._json)

    async def finish(self) -> None:
        """Answer the message that an earlier session left without an answer, if there is one."""
        if not (await self._foreman.view()).unanswered:
            return
        await self._show(self._finishing())

    async def _finishing(self) -> AsyncGenerator[ConsultEvent, None]:
        """The answer to that message, announced when the book is free for it."""
        is_told = self._json
        async with aclosing(self._foreman.finish()) as events:
            async for event in events:
                if not is_told:
                    tell("An earlier message was interrupted; it is answered first.", "dim")
                    is_told = True
                yield event

    async def converse(self) -> bool:
        """Message after message, until the writer leaves; whether the last one was answered."""
        with line_reader(history=self._history, commands=COMMANDS, json=self._json) as lines:
            if lines.at_terminal and not self._json:
                await self._welcome()
            answered = True
            while (message := await _next_message(lines)) is not None:
                said = message.strip()
                if said in LEAVE:
                    break
                if said.startswith("/"):
                    await self._command(said)
                elif said:
                    if not lines.at_terminal and not self._json:
                        self._view.quote(said)
                    answered = await self.send(said)
            return answered

    async def _show(self, events: AsyncIterator[ConsultEvent]) -> bool:
        answered = True
        try:
            async for event in events:
                if self._json:
                    print_json(event.model_dump(mode="json", by_alias=True, exclude_none=True))
                else:
                    self._view.show(event)
                if isinstance(event, ConsultDone):
                    answered = event.answered
        except asyncio.CancelledError:
            tell("\nStopped. Your message is saved, and is answered first when you come back.")
            raise
        return answered

    async def _welcome(self) -> None:
        book = await self._foreman.view()
        tell(f"{book.title}: {book.mode}, {book.completion}% of the story bible. {'  '.join(COMMANDS)}", "dim")
        tell("Each line is a message; end a line with \\ to continue it on the next.", "dim")

    async def _command(self, said: str) -> None:
        name, _, rest = said.partition(" ")
        if name in ("/undo", "/yes", "/patches", "/accept", "/reject"):
            try:
                await self._change(name, rest.split())
            except AuthorError as error:
                tell(error.message)
        elif said == "/help":
            for command, meaning in COMMANDS.items():
                tell(f"{command:<12} {meaning}")
        elif said == "/state":
            print_book(stdout(), await self._foreman.view())
        elif said == "/work-order":
            print_work_order(stdout(), (await self._foreman.view()).work_order)
        elif said == "/works":
            print_works(await self._foreman.works.rows(), json=self._json)
        elif said == "/why":
            self._view.reasoning()
        else:
            tell(f"There is no command {said}. Available: {'  '.join(COMMANDS)}")

    async def _change(self, name: str, words: list[str]) -> None:
        review = self._foreman.patches
        if name == "/undo":
            await self._undo(words)
        elif name == "/yes":
            tell((await self._foreman.confirm()).said)
        elif name == "/patches":
            print_patches((await review.patches(every="all" in words)).patches)
        elif name == "/accept":
            tell((await review.accept(patch_numbers(words))).said)
        else:
            tell((await review.reject(patch_numbers(words))).said)

    async def _undo(self, words: list[str]) -> None:
        """`/undo`, `/undo list`, `/undo ACT`, each with `keep-file` if wanted."""
        plain = [word.lstrip("-") for word in words]
        if "list" in plain:
            print_undoable(await self._foreman.undoable())
            return
        acts = [word for word in plain if word != "keep-file"]
        undone = await self._foreman.undo(acts[0] if acts else None, keep_file="keep-file" in plain)
        tell(undone.said)


def patch_numbers(words: list[str]) -> list[int]:
    """The numbers in `1 3` or `1, 3`. Raises InvalidConfig for anything else, and for none."""
    given = [word for word in " ".join(words).replace(",", " ").split() if word]
    numbers = [whole_number(word.removeprefix("#").removeprefix("p")) for word in given]
    wrong = next((word for word, number in zip(given, numbers, strict=True) if number is None), None)
    if wrong is not None or not given:
        found = f"'{wrong}' is no number of a patch" if wrong else "No number is given"
        raise InvalidConfig(f"{found}. Say which, as /patches lists them: /accept 1 3")
    return [number for number in numbers if number is not None]


async def _next_message(lines: LineReader) -> str | None:
    """A message of one or more lines; None at the end of the input."""
    message: list[str] = []
    if lines.at_terminal:
        stdout().print()
    while (line := await lines.next(CONTINUED if message else PROMPT)) is not None:
        if not line.endswith("\\"):
            return "\n".join([*message, line])
        message.append(line[:-1])
    return "\n".join(message) if message else None
