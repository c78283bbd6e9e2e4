"""Lore in an episode: entries of the project's books and the card's own, included when the talk touches on them.

What was included, and the timed state it left, is logged with the answer it was for. A swipe starts from the
same state as the answer it replaces, and a branch from that of the message it leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.characters.bookshelf import Bookshelf
from dramaturg.characters.lorebook.activation import activate_aside
from dramaturg.characters.lorebook.scan import (
    LoreMessage,
    LoreSettings,
    LoreState,
    LoreSurroundings,
    UntoldLore,
    entries_told,
)
from dramaturg.episodes.events import AnswerAsked, LoreTold
from dramaturg.episodes.persona_name import told_name
from dramaturg.episodes.state import ROOT, ChatMessage, EpisodeState

NO_OUTLET = "no prompt has its outlet"


async def tell(
    state: EpisodeState,
    shelf: Bookshelf,
    asked: AnswerAsked,
    history: Sequence[ChatMessage],
    budget: int,
    *,
    is_full: bool = False,
) -> LoreTold:
    """The lore for this answer, and the state that it leaves. `is_full` if not all of the history will be sent."""
    if shelf.problem:
        return LoreTold(message_id=asked.message_id, problem=shelf.problem)
    opened = state.session
    who = opened.player.name
    messages = [
        LoreMessage(
            text=one.text,
            name=who if one.role == "player" else state.name_of(one.speaker),
            is_user=one.role == "player",
        )
        for one in history
    ]
    scan = await activate_aside(
        shelf.books,
        messages,
        carried(state, asked.parent or ROOT),
        LoreSettings(budget_tokens=budget),
        _around(state, shelf, asked, is_full=is_full),
    )
    told, kept = entries_told(scan.told), state.prompts.is_plain
    nowhere = () if kept else tuple(one for one in told if one.position == "outlet")
    return LoreTold(
        message_id=asked.message_id,
        told=tuple(one for one in told if one not in nowhere),
        untold=(*scan.untold, *(UntoldLore(uid=one.uid, label=one.label, reason=NO_OUTLET) for one in nowhere)),
        state=scan.state,
        budget=budget,
    )


def carried(state: EpisodeState, message_id: str) -> LoreState:
    """The state left by the last answer before this message."""
    while message_id:
        if message_id in state.lore:
            return state.lore[message_id].state
        message_id = state.messages[message_id].parent
    return LoreState()


def _around(state: EpisodeState, shelf: Bookshelf, asked: AnswerAsked, *, is_full: bool) -> LoreSurroundings:
    opened, parent = state.session, asked.parent or ROOT
    first = next((one for one in state.conversation if one.parent == ROOT), None)
    greetings = [one.id for one in state.messages.values() if one.parent == ROOT and one.role == "character"]
    again = any(
        one.parent == parent and one.role == "character" and one.speaker == state.me for one in state.messages.values()
    )
    return shelf.facts.model_copy(
        update={
            "char": opened.display_name,
            "user": told_name(opened.player.name),
            "seed": opened.root,
            "trigger": _trigger(state, parent, again),
            "persona": opened.player.about,
            "is_full": is_full,
            "greeting": greetings.index(first.id) if first is not None and first.id in greetings else None,
        }
    )


def _trigger(state: EpisodeState, parent: str, again: bool) -> str:
    """What kind of answer is wanted, as other programs call it."""
    if parent and state.messages[parent].role == "character" and state.messages[parent].speaker == state.me:
        return "continue"
    return "swipe" if again else "normal"
