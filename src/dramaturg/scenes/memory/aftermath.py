"""What a run leaves in its cast: a pure function of its log, and for each character only of what it heard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import TypedDict

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.scenes.director.verdict import Evidence
from dramaturg.scenes.events import CastMember, LineSpoken, LineUnsaid, MemoriesSupplied, SceneOpened
from dramaturg.scenes.hearing import as_heard
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import Aftermath, BondChange, Memory, Shift, SuppliedMemory
from dramaturg.scenes.memory.draft import WitnessedLine, draft_memory
from dramaturg.scenes.memory.signs import Imprint, feeling_of
from dramaturg.scenes.state import SceneState, scene_state

MOST_PER_SCENE = 12
"""Memories a character keeps of one scene, the most important ones."""
MOST_PLAIN = 4
"""How many of them may be lines that were merely heard."""
CUT_OFF = Imprint(valence=-0.08, arousal=0.1, affection=-0.04, tension=0.1)
CONFIDED = Imprint(trust=0.06, affection=0.03)
OWN_TONE, FELT_TONE = 0.15, 0.1


@dataclass(frozen=True, slots=True)
class _Moment:
    """A line of the final transcript, and where in the log it was spoken."""

    line: Line
    at: float
    mark: str


def aftermath(run_id: str, entries: Sequence[Entry[Event]]) -> Aftermath:
    """The memories, moods and bonds that a run leaves, ended or not. The same log gives the same result."""
    state = scene_state(entries)
    if state.opened is None:
        return Aftermath(run=run_id)
    moments = _moments_of(entries, state)
    said = {line.number: line for line in state.lines}
    supplied = {
        e.event.character: tuple(one for one in e.event.taken if _still_said(one, said))
        for e in entries
        if isinstance(e.event, MemoriesSupplied)
    }
    cut = {line.number for line in state.lines if line.cut_by is not None}
    unsaid = {
        e.event.number: e.event.unsaid for e in entries if isinstance(e.event, LineUnsaid) and e.event.number in cut
    }
    witnesses = [_Witness(run_id, member, state, moments, unsaid) for member in state.cast]
    began = (entries[0].at, _origin(entries))
    return Aftermath(
        run=run_id,
        memories=tuple(m for who in witnesses for m in who.memories(supplied.get(who.me.name, ()))),
        shifts=tuple(shift for who in witnesses for shift in who.shifts(*began)),
        changes=tuple(change for who in witnesses for change in who.changes()),
    )


def _moments_of(entries: Sequence[Entry[Event]], state: SceneState) -> tuple[_Moment, ...]:
    """Every line with a mark that is the same in forks but differs between performances."""
    origin = _origin(entries)
    lines = {line.number: line for line in state.lines}
    return tuple(
        _Moment(lines[spoken.number], entry.at, _digest(origin, entry.seq, entry.at, spoken.speaker, spoken.content))
        for entry in entries
        if isinstance(entry.event, LineSpoken) and (spoken := entry.event.line).number in lines
    )


def _origin(entries: Sequence[Entry[Event]]) -> str:
    """The same for a run and its forks. Two performances of one scene never share the folder of their files."""
    first = next(entry for entry in entries if isinstance(entry.event, SceneOpened))
    opened = first.event
    assert isinstance(opened, SceneOpened)
    return _digest(first.at, opened.config.name, opened.seed, opened.folder)


def _digest(*parts: object) -> str:
    return sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:24]


class _Place(TypedDict):
    """The fields of a trace."""

    character: str
    scene: str
    run: str
    line: int
    at: float
    moment: str


class _Witness:
    """One character at a run. Whatever it keeps goes through `_heard`."""

    def __init__(
        self, run_id: str, me: CastMember, state: SceneState, moments: Sequence[_Moment], unsaid: dict[int, str]
    ) -> None:
        self.me = me
        self._run, self._state, self._unsaid = run_id, state, unsaid
        self._heard = tuple(self._hear(moments))

    def memories(self, supplied: Sequence[SuppliedMemory]) -> list[Memory]:
        """The most important ones, in order; in the model's words where it supplied some for that line."""
        own = {memory.line: memory for memory in supplied}
        kept = [memory for heard in self._heard if (memory := self._memory(heard, own)) is not None]
        kept.sort(key=lambda memory: (memory.line not in own, -memory.importance, -memory.line))
        plain = [memory.line for memory in kept if memory.kind == "heard" and memory.line not in own]
        dropped = set(plain[MOST_PLAIN:])
        kept = [memory for memory in kept if memory.line not in dropped]
        return sorted(kept[:MOST_PER_SCENE], key=lambda memory: memory.line)

    def shifts(self, at: float, mark: str) -> Iterator[Shift]:
        """The first is for the scene itself, so that moods fade even over a scene in which nothing was felt."""
        yield Shift(**self._trace(0, at, mark), valence=0.0, arousal=0.0)
        for heard in self._heard:
            imprint = self._imprint(heard)
            if heard.cut_by is not None:
                imprint = imprint.plus(CUT_OFF)
            if imprint.valence or imprint.arousal:
                yield Shift(
                    **self._trace(heard.line.number, heard.at, heard.mark),
                    valence=_held(imprint.valence),
                    arousal=_held(imprint.arousal),
                    cause=heard.cause(),
                )

    def changes(self) -> Iterator[BondChange]:
        for heard in self._heard:
            imprints: dict[str, Imprint] = {}
            if (other := heard.other) is not None:
                imprints[other.name] = self._imprint(heard)
            if (cutter := heard.cut_by) is not None:
                imprints[cutter.name] = imprints.get(cutter.name, Imprint()).plus(CUT_OFF)
            for toward, imprint in imprints.items():
                if imprint.on_bond:
                    yield BondChange(
                        **self._trace(heard.line.number, heard.at, heard.mark),
                        toward=toward,
                        trust=_held(imprint.trust),
                        affection=_held(imprint.affection),
                        tension=_held(imprint.tension),
                        cause=heard.cause(),
                    )

    def _hear(self, moments: Sequence[_Moment]) -> Iterator[WitnessedLine]:
        cut: dict[str, str] = {}
        for moment in moments:
            line = as_heard(moment.line, self.me.display_name)
            if line is None or line.kind == "system":
                continue
            unsaid = self._unsaid.get(line.number, "") if line.speaker == self.me.display_name else ""
            cuts = cut.pop(line.speaker, "") if line.action == "interrupt" else ""
            yield WitnessedLine(line, moment.at, moment.mark, self.me, self._state.cast, unsaid, cuts, self._met(line))
            if line.cut_by:
                cut[line.cut_by] = line.speaker

    def _met(self, line: Line) -> tuple[str, ...]:
        """The sub-goals that the words of this line were found to meet."""
        goals = {goal.id: goal.text for goal in self._state.goals}
        return tuple(goals[met.goal] for met in self._state.verdict.met if met.goal in goals and _shown_by(met, line))

    def _memory(self, heard: WitnessedLine, supplied: dict[int, SuppliedMemory]) -> Memory | None:
        own = supplied.get(heard.line.number)
        told = own or draft_memory(heard, self._imprint(heard))
        if told is None:
            return None
        return Memory(
            **self._trace(heard.line.number, heard.at, heard.mark),
            text=told.text,
            kind=told.kind,
            importance=told.importance,
            quote=told.quote,
            about=heard.about(),
        )

    def _imprint(self, heard: WitnessedLine) -> Imprint:
        """What the line did to this character: as its speaker, as the one it was said to, or nothing."""
        if not (heard.is_mine or heard.is_to_me):
            return Imprint()
        feeling, acts = feeling_of(heard.line.tone), heard.acts
        if heard.is_mine:
            felt = Imprint(
                valence=OWN_TONE * feeling.valence,
                arousal=OWN_TONE * (feeling.arousal - 0.4) if feeling.known else 0.0,
                affection=0.05 * feeling.regard,
                tension=-0.05 * feeling.regard,
            )
            return _summed(felt, [act.speaker for act in acts])
        felt = Imprint(
            valence=FELT_TONE * feeling.regard,
            arousal=FELT_TONE * (feeling.arousal - 0.4) if feeling.known else 0.0,
            trust=0.03 * feeling.regard,
            affection=0.05 * feeling.regard,
            tension=-0.06 * feeling.regard,
        )
        if heard.line.aside:
            felt = felt.plus(CONFIDED)
        return _summed(felt, [act.hearer for act in acts])

    def _trace(self, line: int, at: float, mark: str) -> _Place:
        scene = self._state.scene.config.name
        return {"character": self.me.name, "scene": scene, "run": self._run, "line": line, "at": at, "moment": mark}


def _still_said(memory: SuppliedMemory, lines: Mapping[int, Line]) -> bool:
    """Whether the words a memory rests on are still in the scene."""
    line = lines.get(memory.line)
    return line is not None and is_quoted(memory.quote, line.content)


def _summed(first: Imprint, more: Sequence[Imprint]) -> Imprint:
    return reduce(Imprint.plus, more, first)


def _held(value: float) -> float:
    return round(min(1.0, max(-1.0, value)), 4)


def _shown_by(met: Evidence, line: Line) -> bool:
    """Whether this is the line that met a sub-goal; logs of earlier versions do not say which it was."""
    if met.line is not None:
        return met.line == line.number
    return met.speaker == line.speaker and is_quoted(met.quote, line.content)
