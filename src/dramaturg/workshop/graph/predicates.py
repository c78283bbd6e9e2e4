"""The predicates of facts, each declared: how many objects it may have, and how it behaves in story time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.graph.values import EntityKind


@dataclass(frozen=True, slots=True)
class Predicate:
    """What facts can say.

    `single`: a subject has at most one object at a time. `symmetric`: it holds the other way round too. `opposite`: the
    predicate that says the same from the object's side, or that cannot hold with it. `instant`: it is true at one
    moment; otherwise it lasts until something ends it. `oneself`: a subject may be its own object. `distance` is the
    length of the way it makes between two entities. `evident`: the prose that is at hand says it anyway, so that a
    prompt need not. `object_kind`: what an object is that nothing else is known of; without one it is a
    text. `craft`: it says how the book is made, which nobody in it can know.
    """

    name: str
    label: str
    single: bool = False
    symmetric: bool = False
    opposite: str = ""
    instant: bool = False
    oneself: bool = False
    distance: float = 1.0
    evident: bool = False
    object_kind: EntityKind | None = None
    craft: bool = False


def _declared(*all_: Predicate) -> Mapping[str, Predicate]:
    return {one.name: one for one in all_}


PREDICATES: Mapping[str, Predicate] = _declared(
    # Scenes and other events.
    Predicate("present_at", "was present at", instant=True),
    Predicate("point_of_view_of", "tells", instant=True, craft=True),
    Predicate("takes_place_at", "takes place at", single=True, instant=True),
    Predicate("happens_at", "happens at the time", single=True, instant=True),
    Predicate("serves_beat", "serves the beat", instant=True, distance=2.0, craft=True),
    Predicate("shows", "shows", instant=True),
    Predicate("after", "comes after", opposite="before", instant=True, distance=2.0),
    Predicate("before", "comes before", opposite="after", instant=True, distance=2.0),
    Predicate("causes", "causes"),
    # What the prose names, found without a model.
    Predicate("mentioned_in", "is mentioned in", instant=True, distance=3.0, evident=True),
    Predicate(
        "named_beside", "is named beside", symmetric=True, instant=True, oneself=True, distance=2.0, evident=True
    ),
    # People.
    Predicate("parent_of", "is a parent of", opposite="child_of", object_kind="character"),
    Predicate("child_of", "is a child of", opposite="parent_of", object_kind="character"),
    Predicate("mother_of", "is the mother of", object_kind="character"),
    Predicate("father_of", "is the father of", object_kind="character"),
    Predicate("sibling_of", "is a sibling of", symmetric=True, object_kind="character"),
    Predicate("married_to", "is married to", single=True, symmetric=True, object_kind="character"),
    Predicate("loves", "loves", opposite="hates", oneself=True, object_kind="character"),
    Predicate("hates", "hates", opposite="loves", oneself=True, object_kind="character"),
    Predicate("friend_of", "is a friend of", symmetric=True, opposite="enemy_of", object_kind="character"),
    Predicate("enemy_of", "is an enemy of", symmetric=True, opposite="friend_of", object_kind="character"),
    Predicate("works_for", "works for", object_kind="character"),
    Predicate("knows", "knows", oneself=True),
    Predicate("killed", "killed", instant=True, oneself=True, object_kind="character"),
    # What someone or something is.
    Predicate("is_alive", "is alive", single=True, opposite="is_dead"),
    Predicate("is_dead", "is dead", single=True, opposite="is_alive"),
    Predicate("born_on", "was born on", single=True, instant=True),
    Predicate("died_on", "died on", single=True, instant=True),
    Predicate("age", "is of the age", single=True, instant=True),
    Predicate("eye_colour", "has eyes of the colour", single=True),
    Predicate("hair_colour", "has hair of the colour", single=True),
    Predicate("has_trait", "has the trait"),
    Predicate("described_as", "is described as"),
    Predicate("occupation", "works as"),
    # Places and things.
    Predicate("located_in", "is in", single=True, object_kind="location"),
    Predicate("is_at", "is at", single=True, instant=True, object_kind="location"),
    Predicate("road_to", "is a journey away from", symmetric=True, object_kind="location"),
    Predicate("lives_in", "lives in", object_kind="location"),
    Predicate("travels_to", "travels to", instant=True, object_kind="location"),
    Predicate("owns", "owns", object_kind="object"),
    Predicate("receives", "receives", instant=True, object_kind="object"),
    Predicate("carries", "carries", instant=True, object_kind="object"),
    Predicate("stands_for", "stands for"),
    # The story bible.
    Predicate("fatal_flaw", "has the fatal flaw", single=True),
    Predicate("the_lie", "believes the lie", single=True),
    Predicate("arc_start", "starts out", single=True),
    Predicate("arc_midpoint", "is at the midpoint", single=True),
    Predicate("arc_resolution", "ends up", single=True),
    Predicate("states", "states", single=True),
)
PRESENCE = ("present_at", "point_of_view_of")
"""Who was there."""
PARENTS = ("parent_of", "mother_of", "father_of")
DATES = frozenset({"born_on", "died_on", "happens_at"})
"""Those whose value is a story time."""


def predicate_named(typed: str) -> Predicate:
    """The predicate that a writer means: `Mother of` is `mother_of`. Raises InvalidConfig for one not declared."""
    found = PREDICATES.get(key_name(typed))
    if found is None:
        raise InvalidConfig(f"There is no predicate '{typed}' (there are: {', '.join(PREDICATES)}).", predicate=typed)
    return found


def declared(name: str) -> Predicate:
    """The declaration of a stored predicate; one that a later version may have declared behaves like any other."""
    return PREDICATES.get(name) or Predicate(name, name.replace("_", " "))
