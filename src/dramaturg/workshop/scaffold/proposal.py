"""What a model proposes for the plan of a scene, and what is kept of it: what the book bears out, with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.workshop.book.bible import page_path
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.scaffold import FIELDS, LISTS, Scaffold
from dramaturg.workshop.book.scaffolds import reading_order
from dramaturg.workshop.graph.values import folded
from dramaturg.workshop.promises.standing import FEWEST_WORDS
from dramaturg.workshop.scaffold.material import SceneMaterial, beat_named

MOST_ITEMS = 8
MOST_CAST = 30
LONGEST_LINE, LONGEST_PROSE = 200, 1200
OWN_IDEA = "proposed, from no passage of the book"


def _listed(value: object) -> object:
    if isinstance(value, str):
        return [part for part in (one.strip() for one in value.split(",")) if part]
    return [] if value is None else [str(one) for one in value] if isinstance(value, list) else value


def _field(value: object) -> object:
    if isinstance(value, str | int | float | list):
        return {"value": value}
    return {} if value is None else value


def _flat(value: object) -> object:
    """One text, also where a list was sent."""
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def _named(value: object) -> object:
    """Items with a name, also where bare names or a field around them were sent."""
    if isinstance(value, dict):
        value = value.get("value", [value])
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        return []
    return [{"name": one} if isinstance(one, str) else one for one in value if isinstance(one, str | dict)]


class _Claim(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, populate_by_name=True)


Ids = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class LineClaim(_Claim):
    value: Annotated[str, BeforeValidator(_flat)] = ""
    rests_on: Ids = Field((), alias="from")


class CastClaim(_Claim):
    value: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    rests_on: Ids = Field((), alias="from")


class ItemClaim(_Claim):
    name: Annotated[str, BeforeValidator(_flat)] = ""
    quote: Annotated[str, BeforeValidator(_flat)] = ""
    rests_on: Ids = Field((), alias="from")


Line = Annotated[LineClaim, BeforeValidator(_field)]
Named = Annotated[tuple[ItemClaim, ...], BeforeValidator(_named)]


class ScaffoldClaim(_Claim):
    """A model's plan of a scene."""

    title: Line = LineClaim()
    beat_alignment: Line = LineClaim()
    pov_character: Line = LineClaim()
    characters_present: Annotated[CastClaim, BeforeValidator(_field)] = CastClaim()
    location: Line = LineClaim()
    time_of_day: Line = LineClaim()
    weather: Line = LineClaim()
    callbacks: Named = ()
    foreshadowing: Named = ()
    protagonist_constraint: Line = LineClaim()
    scene_goal: Line = LineClaim()


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan that was made: which of its fields are new, and what of the proposal was left out."""

    scaffold: Scaffold
    filled: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(slots=True)
class _Draft:
    """The fields found so far. What the writer settled is not touched."""

    material: SceneMaterial
    values: dict[str, object]
    sources: dict[str, str]
    left_out: list[str]

    def put(self, name: str, value: object, source: str) -> None:
        if value and name not in self.values and not self.material.settled.text_of(name):
            self.values[name], self.sources[name] = value, source


def planned(
    material: SceneMaterial, claim: ScaffoldClaim | None, *, title: str = "", words: int | None = None
) -> Planned:
    """The scaffold from what is known without a model, and from what of its proposal holds."""
    settled = material.settled
    draft = _Draft(material, {}, dict(settled.sources), [])
    draft.put("title", title.strip()[:LONGEST_LINE], "the request")
    draft.put("word_target", words, "the request")
    draft.put("word_target", material.words, material.words_from)
    if claim is not None:
        _take_lines(draft, claim)
        _take_cast(draft, claim)
        _take_callbacks(draft, claim.callbacks)
        _take_foreshadowing(draft, claim.foreshadowing)
    made = Scaffold.model_validate({**settled.model_dump(), **draft.values, "sources": draft.sources})
    filled = tuple(name for name in FIELDS if name in draft.values and made.text_of(name))
    order = (*FIELDS, *(name for name in draft.sources if name not in FIELDS))
    kept = {name: draft.sources[name] for name in order if name in draft.sources and _is_there(made, name)}
    return Planned(made.model_copy(update={"sources": kept}), filled, tuple(draft.left_out))


def _is_there(scaffold: Scaffold, name: str) -> bool:
    return name not in FIELDS or bool(scaffold.text_of(name))


def _take_lines(draft: _Draft, claim: ScaffoldClaim) -> None:
    for name in FIELDS:
        held = getattr(claim, name, None)
        if name in LISTS or not isinstance(held, LineClaim):
            continue
        value = held.value[
            : LONGEST_PROSE if name in ("scene_goal", "protagonist_constraint") else LONGEST_LINE
        ].strip()
        if value and name == "beat_alignment" and beat_named(value) is None:
            draft.left_out.append(f"beat_alignment: '{value[:60]}' is no beat of the beat sheet")
        elif value and name == "pov_character" and not draft.material.is_known(value):
            draft.left_out.append(f"pov_character: nobody in the book is called '{value[:60]}'")
        else:
            draft.put(name, value, _source(draft.material, held.rests_on, value if name == "pov_character" else ""))


def _take_cast(draft: _Draft, claim: ScaffoldClaim) -> None:
    said = Scaffold(
        scaffold_id="-", characters_present=tuple(one[:LONGEST_LINE] for one in claim.characters_present.value)
    )
    unknown = [one for one in said.cast if not draft.material.is_known(one)]
    kept = [one for one in said.characters_present if one not in unknown][:MOST_CAST]
    draft.left_out += [f"characters_present: nobody in the book is called '{one[:60]}'" for one in unknown[:MOST_ITEMS]]
    draft.put("characters_present", tuple(kept), _source(draft.material, claim.characters_present.rests_on))


def _take_callbacks(draft: _Draft, items: Sequence[ItemClaim]) -> None:
    """A callback is to a promise that is open, or to words that stand in an earlier scene."""
    kept, places = [], []
    for one in items[:MOST_ITEMS]:
        name = " ".join(one.name.split())[:80]
        if not name:
            continue
        place = _planted_in(draft.material, name, one.quote)
        if place:
            kept.append(name)
            places.append(f"{name}: {place}")
        else:
            draft.left_out.append(f"callbacks: '{name}' quotes no words of an earlier scene")
    draft.put("callbacks", tuple(kept), "; ".join(places))


def _planted_in(material: SceneMaterial, name: str, quote: str) -> str:
    here = reading_order(material.scaffold_id)
    for one in material.promises:
        planted = one.planted
        if planted and key_name(one.name) == key_name(name) and reading_order(planted.scene) < here:
            return f"manuscript/{planted.scene}.md, “{planted.quote[:120]}”"
    for scene in reversed(material.book.scenes):
        is_before = scene.is_drafted and reading_order(scene.name) < here
        if is_before and is_quoted(quote, material.book.prose(scene.name), fewest=FEWEST_WORDS):
            return f"manuscript/{scene.name}.md, “{' '.join(quote.split())[:120]}”"
    return ""


def _take_foreshadowing(draft: _Draft, items: Sequence[ItemClaim]) -> None:
    named = [(name, one) for one in items[:MOST_ITEMS] if (name := " ".join(one.name.split())[:80])]
    told = (f"{name}: {_source(draft.material, one.rests_on)}" for name, one in named)
    draft.put("foreshadowing", tuple(name for name, _ in named), "; ".join(told))


def _source(material: SceneMaterial, ids: Sequence[str], name: str = "") -> str:
    """Where a field came from: the places of the passages it names, as far as there are such passages."""
    found = "; ".join(dict.fromkeys(one.place for one in material.named(ids)))
    is_own = bool(name) and folded(name) == folded(material.protagonist)
    return found or (f"{page_path('protagonist')}, name" if is_own else OWN_IDEA)
