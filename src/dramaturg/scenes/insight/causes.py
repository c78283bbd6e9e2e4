"""The possible causes of a line, one at a time, and the same occasion without each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, TypeVar

from dramaturg.characters import parse_card
from dramaturg.characters.body import without_section
from dramaturg.kernel.models.port import Message
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.insight.occasion import Occasion
from dramaturg.scenes.line import Line
from dramaturg.scenes.scene import NO_SHEET, PartSheet
from dramaturg.scenes.templates import scene_template

T = TypeVar("T")
PlanPart = Literal["intention", "tone", "target", "opening"]
"""What could be taken from a plan; in old logs only."""
CauseKind = Literal["goal", "note", "line", "event", "section", "direction", "secret", "memory"] | PlanPart


class Cause(WireValue):
    """One thing that can be removed: `number` distinguishes several of a kind, `text` is what is removed."""

    kind: CauseKind
    number: int = 0
    text: str

    @property
    def key(self) -> str:
        return f"{self.kind}-{self.number}"


def causes_of(occasion: Occasion) -> tuple[Cause, ...]:
    """What was in the prompt and can be taken out: note, last line, last event, card, direction, secrets, memories.

    Of a helped character, the sub-goal that it was offered comes first.
    """
    offered = (Cause(kind="goal", text=occasion.offered.goal.text),) if occasion.offered else ()
    return (*offered, *_causes(occasion), *_confided(occasion))


def _causes(occasion: Occasion) -> Iterator[Cause]:
    if occasion.note:
        yield Cause(kind="note", text=occasion.note)
    told = [line for line in occasion.heard if occasion.helped or _place(occasion, line) is not None]
    others = [line for line in told if line.kind == "line" and line.speaker != occasion.member.display_name]
    happened = [line for line in told if line.kind == "event"]
    if others:
        last = others[-1]
        yield Cause(kind="line", number=last.number, text=f"{last.speaker}: {last.content or last.nonverbal or ''}")
    if happened:
        yield Cause(kind="event", number=happened[-1].number, text=happened[-1].content)
    for number, section in enumerate(occasion.card.sections):
        yield Cause(kind="section", number=number, text=section.heading or section.text.strip())
    recollection = occasion.state.recalled.get(occasion.member.name)
    for number, memory in enumerate(recollection.memories if recollection else ()):
        yield Cause(kind="memory", number=number, text=memory.text)


def _confided(occasion: Occasion) -> Iterator[Cause]:
    """What the scene file tells this character alone."""
    sheet = _sheet(occasion)
    if sheet.note.strip():
        yield Cause(kind="direction", text=sheet.note.strip())
    for number, secret in enumerate(occasion.card.secrets + sheet.secrets):
        yield Cause(kind="secret", number=number, text=secret)


def without(occasion: Occasion, cause: Cause) -> Occasion:
    """The occasion as it would have been without this one thing."""
    if cause.kind == "goal" and occasion.turn is not None:
        return replace(occasion, turn=occasion.turn.model_copy(update={"goal": 0}))
    if cause.kind == "note":
        return _without_note(occasion)
    if cause.kind in ("line", "event"):
        return _without_line(occasion, cause.number)
    if cause.kind == "section":
        return _without_section(occasion, cause.number)
    if cause.kind == "direction":
        return _with_sheet(occasion, _sheet(occasion).model_copy(update={"note": ""}))
    return (
        _without_secret(occasion, cause.number) if cause.kind == "secret" else _without_memory(occasion, cause.number)
    )


def _without_note(occasion: Occasion) -> Occasion:
    if occasion.helped:
        return replace(occasion, note="")
    tail, bare = (_quiet(occasion, note).partition("\n\n")[2] for note in (occasion.note, ""))
    last = occasion.messages[-1].text
    plain = last.removesuffix(tail) + bare if last.endswith(tail) else last.replace(occasion.note, "")
    return replace(occasion, note="", messages=(*occasion.messages[:-1], Message("user", plain)))


def _without_line(occasion: Occasion, number: int) -> Occasion:
    line = next(line for line in occasion.heard if line.number == number)
    heard = tuple(other for other in occasion.heard if other.number != number)
    place = _place(occasion, line)
    if place is None:  # for a helped character, the script is rebuilt
        return replace(occasion, heard=heard)
    rest = occasion.messages[place].text.replace(f"{line.rendered()}\n", "", 1)
    if rest.startswith("\n"):  # nothing else was told: say so, as the prompt does
        rest = _quiet(occasion).partition("\n\n")[0] + "\n\n" + rest.lstrip("\n")
    messages = list(occasion.messages)
    messages[place] = Message("user", rest)
    return replace(occasion, heard=heard, messages=tuple(messages))


def _without_section(occasion: Occasion, number: int) -> Occasion:
    card = occasion.card
    raw = card.raw.removesuffix(card.text) + without_section(card.text, number)
    shorter = parse_card(card.name, raw)
    return replace(occasion, cards=tuple(shorter if one.name == card.name else one for one in occasion.cards))


def _without_secret(occasion: Occasion, number: int) -> Occasion:
    card, sheet = occasion.card, _sheet(occasion)
    if number < len(card.secrets):
        poorer = card.model_copy(update={"secrets": _less(card.secrets, number)})
        return replace(occasion, cards=tuple(poorer if one.name == card.name else one for one in occasion.cards))
    kept = _less(sheet.secrets, number - len(card.secrets))
    return _with_sheet(occasion, sheet.model_copy(update={"secrets": kept}))


def _without_memory(occasion: Occasion, number: int) -> Occasion:
    name, recalled = occasion.member.name, occasion.state.recalled
    fewer = recalled[name].model_copy(update={"memories": _less(recalled[name].memories, number)})
    return replace(occasion, state=replace(occasion.state, recalled={**recalled, name: fewer}))


def _less(items: tuple[T, ...], number: int) -> tuple[T, ...]:
    return items[:number] + items[number + 1 :]


def _sheet(occasion: Occasion) -> PartSheet:
    return occasion.state.sheets.get(occasion.member.name, NO_SHEET)


def _with_sheet(occasion: Occasion, sheet: PartSheet) -> Occasion:
    sheets = {**occasion.state.sheets, occasion.member.name: sheet}
    return replace(occasion, state=replace(occasion.state, sheets=sheets))


def _place(occasion: Occasion, line: Line) -> int | None:
    """Which message told of a line, the newest first; None if it is no longer in the thread."""
    told = f"{line.rendered()}\n"
    for place in range(len(occasion.messages) - 1, -1, -1):
        message = occasion.messages[place]
        if message.role == "user" and told in message.text:
            return place
    return None


def _quiet(occasion: Occasion, note: str = "") -> str:
    """The newest message if nobody had spoken."""
    name = occasion.member.display_name
    return scene_template("turn").render(name=name, beat=occasion.beat, lines=(), note=note, lore=())
