"""The flaws, one function each: find a fact of the graph, and make the copy contradict it.

A planter returns why it could not plant anything where the book has no fact for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dramaturg.workshop.consolidation.comparison import colours_in
from dramaturg.workshop.drill.book_copy import BookCopy
from dramaturg.workshop.drill.values import FlawKind, PlantedFlaw
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.story_time import compared
from dramaturg.workshop.graph.values import Fact
from dramaturg.workshop.health.values import Evidence, SceneRecord

_COLOURS = (
    ("brown", "braune", "bruns", "castaños"),
    ("grey", "graue", "gris", "grises"),
    ("green", "grüne", "verts", "verdes"),
    ("blue", "blaue", "bleus", "azules"),
    ("black", "schwarze", "noirs", "negros"),
)
_DEATHS = ("is_dead", "died_on", "killed")


@dataclass(frozen=True, slots=True)
class Planter:
    """One kind of flaw: how it is planted, and which checks should see it."""

    kind: FlawKind
    plant: Callable[[BookCopy], PlantedFlaw | str]
    seen_by: tuple[str, ...]


def flaw_of(copy: BookCopy, kind: FlawKind, fact: Fact, subject: str, text: str, files: Iterable[str]) -> PlantedFlaw:
    """A planted flaw with the fact that it contradicts."""
    return PlantedFlaw(
        kind=kind,
        subject=subject,
        text=text,
        fact=told(copy.book.graph, fact),
        evidence=Evidence(file=fact.file, paragraph=fact.paragraph, quote=fact.quote),
        files=tuple(dict.fromkeys(files)),
        recorded=copy.recorded,
    )


def facts_with(copy: BookCopy, *predicates: str) -> list[Fact]:
    """The narrated facts of some predicates, in the order of the graph."""
    return [one for one in copy.book.graph.current if one.predicate in predicates and one.modality == "narrated"]


def scenes_with(copy: BookCopy, who: str) -> list[SceneRecord]:
    """The scenes that somebody is in; where no scene has a cast, those that name them."""
    told_ = [one for one in copy.records if not one.is_exempt]
    present = [one for one in told_ if who in one.people]
    return present or [one for one in told_ if any(who == held.value for held in one.cast)]


def plant_eye_colour(copy: BookCopy) -> PlantedFlaw | str:
    """Somebody's eyes change their colour."""
    graph = copy.book.graph
    facts = [one for one in facts_with(copy, "eye_colour") if graph.root(one.subject).kind == "character"]
    copy.rng.shuffle(facts)
    for fact in facts:
        who = graph.root(fact.subject).name
        scenes = copy.free(one for one in scenes_with(copy, who) if one.path != fact.file)
        colours = [one for one in _COLOURS if not colours_in(one[0]) & colours_in(fact.value)]
        if not scenes:
            continue
        scene, colour = copy.rng.choice(scenes), copy.rng.choice(colours)
        sentence = copy.said(
            f"{who} looked up with eyes of a clear {colour[0]}.",
            f"{who} hatte {colour[1]} Augen und sah auf.",
            f"{who} leva ses yeux {colour[2]}.",
            f"{who} tenía los ojos {colour[3]} y alzó la vista.",
        )
        copy.insert(scene.path, sentence)
        if copy.recorded:
            new = {"subject": who, "predicate": "eye_colour", "value": copy.said(*colour), "quote": sentence}
            copy.add_fact(scene.path, new)
        text = f"In {scene.label} the eyes of {who} are {colour[0]}: “{sentence}”"
        return flaw_of(copy, "eye_colour", fact, who, text, (scene.path,))
    return "No fact of front matter or the story bible says what colour anybody's eyes are."


def plant_dead_walker(copy: BookCopy) -> PlantedFlaw | str:
    """Somebody who has died is there again."""
    graph, records = copy.book.graph, {one.path: one for one in copy.records}
    facts = [one for one in facts_with(copy, *_DEATHS) if one.file in records]
    copy.rng.shuffle(facts)
    for fact in facts:
        dead = fact.object if fact.predicate == "killed" else fact.subject
        if dead is None:
            continue
        who, death = graph.root(dead).name, records[fact.file]
        later = [one for one in copy.records if _is_later(one, death) and who not in one.people]
        if not later:
            continue
        scene = copy.rng.choice(copy.free(later))
        sentence = copy.said(
            f"{who} came in and shut the door.",
            f"{who} kam herein und schloss die Tür.",
            f"{who} entra et ferma la porte.",
            f"{who} entró y cerró la puerta.",
        )
        copy.insert(scene.path, sentence)
        if copy.recorded:
            copy.add_to_cast(scene.path, who)
        text = f"{who} died in {death.label} and is there in {scene.label}: “{sentence}”"
        return flaw_of(copy, "dead_walker", fact, who, text, (scene.path,))
    return "No fact of front matter or the story bible says that anybody dies before the last scene."


def _is_later(record: SceneRecord, death: SceneRecord) -> bool:
    if record.is_exempt or record.position <= death.position:
        return False
    if record.time is None or death.time is None:
        return True
    return compared(record.time.value, death.time.value) != -1


def plant_flaw_never_challenged(copy: BookCopy) -> PlantedFlaw | str:
    """Every scene that challenges the protagonist's flaw is said not to."""
    facts = facts_with(copy, "fatal_flaw")
    if not facts:
        return "The story bible has no fatal flaw."
    hits = [one for one in copy.book.records if one.challenge is not None and one.challenge.value]
    told_ = [one for one in hits if one.challenge is not None and one.challenge.evidence.origin == "front matter"]
    if not copy.recorded or not told_:
        return "No front matter says that a scene challenges the flaw, so that there is nothing to take away."
    for record in told_:
        copy.set_field(record.path, "flaw_challenged", "no", "flaw_challenge", "challenges_flaw", "flaw")
        if record.challenge is not None and record.challenge.evidence.paragraph:
            body = copy.body(record.path).replace(record.challenge.evidence.quote, "")
            copy.put(record.path, copy.matter(record.path), body)
    who = copy.book.protagonist or "the protagonist"
    text = f"The {len(told_)} scenes that challenge the flaw of {who} no longer do."
    return flaw_of(copy, "flaw_never_challenged", facts[0], who, text, (one.path for one in told_))


def plant_knowledge(copy: BookCopy) -> PlantedFlaw | str:
    """Somebody knows a thing although they have met nobody since who does."""
    graph, records = copy.book.graph, {one.path: one for one in copy.records}
    facts = [one for one in facts_with(copy, "knows") if one.file in records and not records[one.file].is_exempt]
    copy.rng.shuffle(facts)
    for fact in facts:
        learned = records[fact.file]
        what = graph.root(fact.object).name if fact.object is not None else fact.value
        outside = _out_of_the_circle(copy, learned, graph.root(fact.subject).name)
        if not outside:
            continue
        scene = copy.rng.choice(copy.free(outside))
        who = copy.rng.choice(sorted(scene.people))
        copy.apart |= scene.people
        sentence = copy.said(
            f"{who} knew already that {what}.",
            f"{who} wusste längst: {what}.",
            f"{who} le savait déjà : {what}.",
            f"{who} ya lo sabía: {what}.",
        )
        copy.insert(scene.path, sentence)
        if copy.recorded:
            copy.add_fact(scene.path, {"subject": who, "predicate": "knows", "value": what, "quote": sentence})
        text = f"In {scene.label} {who} knows that {what}, and has met nobody who knows it since {learned.label}."
        return flaw_of(copy, "knowledge_from_nowhere", fact, who, text, (scene.path,))
    return (
        "No fact of front matter or the story bible says that somebody learns something, or everybody meets those who "
        "know it."
    )


def _out_of_the_circle(copy: BookCopy, learned: SceneRecord, who: str) -> list[SceneRecord]:
    """The later scenes in which nobody can have been told: those who know have met none of the people there."""
    knowing = {who, *learned.people}
    found: list[SceneRecord] = []
    for record in copy.book.records[learned.position + 1 :]:
        if record.people & knowing:
            knowing |= record.people
        elif record.people and not record.is_exempt and _is_later(record, learned) and record.path not in copy.moved:
            found.append(record)
    return found
