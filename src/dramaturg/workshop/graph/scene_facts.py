"""What a scene says without a model being asked: its front matter, and the known names in its prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import BEATS
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.graph.front_matter import StoryMatter
from dramaturg.workshop.graph.names import NameIndex, quote_around, words_in_lower_case
from dramaturg.workshop.graph.register import Register, checked
from dramaturg.workshop.graph.values import Entity, EntityKind, Fact
from dramaturg.workshop.graph.written_facts import SOURCE, quoted, written_facts

PROSE = "prose"
NAMED: tuple[EntityKind, ...] = ("character", "location", "object", "symbol")
"""What is looked for in prose; events, themes and rules have no names there."""
MOST_BESIDE = 12
"""How many characters of one paragraph count as named beside each other; a longer list is a roll call."""
_FIELDS: Mapping[str, str] = {
    "point_of_view_of": "pov",
    "takes_place_at": "place",
    "after": "after",
    "before": "before",
}
"""The field of the front matter that says it, where a name may stand in several."""
_GAP = re.compile(r"\n[ \t]*\n")
_BEATS: Mapping[str, str] = {key_name(beat.name): beat.name for beat in BEATS} | {
    str(beat.number): beat.name for beat in BEATS
}


@dataclass(frozen=True, slots=True)
class SceneText:
    """A file of the manuscript: its name in the story, its text and its front matter."""

    path: str
    name: str
    text: str
    matter: StoryMatter


def register_scene(scene: SceneText, register: Register) -> Entity:
    """Makes a scene and everyone in its front matter known."""
    title = (scene.matter.title,) if scene.matter.title else ()
    event = register.entity("event", scene.name, scene.path, title)
    for kind, names in _cited(scene.matter).items():
        for name in names:
            try:
                register.known(name, kind) or register.entity(kind, name, scene.path)
            except InvalidConfig as error:
                register.problems.append(f"{scene.path}: {error.message}")
    for _ in written_facts(scene.path, scene.text, scene.matter, register):
        pass  # for those whom the facts introduce
    return event


def scene_facts(scene: SceneText, scenes: Mapping[str, str], register: Register, names: tuple[str, ...]) -> list[Fact]:
    """Every fact of a scene, each once. `scenes` are the names of all scenes by what they may be called."""
    event = register.entity("event", scene.name, scene.path)
    found = [
        *_matter_facts(scene, event, scenes, register),
        *written_facts(scene.path, scene.text, scene.matter, register),
        *_prose_facts(scene, event, register, names),
    ]
    return list({one.key: one for one in reversed(found)}.values())[::-1]


def _cited(matter: StoryMatter) -> Mapping[EntityKind, tuple[str, ...]]:
    return {
        "character": (*matter.cast, *matter.pov),
        "location": matter.places,
        "symbol": matter.symbols,
        "object": matter.objects,
        "theme": matter.themes,
    }


def _matter_facts(scene: SceneText, event: Entity, scenes: Mapping[str, str], register: Register) -> Iterator[Fact]:
    matter = scene.matter
    for name, who in _meant(register, "character", (*matter.cast, *matter.pov)):
        yield _stated(scene, who, "present_at", event.id, name)
    for name, who in _meant(register, "character", matter.pov):
        yield _stated(scene, who, "point_of_view_of", event.id, name)
    for name, where in _meant(register, "location", matter.places):
        yield _stated(scene, event.id, "takes_place_at", where, name)
    for kind in ("symbol", "object", "theme"):
        for name, what in _meant(register, kind, _cited(matter)[kind]):
            yield _stated(scene, event.id, "shows", what, name)
    if matter.time_from:
        yield _stated(scene, event.id, "happens_at", None, matter.time_from)
    beat = beat_named(matter.beat)
    if beat:
        yield _stated(scene, event.id, "serves_beat", register.entity("event", beat, "beats").id, matter.beat)
    yield from _order_facts(scene, event, scenes, register)


def _order_facts(scene: SceneText, event: Entity, scenes: Mapping[str, str], register: Register) -> Iterator[Fact]:
    """Which scenes come before and after this one in story time."""
    named = [("after", other) for other in scene.matter.after] + [("before", other) for other in scene.matter.before]
    for predicate, other in named:
        known = scenes.get(key_name(other))
        if known is None:
            register.problems.append(f"{scene.path}: '{predicate}: {other}' names no scene of manuscript/.")
            continue
        fact = _stated(scene, event.id, predicate, register.entity("event", known, scene.path).id, other)
        if checked(fact, register, scene.path) is not None:
            yield fact


def _stated(scene: SceneText, subject: int, predicate: str, target: int | None, name: str) -> Fact:
    """A fact of the front matter, with the line that says it; without an entity as object, the name is the value."""
    start, quote = quoted(scene.text, "", name, scene.matter.head, _FIELDS.get(predicate, ""))
    return Fact(
        0, subject, predicate, target, name if target is None else "",
        time_from=scene.matter.time_from, time_to=scene.matter.time_to,
        file=scene.path, start=start, quote=quote, source=SOURCE,
    )  # fmt: skip


def _meant(register: Register, kind: EntityKind, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for name in names:
        try:
            yield name, register.entity(kind, name, SOURCE).id
        except InvalidConfig:
            continue  # reported when the scene was registered


def beat_named(text: str) -> str:
    """The beat that a front matter means: `Midpoint - False Victory`, `9`, `9. Midpoint`; empty if none."""
    key = key_name(text)
    if key in _BEATS:
        return _BEATS[key]
    bare = key.partition("_")[2] if key.partition("_")[0].isdecimal() else key
    return next((name for known, name in _BEATS.items() if not known.isdecimal() and bare.startswith(known)), "")


def _prose_facts(scene: SceneText, event: Entity, register: Register, names: tuple[str, ...]) -> Iterator[Fact]:
    """Each known one that the prose names, and who is named beside whom, with the first sentence that does."""
    body = scene.text[len(scene.matter.head) :]
    index = NameIndex(names, words=words_in_lower_case(body))
    mentioned: set[int] = set()
    beside: set[tuple[int, int]] = set()
    offset = len(scene.matter.head)
    for number, (begin, end) in enumerate(paragraphs_in(body), start=1):
        here: dict[tuple[str, int], tuple[int, int]] = {}
        for found in index.find(body[begin:end]):
            who = _who(register, found.name)
            if who is None:
                continue
            span = (begin + found.start, begin + found.end)
            if who.kind == "character":
                here.setdefault((who.name, who.id), span)
            if who.id not in mentioned:
                mentioned.add(who.id)
                yield _quoted_fact(scene, body, offset, number, span, (who.id, "mentioned_in", event.id))
        if len(here) <= MOST_BESIDE:
            for one, other in combinations(sorted(here), 2):  # by name: a new entity has no number yet
                if (one[1], other[1]) not in beside:
                    beside.add((one[1], other[1]))
                    said = (one[1], "named_beside", other[1])
                    yield _quoted_fact(scene, body, offset, number, here[other], said)


def _who(register: Register, name: str) -> Entity | None:
    """Who is meant by a name in prose; None if it may be several: then it proves nothing."""
    try:
        return register.known(name, *NAMED)
    except InvalidConfig:
        return None


def _quoted_fact(
    scene: SceneText, body: str, offset: int, paragraph: int, span: tuple[int, int], said: tuple[int, str, int]
) -> Fact:
    start, end = quote_around(body, *span)
    return Fact(
        0, said[0], said[1], said[2],
        time_from=scene.matter.time_from, time_to=scene.matter.time_to,
        file=scene.path, paragraph=paragraph, start=offset + start, quote=body[start:end], source=PROSE,
    )  # fmt: skip


def paragraphs_in(body: str) -> Iterator[tuple[int, int]]:
    """Where each paragraph of a text starts and ends."""
    begin = 0
    for gap in _GAP.finditer(body):
        if body[begin : gap.start()].strip():
            yield begin, gap.start()
        begin = gap.end()
    if body[begin:].strip():
        yield begin, len(body)
