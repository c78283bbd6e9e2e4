"""The leak audit: is there something in a new line that its speaker could not know?"""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.kernel.characters import parse_card
from dramaturg.kernel.director.leaks import Fact, suspect_leaks
from dramaturg.scenes.events import CastMember, LeakSuspected
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState


def suspected(state: SceneState) -> tuple[LeakSuspected, ...]:
    """Leaks in the lines of the beat just played. A scene without secrets and without unheard lines has none."""
    new = [line for line in state.lines if line.beat == state.beat and line.kind == "line" and line.content]
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
    told = [config.prompt, config.goal or "", config.setting or "", *(member.role for member in state.cast)]
    own = [state.cards[speaker.name]]
    if (sheet := state.sheets.get(speaker.name)) is not None:
        own += [sheet.note, *sheet.secrets]
    return [*told, *own, *(line.content for line in heard_by(speaker.display_name, earlier))]


def _secrets_from(speaker: CastMember, state: SceneState) -> Iterator[Fact]:
    for member in state.cast:
        if member.name == speaker.name:
            continue
        secrets = parse_card(member.name, state.cards[member.name]).secrets
        if (sheet := state.sheets.get(member.name)) is not None:
            secrets += sheet.secrets
        for place, secret in enumerate(secrets, start=1):
            yield Fact(id=f"{member.name}/{place}", text=secret, source=f"secret of {member.display_name}")


def _unheard_by(speaker: CastMember, earlier: list[Line]) -> Iterator[Fact]:
    name = speaker.display_name
    for line in earlier:
        if line.kind == "line" and line.content and (name in line.unheard_by or name in line.foreign_to):
            yield Fact(id=f"line/{line.number}", text=line.gloss or line.content, source=f"line {line.number}")
