"""The graph as a file, and back without loss: JSON for programs, GraphML for other tools that draw graphs.

In GraphML an entity is a node and a fact is an edge; a fact whose object is a text leads to a node of its own.
Characters that XML cannot hold are written as `\\uXXXX`, and a backslash as two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any
from xml.etree import ElementTree

import orjson
from pydantic import TypeAdapter, ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.problems import first_problem
from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.values import Entity, Fact, StoryGraph

FORMAT = "dramaturg-graph"
VERSION = 1
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_WHOLE: TypeAdapter[StoryGraph] = TypeAdapter(StoryGraph)
_TYPES: Mapping[str, str] = {
    "recorded_at": "double",
    "retired_at": "double",
    "paragraph": "int",
    "start": "int",
} | dict.fromkeys(("withdrawn", "set_aside"), "boolean")
_UNHELD = re.compile(r"[^\t\n\x20-\x5b\x5d-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HELD = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")
_NODE = tuple(field.name for field in fields(Entity) if field.name != "id")
_EDGE = tuple(field.name for field in fields(Fact) if field.name not in ("id", "subject", "object"))
_VALUE = "value"


def to_json(graph: StoryGraph) -> bytes:
    """The graph as JSON."""
    held = {"entities": graph.entities, "facts": graph.facts, "sources": graph.sources}
    return orjson.dumps({"format": FORMAT, "version": VERSION, **held}, option=orjson.OPT_INDENT_2)


def from_json(data: bytes) -> StoryGraph:
    """The graph in a JSON file. Raises InvalidConfig if it is not one."""
    try:
        loaded = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidConfig(f"This is not JSON: {error}.") from error
    if not isinstance(loaded, dict) or loaded.get("format") != FORMAT or loaded.get("version") != VERSION:
        raise InvalidConfig("This is not a knowledge graph of version 1. Export one with 'foreman graph export'.")
    return _checked({name: loaded.get(name, ()) for name in ("entities", "facts", "sources")})


def to_graphml(graph: StoryGraph) -> bytes:
    """The graph as GraphML."""
    root = ElementTree.Element("graphml", {"xmlns": _NAMESPACE})
    keys = [("node", name) for name in _NODE] + [("edge", name) for name in ("object", *_EDGE)] + [("graph", "sources")]
    for scope, name in keys:
        kind = _TYPES.get(name, "string")
        ElementTree.SubElement(
            root, "key", {"id": f"{scope}.{name}", "for": scope, "attr.name": name, "attr.type": kind}
        )
    body = ElementTree.SubElement(root, "graph", {"edgedefault": "directed", "id": "story"})
    sources = orjson.dumps(graph.sources).decode()
    ElementTree.SubElement(body, "data", {"key": "graph.sources"}).text = _shut(sources)
    for one in graph.entities:
        node = ElementTree.SubElement(body, "node", {"id": f"e{one.id}"})
        _put(node, "node", {name: getattr(one, name) for name in _NODE})
    for fact in graph.facts:
        target = f"e{fact.object}" if fact.object is not None else f"v{fact.id}"
        if fact.object is None:
            node = ElementTree.SubElement(body, "node", {"id": target})
            _put(node, "node", {"kind": _VALUE, "name": fact.value})
        place = {"id": f"f{fact.id}", "source": f"e{fact.subject}", "target": target}
        edge = ElementTree.SubElement(body, "edge", place)
        _put(edge, "edge", {name: getattr(fact, name) for name in _EDGE})
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def from_graphml(data: bytes) -> StoryGraph:
    """The graph in a GraphML file of ours. Raises InvalidConfig if it is not one."""
    try:
        text = data.decode()
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise InvalidConfig("This GraphML declares entities of its own, which are not read. Remove them.")
        root = ElementTree.fromstring(text.partition("?>")[2] if text.startswith("<?xml") else text)
    except (UnicodeDecodeError, ElementTree.ParseError) as error:
        raise InvalidConfig(f"This is not GraphML: {error}.") from error
    entities, facts, sources = [], [], "[]"
    for one in root.iter():
        tag = one.tag.rpartition("}")[2]
        if tag == "graph":
            sources = _data(one).get("sources", "[]")
        elif tag == "node" and (said := _data(one)).get("kind") != _VALUE:
            entities.append({"id": _number(one, "id", "e"), **said, "aliases": _list(said.get("aliases", "[]"))})
        elif tag == "edge":
            target = one.get("target", "")
            found = {} if target.startswith("v") else {"object": _number(one, "target", "e")}
            numbers = {"id": _number(one, "id", "f"), "subject": _number(one, "source", "e")}
            facts.append({**numbers, **found, **_data(one)})
    return _checked({"entities": entities, "facts": facts, "sources": _list(sources)})


def _put(element: ElementTree.Element, scope: str, held: Mapping[str, Any]) -> None:
    for name, value in held.items():
        if value is None or value is False:
            continue
        text = "true" if value is True else orjson.dumps(value).decode() if isinstance(value, tuple) else value
        data = ElementTree.SubElement(element, "data", {"key": f"{scope}.{name}"})
        data.text = _shut(text) if isinstance(text, str) else repr(text)


def _data(element: ElementTree.Element) -> dict[str, str]:
    """The data of an element, by name. Numbers stay texts: they are validated with the rest."""
    found = {}
    for one in element:
        if one.tag.rpartition("}")[2] == "data":
            found[one.get("key", "").partition(".")[2]] = _opened(one.text or "")
    return found


def _shut(text: str) -> str:
    return _UNHELD.sub(lambda found: "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}", text)


def _opened(text: str) -> str:
    return _HELD.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)


def _number(element: ElementTree.Element, name: str, letter: str) -> int:
    text = element.get(name, "")
    if not re.fullmatch(rf"{letter}[0-9]{{1,9}}", text):
        raise InvalidConfig(f"This GraphML was not written by dramaturg: '{text[:40]}' is no {name} of ours.")
    return int(text[1:])


def _list(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidConfig(f"This GraphML was not written by dramaturg: {error}.") from error


def _checked(held: Mapping[str, Any]) -> StoryGraph:
    try:
        graph = _WHOLE.validate_python(dict(held))
    except ValidationError as error:
        raise InvalidConfig(f"{first_problem(error, held)}. Nothing was imported.") from error
    problem = next(_problems(graph), None)
    if problem:
        raise InvalidConfig(f"{problem} Nothing was imported.")
    return graph


def _problems(graph: StoryGraph) -> Iterator[str]:
    """What makes a graph impossible."""
    known = graph.by_id
    if len(known) < len(graph.entities) or len({one.id for one in graph.facts}) < len(graph.facts):
        yield "Two entities or two facts have the same number."
    if any(number < 1 for number in (*known, *(one.id for one in graph.facts))):
        yield "The numbers of entities and facts start at 1."
    for one in graph.entities:
        if one.merged_into is not None and (one.merged_into not in known or graph.root(one.id).merged_into is not None):
            yield f"Entity {one.id} ({one.name}) is merged into one that is not there, or into itself."
    for fact in graph.facts:
        ends = [end for end in (fact.subject, fact.object, fact.holder) if end is not None]
        if any(end not in known for end in ends):
            yield f"Fact {fact.id} is about an entity that is not there."
        if fact.predicate not in PREDICATES:
            yield f"Fact {fact.id} has the predicate '{fact.predicate}', which is not declared."
