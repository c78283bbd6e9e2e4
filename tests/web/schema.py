"""One document for the studio's TypeScript: the HTTP API, and the schemas of what the logs of each kind hold."""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import TypeAdapter

from dramaturg.kernel.runs.events import Entry
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.events import SceneEvent
from dramaturg.scenes.wire import SceneDocument
from dramaturg.server.app import create_app

LOGGED: dict[str, Any] = {"SceneEntry": Entry[SceneEvent], "SceneDocument": SceneDocument}
"""What the studio folds that no operation of the API returns by itself."""
TEMPLATE = "#/components/schemas/{model}"


def document() -> dict[str, Any]:
    """The OpenAPI document of a server, with the schemas of the logs among its components."""
    made = create_app(Settings()).openapi()
    schemas = made["components"]["schemas"]
    for name, model in LOGGED.items():
        schema = TypeAdapter(model).json_schema(mode="serialization", ref_template=TEMPLATE)
        for part, described in schema.pop("$defs", {}).items():
            schemas.setdefault(part, described)
        schemas[name] = schema
    return made


if __name__ == "__main__":
    json.dump(document(), sys.stdout)
