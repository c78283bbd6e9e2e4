"""The JSON Schema of `scene.json`, for programs that consume it."""

from __future__ import annotations

import json

from dramaturg.scenes.wire import SCHEMA, SceneDocument

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def render_schema() -> str:
    """Draft 2020-12, as the document is written (camelCase)."""
    schema = SceneDocument.model_json_schema(by_alias=True, mode="serialization")
    return json.dumps({"$schema": DIALECT, "$id": f"urn:{SCHEMA.replace('/', ':')}", **schema}, indent=2) + "\n"
