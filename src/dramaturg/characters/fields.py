"""The fields in the front matter of a card.

All of them are optional. Fields that belong to other programs are kept in `extra` and ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from dramaturg.kernel.errors import CharacterLoadError
from dramaturg.kernel.problems import quotes_wanted
from dramaturg.kernel.text.front_matter import FrontMatter, split_front_matter
from dramaturg.kernel.values import Value

if TYPE_CHECKING:
    import yaml

MAX_FIELDS = 32_000
MAX_DEPTH = 12

_UNCLOSED = re.compile(r"---[ \t]*(?:\r\n|\r|\n)\w[\w -]*:(?:\s|$)")
_PLAIN_TAGS = ("null", "bool", "int", "float", "str", "seq", "map")

# What other programs write in `model:`; these name a choice in that program, not a model here.
_FOREIGN_MODELS = frozenset({"inherit", "default", "best", "sonnet", "opus", "haiku", "opusplan"})

_FORMS = {
    "tempo": "a number from 0.1 to 10",
    "language": "text, or a list of texts",
    "secrets": "text, or a list of texts",
    "greetings": "text, or a list of texts",
}


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _languages(value: object) -> object:
    parts = _listed(value)
    if isinstance(parts, tuple) and all(isinstance(part, str) for part in parts):
        return tuple(word.strip() for part in parts for word in part.split(",") if word.strip())
    return parts


class CardFields(Value):
    """The fields of a card that dramaturg reads."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    name: str = ""
    role: str = ""
    description: str = ""
    language: Annotated[tuple[str, ...], BeforeValidator(_languages)] = ()
    model: str | None = None
    tempo: float = Field(1.0, ge=0.1, le=10)
    voice: str | None = None
    secrets: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    greetings: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    extra: Mapping[str, JsonValue] = Field(default_factory=dict)


def split_card(name: str, raw: str) -> FrontMatter:
    """Front matter and body of a card. Raises CharacterLoadError for front matter that is opened and never closed."""
    parts = split_front_matter(raw)
    if parts.fields is None and _UNCLOSED.match(parts.body):
        raise unreadable(name, "the front matter opened in line 1 is never closed", "End it with a line '---'.")
    return parts


def read_fields(name: str, head: str) -> CardFields:
    """The fields in the text of front matter. Raises CharacterLoadError that names the line or the field."""
    if len(head) > MAX_FIELDS:
        raise unreadable(name, "its front matter is over 32 kB", "Move the prose below the second '---'.")
    loaded = _parse(name, head)
    if loaded is None:
        return CardFields()
    if not isinstance(loaded, dict):
        raise unreadable(name, "its front matter is not a list of fields", "Write one 'field: value' per line.")
    fields = {str(key): _plain(name, str(key), value) for key, value in loaded.items()}
    ours = {key: value for key, value in fields.items() if _is_ours(key, value)}
    extra = {key: value for key, value in fields.items() if key not in ours}
    given = {key: value for key, value in ours.items() if value is not None}
    try:
        return CardFields.model_validate({**given, "extra": extra})
    except ValidationError as error:
        raise _wrong_field(name, error) from error


def _is_ours(field: str, value: JsonValue) -> bool:
    if field == "model" and isinstance(value, str):
        return value.strip().lower().removesuffix("[1m]") not in _FOREIGN_MODELS
    return field in CardFields.model_fields and field != "extra"


def unreadable(name: str, reason: str, remedy: str) -> CharacterLoadError:
    """The error for a card that exists but cannot be used."""
    return CharacterLoadError(f"Character '{name}' cannot be read: {reason}. {remedy}", character=name, reason=reason)


def _parse(name: str, head: str) -> object:
    import yaml

    try:
        return yaml.load(head, Loader=_loader())
    except yaml.YAMLError as error:
        raise unreadable(name, _where(error, head), _remedy(error)) from error
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        # PyYAML raises these for numbers, tags and depths that it cannot handle.
        said = "a number of thousands of digits" if "set_int_max_str_digits" in str(error) else str(error)
        raise unreadable(
            name, f"its front matter contains a value that makes no sense ({said})", "Put it in quotes."
        ) from error


@cache
def _loader() -> type[yaml.SafeLoader]:
    """Plain YAML: text, numbers, lists and fields. Dates stay text; aliases and tags are refused."""
    import yaml

    from dramaturg.kernel.text.yaml_json import ShallowLoader, check_keys

    class PlainLoader(ShallowLoader):
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                event = self.get_event()  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(None, None, "aliases are not supported", event.start_mark)
            return super().compose_node(parent, index)

        def compose_mapping_node(self, anchor: dict[Any, yaml.Node]) -> yaml.MappingNode:
            node = super().compose_mapping_node(anchor)
            check_keys(node, first_line=2)
            return node

    prefix = "tag:yaml.org,2002:"
    PlainLoader.yaml_implicit_resolvers = {
        first: [pair for pair in pairs if pair[0] != f"{prefix}timestamp"]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    allowed = {None, *(prefix + tag for tag in _PLAIN_TAGS)}
    PlainLoader.yaml_constructors = {
        tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag in allowed
    }
    return PlainLoader


def _where(error: yaml.YAMLError, head: str) -> str:
    import yaml

    if isinstance(error, yaml.reader.ReaderError):
        before = head[: error.position] if isinstance(error.position, int) else ""
        line, column = before.count("\n") + 2, len(before) - (before.rfind("\n") + 1) + 1
        code = f"U+{error.character:04X}"
        return f"line {line}, column {column}: a character that is not allowed in front matter ({code})"
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "not readable as YAML"
    return f"line {mark.line + 2}, column {mark.column + 1}: {problem}" if mark else str(problem)


def _remedy(error: yaml.YAMLError) -> str:
    if "mapping values" in str(error):
        return "Put a value that contains a colon in quotes."
    return "Fix the front matter, or remove it: a card works without."


def _plain(name: str, field: str, value: object, depth: int = 0) -> JsonValue:
    """A YAML value as JSON; numbers that JSON cannot represent become text."""
    if depth > MAX_DEPTH:
        raise unreadable(name, f"field '{field}' is nested too deeply", "Flatten it.")
    if isinstance(value, dict):
        return {str(key): _plain(name, field, item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(name, field, item, depth + 1) for item in value]
    if isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise unreadable(name, f"field '{field}' contains half of a surrogate pair", "Type the character again.")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else hex(value)
    raise unreadable(name, f"field '{field}' contains a {type(value).__name__}", "Put it in quotes.")


def _wrong_field(name: str, error: ValidationError) -> CharacterLoadError:
    first = error.errors()[0]
    field = str(first["loc"][0])
    form = _FORMS.get(field, "text")
    found = first["input"]
    quotes = quotes_wanted(found) if isinstance(found, bool) or field not in _FORMS else ""
    reason = f"field '{field}' must be {form} (found {found!r:.80})"
    return CharacterLoadError(
        f"Character '{name}' cannot be read: {reason}.{quotes}",
        character=name,
        reason=reason,
        field=field,
    )
