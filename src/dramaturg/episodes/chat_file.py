"""Converts sessions to the chat files of other programs and back: one line per message, with its swipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import JsonValue

from dramaturg.episodes import tavern_chat as tavern
from dramaturg.episodes.answer import StructuredAnswer
from dramaturg.episodes.answer_stream import AnswerReader
from dramaturg.episodes.events import EpisodeEvent, GroupMember, MessageChosen, MessageImported
from dramaturg.episodes.state import ROOT, ChatMessage, EpisodeState
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.escape import cleaned

OURS = "dramaturg"
SEVERAL = "Several characters speak in it"
MOST_MESSAGES = 10_000
LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """A chat from another program as log entries; `remarks` say what was left out, `names` who said each message."""

    events: tuple[EpisodeEvent, ...]
    remarks: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def spoken_by(self, cast: Sequence[GroupMember]) -> tuple[EpisodeEvent, ...]:
        """The entries for a group: each line is its speaker's, or the first member's if nobody here has that name."""
        known = {name.casefold(): one.character for one in cast for name in (one.character, one.display_name)}
        return tuple(
            one.model_copy(
                update={"speaker": known.get(self.names.get(one.message_id, "").casefold(), cast[0].character)}
            )
            if cast and isinstance(one, MessageImported) and one.role == "character"
            else one
            for one in self.events
        )

    def remarks_for(self, cast: Sequence[GroupMember]) -> tuple[str, ...]:
        """What to tell whoever imports it."""
        if not cast:
            return self.remarks
        known = {name.casefold() for one in cast for name in (one.character, one.display_name)}
        strangers = [name for name in dict.fromkeys(self.names.values()) if name.casefold() not in known]
        told = tuple(one for one in self.remarks if not one.startswith(SEVERAL))
        if not strangers:
            return told
        who = ", ".join(strangers[:5])
        return (*told, f"Not in this group: {who}. Their lines are now {cast[0].display_name}'s.")


def chat_of(session_id: str, state: EpisodeState, created_at: float) -> tavern.TavernChat:
    """The current conversation, each answer with all its swipes."""
    opened = state.session
    ours: dict[str, JsonValue] = {"session": session_id, "episode": opened.template.name}
    header = tavern.TavernChatHeader(
        user_name=opened.player.name or "You",
        character_name=opened.display_name,
        create_date=_date(created_at),
        chat_metadata={OURS: ours},
    )
    return tavern.TavernChat(header=header, messages=tuple(_line(one, state) for one in state.conversation))


def _line(message: ChatMessage, state: EpisodeState) -> tavern.TavernMessage:
    opened, is_user = state.session, message.role == "player"
    line = tavern.TavernMessage(
        name=(opened.player.name or "You") if is_user else state.name_of(message.speaker),
        is_user=is_user,
        is_system=False,
        send_date=_date(message.at),
        mes=message.text,
        extra={OURS: ours} if (ours := _ours(message)) else {},
    )
    others = [state.messages[one] for one in state.siblings(message.id)]
    if is_user or len(others) < 2:
        return line
    return line.model_copy(
        update={
            "swipe_id": [one.id for one in others].index(message.id),
            "swipes": tuple(one.text for one in others),
            "swipe_info": tuple(tavern.SwipeInfo(send_date=_date(one.at), extra={}) for one in others),
        }
    )


def _ours(message: ChatMessage) -> dict[str, JsonValue]:
    """What other programs have no field for."""
    edited: dict[str, JsonValue] = {"edited": True} if message.edited else {}
    return {**edited, "whispered": message.private} if message.private else edited


def brought(chat: tavern.TavernChat, now: float) -> ImportedChat:
    """The messages of a chat, for a new session.

    Raises InvalidConfig if it is too large or empty.
    """
    said = [one for one in chat.messages if not one.is_system]
    if len(said) > MOST_MESSAGES:
        raise InvalidConfig(f"The chat has {len(said):,} messages; at most {MOST_MESSAGES:,} can be imported.")
    events: list[EpisodeEvent] = []
    names: dict[str, str] = {}
    parent, count, cut = ROOT, 0, 0
    for line in said:
        answers = (line.text,) if line.is_user else line.answers
        shown = 0 if line.is_user else line.shown
        made: list[str] = []
        for place, text in enumerate(answers):
            words = cleaned(text).strip()
            if not words:
                made.append("")
                continue
            cut += len(words) > LONGEST
            count += 1
            made.append(f"m{count}")
            names |= {} if line.is_user else {made[-1]: line.name}
            events.append(_imported(line, place, words[:LONGEST], (made[-1], parent), now))
        chosen = made[shown] or next((one for one in made if one), "")
        if not chosen:
            continue
        if chosen != made[-1]:
            events.append(MessageChosen(message_id=chosen))
        parent = chosen
    if not events:
        raise InvalidConfig("The chat has no messages.")
    return ImportedChat(tuple(events), tuple(_remarks(chat, said, cut)), names)


def _imported(
    line: tavern.TavernMessage, place: int, words: str, where: tuple[str, str], now: float
) -> MessageImported:
    info = line.swipe_info[place] if line.swipe_info and place < len(line.swipe_info) else None
    sent = tavern.read_date(info.send_date) if info is not None else None
    moment = sent or line.sent_at
    return MessageImported(
        message_id=where[0],
        parent=where[1] or None,
        role="player" if line.is_user else "character",
        text=words,
        sent_at=moment.timestamp() if moment is not None else now,
        structured=None if line.is_user else _parts(words),
    )


def _parts(words: str) -> StructuredAnswer:
    reader = AnswerReader()
    reader.feed(words)
    reader.close()
    return reader.answer


def _remarks(chat: tavern.TavernChat, said: Sequence[tavern.TavernMessage], cut: int) -> Iterator[str]:
    if left := len(chat.messages) - len(said):
        yield f"{left} system messages were left out."
    names = list(dict.fromkeys(one.name for one in said if not one.is_user and one.name))
    if len(names) > 1:
        yield f"{SEVERAL} ({', '.join(names[:5])}); here they all become one character."
    if cut:
        yield f"{cut} messages were longer than {LONGEST:,} characters and were cut."


def _date(at: float) -> str:
    return tavern.written_date(datetime.fromtimestamp(at, UTC))
