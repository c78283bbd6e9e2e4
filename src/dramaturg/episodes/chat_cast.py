"""Who takes part in an imported chat: the characters of this project that its speakers have become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from dramaturg.characters.tavern.folder import TavernGroup
from dramaturg.episodes.tavern_chat import TavernChat, TavernMessage
from dramaturg.episodes.template import MOST_CHARACTERS
from dramaturg.kernel.errors import InvalidConfig


class ChatCast(NamedTuple):
    """The characters of a chat, by their cards here; what to call it, and what is lost."""

    characters: tuple[str, ...]
    title: str = ""
    remarks: tuple[str, ...] = ()


def group_cast(chat: TavernChat, group: TavernGroup | None, cards: Mapping[str, str]) -> ChatCast:
    """The members of a group chat; `cards` are those that were imported, by their files and names in small letters.

    Without its group, those whose cards are named in the messages. Raises InvalidConfig if nobody was imported.
    """
    spoken = Counter(_avatar(one) for one in chat.messages if not one.is_user and not one.is_system)
    named = [_stem(member) for member in group.members] if group and group.members else list(spoken)
    found = list(dict.fromkeys(cards[stem.casefold()] for stem in named if stem.casefold() in cards))
    if not found:
        raise InvalidConfig("No card of its group could be imported")
    remarks = []
    missing = [stem for stem in dict.fromkeys(named) if stem and stem.casefold() not in cards]
    if missing:
        remarks.append(f"Its members without a card that could be imported: {', '.join(missing[:5])}.")
    if len(found) > MOST_CHARACTERS:
        said = Counter({cards[stem.casefold()]: count for stem, count in spoken.items() if stem.casefold() in cards})
        kept = sorted(found, key=lambda name: -said[name])[:MOST_CHARACTERS]
        gone = [name for name in found if name not in kept]
        remarks.append(f"A group has up to {MOST_CHARACTERS} characters here; without {', '.join(gone[:5])}.")
        found = [name for name in found if name in kept]
    return ChatCast(tuple(found), group.name if group else "", tuple(remarks))


def _avatar(message: TavernMessage) -> str:
    """The card of a message's speaker, as the other program names it; else the name of the speaker."""
    found = (message.model_extra or {}).get("original_avatar")
    return _stem(found) if isinstance(found, str) and found else message.name


def _stem(file: str) -> str:
    return PurePosixPath(file).stem
