"""A session held open by this process: its log and state, the current turn, and its followers.

Turns of one session are played one after another; sessions know nothing of each other. A turn belongs to the session:
disconnecting does not cancel it, and a client resumes where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dramaturg.episodes.care import care_text, concern_in
from dramaturg.episodes.director import observe, pace
from dramaturg.episodes.draft import draft
from dramaturg.episodes.evaluation import evaluate
from dramaturg.episodes.events import (
    AnswerPieces,
    CareOffered,
    ChoiceMade,
    EpisodeEvent,
    EpisodeRun,
    EvaluationFailed,
    EvaluationGiven,
    MessageChosen,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    ModelSet,
    PaceDecided,
    PlayerSpoke,
    SessionBranched,
    TurnObserved,
    VoiceSet,
)
from dramaturg.episodes.language import language_of
from dramaturg.episodes.play import SessionModels, play_turn, question, refuse_turn
from dramaturg.episodes.review import review
from dramaturg.episodes.sent_messages import check_same, place_of
from dramaturg.episodes.session_speech import SessionSpeech, SpeechDeps
from dramaturg.episodes.session_tables import SessionTables
from dramaturg.episodes.speakers import member_called
from dramaturg.episodes.state import ChatMessage, EpisodeState, PendingAnswer
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.errors import InvalidConfig, ModelError, PromptError
from dramaturg.kernel.runs import Engine, Mark, Performance
from dramaturg.kernel.runs.run import LINGER_SECONDS
from dramaturg.kernel.settings import CareSettings, Settings

if TYPE_CHECKING:
    from dramaturg.episodes.kind import EpisodeKind
    from dramaturg.episodes.players import HeldBack

MANY_LOOKS = 100
PIECES = 240
"""How many characters of an answer are buffered before they are logged."""
PIECES_SECONDS = 0.25 - LINGER_SECONDS
"""How long, with what they wait for others to be written with."""


@dataclass(frozen=True, slots=True)
class SessionDeps:
    """What every open session needs: the engine, its tables, and how its models are opened."""

    engine: Engine
    settings: Settings
    tables: SessionTables
    models: Callable[[Performance[EpisodeEvent, EpisodeState]], SessionModels]
    speech: SpeechDeps
    held_back: Callable[[str, str], Awaitable[HeldBack | None]]
    """Why a message of this session and player, which has waited for its turn, is not answered; None if it is."""


class OpenSession(Performance[EpisodeEvent, EpisodeState]):
    """One session, open in this process."""

    def __init__(self, run: EpisodeRun, kind: EpisodeKind, deps: SessionDeps) -> None:
        super().__init__(run, kind)
        self.tables = deps.tables
        self.speech = SessionSpeech(self, deps.speech)
        self._opened_at = run.seq
        self._deps = deps
        self._lock = asyncio.Lock()
        self._intake = asyncio.Lock()
        self._models: SessionModels | None = None
        self._afterwards: asyncio.Task[None] | None = None
        self._due: asyncio.TimerHandle | None = None

    # The session, as a turn sees it.

    def begin(self) -> None:
        """Marks the session as created here: no earlier process has asked for anything in it."""
        self._opened_at = 0

    def is_lost(self, asked: PendingAnswer) -> bool:
        """Whether an earlier process asked this and ended before the answer was complete."""
        return asked.seq <= self._opened_at and self.run.answers.get(asked.event.key) is None

    def hear_answer(self, message_id: str, piece: str, shown: str) -> None:
        """Records a piece of an answer and the part of it that may be shown."""
        asked = self.state.asked
        seq = asked.seq if asked is not None else self.live.seq if self.live is not None else 0
        live = self.hear(seq, piece, shown)
        if len(live.unlogged) >= PIECES:
            self._log_pieces(message_id)
        elif live.unlogged and self._due is None:
            self._due = asyncio.get_running_loop().call_later(PIECES_SECONDS, self._log_pieces, message_id)
        self.speech.hear(message_id, shown)

    def _log_pieces(self, message_id: str) -> None:
        """Logs what is not logged of an answer on its way, for those who follow the session elsewhere."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        asked, live = self.state.asked, self.live
        is_open = asked is not None and asked.event.message_id == message_id and self.broken is None
        if is_open and live is not None and live.unlogged:
            self.put(AnswerPieces(message_id=message_id, text=live.unlogged))
            live.unlogged = ""

    def models(self) -> SessionModels:
        """The models of the character and the director, opened once."""
        if self._models is None:
            self._models = self._deps.models(self)
        return self._models

    # What the player does.

    async def take(self, words: str, client_id: str, choice: str | None = None, to: str = "") -> Mark:
        """Logs what the player sent and has it answered. Returns the place after which its turn is shown.

        `to` is the only one of a group who hears it. Raises NotFound if nobody is called so, and AlreadyUsed if the
        client sent something else under this id.
        """
        async with self._intake:
            self.check()
            to = member_called(to, self.state.cast).character if to else ""
            check_same(self.run, client_id, words, choice, to)
            known = self.state.said_as(client_id)
            if known is None and not any(one.client_id == client_id for one in self.state.waiting):
                received = MessageReceived(client_id=client_id, text=words, choice=choice, to=to)
                await self._receive(received)
                self.kick()
                return place_of(self.run, client_id)
            if known is not None and known == self.state.unanswered and self.state.turn is None:
                return await self.retry()
            return place_of(self.run, client_id)

    async def _receive(self, received: MessageReceived) -> None:
        """Logs it: as a message of the conversation if no turn is in progress, else to wait for its turn."""
        if self._lock.locked() or self.has_work():
            await self.write(received)
            return
        async with self._lock:
            await self.write(*_spoken(self.state, received, self._deps.settings.care))

    async def retry(self) -> Mark:
        """Requests a missing answer again. Raises InvalidConfig if none is missing."""
        async with self._lock:
            if self.state.turn is None and self.state.unanswered is None:
                raise InvalidConfig("Every message has been answered; there is nothing to retry.")
            mark = Mark(self.state.seq)
            if self.state.turn is None:
                await self.write(question(self.state, self.state.tip))
        self.kick()
        return mark

    async def go_on(self, speaker: str = "") -> Mark:
        """Requests more from the character, who spoke last, or from another of the group.

        Raises InvalidConfig if the player spoke last.
        """
        async with self._lock:
            last = self.state.conversation[-1] if self.state.conversation else None
            if last is None or last.role != "character" or self.state.turn is not None:
                raise InvalidConfig("There is nothing to continue: the last message is not the character's.")
            mark = Mark(self.state.seq)
            if speaker:
                last = replace(last, speaker=member_called(speaker, self.state.cast).character, private="")
            await self.write(question(self.state, last.id, like=last))
        self.kick()
        return mark

    async def draft(self) -> str:
        """What the player might say next; nothing is said by it."""
        async with self._lock:
            self.check()
            models = self.models()
            return await draft(self.state, models.sheet, models.model, self.run.seq)

    async def swipe(self, message_id: str, wish: str = "") -> Mark:
        """Requests another answer in place of this one, with the player's wish for it; the earlier ones stay."""
        async with self._lock:
            message = self.state.message(message_id)
            if message.role != "character" or message.structured is None:
                raise InvalidConfig(
                    f"Message '{message_id}' is not one of the character's answers; only those can be swiped."
                )
            mark = Mark(self.state.seq)
            await self.write(question(self.state, message.parent or None, wish, like=message))
        self.kick()
        return mark

    async def choose(self, message_id: str) -> None:
        """Makes the conversation continue through this message: an earlier swipe or another branch."""
        await self._change(lambda: MessageChosen(message_id=self.state.message(message_id).id))

    async def edit(self, message_id: str, text: str) -> None:
        await self._change(
            lambda: edited(self.state.message(message_id), text, self._deps.settings.care, self.state.template)
        )

    async def delete(self, message_id: str, *, following: bool = False) -> None:
        """Deletes a message and, with `following`, everything after it in the conversation."""
        await self._change(lambda: MessageDeleted(message_ids=_doomed(self.state, message_id, following=following)))

    async def branch(self, message_id: str) -> None:
        """Continues from this message; what followed it stays on its own branch."""
        await self._change(lambda: SessionBranched(message_id=self.state.message(message_id).id))

    async def bring(self, *events: EpisodeEvent, reviewed: bool = True) -> None:
        """Imports messages as if they had just been said; a model looks at the latest of them, if `reviewed`."""
        await self._change(lambda: events, reviewed=reviewed)

    async def set_voice(self, *, on: bool) -> None:
        """From now on, the character's messages are spoken, or no longer."""
        async with self._lock:
            self.check()
            if on != (self.state.voice is not None):
                await self.write(voice_set(self._deps.settings, on=on))

    async def set_model(self, model: str, director: str) -> None:
        """From now on, this model plays."""
        async with self._lock:
            self.check()
            await self.write(ModelSet(model=model, director=director))
            self._models = None

    async def evaluate_again(self) -> EvaluationGiven | EvaluationFailed:
        """Evaluates a completed episode again. Raises InvalidConfig if there is nothing to evaluate."""
        async with self._lock:
            wanted = self.state.template.evaluation
            if wanted is None:
                raise InvalidConfig("This episode has no evaluation.")
            if self.state.completion is None:
                raise InvalidConfig("The episode is not complete yet. It will be evaluated when it is.")
            given = await evaluate(self.state, wanted, self.models().director, again=True)
            # It covers the episode as it was completed, however long the talk has continued since.
            await self.write(given.model_copy(update={"message_id": self.state.completion.message_id}))
            await self.tables.record(self)
        return given

    # Playing.

    @property
    def busy(self) -> bool:
        """Whether a turn is being played."""
        return self._deps.engine.is_playing(self.id)

    @property
    def is_in_turn(self) -> bool:
        """Whether the player is to expect more of a turn; what is done after its end does not count."""
        return self.busy and self.has_work()

    @property
    def at_rest(self) -> bool:
        """Whether the session can be closed: nothing is in progress and nobody follows."""
        idle = not self.busy and not self._reviewing and not self.speech.busy
        return idle and not self.followers and not self._lock.locked()

    @property
    def _reviewing(self) -> bool:
        return self._afterwards is not None and not self._afterwards.done()

    def kick(self) -> None:
        """Has the engine play what is pending, unless it is already doing so."""
        if self.has_work() and not self.busy:
            self._deps.engine.start(self)

    def has_work(self) -> bool:
        """Whether a turn is unfinished or a message is waiting."""
        return self.failure is None and (self.state.turn is not None or bool(self.state.waiting))

    async def play(self) -> None:
        """Plays turn after turn while there is one to play. Called by the engine."""
        async with self._lock:
            await self.tables.restore(self)
            self.speech.go_on()
            while self.has_work():
                await self.wait_for_review()
                if self.state.turn is None:
                    await self.write(*_spoken(self.state, self.state.waiting[0], self._deps.settings.care))
                    if reason := await self._deps.held_back(self.id, self.state.session.player.id):
                        await refuse_turn(self, *reason)
                        continue
                try:
                    models = self.models()
                except (ModelError, PromptError) as error:
                    await refuse_turn(self, error.message, error.code)
                    continue
                await play_turn(self, models)
                await self.speech.tidy()
                self.speech.go_on()
                self._review()

    async def settled(self) -> None:
        """Returns when nothing is in progress any more, not even the work after a turn."""
        while self.busy or self._reviewing or self.speech.busy:
            await self.speech.settled()
            await self._deps.engine.settled(self.id)
            if self._afterwards is not None:
                await asyncio.wait([self._afterwards])

    async def close(self, reason: BaseException) -> None:
        """Stops the current turn and tells followers why; the log says where to continue."""
        self.fail(reason)
        await self._deps.engine.cancel(self.id)
        await self.speech.close()
        if self._afterwards is not None and not self._afterwards.done():
            self._afterwards.cancel()
            await asyncio.wait([self._afterwards])

    async def wait_for_review(self) -> None:
        """Waits, but not long, for the work after the last turn: what is remembered, and the summary."""
        if self._afterwards is not None and not self._afterwards.done():
            await asyncio.wait([self._afterwards], timeout=self._deps.settings.episodes.extraction_wait)

    def _review(self) -> None:
        """The work after a turn or a change, one at a time; the next turn does not wait for it long."""
        self._afterwards = asyncio.create_task(self._reviewed(self._afterwards), name=f"review of {self.id}")

    async def _reviewed(self, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait([before])
        try:
            await review(self, extraction=self._deps.settings.episodes.extraction)
        except Exception as error:  # noqa: BLE001 # reason: whatever it is, followers must be told
            self.fail(error)

    async def _change(
        self, event: Callable[[], EpisodeEvent | tuple[EpisodeEvent, ...]], *, reviewed: bool = True
    ) -> None:
        """Changes the conversation and has the director observe what was affected."""
        async with self._lock:
            self.check()
            made = event()
            await self.write(*(made if isinstance(made, tuple) else (made,)))
            state = self.state
            looks = observations(state)
            if len(looks) > MANY_LOOKS:  # written first, so that they are not observed a second time
                await self.write(*looks)
                state, looks = self.state, []
            decided = pace(state.template, state.director)
            last = state.exchanges[-1].message_id if state.exchanges else ""
            await self.write(*looks, PaceDecided(message_id=last, note=decided.note, reason=decided.reason))
            await self.tables.record(self)
        await self.speech.tidy()
        self.speech.go_on()
        if reviewed:
            self._review()
        self.kick()


def _spoken(state: EpisodeState, received: MessageReceived, care: CareSettings) -> tuple[EpisodeEvent, ...]:
    """A received message, added at the current end of the conversation, and the request for its answer."""
    spoke = PlayerSpoke(
        message_id=state.next_id,
        client_id=received.client_id,
        parent=state.tip or None,
        text=received.text,
        choice=received.choice,
        to=received.to,
    )
    choice = state.template.choice(received.choice) if received.choice else None
    made: tuple[EpisodeEvent, ...] = ()
    if choice is not None:
        made = (ChoiceMade(message_id=spoke.message_id, choice=choice),)
    else:
        made = care_for(spoke.message_id, received.text, care, state.template)
    after = state.after([spoke, *made])
    return (spoke, *made, question(after, spoke.message_id))


def voice_set(settings: Settings, *, on: bool) -> VoiceSet:
    """The event that turns voices on or off, in the way the settings say."""
    if not on:
        return VoiceSet(on=False)
    return VoiceSet(on=True, narration=settings.episodes.narration, by=settings.episodes.spoken_by)


def observations(state: EpisodeState) -> list[TurnObserved]:
    """What the rules see in the exchanges that were not observed yet."""
    return [
        TurnObserved(message_id=one.message_id, digest=one.digest, reading=observe(state.template, one))
        for one in state.exchanges
        if one.reading is None
    ]


def _doomed(state: EpisodeState, message_id: str, *, following: bool) -> tuple[str, ...]:
    """The messages that are deleted with this one."""
    wanted = state.message(message_id)
    talk = list(state.conversation)
    if not following:
        return (wanted.id,)
    if wanted not in talk:
        raise InvalidConfig(f"Message '{message_id}' is not part of the current conversation; choose it first.")
    return tuple(one.id for one in talk[talk.index(wanted) :])


def edited(
    message: ChatMessage, text: str, settings: CareSettings, template: EpisodeTemplate
) -> tuple[EpisodeEvent, ...]:
    """Other words for a message; a player's new words may need care as well."""
    offered = care_for(message.id, text, settings, template) if message.role == "player" else ()
    return (MessageEdited(message_id=message.id, text=text), *offered)


def care_for(message_id: str, text: str, settings: CareSettings, template: EpisodeTemplate) -> tuple[CareOffered, ...]:
    """The line for a message that speaks of self-harm or abuse, in its language or the episode's."""
    concern = concern_in(text) if settings.offer else None
    if concern is None:
        return ()
    return (
        CareOffered(
            message_id=message_id,
            concern=concern.kind,
            language=concern.language,
            text=care_text(concern, settings, language_of(template.opening_line or template.opening_situation)),
            quote=concern.quote,
        ),
    )
