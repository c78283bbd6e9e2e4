"""A shared result: a frozen snapshot of the parts its player chose, under an id nobody can guess."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from hashlib import sha256
from operator import not_
from typing import Literal

from pydantic import Field, JsonValue

from dramaturg.episodes.events import EvaluationGiven
from dramaturg.episodes.share_redaction import nameless, without_name, without_quotes, without_words
from dramaturg.episodes.state import EpisodeState
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value

SharedPart = Literal["result", "quotes", "player_name", "transcript"]
DEFAULT: tuple[SharedPart, ...] = ("result",)
ID_BYTES = 16


class SharedLine(Value):
    """A line of a shared transcript. `edited` if its words may be the player's: rewritten, or from elsewhere."""

    role: Literal["player", "character"]
    content: str
    edited: bool = False
    name: str = Field("", description="in a group: who said it", exclude_if=not_)


class Snapshot(Value):
    """What others see. It does not change when the session does."""

    title: str
    character: str
    evaluation_type: str
    result: Mapping[str, JsonValue]
    player_name: str = ""
    transcript: tuple[SharedLine, ...] = ()

    @property
    def digest(self) -> str:
        """Identifies the snapshot, so that the player shares exactly what they saw in the preview."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:32]


class Share(Value):
    """A snapshot that was shared. `expires_at` is None for one that stays until it is revoked."""

    id: str
    session_id: str
    snapshot: Snapshot
    created_at: float
    expires_at: float | None = None
    revoked: bool = False
    views: int = Field(0, ge=0)

    def is_open(self, now: float) -> bool:
        return not self.revoked and (self.expires_at is None or now < self.expires_at)


def new_share_id() -> str:
    """A random id of 128 bits."""
    return secrets.token_hex(ID_BYTES)


def snapshot_of(state: EpisodeState, parts: Iterable[SharedPart] = DEFAULT) -> Snapshot:
    """What would be shared, as a preview for the player. Raises InvalidConfig if there is no result yet."""
    evaluated = state.evaluation
    if evaluated is None:
        when = (
            "You get one when the episode is complete." if state.completion is None else "Ask for the evaluation again."
        )
        raise InvalidConfig(f"There is no result to share yet. {when}")
    wanted, player = set(parts), state.session.player.name
    named = "player_name" in wanted
    return Snapshot(
        title=state.template.shown_title,
        character=state.session.display_name,
        evaluation_type=evaluated.evaluation_type,
        result=_public(state, evaluated, wanted),
        player_name=player if named else "",
        transcript=tuple(
            SharedLine(
                role=one.role,
                content=one.text if named else without_name(one.text, player),
                edited=one.is_altered,
                name=state.name_of(one.speaker) if one.speaker else "",
            )
            for one in state.conversation
            if "transcript" in wanted
        ),
    )


def _public(state: EpisodeState, evaluated: EvaluationGiven, wanted: set[SharedPart]) -> Mapping[str, JsonValue]:
    """The result, as far as the character said it; the player's words and name only if they chose to show them."""
    messages = state.messages.values()
    altered = [one.text for one in messages if one.role == "character" and one.is_altered]
    result = without_words(evaluated.result, altered) if altered else evaluated.result
    if "quotes" not in wanted:
        result = without_quotes(without_words(result, (one.text for one in messages if one.role == "player")))
    return result if "player_name" in wanted else nameless(result, state.session.player.name)
