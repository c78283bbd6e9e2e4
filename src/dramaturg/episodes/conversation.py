"""The messages of a conversation, who of a group has heard them, and the exchanges they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.episodes.answer import StructuredAnswer
from dramaturg.episodes.director import PlayerExchange
from dramaturg.episodes.events import Findings

ChatRole = Literal["player", "character"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a session. `parent` is the one it follows; a deleted message keeps its place in the tree.

    `name` is who spoke in a chat of another program; a hidden message is kept, and no part of the conversation. In a
    group, `speaker` is the character who said it, and `private` the only one who heard it, if it was whispered.
    """

    id: str
    parent: str
    role: ChatRole
    text: str
    at: float = 0.0
    structured: StructuredAnswer | None = None
    client_id: str = ""
    flags: tuple[str, ...] = ()
    accused: tuple[str, ...] = ()
    care: str = ""
    edited: bool = False
    deleted: bool = False
    name: str = ""
    hidden: bool = False
    speaker: str = ""
    private: str = ""
    brought: bool = False

    @property
    def is_altered(self) -> bool:
        """Whether its words may be the player's own, whoever is said to have spoken them: edited, or from elsewhere."""
        return self.edited or self.brought


def played(conversation: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The messages of a conversation that an evaluation may look at."""
    found: list[ChatMessage] = []
    aside = False
    for message in conversation:
        aside = bool(message.care) if message.role == "player" else aside
        if not aside:
            found.append(message)
    return tuple(found)


def is_heard(message: ChatMessage, character: str) -> bool:
    """Whether a member of a group has heard a message."""
    return not message.private or message.private == character


def paired(conversation: Sequence[ChatMessage], me: str = "") -> tuple[PlayerExchange, ...]:
    """The exchanges of a conversation: each answer with what the player said since the one before.

    One in which the player may have needed help is no part of the game. In a group, all answers to a message are one
    exchange; with `me`, only those of this member count, each with everything that the player said since.
    """
    exchanges: list[PlayerExchange] = []
    said: list[ChatMessage] = []
    grows = False
    for message in conversation:
        if message.role == "player":
            said.append(message)
            grows = False
        elif me and message.speaker != me:
            continue
        elif said:
            grows = not any(one.care for one in said)
            exchanges += [_exchange(said, message)] if grows else []
            said = []
        elif grows and message.speaker and not me:
            exchanges[-1] = _joined(exchanges[-1], message)
    return tuple(exchanges)


def _exchange(said: Sequence[ChatMessage], answer: ChatMessage) -> PlayerExchange:
    parts = answer.structured if not answer.edited else None
    return PlayerExchange(
        message_id=answer.id,
        said="\n".join(one.text for one in said),
        answered=answer.text,
        mood=parts.mood if parts is not None else "",
        shift=parts.tension_shift if parts is not None else 0.0,
        flags=tuple(flag for one in said for flag in one.flags),
        accused=tuple(name for one in said for name in one.accused),
        speaker=answer.speaker,
        is_whispered=any(one.private for one in said),
    )


def _joined(exchange: PlayerExchange, answer: ChatMessage) -> PlayerExchange:
    """The exchange with another answer to the same message; the strongest change of tension counts."""
    parts = answer.structured if not answer.edited else None
    shifts = (exchange.shift, parts.tension_shift if parts is not None else 0.0)
    return replace(
        exchange,
        answered=f"{exchange.answered}\n{answer.text}",
        shift=max(shifts, key=abs),
        others=(*exchange.others, answer.id),
    )


def together(found: Sequence[Findings]) -> Findings | None:
    """What was found in the answers to one message, for the director. Memories and bonds remain with each character."""
    if not found:
        return None
    return Findings(
        signals=tuple({one.name: one for each in found for one in each.signals}.values()),
        beat=next((each.beat for each in found if each.beat is not None), None),
        flags=tuple({one.name: one for each in found for one in each.flags}.values()),
        accusations=tuple({one.name: one for each in found for one in each.accusations}.values()),
    )
