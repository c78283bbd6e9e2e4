"""An episode as its author writes it: the character, the goal, and what the director watches for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from operator import not_
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from dramaturg.authored import (
    AuthoredFolder,
    AuthoredForm,
    check_name,
    known_files,
    named_file,
    read_folder,
    shown_path,
)
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.kernel.values import Value

FOLDER = "episodes"
KIND = "episode"
MOST_TURNS = 1000
MOST_CHARACTERS = 5
CompletionMode = Literal["open", "beat_gated", "turn_limited", "objective"]
Detection = Literal["keyword", "heuristic", "model"]
ProgressDisplay = Literal["hidden", "dots", "label"]
NAME = r"^[A-Za-z0-9][\w.\-]{0,79}$"
KEY = r"^[A-Za-z][\w\-]{0,63}$"

_KEYS_OF: Mapping[str, tuple[str, ...]] = {
    "open": (),
    "turn_limited": ("max_turns",),
    "beat_gated": ("required_beat", "require_resolution"),
    "objective": ("objective_key", "met_when", "keywords", "detection"),
}


class SceneCard(Value):
    """What the player sees before the first word."""

    title: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=4000)
    image: str | None = Field(default=None, max_length=500, description="a file of the project or a URL")


class PlayerPart(Value):
    """Who the player is in the story, and what they are told to try."""

    role: str = Field(default="", max_length=500)
    objective: str = Field(default="", max_length=1000)


class CompletionCriteria(Value):
    """When an episode is complete; which keys apply depends on the mode."""

    max_turns: int | None = Field(default=None, ge=1, le=MOST_TURNS, description="turn_limited: after so many turns")
    required_beat: StoryBeat = Field(default=StoryBeat.PIVOT, description="beat_gated: the beat that must be played")
    require_resolution: bool = Field(default=False, description="beat_gated: and the resolution after it")
    objective_key: str | None = Field(
        default=None, pattern=KEY, description="objective: the flag that ends the episode"
    )
    met_when: str = Field(default="", max_length=1000, description="objective: what counts as met, in a sentence")
    keywords: tuple[str, ...] = Field(
        default=(), description="objective: the player's words that meet it when they are meant"
    )
    detection: Literal["keyword", "model", "accusation"] | None = Field(
        default=None, description="objective: what meets it; met_when by a model, else the keywords, else an accusation"
    )

    @property
    def by_model(self) -> bool:
        return self.detection == "model" or (self.detection is None and bool(self.met_when))


class Choice(Value):
    """Something the player may pick instead of typing."""

    id: str = Field(pattern=KEY)
    label: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=1000, description="what the player says by it; the label if not set")
    flag: str | None = Field(default=None, pattern=KEY, description="the flag that picking it sets")
    accuses: str | None = Field(
        default=None, max_length=100, description="the suspect that picking it accuses", exclude_if=not_
    )

    @property
    def said(self) -> str:
        return self.text or self.label


class BeatContract(Value):
    """What the author plans for one beat: what the character does, when, and how the beat is detected."""

    beat: StoryBeat
    instruction: str = Field(default="", max_length=1000, description="told to the character when the beat is due")
    target_turn: int | None = Field(default=None, ge=1, le=MOST_TURNS)
    deadline: int | None = Field(default=None, ge=1, le=MOST_TURNS, description="from here on the director insists")
    detection: Detection = "heuristic"
    keywords: tuple[str, ...] = Field(
        default=(), description="for detection: keyword; said by the character, or stated by the player in a sentence"
    )
    choices: tuple[Choice, ...] = ()
    prompt: str = Field(default="", max_length=300, description="the question above the choices")

    @model_validator(mode="after")
    def _sound(self) -> BeatContract:
        if self.detection == "keyword" and not self.keywords:
            raise ValueError(f"the beat '{self.beat}' is detected by keyword and has no keywords. Add 'keywords:'.")
        if self.target_turn and self.deadline and self.deadline < self.target_turn:
            raise ValueError(f"the beat '{self.beat}' has its deadline ({self.deadline}) before its target turn.")
        return self


class FlagRule(Value):
    """A flag that is set when the player says one of these and means it."""

    keywords: tuple[str, ...] = Field(min_length=1)


class Clue(Value):
    """Something to find out. It is found when its keywords are said in the talk, or when a quote shows it."""

    id: str = Field(pattern=KEY)
    text: str = Field(min_length=1, max_length=500)
    keywords: tuple[str, ...] = Field(
        default=(), description="each is enough by itself, said by the character or stated by the player in a sentence"
    )


class Suspect(Value):
    """Somebody who may have done it: the clues that clear them together, or those that prove it."""

    name: str = Field(min_length=1, max_length=100)
    aliases: tuple[str, ...] = Field(default=(), description="other names and titles: the bookkeeper", exclude_if=not_)
    cleared_by: tuple[str, ...] = ()
    guilty: bool = False
    proven_by: tuple[str, ...] = Field(default=(), description="guilty: the clues that prove it", exclude_if=not_)

    @model_validator(mode="after")
    def _sound(self) -> Suspect:
        if self.proven_by and not self.guilty:
            raise ValueError(f"'{self.name}' has proofs and is not guilty. Add 'guilty: true', or remove 'proven_by'.")
        return self


class ClueLedger(Value):
    """The clues and suspects of a mystery. No character is told any of it."""

    clues: tuple[Clue, ...] = Field(min_length=1)
    suspects: tuple[Suspect, ...] = ()
    crime: str = Field(default="", max_length=200, description="what was done: took the ledger", exclude_if=not_)
    solution: str = Field(
        default="", max_length=1000, description="told to a player who was right, after the verdict", exclude_if=not_
    )

    @property
    def culprits(self) -> tuple[Suspect, ...]:
        return tuple(one for one in self.suspects if one.guilty)

    def suspect(self, name: str) -> Suspect | None:
        return next((one for one in self.suspects if one.name == name), None)

    @model_validator(mode="after")
    def _sound(self) -> ClueLedger:
        known = [clue.id for clue in self.clues]
        if len(set(known)) != len(known):
            raise ValueError(f"two clues have the same id ({', '.join(sorted(known))}).")
        for suspect in self.suspects:
            for does, clue in (
                *(("cleared", clue) for clue in suspect.cleared_by),
                *(("proven", clue) for clue in suspect.proven_by),
            ):
                if clue not in known:
                    near = get_close_matches(clue, known, n=1)
                    raise ValueError(
                        f"'{suspect.name}' is {does} by '{clue}', which is no clue of this ledger."
                        + (f" Did you mean '{near[0]}'?" if near else f" Known: {', '.join(known)}.")
                    )
        return self


class EpisodeTemplate(Value):
    """An episode. `turn_budget` is how many turns it should take, whatever the mode."""

    name: str = Field(pattern=NAME)
    character: str = Field(min_length=1, max_length=64, description="a card of .claude/agents/")
    characters: tuple[str, ...] = Field(
        default=(),
        max_length=MOST_CHARACTERS,
        description="instead of `character`: two to five cards, all of whom talk with the player",
        exclude_if=not_,
    )
    most_answers: int = Field(
        default=2,
        ge=1,
        le=3,
        description="in a group: how many answer a message that is addressed to nobody",
        exclude_if=lambda most: most == 2,
    )
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=1000)
    scene_card: SceneCard | None = None
    opening_line: str = Field(default="", max_length=4000, description="the character's first words")
    opening_situation: str = Field(default="", max_length=4000, description="instead: what the character opens from")
    player: PlayerPart = PlayerPart()
    notes: str = Field(default="", max_length=4000, description="a direction only the character reads")
    author_note: str = Field(
        default="",
        max_length=4000,
        description="a reminder inside the conversation; the character reads it at every answer",
        exclude_if=lambda note: not note,
    )
    author_note_depth: int = Field(
        default=4,
        ge=0,
        le=100,
        description="how many messages above the newest the author's note stands",
        exclude_if=lambda depth: depth == 4,
    )
    style: Literal["talk", "prose"] | None = Field(
        default=None,
        description="how the character answers: a few spoken sentences, or long narration; as its card is written "
        "if not set",
        exclude_if=lambda style: style is None,
    )
    voice: bool | None = Field(
        default=None,
        description="whether the character's messages are spoken; as in [episodes] if not set",
        exclude_if=lambda voice: voice is None,
    )
    completion_mode: CompletionMode = "open"
    turn_budget: int | None = Field(default=None, ge=1, le=MOST_TURNS)
    completion_criteria: CompletionCriteria | None = None
    beat_detection: Literal["heuristic", "model"] = Field(
        default="heuristic", description="who says which beat it is where no contract does"
    )
    beats: tuple[BeatContract, ...] = ()
    flags: Mapping[str, FlagRule] = Field(default_factory=dict)
    evaluation: str | None = Field(
        default=None, pattern=KEY, description="episode_summary, mystery_progress, or the name of an evaluation pack"
    )
    progress: ProgressDisplay = "hidden"
    clue_ledger: ClueLedger | None = None
    tension: tuple[float, ...] = Field(
        default=(), description="the wanted tension turn by turn, 0 to 1; else a usual arc"
    )
    themes: tuple[str, ...] = ()
    directors_cut: bool = Field(default=False, description="the player may see the hidden layer afterwards")
    seed: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, raw: object) -> object:
        """A list of characters names the character too: the first, who speaks the opening line."""
        if not isinstance(raw, Mapping) or not isinstance(raw.get("characters"), list | tuple):
            return raw
        names = tuple(raw["characters"])
        given = {key: value for key, value in raw.items() if key != "characters"}
        if names:
            given.setdefault("character", names[0])
        return {**given, "characters": names} if len(names) > 1 else given

    @model_validator(mode="after")
    def _playable(self) -> EpisodeTemplate:
        for check in (_cast_problem, _criteria_problem, _length_problem, _beats_problem, _other_problem):
            if problem := check(self):
                raise ValueError(problem)
        return self

    @property
    def criteria(self) -> CompletionCriteria:
        return self.completion_criteria or CompletionCriteria()

    @property
    def by_accusation(self) -> bool:
        """Whether an accusation meets the objective."""
        criteria = self.criteria
        if self.completion_mode != "objective" or criteria.detection not in (None, "accusation"):
            return False
        return criteria.detection == "accusation" or not (criteria.met_when or criteria.keywords)

    @property
    def turns(self) -> int | None:
        """How many turns it should take; None if that is not set."""
        if self.completion_mode == "turn_limited":
            return self.criteria.max_turns or self.turn_budget
        return self.turn_budget

    @property
    def shown_title(self) -> str:
        return self.title or self.name.replace("-", " ").replace("_", " ").capitalize()

    @property
    def waits_for_judgement(self) -> bool:
        """Whether its end depends on a model's finding, which a turn must then wait for."""
        if self.completion_mode == "objective":
            return self.criteria.by_model
        if self.completion_mode == "beat_gated":
            wanted = {StoryBeat.RESOLUTION} if self.criteria.require_resolution else set()
            wanted.add(self.criteria.required_beat)
            return any(self.detection_of(beat) == "model" for beat in wanted)
        return False

    def contract(self, beat: StoryBeat) -> BeatContract | None:
        return next((contract for contract in self.beats if contract.beat == beat), None)

    def detection_of(self, beat: StoryBeat) -> Detection:
        contract = self.contract(beat)
        return contract.detection if contract is not None else self.beat_detection

    def choice(self, choice_id: str) -> Choice | None:
        return next((one for contract in self.beats for one in contract.choices if one.id == choice_id), None)


def _cast_problem(template: EpisodeTemplate) -> str | None:
    names = template.characters
    if not names:
        return None
    if twice := next((name for name in names if [one.casefold() for one in names].count(name.casefold()) > 1), None):
        return f"characters: '{twice}' is named twice."
    if template.character != names[0]:
        return "'character' and 'characters' exclude each other; keep one."
    return None


def _criteria_problem(template: EpisodeTemplate) -> str | None:
    given = template.completion_criteria
    known = _KEYS_OF[template.completion_mode]
    for key in sorted(given.model_fields_set if given is not None else ()):
        # A template from a log has every key; those with their default value mean nothing.
        if key not in known and getattr(given, key) != CompletionCriteria.model_fields[key].default:
            takes = f"It takes {', '.join(known)}." if known else "It takes none: the player decides when it is over."
            owner = next(mode for mode, keys in _KEYS_OF.items() if key in keys)
            return (
                f"completion_criteria: '{key}' belongs to '{owner}', and this episode is '{template.completion_mode}'. "
                + takes
            )
    if template.completion_mode != "objective":
        return None
    criteria = template.criteria
    if not criteria.objective_key:
        return "completion_criteria: an objective episode needs 'objective_key', the flag that ends it."
    flags = {*template.flags, *(one.flag for contract in template.beats for one in contract.choices)}
    ledger = template.clue_ledger
    suspects = ledger.suspects if ledger is not None else ()
    if criteria.detection == "accusation" and not suspects:
        return "completion_criteria: an accusation names a suspect of the 'clue_ledger', and there is none."
    if not criteria.met_when and not criteria.keywords and not suspects and criteria.objective_key not in flags:
        return (
            f"completion_criteria: nothing can meet '{criteria.objective_key}'. "
            "Say what does: 'met_when:' for a model, 'keywords:', a flag or a choice of that name."
        )
    if criteria.detection == "model" and not criteria.met_when:
        return "completion_criteria: a model must be told what counts; add 'met_when:'."
    return None


def _length_problem(template: EpisodeTemplate) -> str | None:
    if template.completion_mode != "turn_limited":
        return None
    limit, budget = template.criteria.max_turns, template.turn_budget
    if limit is None and budget is None:
        return "a turn_limited episode needs 'turn_budget', or 'max_turns' under completion_criteria."
    if limit is not None and budget is not None and limit != budget:
        return (
            f"'turn_budget' is {budget} and 'max_turns' is {limit}; they mean the same. Keep one, or make them equal."
        )
    return None


def _beats_problem(template: EpisodeTemplate) -> str | None:
    places = [contract.beat.place for contract in template.beats]
    if len(set(places)) != len(places):
        return "beats: each beat can have only one contract; one has two."
    if places != sorted(places):
        return f"beats: write them in the order of the story ({', '.join(StoryBeat)})."
    ids = [one.id for contract in template.beats for one in contract.choices]
    if twice := next((one for one in ids if ids.count(one) > 1), None):
        return f"beats: two choices are called '{twice}'. Give each an id of its own."
    return None


def _other_problem(template: EpisodeTemplate) -> str | None:
    if template.opening_line and template.opening_situation:
        return "'opening_line' and 'opening_situation' exclude each other; keep one."
    suspects = {one.name for one in template.clue_ledger.suspects} if template.clue_ledger is not None else set()
    for choice in (one for contract in template.beats for one in contract.choices):
        if choice.accuses is not None and choice.accuses not in suspects:
            known = ", ".join(sorted(suspects)) or "none"
            return f"beats: '{choice.id}' accuses '{choice.accuses}', who is no suspect of the clue_ledger ({known})."
    if template.evaluation == "mystery_progress" and template.clue_ledger is None:
        return "evaluation: mystery_progress is judged against a 'clue_ledger', and there is none."
    if any(not 0 <= level <= 1 for level in template.tension):
        return "tension: levels go from 0 to 1."
    return next(
        (f"flags: '{flag}' is not a valid name for a flag." for flag in template.flags if not flag.strip()), None
    )


FORM = AuthoredForm(EpisodeTemplate, KIND)


def read_template(path: Path, *, project: Path | None = None) -> EpisodeTemplate:
    """The episode in a YAML or JSON file. Raises InvalidConfig."""
    return FORM.read(path, project=project)


def template_from(raw: object, *, where: str = KIND) -> EpisodeTemplate:
    """An episode from parsed YAML or JSON. Raises InvalidConfig."""
    return FORM.value(raw, where=where)


def known_templates(project: Path) -> tuple[str, ...]:
    """The names of the project's episodes, sorted."""
    return tuple(known_files(project / FOLDER))


def named_template(project: Path, name: str) -> EpisodeTemplate:
    """An episode by its name in `episodes/`. Raises NotFound with the nearest name."""
    return _own_template(named_file(project / FOLDER, name, KIND, name=name), project)


def all_templates(project: Path) -> AuthoredFolder[EpisodeTemplate]:
    """Every episode of a project, by name; those that cannot be read are listed apart."""
    return read_folder(project / FOLDER, lambda path: _own_template(path, project))


def _own_template(path: Path, project: Path) -> EpisodeTemplate:
    template = read_template(path, project=project)
    check_name(template.name, path.stem, shown_path(path, project))
    return template
