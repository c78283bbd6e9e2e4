"""One document for the studio's TypeScript: the HTTP API, and the schemas of what the logs of each kind hold."""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from typing import Any

from pydantic import TypeAdapter

from dramaturg.ensemble.events import EnsembleEvent
from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.runs.events import Entry
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.events import SceneEvent
from dramaturg.scenes.wire import SceneDocument
from dramaturg.server.app import create_app

LOGGED: dict[str, Any] = {
    "SceneEntry": Entry[SceneEvent],
    "SceneDocument": SceneDocument,
    "EnsembleEntry": Entry[EnsembleEvent],
    "StreamEvent": StreamEvent,
}
"""What the studio folds that no operation of the API returns by itself."""
TEMPLATE = "#/components/schemas/{model}"


def document() -> dict[str, Any]:
    """The OpenAPI document of a server, with the schemas of the logs among its components."""
    made = deepcopy(create_app(Settings()).openapi())
    schemas = made["components"]["schemas"]
    for name, model in LOGGED.items():
        schema = TypeAdapter(model).json_schema(mode="serialization", ref_template=TEMPLATE)
        schema = _apart(schema, name, schemas)
        for part, described in schema.pop("$defs", {}).items():
            schemas.setdefault(part, described)
        schemas[name] = schema
    return made


def _apart(schema: dict[str, Any], name: str, known: dict[str, Any]) -> dict[str, Any]:
    """The schema with other names for what another kind has under the same name: each has its own `LoreTold`."""
    parts = schema.get("$defs", {})
    others = {part for part, one in parts.items() if known.get(part, one).get("description") != one.get("description")}
    own = {part: f"{name.removesuffix('Entry')}{part}" if part in others else part for part in parts}
    text = json.dumps({**schema, "$defs": {own[part]: described for part, described in parts.items()}})
    for part in others:
        text = text.replace(f'"{TEMPLATE.format(model=part)}"', f'"{TEMPLATE.format(model=own[part])}"')
    renamed: dict[str, Any] = json.loads(text)
    return renamed


if __name__ == "__main__":
    json.dump(document(), sys.stdout)
