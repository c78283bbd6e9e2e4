"""A draft of the player's next message, for a player who wants one. Nothing is said by it until the player sends it."""

from __future__ import annotations

from dramaturg.episodes.answer_request import HISTORY, Sheet, plain
from dramaturg.episodes.answer_stream import AnswerReader
from dramaturg.episodes.rehearsal.cues import PlayerCue, TalkLine
from dramaturg.episodes.state import ChatMessage, EpisodeState
from dramaturg.episodes.templates import episode_template
from dramaturg.kernel.errors import ModelUnreadable
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.prompts.window import message_tokens
from dramaturg.kernel.text.escape import cleaned, escaped_attribute

MAX_TOKENS = 400
TALK_TOKENS = 3000


async def draft(state: EpisodeState, sheet: Sheet, model: Model, number: int) -> str:
    """What the player might say next; `number` tells drafts apart. Raises ModelError."""
    request = draft_request(state, sheet, model, number)
    answer = await model.complete(request)
    reader = AnswerReader()
    reader.feed(answer.text)
    reader.close()
    text = reader.content.strip()
    if not text:
        raise ModelUnreadable(f"{model.name} wrote no draft. Please try again.", key=request.key)
    return text


def draft_request(state: EpisodeState, sheet: Sheet, model: Model, number: int) -> ModelRequest:
    """The request for a draft: only what the player has seen is in it."""
    opened, talk = state.session, state.conversation
    told = [_told(one, state) for one in talk]
    kept = HISTORY.newest(told, TALK_TOKENS, message_tokens)
    spoke = tuple(TalkLine(one.role == "player", one.text) for one in talk)
    turn = sum(one.role == "player" for one in talk) + 1
    return ModelRequest(
        key=f"{state.tip or 'start'}/draft-{number}",
        purpose="acting",
        system=episode_template("draft").render(name=opened.display_name, role=opened.template.player.role),
        messages=(
            Message(
                "user",
                episode_template("draft_turn").render(about=plain(opened.player.about), messages=tuple(kept)),
            ),
        ),
        max_tokens=MAX_TOKENS,
        cue=PlayerCue(sheet.book, "eager", spoke, turn) if model.profile.reads_cues else None,
    )


def _told(one: ChatMessage, state: EpisodeState) -> str:
    mark = "player" if one.role == "player" else "character"
    name = f' name="{escaped_attribute(cleaned(state.name_of(one.speaker)))}"' if one.speaker else ""
    return f"<{mark}{name}>\n{plain(one.text)}\n</{mark}>"
