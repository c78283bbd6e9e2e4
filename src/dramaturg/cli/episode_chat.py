"""A conversation with a character, at a terminal or through a pipe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from dramaturg.cli.edge import print_json, project_option, stdout, tell
from dramaturg.cli.episode_commands import ABOUT, BRIEF, SessionCommands
from dramaturg.cli.episode_view import EpisodeView
from dramaturg.cli.line_reader import line_reader
from dramaturg.episodes.apology import tells_of_damage
from dramaturg.episodes.events import Persona
from dramaturg.episodes.front import CardEpisode
from dramaturg.episodes.speakers import split_whisper
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.episodes.views import SessionView, ShownMessage
from dramaturg.episodes.wire import ShownChoice, StreamEvent
from dramaturg.kernel.errors import AuthorError, InvalidConfig, StoreUnavailable, VoiceError
from dramaturg.kernel.runs import Mark
from dramaturg.studio import Studio

LATEST = 6
"""Messages shown when a session is resumed."""
PROMPT = "› "
COMMANDS = {
    "/swipe TEXT": "get another answer to the same message; TEXT, if any, says what you would like",
    "/continue NAME": "let the character go on; in a group, NAME says who speaks next",
    "/whisper NAME TEXT": "in a group, say something that only NAME hears",
    "/draft": "get a suggestion for your next message",
    "/greeting N": "begin with another of the card's first messages; without N, list them",
    "/back": "return to the previous answer",
    "/edit TEXT": "change your last message, and get another answer",
    **ABOUT,
    "/voice on": "have messages spoken as WAV files from now on; /voice off ends it",
    "/help": "show these commands",
    "/quit": "leave; the session is saved, and you can continue it later",
}
HELP = "Type a message and press Enter. Commands start with a slash:\n" + "\n".join(
    f"  {name:<19} {about}" for name, about in COMMANDS.items()
)


class EpisodeChat:
    """One player in one session."""

    def __init__(self, studio: Studio, *, json: bool) -> None:
        self._episodes, self._runs, self._settings = studio.episodes, studio.runs, studio.settings
        self._booth = studio.booth
        self._json = json
        self._session = ""
        self._view: EpisodeView | None = None
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "/swipe": self._swipe,
            "/continue": self._continue,
            "/whisper": self._whisper,
            "/draft": self._draft,
            "/greeting": self._greeting,
            "/back": self._back,
            "/edit": self._edit,
            "/voice": self._voice,
            "/help": self._help,
        }
        more = SessionCommands(self._episodes, self._show, self._reopen, project_option(self._settings.project))
        self._session_commands = more.all

    async def play(
        self,
        episode: str | EpisodeTemplate | CardEpisode,
        persona: Persona,
        model: str | None,
        *,
        voice: bool | None = None,
    ) -> SessionView:
        """Start an episode, and talk until the player leaves; the session's last state."""

        async def opened() -> None:
            view = await self._episodes.open(episode, persona, model=model, voice=voice)
            self._begin(view)
            await self._say_whether_spoken(view)
            await self._follow(Mark())
            self._remark("Type /help to see the commands.\n")

        return await self._converse(opened)

    async def _begin_again(self, session: str) -> None:
        """Opens a session. One that a damaged entry keeps from going on can still be read, and branched."""
        try:
            await self._episodes.session(session)
        except StoreUnavailable as error:
            if not tells_of_damage(error):
                raise
            self._remark(f"{error.message}\n")

    async def resume(
        self, session: str, *, model: str | None = None, persona: str = "", voice: bool | None = None
    ) -> SessionView:
        """The same, with a session that exists; it may go on with another `model`, and keeps its player."""

        async def opened() -> None:
            record = await self._runs.get(session)
            await self._begin_again(record.id)
            view = await self._episodes.view(record.id)
            if model is not None:
                view = await self._episodes.set_model(record.id, model)
            if voice is not None:
                view = await self._episodes.set_voice(record.id, on=voice)
            self._begin(view)
            await self._say_whether_spoken(view)
            if persona:
                self._remark(f"--persona is for new sessions; this one is {view.player.name or view.player.id}'s.\n")
            if self._view is not None:
                self._view.resumed(view, view.messages[-LATEST:])
            if view.remark:
                self._remark("With --model NAME, a language model plays on.\n")
            if view.busy:
                await self._follow(Mark.read(view.mark))

        return await self._converse(opened)

    def _begin(self, view: SessionView) -> None:
        self._session = view.id
        if not self._json:
            self._view = EpisodeView(stdout(), view.character, project_option(self._settings.project))

    async def _converse(self, opened: Callable[[], Awaitable[None]]) -> SessionView:
        history = self._settings.data / "history" / "episode"
        commands = {name.split()[0]: about for name, about in COMMANDS.items()}
        with line_reader(history=history, commands=commands, json=self._json) as lines:
            try:
                await opened()
                while (line := await lines.next(PROMPT)) is not None:
                    if line.strip() in ("/quit", "/exit"):
                        break
                    if self._view is not None and lines.at_terminal:
                        stdout().print()
                    elif self._view is not None and line.strip():
                        self._view.echo(await self._with_label(line.strip()))
                    await self._receive(line)
            except (asyncio.CancelledError, KeyboardInterrupt):
                self._say_how_to_continue()
                raise
            await self._episodes.settle(self._session)
        self._say_how_to_continue()
        return await self._episodes.view(self._session)

    async def _receive(self, line: str) -> None:
        """Act on one line of the player's. A mistake in it is explained, and the conversation goes on."""
        word, _, rest = line.strip().partition(" ")
        try:
            if word in self._commands:
                await self._commands[word](rest.strip())
            elif word in self._session_commands:
                await self._session_commands[word](self._session, rest.strip())
            elif word.startswith("/"):
                raise InvalidConfig(f"There is no command {word}. Type /help to see the commands.")
            else:
                await self._say(line.strip())
        except (AuthorError, StoreUnavailable) as error:
            if isinstance(error, StoreUnavailable) and not tells_of_damage(error):
                raise
            if self._json:
                print_json({"type": "refused", "code": error.code, "message": error.message})
            else:
                self._remark(f"{error.message}\n")

    async def _say(self, text: str) -> None:
        if not text:
            if (await self._episodes.view(self._session)).retry:
                await self._follow(await self._episodes.retry(self._session))
            return
        if choice := await self._picked(text):
            await self._follow(await self._episodes.pick(self._session, choice.id))
            return
        await self._watch(self._episodes.say(self._session, text))

    async def _picked(self, text: str) -> ShownChoice | None:
        """The choice that a number stands for, if choices are offered."""
        place = int(text) if text.isdecimal() and len(text) < 3 else 0
        offered = (await self._episodes.view(self._session)).choices
        return offered[place - 1] if 0 < place <= len(offered) else None

    async def _with_label(self, text: str) -> str:
        """A number with the choice it stands for; anything else as it is."""
        choice = await self._picked(text)
        return f"{text} ({choice.label})" if choice else text

    async def _swipe(self, wish: str) -> None:
        await self._follow(await self._episodes.swipe(self._session, (await self._last("character")).id, wish))

    async def _continue(self, name: str) -> None:
        await self._follow(await self._episodes.go_on(self._session, name))

    async def _whisper(self, line: str) -> None:
        cast = (await self._episodes.session(self._session)).state.cast
        if not line.strip():
            raise InvalidConfig("Say to whom, and what: /whisper NAME Meet me later.")
        member, text = split_whisper(line, cast)
        if not text:
            raise InvalidConfig(
                f"Say what {member.display_name} is to hear: /whisper {member.display_name} Meet me later."
            )
        await self._watch(self._episodes.say(self._session, text, to=member.character))

    async def _draft(self, _: str) -> None:
        text = await self._episodes.draft(self._session)
        self._show({"type": "draft", "content": text}, text)

    async def _greeting(self, number: str) -> None:
        view = await self._episodes.view(self._session)
        if len(view.messages) != 1 or view.messages[0].role != "character":
            raise InvalidConfig("Another greeting can be chosen only before anything else is said.")
        others = view.messages[0].siblings
        if not number:
            await self._list_greetings(others)
            return
        if not number.isdecimal() or not 0 < int(number) <= len(others):
            raise InvalidConfig(f"This card has {len(others)} first messages; choose one by its number: /greeting 1.")
        chosen = await self._episodes.choose(self._session, others[int(number) - 1])
        if self._json:
            print_json({"type": "chosen", "message_id": chosen.messages[0].id, "content": chosen.messages[0].content})
        elif self._view is not None:
            self._view.answer(chosen.messages[0].content, chosen.messages[0].name)

    async def _list_greetings(self, greetings: Sequence[str]) -> None:
        messages = (await self._episodes.session(self._session)).state.messages
        texts = [messages[one].text for one in greetings]
        listed = (f"{number}. {' '.join(text.split())[:BRIEF]}" for number, text in enumerate(texts, start=1))
        self._show({"type": "greetings", "greetings": texts}, "\n".join(listed))

    async def _back(self, _: str) -> None:
        last = await self._last("character")
        place = last.siblings.index(last.id)
        if place == 0:
            raise InvalidConfig("There is no earlier answer here; /swipe gets another one.")
        await self._episodes.choose(self._session, last.siblings[place - 1])
        view = await self._episodes.view(self._session)
        if self._json:
            print_json({"type": "chosen", "message_id": view.messages[-1].id, "content": view.messages[-1].content})
        elif self._view is not None:
            self._view.answer(view.messages[-1].content, view.messages[-1].name)

    async def _edit(self, text: str) -> None:
        if not text:
            raise InvalidConfig("/edit needs the new text, such as: /edit Good evening.")
        mine = await self._last("player")
        await self._episodes.edit(self._session, mine.id, text)
        view = await self._episodes.view(self._session)
        place = next(number for number, one in enumerate(view.messages) if one.id == mine.id) + 1
        if view.messages[-1].role == "character":
            await self._follow(await self._episodes.swipe(self._session, view.messages[place].id))
        else:
            await self._follow(await self._episodes.retry(self._session))

    async def _voice(self, wanted: str) -> None:
        if wanted not in ("on", "off"):
            raise InvalidConfig("Type /voice on or /voice off.")
        view = await self._episodes.set_voice(self._session, on=wanted == "on")
        if view.voice:
            await self._say_whether_spoken(view)
        else:
            self._remark("Messages are no longer spoken.\n")

    async def _say_whether_spoken(self, view: SessionView) -> None:
        """Where the spoken messages are, or why nothing can be spoken here."""
        if not view.voice:
            return
        try:
            booth = await self._booth.open()
        except VoiceError as error:
            self._remark(f"Messages cannot be spoken: {error.message}\n")
            return
        folder = self._settings.data / "sessions" / view.id
        self._remark(" ".join(filter(None, [f"Messages are spoken to WAV files in {folder}.", booth.remark])) + "\n")

    async def _help(self, _: str) -> None:
        self._remark(f"{HELP}\n")

    async def _last(self, role: str) -> ShownMessage:
        view = await self._episodes.view(self._session)
        found = next((one for one in reversed(view.messages) if one.role == role), None)
        if found is None:
            raise InvalidConfig("Nothing has been said yet.")
        return found

    async def _follow(self, mark: Mark) -> None:
        await self._watch(self._episodes.turn(self._session, mark))

    async def _watch(self, events: AsyncIterator[StreamEvent]) -> None:
        async for event in events:
            if self._view is not None:
                self._view.show(event)
                if event.type == "error":
                    await self._say_why()
            else:
                print_json(event.model_dump(mode="json"))

    async def _say_why(self) -> None:
        """At a terminal, the player is the author, who needs the cause."""
        failed = (await self._episodes.session(self._session)).state.failed
        if failed is not None:
            self._remark(f"{failed.error}\n")

    def _show(self, told: Mapping[str, object], text: str) -> None:
        """A result, for programs or for people."""
        if self._json:
            print_json(told)
        elif text:
            self._remark(f"{text}\n")

    def _reopen(self, view: SessionView) -> None:
        """The conversation, after it has changed."""
        if self._view is not None:
            self._view.resumed(view, view.messages[-LATEST:])

    def _remark(self, text: str) -> None:
        if self._view is not None:
            self._view.remark(text)

    def _say_how_to_continue(self) -> None:
        if self._view is not None:
            self._view.close()
            where = project_option(self._settings.project)
            tell(f"\nThe session is saved. Continue with: dramaturg episode play --session {self._session}{where}")
