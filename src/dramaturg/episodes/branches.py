"""All branches of a session as a tree, for a player who wants to go back to one."""

from __future__ import annotations

from pydantic import Field

from dramaturg.episodes.state import ROOT, ChatMessage, ChatRole, EpisodeState
from dramaturg.kernel.values import Value

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
                excerpt=_excerpt(one.text),
                current=one.id in path,
                name=state.name_of(one.speaker) if one.speaker else "",
            )
            for one in state.messages.values()
            if not _is_out(one)
        )
    )


def _shown_parent(message: ChatMessage, state: EpisodeState) -> str:
    parent = message.parent
    while parent != ROOT and _is_out(state.messages[parent]):
        parent = state.messages[parent].parent
    return parent


def _is_out(message: ChatMessage) -> bool:
    return message.deleted or message.hidden


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_EXCERPT else f"{words[: LONGEST_EXCERPT - 1].rstrip()}…"
