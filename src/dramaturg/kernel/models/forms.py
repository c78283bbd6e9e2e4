"""Output forms: the JSON Schema that providers accept for a pydantic model, and the same as an instruction.

Providers that enforce a schema require it to be closed: no additional properties, every field required. Limits that
they do not enforce (lengths, ranges, patterns) are moved to the description; pydantic enforces them here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import orjson
from pydantic import BaseModel

from dramaturg.kernel.models.port import OutputForm

_OF_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_OF_TEXTS = ("minLength", "maxLength", "pattern", "format")
_OF_LISTS = ("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties")
_TOLD = (*_OF_NUMBERS, *_OF_TEXTS, *_OF_LISTS)
_DROPPED = frozenset(("title", "default", "examples", "discriminator", *_TOLD))
_BY_NAME = frozenset(("properties", "$defs", "definitions"))


@lru_cache(maxsize=256)
def form_of(form: type[BaseModel]) -> OutputForm:
    """The output form for a pydantic model, with a schema that every provider accepts."""
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", form.__name__)[:64]
    return OutputForm(name=name, schema=closed(form.model_json_schema()))


def closed(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema with every object closed, every field required, and limits moved to the descriptions."""
    shut: dict[str, object] = {key: _closed_part(key, value) for key, value in schema.items() if key not in _DROPPED}
    limits = {key: schema[key] for key in _TOLD if key in schema}
    if limits:
        told = ", ".join(f"{key}: {value}" for key, value in limits.items())
        shut["description"] = f"{shut.get('description', '')} ({told})".strip()
    properties = shut.get("properties")
    if isinstance(properties, dict):
        shut["required"] = list(properties)
        shut["additionalProperties"] = False
    return shut


def instruction(form: OutputForm) -> str:
    """The form as an instruction, for models whose provider does not enforce a schema."""
    schema = orjson.dumps(form.schema).decode()
    return (
        "Answer with one JSON object and nothing else: no explanation, no code fence. "
        f"It must fit this JSON Schema:\n{schema}"
    )


def _closed_part(key: str, value: object) -> object:
    if key in _BY_NAME and isinstance(value, dict):
        return {name: closed(part) if isinstance(part, dict) else part for name, part in value.items()}
    if key in ("enum", "const", "required", "type"):
        return value
    if isinstance(value, dict):
        return closed(value)
    if isinstance(value, list):
        return [closed(part) if isinstance(part, dict) else part for part in value]
    return value
