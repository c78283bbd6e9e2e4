"""Facts that writers put into front matter themselves, one mapping each:

facts:
  - {subject: Marcus, predicate: knows, object: the berth is sold, modality: believed, by: Marcus}

`because` gives the reason of one that overrides what the series says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast, get_args

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.graph.front_matter import LONGEST_NAME, StoryMatter
from dramaturg.workshop.graph.predicates import Predicate, predicate_named
from dramaturg.workshop.graph.register import Register, checked
from dramaturg.workshop.graph.values import EntityKind, Fact, Modality

SOURCE = "front matter"
_FIELDS = frozenset("subject predicate object value modality by from to quote kind because".split())
_EXAMPLE = "{subject: Elena, predicate: mother_of, object: Marcus}"


def written_facts(where: str, text: str, matter: StoryMatter, register: Register) -> Iterator[Fact]:
    """The facts below `facts:`. One that cannot be read is left out and reported."""
    for number, entry in enumerate(matter.facts, start=1):
        place = f"{where}, fact {number}"
        if not isinstance(entry, Mapping):
            register.problems.append(f"{place}: not a fact. Write one such as {_EXAMPLE}.")
            continue
        said = {str(name).casefold(): _plain(value) for name, value in entry.items() if value is not None}
        try:
            fact = checked(_fact(where, text, matter, said, register), register, place)
        except InvalidConfig as error:
            register.problems.append(f"{place}: {error.message}")
            continue
        if fact is not None:
            yield fact


def _fact(where: str, text: str, matter: StoryMatter, said: Mapping[str, str], register: Register) -> Fact:
    odd = [name for name in said if name not in _FIELDS]
    if odd or not said.get("subject") or not said.get("predicate"):
        what = f"'{odd[0]}' is no field of a fact" if odd else "a fact needs a subject and a predicate"
        raise InvalidConfig(f"{what}. Write one such as {_EXAMPLE}.")
    predicate = predicate_named(said["predicate"])
    kind, modality = said.get("kind", "character"), said.get("modality", "narrated")
    if kind not in get_args(EntityKind) or modality not in get_args(Modality):
        raise InvalidConfig(
            f"'kind' is one of {', '.join(get_args(EntityKind))}; 'modality' one of {', '.join(get_args(Modality))}."
        )
    subject = register.known(said["subject"]) or register.entity(cast("EntityKind", kind), said["subject"], where)
    number, value = _object(where, said, predicate, register)
    holder = register.entity("character", said["by"], where).id if said.get("by") else None
    start, quote = quoted(text, said.get("quote", ""), said["subject"], matter.head, said["predicate"])
    return Fact(
        0,
        subject.id,
        predicate.name,
        number,
        value,
        modality=cast("Modality", modality),
        holder=holder,
        time_from=said.get("from", "") or matter.time_from,
        time_to=said.get("to", "") or matter.time_to,
        file=where,
        start=start,
        quote=quote,
        source=SOURCE,
    )


def _object(where: str, said: Mapping[str, str], predicate: Predicate, register: Register) -> tuple[int | None, str]:
    named = said.get("object", "")
    found = register.known(named) if named else None
    if found is not None:
        return found.id, said.get("value", "")
    if named and predicate.object_kind is not None and len(named) <= LONGEST_NAME:
        return register.entity(predicate.object_kind, named, where).id, said.get("value", "")
    return None, named or said.get("value", "")


def quoted(text: str, quote: str, name: str, head: str, beside: str = "") -> tuple[int, str]:
    """Where the evidence stands, verbatim: the words given, else the line of the front matter with the name.

    Of several such lines it is the first that has `beside` too.
    """
    if quote:
        start = text.find(quote, len(head))
        if start < 0:
            raise InvalidConfig(f"the words “{quote[:80]}” do not stand in the text. Quote them exactly.")
        return start, quote
    at, named = 0, []
    for line in head.splitlines(keepends=True):
        if name in line:
            named.append((at + len(line) - len(line.lstrip()), line.strip()))
        at += len(line)
    return next((one for one in named if beside in one[1]), named[0] if named else (0, ""))


def _plain(value: object) -> str:
    return " ".join(str(value).split())
