"""The audit of new lines: facts their speaker could not know, and departures from the card's manner."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from dramaturg.characters import parse_card
from dramaturg.kernel.values import construct
from dramaturg.scenes.director.drift import Manner, drift_of, effect, read_manner
from dramaturg.scenes.director.keeping import Confidence, Secret
from dramaturg.scenes.director.leaks import PrivateFact, suspect_leaks
from dramaturg.scenes.events import CastMember, CorrectionMeasured, LeakSuspected, LineWeighed, SceneEvent
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState

CORRECTED_OVER = 3
"""Lines over which the effect of a corrective note is measured."""


def audit(state: SceneState) -> tuple[SceneEvent, ...]:
    """The findings on the lines of the beat just played."""
    return (*suspected(state), *_weighed(state))


def audit_line(state: SceneState, number: int) -> tuple[SceneEvent, ...]:
    """The findings on one line that has got other words."""
    line = next((line for line in state.lines if line.number == number and line.content), None)
    if line is None:
        return ()
    name = next(member.name for member in state.cast if member.display_name == line.speaker)
    drift = drift_of(manner_of(name, state), line.content)
    weighed = () if drift.score is None or line.cut_by else (LineWeighed(number=number, character=name, drift=drift),)
    return (*_leaks_in(line, state), *weighed)


def manner_of(name: str, state: SceneState) -> Manner:
    """How a character talks, as far as its card can be measured."""
    return _manner(name, state.cards[name])


def _weighed(state: SceneState) -> Iterator[SceneEvent]:
    names = {member.display_name: member.name for member in state.cast}
    for line in state.lines_of(state.beat):
        if line.kind != "line" or not line.content or line.cut_by:
            continue
        name = names[line.speaker]
        drift = drift_of(manner_of(name, state), line.content)
        if drift.score is None:
            continue
        yield construct(LineWeighed, {"type": "line.weighed", "number": line.number, "character": name, "drift": drift})
        corrected = state.corrected.get(name)
        if corrected is not None and len(state.weighed.get(name, ())) + 1 == corrected + CORRECTED_OVER:
            weighed = (*state.drifts_of(name), drift)
            before = weighed[max(0, corrected - CORRECTED_OVER) : corrected]
            yield CorrectionMeasured(character=name, effect=effect(before, weighed[corrected:]))


@lru_cache(maxsize=512)
def _manner(name: str, raw: str) -> Manner:
    card = parse_card(name, raw)
    return read_manner([(section.heading, section.lines) for section in card.sections], card.display_name)


def suspected(state: SceneState) -> tuple[LeakSuspected, ...]:
    """Leaks in the lines of the beat just played. A scene without secrets and without unheard lines has none."""
    if not state.confidential and not any(_secrets_of(member, state) for member in state.cast):
        return ()
    new = [line for line in state.lines_of(state.beat) if line.kind == "line" and line.content]
    return tuple(found for line in new for found in _leaks_in(line, state))


def _leaks_in(line: Line, state: SceneState) -> Iterator[LeakSuspected]:
    speaker = next(member for member in state.cast if member.display_name == line.speaker)
    earlier = [other for other in state.lines if other.number < line.number]
    unknown = [*_secrets_from(speaker, state), *_unheard_by(speaker, earlier)]
    if not unknown:
        return
    for leak in suspect_leaks(line.content, _known_to(speaker, earlier, state), unknown):
        yield LeakSuspected(number=line.number, speaker=line.speaker, leak=leak)


def _known_to(speaker: CastMember, earlier: list[Line], state: SceneState) -> list[str]:
    """Everything the speaker was told or heard, and what it said or meant to say itself."""
    config = state.scene.config
    told = [config.prompt, config.goal or "", config.setting or ""]
    told += [f"{member.display_name} {member.role}" for member in state.cast]
    own = [state.cards[speaker.name]]
    if (sheet := state.sheets.get(speaker.name)) is not None:
        own += [sheet.note, *sheet.secrets]
    if (recalled := state.recalled.get(speaker.name)) is not None:
        own += [memory.text for memory in recalled.memories]
    own += state.known_lore.get(speaker.name, {}).values()
    return [*told, *own, *(line.content for line in heard_by(speaker.display_name, earlier))]


def confidence_of(state: SceneState) -> Confidence:
    """The secrets of the cast, and what everybody on stage has been told."""
    config = state.scene.config
    known = (config.prompt, config.goal or "", config.setting or "", *(member.display_name for member in state.cast))
    held = (Secret(member.display_name, text) for member in state.cast for text in _secrets_of(member, state))
    return Confidence(tuple(held), known)


def _secrets_from(speaker: CastMember, state: SceneState) -> Iterator[PrivateFact]:
    for member in state.cast:
        if member.name == speaker.name:
            continue
        for place, secret in enumerate(_secrets_of(member, state), start=1):
            yield PrivateFact(id=f"{member.name}/{place}", text=secret, source=f"secret of {member.display_name}")


def _secrets_of(member: CastMember, state: SceneState) -> tuple[str, ...]:
    sheet = state.sheets.get(member.name)
    return parse_card(member.name, state.cards[member.name]).secrets + (sheet.secrets if sheet else ())


def _unheard_by(speaker: CastMember, earlier: list[Line]) -> Iterator[PrivateFact]:
    name = speaker.display_name
    for line in earlier:
        if line.kind == "line" and line.content and (name in line.unheard_by or name in line.foreign_to):
            yield PrivateFact(id=f"line/{line.number}", text=line.gloss or line.content, source=f"line {line.number}")
