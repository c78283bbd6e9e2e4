"""What a model says that it found in a text: claims of facts and of further names, read from its answer.

The answer is meant to be JSON. One that is cut off, wrapped in prose or partly malformed still gives what can be read
of it; a claim that cannot be read is counted. Nothing that a model writes raises, and reading takes linear time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from pydantic import Field

from dramaturg.kernel.values import Value
from dramaturg.model_notes.structured import json_values
from dramaturg.workshop.book.decisions import key_name

MOST_CLAIMS = 120
"""How many claims of one answer are read; the rest is counted as surplus."""
LONGEST_NAME = 120
LONGEST_VALUE = 400
LONGEST_QUOTE = 600
_DEEP = 4
_LISTS = ("facts", "claims", "relations", "edges", "names", "aliases", "entities", "nodes")
_SUBJECT = ("subject", "who", "entity", "source", "from_entity")
_PREDICATE = ("predicate", "relation", "property")
_OBJECT = ("object", "value", "target", "to_entity")
_NAME = ("name", "entity")


class FactClaim(Value):
    """A fact as a model claims it: nothing of it is checked yet, except that each part is a text of bounded length."""

    subject: str
    predicate: str
    object: str = ""
    modality: str = "narrated"
    by: str = Field("", description="who claims, believes, dreams or plans it")
    time: str = Field("", description="story time; 'earlier' for what is told of the past; empty for the scene's own")
    kind: str = Field("", description="what the subject is, if it is no character")
    quote: str = ""


class NameClaim(Value):
    """Another name of someone, as a model claims it."""

    name: str
    alias: str
    quote: str = ""


class ReadClaims(Value):
    """Everything that could be read of an answer."""

    facts: tuple[FactClaim, ...] = ()
    names: tuple[NameClaim, ...] = ()
    unreadable: int = Field(0, description="claims that have no subject, predicate or quotation")
    surplus: int = Field(0, description="claims beyond the most that are read")
    found: bool = Field(True, description="false if the answer has no JSON at all")


def read_claims(answer: str) -> ReadClaims:
    """The claims in an answer; any text at all gives some, or none."""
    facts: dict[FactClaim, None] = {}
    names: dict[NameClaim, None] = {}
    unreadable = surplus = 0
    found, seen = False, set[str]()
    for value in json_values(answer):
        found = True
        if value == {}:
            continue  # nothing was found, which is no claim
        for said in _claims(value, _DEEP):
            if (told := repr(said)) in seen:
                continue  # a value in a fence is found once more in the prose
            seen.add(told)
            if len(facts) + len(names) >= MOST_CLAIMS:
                surplus += 1
                continue
            fact = _fact(said)
            aliases = () if fact is not None else tuple(_names(said))
            if fact is not None:
                facts[fact] = None
            elif aliases:
                names.update(dict.fromkeys(aliases))
            else:
                unreadable += 1
    return ReadClaims(
        facts=tuple(facts),
        names=tuple(names),
        unreadable=unreadable,
        surplus=surplus,
        found=found or not answer.strip(),
    )


def _claims(value: object, levels: int) -> Iterator[Mapping[str, object]]:
    """Every claim in a JSON value: the entries of its lists, or the value itself if it is one claim."""
    if isinstance(value, list):
        for one in value if levels else ():
            yield from _claims(one, levels - 1) if isinstance(one, dict | list) else ({},)
    elif isinstance(value, dict):
        said = {key_name(str(name)): held for name, held in value.items()}
        lists = [said[name] for name in _LISTS if isinstance(said.get(name), list)]
        if not lists or _first(said, _SUBJECT) or isinstance(said.get("name"), str):
            yield said
        else:
            for held in lists:
                yield from _claims(held, levels - 1)


def _fact(said: Mapping[str, object]) -> FactClaim | None:
    subject, predicate = _first(said, _SUBJECT), _first(said, _PREDICATE)
    quote = _text(said.get("quote"), LONGEST_QUOTE)
    if not subject or not predicate or not quote or len(subject) > LONGEST_NAME:
        return None
    return FactClaim(
        subject=subject,
        predicate=key_name(predicate),
        object=_first(said, _OBJECT),
        modality=key_name(_text(said.get("modality"), LONGEST_NAME)) or "narrated",
        by=_text(said.get("by"), LONGEST_NAME) or _text(said.get("holder"), LONGEST_NAME),
        time=_text(said.get("time"), LONGEST_NAME) or _text(said.get("when"), LONGEST_NAME),
        kind=key_name(_text(said.get("kind"), LONGEST_NAME)),
        quote=quote,
    )


def _names(said: Mapping[str, object]) -> Iterator[NameClaim]:
    name, quote = _first(said, _NAME), _text(said.get("quote"), LONGEST_QUOTE)
    if not name or len(name) > LONGEST_NAME or not quote:
        return
    given = [said[key] for key in ("alias", "aliases", "also", "also_called") if key in said]
    for alias in islice(_each(given), MOST_CLAIMS):
        if alias and len(alias) <= LONGEST_NAME:
            yield NameClaim(name=name, alias=alias, quote=quote)


def _each(given: Iterable[object]) -> Iterator[str]:
    for one in given:
        for held in one if isinstance(one, list) else (one,):
            yield _text(held, LONGEST_NAME)


def _first(said: Mapping[str, object], names: Iterable[str]) -> str:
    return next((text for name in names if (text := _text(said.get(name), LONGEST_VALUE))), "")


def _text(held: object, longest: int) -> str:
    """A text or a number as one line; anything else is empty, and so is a text much longer than it may be."""
    if isinstance(held, bool) or not isinstance(held, str | int | float):
        return ""
    try:
        text = str(held)
    except ValueError:  # an integer of thousands of digits
        return ""
    return " ".join(text[: 4 * longest].split())[:longest]
