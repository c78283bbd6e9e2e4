"""Converts sessions to the chat files of other programs and back: one line per message, with its swipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from dramaturg.characters.tavern.macros import MacroContext, expand_macros
from dramaturg.episodes import tavern_chat as tavern
from dramaturg.episodes.answer import StructuredAnswer
from dramaturg.episodes.answer_stream import AnswerReader
from dramaturg.episodes.events import EpisodeEvent, MessageChosen, MessageImported, Persona, SessionOpened
from dramaturg.episodes.new_session import LONGEST_NAME as LONGEST_PLAYER
from dramaturg.episodes.state import ROOT, ChatMessage, EpisodeState
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.clock import moment
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.text.counts import counted
from dramaturg.kernel.text.escape import cleaned

OURS = "dramaturg"
SEVERAL = "Several characters speak in it"
MOST_MESSAGES = 50_000
LONGEST = 100_000
LONGEST_NAME, LONGEST_NOTE, LONGEST_DEPTH = 200, 4000, 100


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """A chat from another program as log entries; `remarks` say what was left out, `names` who said each message."""

    events: tuple[EpisodeEvent, ...]
    remarks: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def entries_for(self, opened: SessionOpened) -> tuple[EpisodeEvent, ...]:
        """The entries for a session. In a group, a line is its speaker's; the first member's, if nobody has its name.

        What was whispered is heard by whom it was for; if that is nobody here, by nobody.
        """
        return tuple(self._placed(one, opened) if isinstance(one, MessageImported) else one for one in self.events)

    def _placed(self, one: MessageImported, opened: SessionOpened) -> MessageImported:
        known = _known(opened)
        private = known.get(one.private.casefold(), one.private)
        if not opened.cast:
            unheard = bool(private) and private != opened.character
            return one.model_copy(update={"private": private if unheard else "", "hidden": one.hidden or unheard})
        first = opened.cast[0].character
        speaker = known.get(self.names.get(one.message_id, "").casefold(), first) if one.role == "character" else ""
        return one.model_copy(update={"speaker": speaker, "private": private})

    def remarks_for(self, opened: SessionOpened) -> tuple[str, ...]:
        """What to tell whoever imports it."""
        known = _known(opened)
        unheard = {one.private for one in self.events if isinstance(one, MessageImported) and one.private}
        unheard = {name for name in unheard if name.casefold() not in known}
        whispers = (
            (f"What was whispered to {', '.join(sorted(unheard)[:5])} is heard by nobody here.",) if unheard else ()
        )
        if not opened.cast:
            return (*self.remarks, *whispers)
        strangers = [name for name in dict.fromkeys(self.names.values()) if name.casefold() not in known]
        told = (*(one for one in self.remarks if not one.startswith(SEVERAL)), *whispers)
        if not strangers:
            return told
        who = ", ".join(strangers[:5])
        return (*told, f"Not in this group: {who}. Their lines are now {opened.cast[0].display_name}'s.")


def _known(opened: SessionOpened) -> dict[str, str]:
    """The characters of a session by all their names, in small letters."""
    pairs = [(one.character, one.display_name) for one in opened.cast] or [(opened.character, opened.display_name)]
    return {name.casefold(): names[0] for names in pairs for name in names}


def chat_of(session_id: str, state: EpisodeState, created_at: float) -> tavern.TavernChat:
    """The current conversation, each answer with all its swipes."""
    opened, kept = state.session, [one for one in state.path if not one.deleted]
    ours: dict[str, JsonValue] = {"session": session_id, "episode": opened.template.name}
    header = tavern.TavernChatHeader(
        user_name=opened.player.name or "You",
        character_name=opened.display_name,
        create_date=_date(min((one.at for one in kept), default=created_at)),
        chat_metadata={**_note_metadata(opened.template), OURS: ours},
    )
    return tavern.TavernChat(header=header, messages=tuple(_line(one, state) for one in kept))


def _note_metadata(template: EpisodeTemplate) -> dict[str, JsonValue]:
    """The episode's note as other programs keep it with a chat."""
    if not template.author_note.strip():
        return {}
    depth = template.author_note_depth
    return {"note_prompt": template.author_note, "note_interval": 1, "note_depth": depth, "note_position": 1}


def _line(message: ChatMessage, state: EpisodeState) -> tavern.TavernMessage:
    opened, is_user = state.session, message.role == "player"
    line = tavern.TavernMessage(
        name=message.name or ((opened.player.name or "You") if is_user else state.name_of(message.speaker)),
        is_user=is_user,
        is_system=message.hidden,
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
    """The messages of a chat, for a new session. Hidden ones are kept, and are no part of the conversation.

    Raises InvalidConfig if it is too large or empty.
    """
    if len(chat.messages) > MOST_MESSAGES:
        raise InvalidConfig(f"The chat has {len(chat.messages):,} messages; at most {MOST_MESSAGES:,} can be imported.")
    events: list[EpisodeEvent] = []
    names: dict[str, str] = {}
    parent, count, cut = ROOT, 0, 0
    began = tavern.read_date(chat.header.create_date) if chat.header is not None else None
    last = began.timestamp() if began is not None else now
    for line in chat.messages:
        answers = (line.text,) if line.is_user else line.answers
        shown = 0 if line.is_user else line.shown
        last = line.sent_at.timestamp() if line.sent_at is not None else last
        made: list[str] = []
        for place, text in enumerate(answers):
            words = cleaned(text if line.is_user else without_reasoning(text)).strip()
            if not words:
                made.append("")
                continue
            cut += len(words) > LONGEST
            count += 1
            made.append(f"m{count}")
            names |= {} if line.is_user or line.is_system else {made[-1]: line.name}
            events.append(_imported(line, place, words[:LONGEST], (made[-1], parent), last))
        chosen = made[shown] or next((one for one in made if one), "")
        if not chosen:
            continue
        if chosen != made[-1]:
            events.append(MessageChosen(message_id=chosen))
        parent = chosen
    if all(isinstance(one, MessageImported) and one.hidden for one in events):
        raise InvalidConfig("The chat has no messages.")
    return ImportedChat(tuple(events), tuple(_remarks(chat, cut)), names)


def named_by(chat: tavern.TavernChat, player: Persona) -> Persona:
    """The player; one without a name has that of the chat's user."""
    return player if player.name else player.model_copy(update={"name": chat.named_user[:LONGEST_PLAYER]})


def with_note(template: EpisodeTemplate, chat: tavern.TavernChat, name: str) -> tuple[EpisodeTemplate, str]:
    """The episode with the chat's author's note, and a remark on what differs; `name` is the character's."""
    note = chat.header.note if chat.header is not None else None
    if note is None:
        return template, ""
    text = cleaned(expand_macros(note.text, MacroContext(name))).strip()
    both = "\n\n".join(filter(None, (template.author_note.strip(), text)))
    depth = LONGEST_DEPTH if note.depth is None else min(max(0, note.depth), LONGEST_DEPTH)
    remark = ""
    if len(both) > LONGEST_NOTE:
        remark = f"Its author's note was cut to {LONGEST_NOTE:,} characters."
    elif note.interval > 1:
        remark = f"Its author's note stood in every {note.interval}th prompt; here it stands in each."
    return template.model_copy(update={"author_note": both[:LONGEST_NOTE], "author_note_depth": depth}), remark


def _imported(
    line: tavern.TavernMessage, place: int, words: str, where: tuple[str, str], before: float
) -> MessageImported:
    """One version of a message; one without a date was sent when the message before it was."""
    info = line.swipe_info[place] if line.swipe_info and place < len(line.swipe_info) else None
    sent = tavern.read_date(info.send_date) if info is not None else None
    return MessageImported(
        message_id=where[0],
        parent=where[1] or None,
        role="player" if line.is_user else "character",
        text=words,
        sent_at=sent.timestamp() if sent is not None else before,
        structured=None if line.is_user else _parts(words),
        name=" ".join(cleaned(line.name).split())[:LONGEST_NAME],
        hidden=line.is_system,
        private=whispered[:LONGEST_NAME] if isinstance(whispered := line.ours.get("whispered"), str) else "",
    )


def _parts(words: str) -> StructuredAnswer:
    reader = AnswerReader()
    reader.feed(words)
    reader.close()
    return reader.answer


def _remarks(chat: tavern.TavernChat, cut: int) -> Iterator[str]:
    said = [one for one in chat.messages if not one.is_system]
    if hidden := len(chat.messages) - len(said):
        what = "1 hidden message is" if hidden == 1 else f"{hidden} hidden messages are"
        yield f"{what} kept for an export, and no part of the conversation."
    names = list(dict.fromkeys(one.name for one in said if not one.is_user and one.name))
    if len(names) > 1:
        yield f"{SEVERAL} ({', '.join(names[:5])}); here they all become one character."
    if blank := sum(not any(cleaned(text).strip() for text in (one.text, *one.answers)) for one in chat.messages):
        yield f"{counted(blank, 'message')} without a word {'was' if blank == 1 else 'were'} left out."
    if thought := sum(not one.is_user and without_reasoning(one.text) != one.text for one in chat.messages):
        yield f"The reasoning in {counted(thought, 'message')} was left out."
    if cut:
        yield f"{cut} messages were longer than {LONGEST:,} characters and were cut."


def _date(at: float) -> str:
    return tavern.written_date(moment(at))
