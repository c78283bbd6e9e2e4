"""The record of each scene: from the graph and its front matter, and what a model read where those are silent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.text.words import words
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.graph.names import quote_around
from dramaturg.workshop.graph.scene_facts import SceneText
from dramaturg.workshop.graph.values import Fact, StoryGraph, folded
from dramaturg.workshop.health.record_matter import RESONANCE, SCALE, TENSION, scene_kind, told_challenge, told_level
from dramaturg.workshop.health.values import Evidence, Origin, SceneKind, SceneRecord, Told

TOUCHED = 0.6 * SCALE
"""The resonance of a scene whose front matter names the theme and gives no number."""


@dataclass(frozen=True, slots=True)
class ExtractedRecord:
    """What a model read out of a scene; every value has words that stand in its text. `refused` had none."""

    kind: SceneKind | None = None
    tension: Told[float] | None = None
    beat: Told[str] | None = None
    cast: tuple[Told[str], ...] = ()
    place: Told[str] | None = None
    time: Told[str] | None = None
    challenge: Told[bool] | None = None
    symbols: tuple[Told[str], ...] = ()
    resonance: Told[float] | None = None
    refused: int = 0


def scene_records(
    graph: StoryGraph, scenes: Sequence[SceneText], extracted: Mapping[str, ExtractedRecord] | None = None
) -> tuple[SceneRecord, ...]:
    """The records of all scenes, in reading order."""
    facts: dict[str, list[Fact]] = {}
    for fact in graph.current:
        if fact.modality == "narrated":
            facts.setdefault(fact.file, []).append(fact)
    counts = [len(words(scene.text[len(scene.matter.head) :])) for scene in scenes]
    whole, done, found = sum(counts) or 1, 0, []
    for position, (scene, count) in enumerate(zip(scenes, counts, strict=True)):
        record = _record(scene, graph, facts.get(scene.path, ()))
        place = replace(record, position=position, words=count, start=done / whole, end=(done + count) / whole)
        done += count
        read = (extracted or {}).get(scene.path)
        found.append(place if read is None else _filled(place, read, graph))
    return tuple(found)


def _record(scene: SceneText, graph: StoryGraph, facts: Sequence[Fact]) -> SceneRecord:
    matter, body = scene.matter, scene.text[len(scene.matter.head) :]
    cast = _people(graph, facts)
    themes = _shown(graph, facts, "theme")
    resonance = told_level(scene.path, matter.head, matter.said, RESONANCE)
    if resonance is None and themes:
        resonance = Told(TOUCHED, themes[0].evidence)
    beats = [one for one in facts if one.predicate == "serves_beat" and one.object is not None]
    times = [one for one in facts if one.predicate == "happens_at"]
    return SceneRecord(
        path=scene.path,
        name=scene.name,
        title=matter.title,
        chapter=matter.chapter or scene.name.partition("-sc")[0],
        kind=scene_kind(matter.said),
        tension=told_level(scene.path, matter.head, matter.said, TENSION),
        beat=Told(graph.root(beats[0].object or 0).name, _evidence(beats[0])) if beats else None,
        cast=cast,
        pov=_told(graph, facts, "point_of_view_of"),
        places=_told(graph, facts, "takes_place_at", of_object=True),
        time=Told(times[0].value, _evidence(times[0])) if times else None,
        until=matter.time_to,
        challenge=told_challenge(scene.path, matter.head, body, matter.said),
        symbols=_once((*_shown(graph, facts, "symbol"), *_named(graph, facts, "symbol"))),
        objects=_once((*_shown(graph, facts, "object"), *_named(graph, facts, "object"))),
        resonance=resonance,
        opening=_opening(body),
        digest=digest_of(scene.text),
    )


def _opening(body: str) -> str:
    """The first sentence of a scene, without headings."""
    line = next((line for line in body.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    start = len(line) - len(line.lstrip())
    first, last = quote_around(line, start, min(start + 1, len(line)))
    return line[first:last].strip()


def _people(graph: StoryGraph, facts: Sequence[Fact]) -> tuple[Told[str], ...]:
    """Who is present, then who is only named."""
    return _once((*_told(graph, facts, "present_at"), *_named(graph, facts, "character")))


def _told(
    graph: StoryGraph, facts: Sequence[Fact], predicate: str, *, of_object: bool = False
) -> tuple[Told[str], ...]:
    return _once(
        Told(graph.root((one.object or 0) if of_object else one.subject).name, _evidence(one))
        for one in facts
        if one.predicate == predicate and (not of_object or one.object is not None)
    )


def _shown(graph: StoryGraph, facts: Sequence[Fact], kind: str) -> tuple[Told[str], ...]:
    return _once(
        Told(target.name, _evidence(one))
        for one in facts
        if one.predicate == "shows" and one.object is not None and (target := graph.root(one.object)).kind == kind
    )


def _named(graph: StoryGraph, facts: Sequence[Fact], kind: str) -> tuple[Told[str], ...]:
    """Those of a kind whom the prose names."""
    return _once(
        Told(who.name, _evidence(one, "prose"))
        for one in facts
        if one.predicate == "mentioned_in" and (who := graph.root(one.subject)).kind == kind
    )


def _once(told: Iterable[Told[str]]) -> tuple[Told[str], ...]:
    """Each value once, with its first evidence."""
    found: dict[str, Told[str]] = {}
    for one in told:
        found.setdefault(one.value, one)
    return tuple(found.values())


def _evidence(fact: Fact, origin: Origin = "front matter") -> Evidence:
    return Evidence(file=fact.file, paragraph=fact.paragraph, quote=fact.quote, origin=origin)


def _filled(record: SceneRecord, read: ExtractedRecord, graph: StoryGraph) -> SceneRecord:
    """The record with what a model read, where the writer said nothing."""
    present = [one for one in record.cast if one.evidence.origin != "prose"]
    cast = record.cast if present else _once((*(_known(one, graph) for one in read.cast), *record.cast))
    shown = [one for one in record.symbols if one.evidence.origin != "prose"]
    symbols = record.symbols if shown else _once((*(_known(one, graph) for one in read.symbols), *record.symbols))
    return replace(
        record,
        kind=record.kind if record.is_exempt else read.kind or "scene",
        tension=record.tension or read.tension,
        beat=record.beat or read.beat,
        cast=cast,
        places=record.places or ((_known(read.place, graph),) if read.place else ()),
        time=record.time or read.time,
        challenge=record.challenge or read.challenge,
        symbols=symbols,
        resonance=record.resonance or read.resonance,
    )


def _known(told: Told[str], graph: StoryGraph) -> Told[str]:
    """The same under the name that the graph has for it, if it is the name of one."""
    held = {graph.roots[one.id] for one in graph.names.get(folded(told.value), ())}
    return Told(graph.by_id[held.pop()].name, told.evidence) if len(held) == 1 else told
