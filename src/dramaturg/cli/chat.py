"""`episode play`: a talk with a character in the terminal, or a line at a time from a pipe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from dramaturg.cli.chat_view import ChatView
from dramaturg.cli.edge import perform, say, settings_of, stdout, tell
from dramaturg.cli.typed import TypedLines, is_typed
from dramaturg.episodes.events import Persona
from dramaturg.episodes.views import SessionView, ShownMessage
from dramaturg.episodes.wire import Mark, ShownChoice, StreamEvent
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.settings import Settings
from dramaturg.studio import Studio

LATEST = 6
"""Messages of a session that is taken up which are shown."""
PROMPT = "› "
HELP = (
    "Say something, and Enter. What begins with a slash is for the house:\n"
    "  /swipe      another answer to the same words\n"
    "  /back       the answer there was before it\n"
    "  /edit TEXT  your last words otherwise, and another answer\n"
    "  /quit       leave; the session stays, and can be gone on with"
)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How an episode is played from the command line. `session` goes on with one there is."""

    player: str = "me"
    persona: str = ""
    model: str | None = None
    session: str | None = None
    json: bool = False


def play_episode(name: str | None, project: Path, options: PlayOptions) -> None:
    async def work() -> SessionView:
        settings = _paced(settings_of(project), options)
        if (name is None) == (options.session is None):
            raise InvalidConfig("Name an episode, or a session to go on with: --session ID. 'episode list' has both.")
        async with Studio.open(settings) as studio:
            if not options.json and not options.session and not (options.model or settings.models.default):
                tell((await studio.choose()).reason + "\n", "dim")
            return await Chat(studio, options).play(name)

    view = perform(work, json=options.json)
    if options.json:
        say(view.model_dump(mode="json"))


def _paced(settings: Settings, options: PlayOptions) -> Settings:
    """Where somebody watches, the company speaks at the pace of speech."""
    watched = stdout().is_terminal and is_typed() and not options.json
    if not watched or settings.scenes.pace is not None:
        return settings
    return settings.model_copy(update={"scenes": settings.scenes.model_copy(update={"pace": 1.0})})


def persona_of(options: PlayOptions) -> Persona:
    """'Anna: a nurse on her first night' is a name, and what the character knows of them."""
    name, _, about = options.persona.partition(":")
    return Persona(id=options.player, name=name.strip(), about=about.strip())


class Chat:
    """One player at one session."""

    def __init__(self, studio: Studio, options: PlayOptions) -> None:
        self._parlour, self._studio, self._options = studio.episodes, studio, options
        self._session = ""
        self._view: ChatView | None = None
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "/swipe": self._swipe,
            "/back": self._back,
            "/edit": self._edit,
            "/help": self._help,
        }

    async def play(self, name: str | None) -> SessionView:
        """From the curtain until the player leaves; how the session stands then."""
        await self._open(name)
        lines, typed = TypedLines(), is_typed()
        try:
            while (line := await self._next(lines, typed)) is not None:
                if line.strip() in ("/quit", "/exit"):
                    break
                if not typed and self._view is not None and line.strip():
                    self._view.echo(await self._meant(line.strip()))
                await self._heard(line)
        except asyncio.CancelledError:
            self._farewell()
            raise
        await self._parlour.settle(self._session)
        self._farewell()
        return await self._parlour.view(self._session)

    async def _open(self, name: str | None) -> None:
        if name is not None:
            view = await self._parlour.open(name, persona_of(self._options), model=self._options.model)
            after = Mark()
        else:
            view, after = await self._taken_up()
        self._session = view.id
        if not self._options.json:
            self._view = ChatView(stdout(), view.character, self._where())
        if name is not None:
            await self._watch(self._parlour.turn(view.id, after))
            self._remark("/help says what else can be done here.\n")
            return
        if self._view is not None:
            self._view.again(view, view.messages[-LATEST:])
        if view.busy:
            await self._watch(self._parlour.turn(view.id, after))

    async def _taken_up(self) -> tuple[SessionView, Mark]:
        record = await self._studio.runs.get(self._options.session or "")
        await self._parlour.sit(record.id)
        view = await self._parlour.view(record.id)
        return view, Mark.read(view.mark)

    async def _next(self, lines: TypedLines, typed: bool) -> str | None:
        if typed and self._view is not None:
            stdout().print(PROMPT, end="", style="bold")
        line = await lines.next()
        if typed and self._view is not None:
            stdout().print()
        return line

    async def _heard(self, line: str) -> None:
        """One line of the player's. What is wrong with it is said, and the talk goes on."""
        word, _, rest = line.strip().partition(" ")
        try:
            if word in self._commands:
                await self._commands[word](rest.strip())
            elif word.startswith("/"):
                raise InvalidConfig(f"There is no {word} here. /help says what there is.")
            else:
                await self._say(line.strip())
        except AuthorError as error:
            if self._options.json:
                say({"type": "refused", "code": error.code, "message": error.message})
            else:
                self._remark(f"{error.message}\n")

    async def _say(self, text: str) -> None:
        if not text:
            if (await self._parlour.view(self._session)).retry:
                await self._follow(await self._parlour.retry(self._session))
            return
        if choice := await self._picked(text):
            await self._follow(await self._parlour.pick(self._session, choice.id))
            return
        await self._watch(self._parlour.say(self._session, text))

    async def _picked(self, text: str) -> ShownChoice | None:
        """The choice that a number means, where some are offered."""
        place = int(text) if text.isdecimal() and len(text) < 3 else 0
        offered = (await self._parlour.view(self._session)).choices
        return offered[place - 1] if 0 < place <= len(offered) else None

    async def _meant(self, text: str) -> str:
        choice = await self._picked(text)
        return f"{text} ({choice.label})" if choice else text

    async def _swipe(self, _: str) -> None:
        await self._follow(await self._parlour.swipe(self._session, (await self._last("character")).id))

    async def _back(self, _: str) -> None:
        last = await self._last("character")
        place = last.siblings.index(last.id)
        if place == 0:
            raise InvalidConfig("There is no earlier answer here; /swipe makes another one.")
        await self._parlour.choose(self._session, last.siblings[place - 1])
        view = await self._parlour.view(self._session)
        if self._options.json:
            say({"type": "chosen", "message_id": view.messages[-1].id, "content": view.messages[-1].content})
        elif self._view is not None:
            self._view.answer(view.messages[-1].content)

    async def _edit(self, text: str) -> None:
        if not text:
            raise InvalidConfig("/edit takes the words: /edit Good evening.")
        mine = await self._last("player")
        await self._parlour.edit(self._session, mine.id, text)
        view = await self._parlour.view(self._session)
        if view.messages[-1].role == "character":
            await self._follow(await self._parlour.swipe(self._session, view.messages[-1].id))
        else:
            await self._follow(await self._parlour.retry(self._session))

    async def _help(self, _: str) -> None:
        self._remark(f"{HELP}\n")

    async def _last(self, role: str) -> ShownMessage:
        view = await self._parlour.view(self._session)
        found = next((one for one in reversed(view.messages) if one.role == role), None)
        if found is None:
            raise InvalidConfig("Nothing has been said yet.")
        return found

    async def _follow(self, mark: Mark) -> None:
        await self._watch(self._parlour.turn(self._session, mark))

    async def _watch(self, events: AsyncIterator[StreamEvent]) -> None:
        async for event in events:
            if self._view is not None:
                self._view.show(event)
            else:
                say(event.model_dump(mode="json"))

    def _remark(self, text: str) -> None:
        if self._view is not None:
            self._view.remark(text)

    def _where(self) -> str:
        project = self._studio.settings.project
        return "" if project == Path() else f" --project {project}"

    def _farewell(self) -> None:
        if self._view is not None:
            self._view.close()
            tell(f"\nNothing is lost. Go on with: dramaturg episode play --session {self._session}{self._where()}")
