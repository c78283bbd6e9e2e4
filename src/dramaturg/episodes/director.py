"""The hidden director of an episode: a quick look at each exchange, and a fold over all of them.

A reading covers one exchange and nothing else. Everything that depends on what came before (turns, beats, the curve
of tension, completion) is folded from the readings, so a conversation can be changed anywhere and judged again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from pydantic import Field

from dramaturg.episodes.accusation import Case, accused_in, case_of
from dramaturg.episodes.events import Findings, QuotedFinding, ReachedBy, Reading, Trigger
from dramaturg.episodes.keywords import KeywordHit, meant, mentioned, spoken, stated
from dramaturg.episodes.signals import signals_in
from dramaturg.episodes.story_beats import NOMINAL_TURNS, StoryBeat, beat_by_turn
from dramaturg.episodes.template import BeatContract, EpisodeTemplate
from dramaturg.episodes.templates import note_text
from dramaturg.kernel.text.tension import pace_change, target_curve, tension_of
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import Value

PARTING = "parting"
SMOOTHING = 0.5
SHIFT_WEIGHT = 0.5
GRACE = 1
"""Turns after its deadline at which a beat counts as played, so that no episode waits forever."""
LATE = 1.5
"""How much longer than usual the director waits for a beat that only words or a model can show."""
FEW_WORDS, FADING = 2, 3
"""A talk is fading if the player says no more than two words three times in a row."""
SURE = 0.7
"""An objective counts as met only above this confidence."""


@dataclass(frozen=True, slots=True)
class PlayerExchange:
    """One turn: what the player said, what the character answered, and what was read and found in it.

    In a group, `speaker` is who answered first, and `others` are the answers that followed.
    """

    message_id: str
    said: str
    answered: str
    mood: str = ""
    shift: float = 0.0
    flags: tuple[str, ...] = ()
    accused: tuple[str, ...] = ()
    reading: Reading | None = None
    findings: Findings | None = None
    speaker: str = ""
    others: tuple[str, ...] = ()
    is_whispered: bool = False

    @property
    def digest(self) -> str:
        return digest_of(self.said, self.answered, self.mood, self.shift)


class BeatMark(Value):
    """When a beat was reached, and what showed it."""

    beat: StoryBeat
    turn: int
    by: ReachedBy
    quote: str = ""
    message_id: str = ""


class AccusationMark(Value):
    """Whom the player accused, in which turn, with which words."""

    suspect: str
    turn: int
    quote: str = ""
    message_id: str = ""


class DirectorState(Value):
    """What the director knows about a conversation. Never shown during play."""

    turn_count: int = 0
    current_beat: StoryBeat = StoryBeat.ESTABLISHMENT
    beats_completed: tuple[StoryBeat, ...] = ()
    user_signals: Mapping[str, int] = Field(default_factory=dict)
    tension_curve: tuple[float, ...] = ()
    tension_target: tuple[float, ...] = ()
    flags: Mapping[str, bool] = Field(default_factory=dict)
    evidence: Mapping[str, str] = Field(default_factory=dict)
    clues: Mapping[str, str] = Field(default_factory=dict, description="the clues that came out, and the words")
    accusations: tuple[AccusationMark, ...] = ()
    marks: tuple[BeatMark, ...] = ()
    completion_trigger: Trigger | None = None
    completed_turn: int | None = None
    pausing: bool = False

    @property
    def completion_eligible(self) -> bool:
        return self.completion_trigger is not None

    def mark(self, beat: StoryBeat) -> BeatMark | None:
        return next((mark for mark in self.marks if mark.beat == beat), None)


@lru_cache(maxsize=8192)
def digest_of(said: str, answered: str, mood: str = "", shift: float = 0.0) -> str:
    """A digest of everything an observation depends on: different words, different digest."""
    return sha256(f"{said}\0{answered}\0{mood}\0{shift}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def observe(template: EpisodeTemplate, exchange: PlayerExchange) -> Reading:
    """The quick observation: rules only, no model; the same words always give the same reading."""
    return _observed(
        _Rules.of(template, exchange.speaker),
        exchange.said,
        exchange.answered,
        exchange.mood,
        max(-1.0, min(1.0, exchange.shift)),
    )


@dataclass(frozen=True)
class _Rules:
    """The part of a template that an observation needs; hashable, so that observations can be cached."""

    flags: tuple[tuple[str, tuple[str, ...]], ...]
    beats: tuple[tuple[str, tuple[str, ...]], ...]
    clues: tuple[tuple[str, tuple[str, ...]], ...] = ()
    case: Case | None = None

    @classmethod
    def of(cls, template: EpisodeTemplate, speaker: str = "") -> _Rules:
        flags = [(name, rule.keywords) for name, rule in template.flags.items()]
        criteria = template.criteria
        if criteria.objective_key and criteria.keywords:
            flags.append((criteria.objective_key, criteria.keywords))
        beats = [(contract.beat.value, contract.keywords) for contract in template.beats if contract.keywords]
        clues = template.clue_ledger.clues if template.clue_ledger is not None else ()
        return cls(
            tuple(flags),
            tuple(beats),
            tuple((clue.id, clue.keywords) for clue in clues if clue.keywords),
            case_of(template, speaker),
        )


def watched_words(template: EpisodeTemplate) -> tuple[str, ...]:
    """Every word that the rules of a template listen for."""
    rules = _Rules.of(template)
    return tuple(word for part in (rules.flags, rules.beats, rules.clues) for _, marks in part for word in marks)


@lru_cache(maxsize=8192)
def _observed(rules: _Rules, said: str, answered: str, mood: str, shift: float) -> Reading:
    signals = signals_in(said)
    level = 0.5 * tension_of(said) + 0.5 * tension_of(answered, mood)
    return Reading(
        signals=tuple(kind for kind in signals if kind != PARTING),
        tension=round(level, 3),
        shift=shift,
        flags=tuple(
            QuotedFinding(name=name, quote=hit.keyword) for name, marks in rules.flags if (hit := meant(said, marks))
        ),
        beats=tuple(
            QuotedFinding(name=name, quote=hit.keyword, by_player=by_player, mentioned=hit.mentioned)
            for name, hit, by_player in _said_of(rules.beats, said, answered)
        ),
        clues=tuple(
            QuotedFinding(name=name, quote=hit.sentence, by_player=by_player)
            for name, hit, by_player in _said_of(rules.clues, said, answered)
            if not hit.mentioned
        ),
        accusations=tuple(
            QuotedFinding(name=one.suspect, quote=one.quote, by_player=True)
            for one in (accused_in(said, rules.case) if rules.case is not None else ())
        ),
        parting=PARTING in signals,
    )


def _said_of(
    rules: Iterable[tuple[str, tuple[str, ...]]], said: str, answered: str
) -> Iterable[tuple[str, KeywordHit, bool]]:
    """Which of these were said: by the character, or else stated or only mentioned by the player."""
    rules = tuple(rules)
    for name, marks in rules:
        others = tuple(mark for other, rest in rules if other != name for mark in rest)
        if (hit := spoken(answered, marks, said)) is not None:
            yield name, hit, False
        elif (hit := stated(said, marks, others) or mentioned(said, marks)) is not None:
            yield name, hit, True


def target_of(template: EpisodeTemplate) -> tuple[float, ...]:
    """The target tension, turn by turn."""
    return template.tension or target_curve(template.turns or NOMINAL_TURNS)


def direct(template: EpisodeTemplate, exchanges: Iterable[PlayerExchange]) -> DirectorState:
    """The director's state after these exchanges, from scratch."""
    fold = _Fold(template)
    for exchange in exchanges:
        fold.take(exchange)
    return fold.state()


@dataclass(frozen=True, slots=True)
class BeatProgress:
    """Where the story stands after an exchange."""

    beat: StoryBeat
    completion_eligible: bool


def direct_each(template: EpisodeTemplate, exchanges: Iterable[PlayerExchange]) -> Iterator[BeatProgress]:
    """Where the story stands after each of these exchanges, in one pass."""
    fold = _Fold(template)
    for exchange in exchanges:
        fold.take(exchange)
        yield fold.progress()


@dataclass(frozen=True, slots=True)
class FoldedExchanges:
    """Exchanges that were already folded, to continue from."""

    exchanges: tuple[PlayerExchange, ...]
    fold: _Fold


def direct_on(
    template: EpisodeTemplate, exchanges: tuple[PlayerExchange, ...], folded: FoldedExchanges | None
) -> tuple[DirectorState, FoldedExchanges]:
    """Like `direct`, but continues from earlier folded exchanges if unchanged; also returns what to continue from."""
    # The last exchange is never folded for good, because it may be observed again.
    earlier, last = exchanges[:-1], exchanges[-1:]
    known = folded.exchanges if folded is not None else ()
    if folded is None or earlier[: len(known)] != known:
        known, fold = (), _Fold(template)
    else:
        fold = folded.fold.copy()
    for exchange in earlier[len(known) :]:
        fold.take(exchange)
    so_far = FoldedExchanges(earlier, fold.copy())
    for exchange in last:
        fold.take(exchange)
    return fold.state(), so_far


class _Fold:
    """The one place where exchanges become a state."""

    def __init__(self, template: EpisodeTemplate) -> None:
        self._template = template
        self._turn = 0
        self._signals: Counter[str] = Counter()
        self._curve: list[float] = []
        self._flags: dict[str, str] = {}
        self._clues: dict[str, str] = {}
        self._accused: list[AccusationMark] = []
        self._marks = [BeatMark(beat=StoryBeat.ESTABLISHMENT, turn=0, by="heuristic")]
        self._shown: set[StoryBeat] = set()
        self._trigger: Trigger | None = None
        self._completed: int | None = None
        self._parting = False
        self._few_words = 0

    def copy(self) -> _Fold:
        other = copy(self)
        other._signals, other._curve, other._flags = Counter(self._signals), list(self._curve), dict(self._flags)
        other._marks, other._shown = list(self._marks), set(self._shown)
        other._clues, other._accused = dict(self._clues), list(self._accused)
        return other

    @property
    def _beat(self) -> StoryBeat:
        return self._marks[-1].beat

    def take(self, exchange: PlayerExchange) -> None:
        reading = exchange.reading or observe(self._template, exchange)
        findings = exchange.findings or Findings()
        self._turn += 1
        self._signals.update({*reading.signals, *(found.name for found in findings.signals)})
        heard = min(1.0, max(0.0, reading.tension + SHIFT_WEIGHT * reading.shift))
        before = self._curve[-1] if self._curve else heard
        self._curve.append(round(SMOOTHING * before + (1 - SMOOTHING) * heard, 3))
        for found in (*(QuotedFinding(name=flag) for flag in exchange.flags), *reading.flags, *findings.flags):
            self._flags.setdefault(found.name, found.quote)
        for clue in reading.clues:
            # What came out in a whisper is found, but its words are told to nobody in a later episode.
            self._clues.setdefault(clue.name, "" if exchange.is_whispered else clue.quote)
        self._accuse(exchange, reading, findings)
        self._parting = reading.parting
        self._few_words = self._few_words + 1 if len(words(exchange.said)) <= FEW_WORDS else 0
        self._advance(exchange, reading, findings)
        if self._trigger is None and (trigger := self._check()) is not None:
            self._trigger, self._completed = trigger, self._turn

    def _accuse(self, exchange: PlayerExchange, reading: Reading, findings: Findings) -> None:
        """Accusations of this exchange: those picked, those said, and those a model read in another language."""
        picked = tuple(QuotedFinding(name=name, quote=exchange.said) for name in exchange.accused)
        found = picked or reading.accusations or findings.accusations
        self._accused.extend(
            AccusationMark(suspect=one.name, turn=self._turn, quote=one.quote, message_id=exchange.message_id)
            for one in found
        )
        key = self._template.criteria.objective_key
        if found and key is not None and self._template.by_accusation:
            self._flags.setdefault(key, found[0].quote)

    def _advance(self, exchange: PlayerExchange, reading: Reading, findings: Findings) -> None:
        for found, by in self._evidence(reading, findings):
            beat = StoryBeat(found.name)
            if beat.place >= self._beat.place:
                self._shown.add(beat)
            if beat.place > self._beat.place:
                self._reach(beat, by, exchange, found.quote)
        while self._beat is not StoryBeat.RESOLUTION:
            following = StoryBeat.at(self._beat.place + 1)
            by_time = self._due(following)
            if by_time is None:
                return
            self._reach(following, by_time, exchange)

    def _evidence(self, reading: Reading, findings: Findings) -> list[tuple[QuotedFinding, ReachedBy]]:
        by_words = [one for one in reading.beats if self._template.detection_of(StoryBeat(one.name)) == "keyword"]
        found: list[tuple[QuotedFinding, ReachedBy]] = [
            (one, "keyword") for one in by_words if not one.by_player or self._may_tell(one)
        ]
        beat = findings.beat
        if beat is not None and self._template.detection_of(StoryBeat(beat.name)) == "model":
            found.append((beat, "model"))
        return sorted(found, key=lambda pair: StoryBeat(pair[0].name).place)

    def _may_tell(self, found: QuotedFinding) -> bool:
        """Whether a player's words show a beat: the next one that words can show, and stated in a sentence if the end
        depends on beats. Nobody tells a story by listing it."""
        if found.mentioned and self._template.completion_mode == "beat_gated":
            return False
        ahead = (one.beat for one in self._template.beats if one.beat.place > self._beat.place)
        following = next((beat for beat in ahead if self._template.detection_of(beat) == "keyword"), None)
        return StoryBeat(found.name) is following

    def _due(self, beat: StoryBeat) -> ReachedBy | None:
        contract = self._template.contract(beat)
        if contract is not None and contract.deadline is not None:
            if self._turn >= contract.deadline + GRACE:
                return "deadline"
            if contract.detection != "heuristic":
                return None
        if contract is not None and contract.detection == "heuristic" and contract.target_turn is not None:
            return "heuristic" if self._turn >= contract.target_turn else None
        stretch = 1.0 if self._template.detection_of(beat) == "heuristic" else LATE
        by_position = beat_by_turn(self._turn, self._template.turns, stretch)
        return "heuristic" if by_position.place >= beat.place else None

    def _reach(self, beat: StoryBeat, by: ReachedBy, exchange: PlayerExchange, quote: str = "") -> None:
        self._marks.append(BeatMark(beat=beat, turn=self._turn, by=by, quote=quote, message_id=exchange.message_id))

    def _done(self) -> tuple[StoryBeat, ...]:
        """The beats played so far: all before the current one, and that one if it was shown or had its own turn."""
        current = self._marks[-1]
        over = current.beat is StoryBeat.RESOLUTION or current.beat in self._shown or self._turn > current.turn > 0
        return (*current.beat.before(), current.beat) if over else current.beat.before()

    def _check(self) -> Trigger | None:
        template, criteria = self._template, self._template.criteria
        if template.completion_mode == "turn_limited":
            return "turn_limit" if template.turns is not None and self._turn >= template.turns else None
        if template.completion_mode == "beat_gated":
            resolved = not criteria.require_resolution or self._beat is StoryBeat.RESOLUTION
            return "beat_complete" if criteria.required_beat in self._done() and resolved else None
        if template.completion_mode == "objective":
            return "objective_met" if criteria.objective_key in self._flags else None
        return None

    def progress(self) -> BeatProgress:
        return BeatProgress(self._beat, self._trigger is not None)

    def state(self) -> DirectorState:
        return DirectorState(
            turn_count=self._turn,
            current_beat=self._beat,
            beats_completed=self._done(),
            user_signals=dict(sorted(self._signals.items())),
            tension_curve=tuple(self._curve),
            tension_target=target_of(self._template),
            flags=dict.fromkeys(sorted(self._flags), True),
            evidence={name: quote for name, quote in sorted(self._flags.items()) if quote},
            clues=dict(sorted(self._clues.items())),
            accusations=tuple(self._accused),
            marks=tuple(self._marks),
            completion_trigger=self._trigger,
            completed_turn=self._completed,
            pausing=self._parting or self._few_words >= FADING,
        )


@dataclass(frozen=True, slots=True)
class Pace:
    """The note for the character's next answer, possibly empty, and the reason."""

    note: str
    reason: str


HOLD = Pace("", "hold: nothing asks for a word")


def pace(template: EpisodeTemplate, state: DirectorState) -> Pace:
    """The note for turn `state.turn_count + 1`. If in doubt, there is none."""
    if state.completion_trigger is not None:
        return Pace("", "hold: the episode is complete")
    coming = state.turn_count + 1
    limit = template.turns if template.completion_mode == "turn_limited" else None
    if coming == limit:
        return Pace(note_text("last"), f"last turn: {coming} of {limit}")
    if due := _due_contract(template, state, coming):
        return due
    if limit is not None and coming == limit - 1 > 1:
        return Pace(note_text("next_to_last"), f"next to last turn: {coming} of {limit}")
    change = pace_change(state.tension_curve, state.tension_target)
    if change is not None:
        level, wanted = state.tension_curve[-1], state.tension_target[len(state.tension_curve) - 1]
        return Pace(note_text(change), f"tension {level:.2f} where {wanted:.2f} is wanted, for three turns")
    return HOLD


def _due_contract(template: EpisodeTemplate, state: DirectorState, coming: int) -> Pace | None:
    contract = _next_contract(template, state)
    if contract is None or not contract.instruction:
        return None
    if contract.deadline is not None and coming >= contract.deadline:
        return Pace(
            note_text("overdue", instruction=contract.instruction),
            f"{contract.beat}: its deadline is turn {contract.deadline}",
        )
    if contract.target_turn is not None and coming >= contract.target_turn:
        return Pace(contract.instruction, f"{contract.beat}: due at turn {contract.target_turn}")
    if contract.target_turn is None and beat_by_turn(coming, template.turns).place >= contract.beat.place:
        return Pace(contract.instruction, f"{contract.beat}: due by the length of the talk")
    return None


def _next_contract(template: EpisodeTemplate, state: DirectorState) -> BeatContract | None:
    """The first beat with a contract that has not been played yet."""
    done: Sequence[StoryBeat] = state.beats_completed
    return next((one for one in template.beats if one.beat not in done and one.instruction), None)
