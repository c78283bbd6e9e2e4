"""The events of a session. The conversation, the director's state and what the player sees are folded from them.

A session is private: none of its events is public. `wire.py` says what the player may see.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.characters.lorebook.scan import LoreState, ToldEntry, UntoldLore
from dramaturg.episodes.answer import StructuredAnswer
from dramaturg.episodes.card_prompts import CardPrompts
from dramaturg.episodes.memory import BondShift, MemoryNote, SessionRecollection
from dramaturg.episodes.packs import EvaluationPack
from dramaturg.episodes.spoken_lines import Manner
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.template import Choice, EpisodeTemplate
from dramaturg.kernel.prompts import Receipt
from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    Audience,
    Event,
    KernelEvent,
)
from dramaturg.kernel.settings import Narration, SpokenBy
from dramaturg.kernel.values import JsonData, Value

Trigger = Literal["turn_limit", "beat_complete", "objective_met"]
ReachedBy = Literal["heuristic", "keyword", "model", "deadline", "choice"]


class Persona(Value):
    """Who the player is in this session. `id` identifies the owner of the memories."""

    id: str
    name: str = ""
    about: str = ""


class SeriesPlace(Value):
    """Which episode of which series this is."""

    name: str
    title: str
    number: int
    total: int


class GroupMember(Value):
    """One of the characters of a group: its card, who plays it, and what it alone remembers of the player."""

    character: str
    display_name: str
    role: str = ""
    model: str
    talkativeness: float = Field(0.5, ge=0, le=1)
    recalled: SessionRecollection = SessionRecollection()


class QuotedFinding(Value):
    """Something found in an exchange: its name and the words that show it."""

    name: str
    quote: str = ""
    by_player: bool = Field(False, exclude_if=not_)
    mentioned: bool = Field(False, description="the player only named it, in no sentence", exclude_if=not_)


class Reading(Value):
    """What the rules see in one exchange, regardless of what came before. `tension` is that of this exchange alone."""

    signals: tuple[str, ...] = ()
    tension: float = Field(0.35, ge=0, le=1)
    shift: float = Field(0.0, ge=-1, le=1)
    flags: tuple[QuotedFinding, ...] = ()
    beats: tuple[QuotedFinding, ...] = ()
    clues: tuple[QuotedFinding, ...] = Field((), exclude_if=not_)
    accusations: tuple[QuotedFinding, ...] = Field(
        (), description="whom the player accused, and meant it", exclude_if=not_
    )
    parting: bool = False


class Findings(Value):
    """What a model found in one exchange, limited to what its quotes support."""

    memories: tuple[MemoryNote, ...] = ()
    hooks: tuple[MemoryNote, ...] = ()
    shift: BondShift | None = None
    signals: tuple[QuotedFinding, ...] = ()
    beat: QuotedFinding | None = None
    flags: tuple[QuotedFinding, ...] = ()
    accusations: tuple[QuotedFinding, ...] = Field((), exclude_if=not_)


class RejectedClaim(Value):
    """A model's claim that does not count, and why."""

    what: str
    quote: str = ""
    reason: str


class Suggestion(Value):
    """A suggestion of what to play next. Only the fields of its type are set."""

    type: Literal["next_episode", "matched_series", "character_content"]
    prompt: str = ""
    episode_template_id: str | None = None
    series_id: str | None = None
    series: Mapping[str, JsonData] | None = None
    character_id: str | None = None
    episodes: tuple[str, ...] = ()
    matched_by: str = ""


class SessionOpened(Event):
    """A session begins: the template, the models, the player, and what the character remembers."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["session.opened"] = "session.opened"
    root: str
    template: EpisodeTemplate
    player: Persona
    character: str
    display_name: str
    model: str
    director: str
    seed: int
    pack: EvaluationPack | None = None
    series: SeriesPlace | None = None
    recalled: SessionRecollection = SessionRecollection()
    cast: tuple[GroupMember, ...] = Field((), description="the characters of a group", exclude_if=not_)


class CardKept(Event):
    """The character's card at the time the session was opened."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["card.kept"] = "card.kept"
    character: str
    raw: str


class OriginalKept(Event):
    """The card of another program, as JSON: the session was opened with a file that is no part of the project.

    Its lorebook is read from here.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["original.kept"] = "original.kept"
    raw: str


class PromptsKept(Event):
    """The card's own prompts, and the lore that always holds, at the time the session was opened."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["prompts.kept"] = "prompts.kept"
    prompts: CardPrompts
    character: str = Field("", description="whose they are, in a group", exclude_if=not_)


class OpeningSpoken(Event):
    """The character's authored first words. Without `announces`, an alternative greeting that can be chosen."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["opening.spoken"] = "opening.spoken"
    message_id: str
    text: str
    announces: bool = True
    speaker: str = Field("", exclude_if=not_)


class MessageImported(Event):
    """A message of an imported chat, at its place."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["message.imported"] = "message.imported"
    message_id: str
    parent: str | None
    role: Literal["player", "character"]
    text: str
    sent_at: float
    structured: StructuredAnswer | None = None
    name: str = Field("", description="who spoke, as the chat has it", exclude_if=not_)
    hidden: bool = Field(False, description="kept, but no part of the conversation", exclude_if=not_)
    speaker: str = Field("", exclude_if=not_)
    private: str = Field("", description="the only one of a group who heard it", exclude_if=not_)


class MessageReceived(Event):
    """The player sent this during another turn; its own turn follows."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["message.received"] = "message.received"
    client_id: str
    text: str
    choice: str | None = None
    to: str = Field("", description="the only one of a group who hears it", exclude_if=not_)


class PlayerSpoke(Event):
    """The player's words, stored before anything else. `client_id` tells a repeated request from a second message."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["player.spoke"] = "player.spoke"
    message_id: str
    client_id: str
    parent: str | None
    text: str
    choice: str | None = None
    to: str = Field("", description="the only one of a group who hears it", exclude_if=not_)


class ChoiceMade(Event):
    """The player picked this instead of typing; `message_id` is the message it produced."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["choice.made"] = "choice.made"
    message_id: str
    choice: Choice


class CareOffered(Event):
    """The player's message speaks of self-harm or abuse; they were shown this text, outside the story.

    The director ignores the exchange. `quote` is the sentence, for the host.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["care.offered"] = "care.offered"
    message_id: str
    concern: Literal["self_harm", "abuse"]
    language: str
    text: str
    quote: str = ""


class AnswerAsked(Event):
    """The character's model is asked. `key` is the request's; after an interrupted attempt there is a new message.

    `wish` is what the player wants of this answer. In a group, `speaker` is who is asked, and `why` says by which rule.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.asked"] = "answer.asked"
    message_id: str
    parent: str | None
    key: str
    note: str = ""
    receipt: Receipt | None = None
    wish: str = Field("", exclude_if=lambda wish: not wish)
    speaker: str = Field("", exclude_if=not_)
    whispered: bool = Field(False, description="only the player hears it", exclude_if=not_)
    why: str = Field("", exclude_if=not_)


class LoreTold(Event):
    """The lore included in the request for an answer, what was withheld, and why; and the state for the next scan."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["lore.told"] = "lore.told"
    message_id: str
    told: tuple[ToldEntry, ...] = ()
    untold: tuple[UntoldLore, ...] = Field((), exclude_if=lambda untold: not untold)
    budget: int = Field(0, exclude_if=lambda budget: not budget)
    state: LoreState = LoreState()
    problem: str = ""


class VoiceSet(Event):
    """From here on the character's messages are spoken, or no longer; and how."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["voice.set"] = "voice.set"
    on: bool
    narration: Narration = "silent"
    by: SpokenBy = "sentence"


class ModelSet(Event):
    """From here on another model plays: the character, or everybody in a group."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["model.set"] = "model.set"
    model: str
    director: str


class LineSpoken(Event):
    """A part of a message was spoken: a WAV file in the session's folder."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.spoken"] = "line.spoken"
    message_id: str
    number: int = Field(ge=1, description="its place among the spoken parts of the message")
    manner: Manner
    text: str
    file: str
    engine: str
    voice: str
    duration_ms: int
    sample_rate: int
    bytes: int
    sha256: str
    silent: bool = Field(False, exclude_if=not_)
    remark: str = Field("", description="the voice that was asked for and is not there", exclude_if=not_)


class LineUnspoken(Event):
    """A part of a message could not be spoken; with `whole`, nothing of the message can."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.unspoken"] = "line.unspoken"
    message_id: str
    number: int = Field(ge=1)
    file: str
    error: str
    code: str
    whole: bool = Field(False, exclude_if=not_)


class AnswerPieces(Event):
    """Pieces of an answer as they arrived, in batches."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.pieces"] = "answer.pieces"
    message_id: str
    text: str


class AnswerFailed(Event):
    """The answer failed or broke off. The player's message is kept; a retry asks again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answer.failed"] = "answer.failed"
    message_id: str
    parent: str | None
    error: str
    code: str
    speaker: str = Field("", exclude_if=not_)


class CharacterAnswered(Event):
    """The character's answer in its parts. `read` says how it was parsed."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["character.answered"] = "character.answered"
    message_id: str
    parent: str | None
    content: str
    structured: StructuredAnswer
    read: Literal["form", "prose"] = "form"
    speaker: str = Field("", exclude_if=not_)
    whispered: bool = Field(False, description="only the player hears it", exclude_if=not_)


class TurnObserved(Event):
    """The director's quick observation of an exchange. `digest` is that of its words: new words need a new observation.

    With `announces`, it completes the answer for the player, who was shown these figures.
    """

    audience: ClassVar[Audience] = "hidden"
    type: Literal["exchange.observed"] = "exchange.observed"
    message_id: str
    digest: str
    reading: Reading
    announces: bool = False
    turn_count: int = 0
    beat: StoryBeat = StoryBeat.ESTABLISHMENT
    completion_eligible: bool = False


class PaceDecided(Event):
    """The note for the character's next answer, or the reason why there is none."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["pace.decided"] = "pace.decided"
    message_id: str
    note: str = ""
    reason: str


class BeatReached(Event):
    """The story has reached another beat."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["beat.reached"] = "beat.reached"
    message_id: str
    beat: StoryBeat
    turn: int
    by: ReachedBy
    quote: str = ""


class ChoicesOffered(Event):
    """The player may pick one of these."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["choices.offered"] = "choices.offered"
    message_id: str
    prompt: str = ""
    choices: tuple[Choice, ...]


class EpisodeCompleted(Event):
    """The episode is complete; the talk may continue."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["episode.completed"] = "episode.completed"
    message_id: str
    trigger: Trigger
    turn: int


class EvaluationGiven(Event):
    """The result of an episode, with evidence. `again` if it was requested again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["episode.evaluated"] = "episode.evaluated"
    message_id: str
    evaluation_type: str
    result: Mapping[str, JsonData]
    model: str
    again: bool = False
    refused: tuple[RejectedClaim, ...] = ()


class EvaluationFailed(Event):
    """The evaluation failed; there is no result, and none was made up."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["evaluation.failed"] = "evaluation.failed"
    message_id: str
    evaluation_type: str
    error: str
    tries: int
    refused: tuple[RejectedClaim, ...] = ()


class SuggestionMade(Event):
    """What to play next: after the end, or in a natural pause."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["next.suggested"] = "next.suggested"
    message_id: str
    after: Literal["completion", "pause"]
    suggestion: Suggestion | None


class TurnEnded(Event):
    """The turn is over for the player. `client_id` is that of the message that started it, if any."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["turn.ended"] = "turn.ended"
    client_id: str = ""
    message_id: str = ""
    answered: bool = True


class FindingsExtracted(Event):
    """What a model found in an exchange afterwards. `digest` is that of its words."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["exchange.extracted"] = "exchange.extracted"
    message_id: str
    digest: str
    findings: Findings
    refused: tuple[RejectedClaim, ...] = ()


class ExtractionFailed(Event):
    """A model's extraction failed; the reading by rules stands."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["extraction.failed"] = "extraction.failed"
    message_id: str
    digest: str
    error: str


class MessageChosen(Event):
    """The conversation continues through this message: another swipe or branch."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["message.chosen"] = "message.chosen"
    message_id: str


class MessageEdited(Event):
    """The text of a message was replaced."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["message.edited"] = "message.edited"
    message_id: str
    text: str


class MessageDeleted(Event):
    """These messages were deleted from the conversation."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["message.deleted"] = "message.deleted"
    message_ids: tuple[str, ...]


class SessionBranched(Event):
    """The conversation continues from this message; what followed it stays on its own branch."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["session.branched"] = "session.branched"
    message_id: str


EpisodeEvent = Annotated[
    SessionOpened
    | CardKept
    | OriginalKept
    | PromptsKept
    | OpeningSpoken
    | MessageImported
    | MessageReceived
    | PlayerSpoke
    | ChoiceMade
    | CareOffered
    | AnswerAsked
    | LoreTold
    | VoiceSet
    | ModelSet
    | LineSpoken
    | LineUnspoken
    | AnswerPieces
    | AnswerFailed
    | CharacterAnswered
    | TurnObserved
    | PaceDecided
    | BeatReached
    | ChoicesOffered
    | EpisodeCompleted
    | EvaluationGiven
    | EvaluationFailed
    | SuggestionMade
    | TurnEnded
    | FindingsExtracted
    | ExtractionFailed
    | MessageChosen
    | MessageEdited
    | MessageDeleted
    | SessionBranched
    | KernelEvent,
    Field(discriminator="type"),
]

EPISODE_EVENTS: TypeAdapter[EpisodeEvent] = TypeAdapter(EpisodeEvent)
EpisodeRun: TypeAlias = Run[EpisodeEvent]
