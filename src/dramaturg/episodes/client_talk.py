"""A talk with a program that sends the whole conversation each time: which session it is, and what it asks for there.

The history is looked for in the sessions that began with the same words. A history that one of them has goes on there:
with a new message, on a branch where an earlier message was changed, with another answer where the same is asked again.
Any other history begins a session of its own, which takes it in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from dramaturg.episodes.events import Persona
from dramaturg.episodes.state import ROOT, ChatMessage, ChatRole, EpisodeState
from dramaturg.episodes.tavern_chat import TavernChat, TavernChatHeader, TavernMessage
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.runs.costs import CostRow, answers, cost_of
from dramaturg.kernel.runs.ids import id_for, new_id
from dramaturg.kernel.text.escape import cleaned

if TYPE_CHECKING:
    from dramaturg.episodes.front import Episodes

MOST_SESSIONS = 1000
LONGEST_CHAIN = 8
"""How many messages in a row one side may have: a group answers with several."""
MOST_BROUGHT = 600
MOST_BROUGHT_CHARACTERS = 120_000
"""How long a conversation from elsewhere may be that a player brings: it costs no turn, and is read all at once."""
NOTICE = "> "
"""What stands before a remark that is no part of the story."""
Request = Literal["message", "swipe", "retry", "continue", "join"]


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A message of the client's history."""

    role: ChatRole
    text: str


@dataclass(frozen=True, slots=True)
class TalkOf:
    """Whose talk it is, and with whom. `key` is the client's own name for the conversation, if it has one.

    What a guest brings is limited.
    """

    template: str | EpisodeTemplate
    player: Persona
    key: str = ""
    greets: bool = False
    is_guest: bool = False

    def session_id(self, first: str, number: int) -> str:
        """The id of the session that began with these words for the nth time; under a key, the words do not count."""
        name = self.template if isinstance(self.template, str) else self.template.name
        began = f"key\0{self.key}" if self.key else f"words\0{hashlib.sha256(_plain(first).encode()).hexdigest()}"
        return id_for("episode", f"client\0{self.player.id}\0{name}\0{began}\0{number}")

    def conversation(self, history: Sequence[HistoryLine]) -> str:
        """The same for all histories that may belong to one session: the id of the first that began as they do."""
        return self.session_id(_first_words(merged(history)), 0)


@dataclass(frozen=True, slots=True)
class TalkTurn:
    """A turn under way, or with `answer` one that was played before. `asked` is what the client's request meant."""

    session: str
    after: Mark
    asked: Request
    is_new: bool = False
    client_id: str | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """The last message of a history in a session, and the message that the client sends if it is there already."""

    message: str
    sent: ChatMessage | None = None
    answers: tuple[ChatMessage, ...] = field(default=())


class ClientTalks:
    """Finds or opens the session of a client's history, and has the newest message answered there."""

    def __init__(self, episodes: Episodes, now: float) -> None:
        self._episodes = episodes
        self._now = now

    async def answer(self, talk: TalkOf, history: Sequence[HistoryLine], *, repeated: bool = False) -> TalkTurn:
        """Has the last message of a history answered. The message is stored before it is.

        If the character spoke last, more is asked of them. A `repeated` request is one that the client has sent before
        and had no response to: it is answered with what was made of the first. Raises InvalidConfig, ModelError.
        """
        lines = merged(history)
        first = _first_words(lines)
        before, words = (lines[:-1], lines[-1].text) if lines[-1].role == "player" else (lines, "")
        taken = await self._taken(talk, first)
        for session in taken:
            state = await self._episodes.state(session)  # held only once it is the one
            if (place := _place(state, before, words)) is not None and (before or _is_young(state)):
                return await self._go_on(session, state, place, words, repeated=repeated)
        session = await self._begin(talk, before, talk.session_id(first, _free_number(talk, first, taken)))
        if not words:
            return TalkTurn(session, await self._episodes.go_on(session), "continue", is_new=True)
        client_id = new_id(self._now)
        mark = await self._episodes.send(session, words, client_id)
        return TalkTurn(session, mark if before else Mark(), "message", True, client_id)

    async def used(self, turn: TalkTurn) -> CostRow:
        """What the character's part of a turn has used."""
        entries = await self._episodes.entries(turn.session)
        return cost_of(
            [one for one in answers(e for e in entries if e.seq > turn.after.seq) if one.purpose == "acting"]
        )

    async def _taken(self, talk: TalkOf, first: str) -> tuple[str, ...]:
        """The sessions that this talk may be a part of, newest first."""
        known = {one.id for one in await self._episodes.sessions(talk.player.id, MOST_SESSIONS)}
        ids = (talk.session_id(first, number) for number in range(len(known)))
        return tuple(reversed([one for one in ids if one in known]))

    async def _begin(self, talk: TalkOf, before: Sequence[HistoryLine], session_id: str) -> str:
        if not before:
            greets, player = talk.greets, talk.player
            return (await self._episodes.open(talk.template, player, session_id=session_id, greets=greets)).id
        if talk.is_guest:
            _check_size(before)
        chat = TavernChat(
            header=TavernChatHeader(user_name=talk.player.name),
            messages=tuple(TavernMessage(is_user=one.role == "player", mes=one.text) for one in before),
        )
        view, _ = await self._episodes.take_in(chat, talk.template, talk.player, reviewed=False, session_id=session_id)
        return view.id

    async def _go_on(self, session: str, state: EpisodeState, place: _Place, words: str, *, repeated: bool) -> TalkTurn:
        if not words:
            await self._stand_at(session, state, place.message)
            return TalkTurn(session, await self._episodes.go_on(session), "continue")
        if place.sent is None:
            await self._stand_at(session, state, place.message)
            client_id = new_id(self._now)
            mark = await self._episodes.send(session, words, client_id)
            return TalkTurn(session, mark, "message", client_id=client_id)
        if state.turn is not None and state.tip == place.sent.id:
            view = await self._episodes.view(session)
            return TalkTurn(session, Mark.read(view.mark), "join")
        if not place.answers:
            await self._episodes.choose(session, place.sent.id)
            return TalkTurn(session, await self._episodes.retry(session), "retry")
        newest = place.answers[-1]
        if repeated:
            return TalkTurn(session, Mark(state.seq), "join", answer=shown_text(newest, state))
        return TalkTurn(session, await self._episodes.swipe(session, newest.id), "swipe")

    async def _stand_at(self, session: str, state: EpisodeState, message: str) -> None:
        """Leads the conversation to a message, so that the next one follows it."""
        if message != ROOT and (not state.conversation or state.conversation[-1].id != message):
            await self._episodes.branch(session, message)


def merged(history: Iterable[HistoryLine]) -> tuple[HistoryLine, ...]:
    """The history with messages in a row made one, as a client may have them. Raises ValueError if nothing is left."""
    said = ((one.role, text) for one in history if (text := one.text.strip()))
    lines = tuple(
        HistoryLine(role, "\n\n".join(text for _, text in row)) for role, row in groupby(said, key=itemgetter(0))
    )
    if not lines:
        raise ValueError("a history without a message")
    return lines


def _check_size(before: Sequence[HistoryLine]) -> None:
    """Raises InvalidConfig for more than a player may bring."""
    if len(before) > MOST_BROUGHT or sum(len(one.text) for one in before) > MOST_BROUGHT_CHARACTERS:
        raise InvalidConfig(
            "No conversation here is as you sent it, and it is too long to be taken in: at most "
            f"{MOST_BROUGHT} messages and {MOST_BROUGHT_CHARACTERS:,} characters can be. Begin a new chat."
        )


def _first_words(lines: Iterable[HistoryLine]) -> str:
    return next((one.text for one in lines if one.role == "player"), "")


def shown_text(message: ChatMessage, state: EpisodeState) -> str:
    """An answer as a client is sent it: in a group, with the name of who speaks."""
    return f"**{state.name_of(message.speaker)}:** {message.text}" if message.speaker else message.text


def _free_number(talk: TalkOf, first: str, taken: Sequence[str]) -> int:
    return next(number for number in range(len(taken) + 1) if talk.session_id(first, number) not in taken)


def _is_young(state: EpisodeState) -> bool:
    """Whether nothing followed the first exchange, so that its first words sent again ask for another answer."""
    return sum(one.role == "player" and not one.deleted for one in state.messages.values()) <= 1


def _place(state: EpisodeState, before: Sequence[HistoryLine], words: str) -> _Place | None:
    """Where a history ends in a session; None if the session does not have it."""
    children = _children(state)
    places = [ROOT]
    if not before or before[0].role == "player":  # the session may have been opened by the character
        places += [end for end, _ in _chains(state, children, ROOT, "character")]
    for line in before:
        found = (
            end
            for place in places
            for end, text in _chains(state, children, place, line.role)
            if is_same(line.text, text, line.role)
        )
        places = list(dict.fromkeys(found))
    if not places:
        return None
    current = {one.id for one in state.conversation}
    found_places = [_at(state, children, place, words) for place in places]
    return max(found_places, key=lambda one: (one.sent is not None, one.message in current, one.message != ROOT))


def _at(state: EpisodeState, children: dict[str, list[ChatMessage]], message: str, words: str) -> _Place:
    said = (one for one in children.get(message, ()) if one.role == "player" and is_same(words, one.text, "player"))
    sent = next(said, None) if words else None
    replies = children.get(sent.id, ()) if sent is not None else ()
    return _Place(message, sent, tuple(one for one in replies if one.role == "character"))


def _chains(
    state: EpisodeState, children: dict[str, list[ChatMessage]], start: str, role: ChatRole
) -> Iterator[tuple[str, str]]:
    """What one side may have said after a message: the last message of each row of its own, and their joined text."""
    rows: list[tuple[str, str]] = [(start, "")]
    for _ in range(LONGEST_CHAIN):
        rows = [
            (one.id, f"{text}\n\n{shown_text(one, state)}".strip())
            for end, text in rows
            for one in children.get(end, ())
            if one.role == role
        ]
        yield from rows


def _children(state: EpisodeState) -> dict[str, list[ChatMessage]]:
    """The messages by the one they follow. What followed a deleted message follows the one before it."""
    children: dict[str, list[ChatMessage]] = {}
    for one in state.messages.values():
        if one.deleted or one.hidden:
            continue
        parent = one.parent
        while parent != ROOT and (state.messages[parent].deleted or state.messages[parent].hidden):
            parent = state.messages[parent].parent
        children.setdefault(parent, []).append(one)
    return children


def is_same(sent: str, stored: str, role: ChatRole) -> bool:
    """Whether a client sends back what was said. Around an answer there may be what was shown beside it."""
    theirs, ours = _plain(sent), _plain(stored)
    if theirs == ours or role == "player":
        return theirs == ours
    return theirs.startswith(f"{ours}\n\n{NOTICE}") or (theirs.startswith(NOTICE) and theirs.endswith(f"\n\n{ours}"))


def _plain(text: str) -> str:
    return cleaned(text.replace("\r\n", "\n")).strip()
