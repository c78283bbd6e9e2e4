"""All branches of a session as a tree, for a player who wants to go back to one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from dramaturg.episodes.apology import tells_of_damage
from dramaturg.episodes.events import TurnEnded
from dramaturg.episodes.state import EPISODE_FOLD, ROOT, ChatMessage, ChatRole, EpisodeState
from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.shortened import short_line
from dramaturg.kernel.values import Value

if TYPE_CHECKING:
    from dramaturg.episodes.open_session import OpenSession
    from dramaturg.kernel.runs import RunLibrary

LONGEST_EXCERPT = 120


class BranchMessage(Value):
    """A message in its place. `parent` is the message it follows; empty for the first."""

    id: str
    parent: str
    role: ChatRole
    excerpt: str = Field(description=f"its first words, up to {LONGEST_EXCERPT} characters")
    current: bool = Field(description="it is on the path of the current conversation")
    name: str = Field("", description="who said it, in a group")


class BranchTree(Value):
    """Every message of a session that was not deleted, oldest first."""

    messages: tuple[BranchMessage, ...]


def branch_tree(state: EpisodeState) -> BranchTree:
    """The tree of a session's messages. What followed a deleted message follows the one before it."""
    path = {message.id for message in state.conversation}
    return BranchTree(
        messages=tuple(
            BranchMessage(
                id=one.id,
                parent=_shown_parent(one, state),
                role=one.role,
                excerpt=short_line(one.text, LONGEST_EXCERPT),
                current=one.id in path,
                name=state.name_of(one.speaker) if one.speaker else "",
            )
            for one in state.messages.values()
            if not _is_out(one)
        )
    )


async def branching_point(
    runs: RunLibrary, hold: Callable[[str], Awaitable[OpenSession]], session: str, message: str
) -> int:
    """The last entry that a new session from this message shares. Raises NotFound if there is no such message.

    Of a session with a damaged entry, that is before the damage.
    """
    try:
        old = await hold(session)
    except StoreUnavailable as error:
        if not tells_of_damage(error):
            raise
        return _last_before_damage((await runs.open(session)).entries, message)
    await old.settled()
    old.state.message(message)
    return old.run.seq


def _last_before_damage(entries: Sequence[Entry[Event]], message: str) -> int:
    """The number of the last entry to which what is intact of a log can be shared by a branch from a message.

    That is where no turn is under way, if the message is there by then. Raises NotFound if it is nowhere.
    """
    state, at = EPISODE_FOLD.start, len(entries)
    for number, entry in enumerate(entries, start=1):
        state = EPISODE_FOLD.after(state, (entry,))
        if isinstance(entry.event, TurnEnded) and message in state.messages and _is_at_rest(state):
            at = number
    state.message(message)
    return len(entries) if _is_at_rest(state) else at


def _is_at_rest(state: EpisodeState) -> bool:
    return state.turn is None and not state.waiting


def _shown_parent(message: ChatMessage, state: EpisodeState) -> str:
    parent = message.parent
    while parent != ROOT and _is_out(state.messages[parent]):
        parent = state.messages[parent].parent
    return parent


def _is_out(message: ChatMessage) -> bool:
    return message.deleted or message.hidden
