"""YAML and JSON that people write by hand, as plain values; whatever is wrong is reported with its place."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.reader import ReaderError
from yaml.scanner import ScannerError

from dramaturg.kernel.toml_file import DEEPEST_FILE, TOO_DEEP

MOST_NODES = 50_000
TOO_MANY = f"more than {MOST_NODES:,} values, aliases included"
_LONGEST_NUMBER = 4300
_LONG_NUMBER = f"a number of more than {_LONGEST_NUMBER} digits"
_MOST_BITS = 14_000
_SURROGATE = re.compile("[\ud800-\udfff]")
HALF_CHARACTER = "half of a surrogate pair is no character"
_ADVICE = {
    "mapping values are not allowed": "put a text that contains a colon in quotes, or on lines of its own below '|'",
    "cannot start any token": "indent with spaces, and put a text that begins with such a character in quotes",
    "unexpected end of stream": "a quotation mark is opened and not closed",
    "another document": "a file holds one, and '---' begins the next",
}
_JSON_TOKEN = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*"?)|(?P<opens>[\[{])|(?P<closes>[\]}])|(?P<number>\d{4301,})', re.S)
_JSON_HALF = re.compile(
    r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][\da-fA-F]{2})|\\.", re.S
)


class MalformedTextError(ValueError):
    """Text that is not what it should be: `place` is such as "line 4, column 1", `problem` says what is there."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.line = int(found[0]) if (found := re.findall(r"\d+", place)) else 1
        self.problem = problem


def parse_json(text: str) -> object:
    """The value of a JSON text. Raises MalformedTextError."""
    _check_json(text)
    try:
        return cast("object", json.loads(text, object_pairs_hook=_unique))
    except json.JSONDecodeError as error:
        raise MalformedTextError(f"line {error.lineno}, column {error.colno}", error.msg) from error
    except _DoubleKeyError as error:
        raise MalformedTextError(*_double_json_key(text, error.key)) from error


def parse_yaml(text: str, first_line: int = 1) -> object:
    """The value of a YAML text: text, numbers, dates, lists and mappings. Raises MalformedTextError.

    `first_line` is the number of the text's first line in its file.
    """
    try:
        return cast("object", _AuthoredLoader(text, first_line).get_single_data())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + first_line}, column {mark.column + 1}" if mark else f"line {first_line}"
        said = (error.problem or "this cannot be read").removeprefix("but ")
        advice = next((f"; {advice}" for part, advice in _ADVICE.items() if part in said), "")
        raise MalformedTextError(place, said + advice) from error
    except ReaderError as error:
        place = place_of(text, error.position, first_line)
        raise MalformedTextError(place, f"U+{_code(error):04X} is not allowed here") from error


def place_of(text: str, position: int, first_line: int = 1) -> str:
    """Line and column of a position, both from 1."""
    before = text[:position]
    return f"line {before.count(chr(10)) + first_line}, column {position - before.rfind(chr(10))}"


def check_keys(node: yaml.MappingNode, first_line: int = 1) -> None:
    """Raises ConstructorError at a key that stands twice: YAML would drop the first one silently."""
    first: dict[str, yaml.Mark] = {}
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            continue
        if key.value in first:
            problem = (
                f"'{key.value}' stands twice, first in line {first[key.value].line + first_line}; keep one of the two"
            )
            raise ConstructorError(None, None, problem, key.start_mark)
        first[key.value] = key.start_mark


class ShallowLoader(yaml.SafeLoader):
    """PyYAML's safe loader with a limit on open brackets: for each one, its scanner looks through all the others."""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        if self.flow_level >= DEEPEST_FILE:
            raise ScannerError(None, None, TOO_DEEP, self.get_mark())
        super().fetch_flow_collection_start(token)


class _AuthoredLoader(ShallowLoader):
    """A loader with a limit on depth and size, and a place for the errors that it raises without one."""

    def __init__(self, stream: str, first_line: int = 1) -> None:
        super().__init__(stream)
        self._first_line = first_line
        self._depth = self._composed = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        start = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self._depth >= DEEPEST_FILE:
            raise ComposerError(None, None, TOO_DEEP, start)
        self._composed += 1
        if self._composed > MOST_NODES:  # the rest is not even read
            raise ComposerError(None, None, TOO_MANY, start)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if node is not None and id(node) not in self._sizes:
            if node.end_mark is None:
                raise ComposerError(None, None, "an alias of what it is itself a part of", start)
            self._sizes[id(node)] = self._size(node)
        if node is not None and self._sizes[id(node)] > MOST_NODES:
            raise ComposerError(None, None, TOO_MANY, start)
        return node

    def compose_mapping_node(self, anchor: dict[Any, yaml.Node]) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        check_keys(node, self._first_line)
        return node

    def _size(self, node: yaml.Node) -> int:
        """How many values a node stands for once its aliases are written out."""
        if isinstance(node, yaml.MappingNode):
            return 1 + sum(self._sizes[id(one)] for pair in node.value for one in pair)
        return 1 + sum(self._sizes[id(one)] for one in node.value) if isinstance(node, yaml.SequenceNode) else 1

    def construct_object(self, node: yaml.Node, deep: bool = False) -> object:
        try:
            value = cast("object", super().construct_object(node, deep))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            kind = node.tag.rpartition(":")[2]
            raise ConstructorError(
                None, None, f"this is not a valid {kind}; put it in quotes if it is text", node.start_mark
            ) from error
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            # Python refuses to write such a number as text, so no message could name it.
            raise ConstructorError(None, None, _LONG_NUMBER, node.start_mark)
        return value

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> str:
        value = super().construct_scalar(node)
        if _SURROGATE.search(value):
            raise ConstructorError(None, None, HALF_CHARACTER, node.start_mark)
        return value


def has_half_character(value: object) -> bool:
    """Whether a text in a parsed value, which may be a key, has half of a surrogate pair: no file can hold it."""
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    if isinstance(value, dict):
        return any(map(has_half_character, (*value, *value.values())))
    return isinstance(value, list) and any(map(has_half_character, value))


def _check_json(text: str) -> None:
    """Finds what the parser accepts or reports without a place: depth, long numbers, lone surrogates."""
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        start = token.start()
        if token["text"] and (half := _half_character(token["text"])) is not None:
            raise MalformedTextError(place_of(text, start + half), HALF_CHARACTER)
        if token["number"]:
            raise MalformedTextError(place_of(text, start), _LONG_NUMBER)
        depth += bool(token["opens"]) - bool(token["closes"])
        if depth > DEEPEST_FILE:
            raise MalformedTextError(place_of(text, start), TOO_DEEP)


class _DoubleKeyError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise _DoubleKeyError(next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place])))
    return values


def _double_json_key(text: str, key: str) -> tuple[str, str]:
    """Where a key stands twice. JSON's parser does not say, and YAML's can read nearly every JSON text."""
    try:
        parse_yaml(text)
    except MalformedTextError as error:
        if "stands twice" in error.problem:
            return error.place, error.problem
    return "line 1", f"'{key}' stands twice; keep one of the two"


def _half_character(text: str) -> int | None:
    return next((found.start() for found in _JSON_HALF.finditer(text) if found["half"]), None)


def _code(error: ReaderError) -> int:
    return error.character if isinstance(error.character, int) else ord(error.character)
