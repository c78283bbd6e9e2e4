"""The cues of an episode: the same facts a prompt holds, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dramaturg.episodes.rehearsal.material import NO_MATERIAL, CardMaterial
from dramaturg.kernel.models.port import Cue, CueAnswer
from dramaturg.kernel.models.rehearsal.part import Part

Temper = Literal["eager", "shy", "hostile", "silent", "off_topic", "breaker"]


@dataclass(frozen=True, slots=True)
class TalkLine:
    """One message of the talk, and whether the player sent it."""

    by_player: bool
    text: str


@dataclass(frozen=True, slots=True)
class EpisodeBook:
    """What does not change in a session. `clues` and `archetypes` are ids with their words or signals.

    `watched` are the words that the director listens for, which the character does not repeat after the player.
    """

    name: str
    title: str
    character: Part
    situation: str = ""
    player_role: str = ""
    player_objective: str = ""
    turns: int | None = None
    instructions: tuple[tuple[str, str], ...] = ()
    objective: str = ""
    objective_words: tuple[str, ...] = ()
    clues: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    archetypes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    memories: tuple[str, ...] = ()
    previously: str = ""
    seed: int = 0
    material: CardMaterial = NO_MATERIAL
    watched: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerCue(Cue):
    """Your turn: answer in the form of a character. `beat` is the current story beat, `note` the director's.

    With `care`, the player may need help: the story rests.
    """

    book: EpisodeBook
    talk: tuple[TalkLine, ...]
    beat: str
    note: str = ""
    swipe: int = 0
    lore: tuple[str, ...] = ()
    care: bool = False

    def answer(self) -> CueAnswer:
        from dramaturg.episodes.rehearsal.chat import answer_text

        return CueAnswer(answer_text(self))


@dataclass(frozen=True, slots=True)
class ExtractionCue(Cue):
    """What is worth keeping of the last exchange? Answer in the form of an extraction."""

    book: EpisodeBook
    said: str
    answered: str
    beat: str

    def answer(self) -> CueAnswer:
        from dramaturg.episodes.rehearsal.observations import extraction_text

        return CueAnswer(extraction_text(self))


@dataclass(frozen=True, slots=True)
class EvaluationCue(Cue):
    """What is the outcome of the talk? Answer in the form of the evaluation. `evidence` pairs signals with words."""

    book: EpisodeBook
    kind: Literal["archetype", "summary", "mystery"]
    talk: tuple[TalkLine, ...]
    signals: tuple[tuple[str, int], ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()

    def answer(self) -> CueAnswer:
        from dramaturg.episodes.rehearsal.observations import evaluation_text

        return CueAnswer(evaluation_text(self))


@dataclass(frozen=True, slots=True)
class PlayerCue(Cue):
    """You are a player of this temper: say the next thing, in plain words."""

    book: EpisodeBook
    temper: Temper
    talk: tuple[TalkLine, ...]
    turn: int
    choices: tuple[str, ...] = ()

    def answer(self) -> CueAnswer:
        from dramaturg.episodes.rehearsal.players import player_text

        return CueAnswer(player_text(self))
