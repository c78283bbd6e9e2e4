"""The rehearsal company plans a scene: it copies the writer's own words into the fields they fit, and leaves the rest.

It understands no story. What nothing in the book says stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import orjson

from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.kernel.text.words import content
from dramaturg.workshop.graph.names import NameIndex

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.scaffold_cue import NumberedPassage, ScaffoldCue

MOST_CALLBACKS = 2
NAME_WORDS, LONG_WORD = 4, 4
_WORD = re.compile(r"[^\W\d_]{1,40}")
_CONSTRAINTS = ("the lie", "fatal flaw")


def plan_text(cue: ScaffoldCue) -> str:
    """The plan as JSON, in the form that a model is asked for."""
    beat = next((one for one in cue.passages if one.kind == "beat_sheet" and cue.beat and cue.beat in one.place), None)
    said: dict[str, object] = {}
    if cue.title:
        said["title"] = {"value": cue.title, "from": []}
    if cue.beat:
        said["beat_alignment"] = {"value": cue.beat, "from": [beat.id] if beat else []}
    if cue.protagonist:
        said["pov_character"] = {"value": cue.protagonist, "from": []}
    if beat is not None:
        said["scene_goal"] = {"value": _first_sentence(beat.text), "from": [beat.id]}
        said |= _people_and_place(cue, beat)
    if (later := _later(cue, beat)) is not None:
        said["foreshadowing"] = [{"name": _name_of(later.text), "from": [later.id]}]
    if (holds := _constraint(cue)) is not None:
        said["protagonist_constraint"] = {"value": _first_sentence(holds.text), "from": [holds.id]}
    if calls := list(_callbacks(cue)):
        said["callbacks"] = calls
    return orjson.dumps(said).decode()


def _people_and_place(cue: ScaffoldCue, beat: NumberedPassage) -> dict[str, object]:
    """Who and what the beat names."""
    found = [one.name for one in NameIndex(cue.names).find(beat.text)]
    whole = [next((name for name in cue.names if one in name), one) for one in found]
    cast = list(dict.fromkeys(filter(None, (cue.protagonist, *whole))))
    said: dict[str, object] = {"characters_present": {"value": cast, "from": [beat.id]}} if cast else {}
    places = [one.name for one in NameIndex(cue.places).find(beat.text)]
    return said | ({"location": {"value": places[0], "from": [beat.id]}} if places else {})


def _later(cue: ScaffoldCue, beat: NumberedPassage | None) -> NumberedPassage | None:
    """What comes after this scene, if it is known where that is."""
    return next((one for one in cue.passages if beat is not None and one.kind == "later_scenes"), None)


def _constraint(cue: ScaffoldCue) -> NumberedPassage | None:
    arcs = [one for one in cue.passages if one.kind == "character_arcs"]
    return next((one for name in _CONSTRAINTS for one in arcs if one.place.endswith(name)), None)


def _callbacks(cue: ScaffoldCue) -> Iterator[dict[str, object]]:
    """The promises that the passages tell of, those that are due first."""
    told = [one for one in cue.passages if one.kind == "promises"]
    for passage in told[:MOST_CALLBACKS]:
        known = next((one for one in cue.promises if f", {one.name} (" in passage.place), None)
        if known is not None:
            yield {"name": known.name, "quote": known.quote, "from": [passage.id]}


def _first_sentence(text: str) -> str:
    ends = sentence_ends(text)
    return text[: ends[0]].strip() if ends else text.strip()


def _name_of(text: str) -> str:
    """A short name from the first words of some length, as they stand."""
    found = [word for word in _WORD.findall(_first_sentence(text)) if len(word) >= LONG_WORD and content(word)]
    return "_".join(list(dict.fromkeys(found))[:NAME_WORDS]).lower()
