"""What error messages must not reveal: where the project lies on this machine, and its secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from dramaturg.kernel.addresses import without_secrets
from dramaturg.kernel.settings import Settings

SHORTEST_SECRET = 8
_ABSOLUTE = re.compile(r"(?<![\w.~:/\\-])(?:[A-Za-z]:\\|/)(?:[^\s'\"/\\]+[/\\])*([^\s'\"/\\,;:)]*)")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.I)


class Redactor:
    """Removes absolute paths and the values of secret environment variables from text and JSON."""

    def __init__(self, settings: Settings) -> None:
        roots = {str(settings.project.resolve()), str(settings.project)} - {"."}
        self._roots = sorted(roots, key=len, reverse=True)
        self._secrets = [
            value
            for name, value in settings.env.items()
            if (_SECRET.search(name) or name == settings.server.token_env) and len(value) >= SHORTEST_SECRET
        ]

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        text = without_secrets(text)
        for root in self._roots:
            text = text.replace(root + os.sep, "").replace(root, "the project")
        return _ABSOLUTE.sub(r"\1", text)

    def mapping(self, values: Mapping[str, object]) -> dict[str, JsonValue]:
        return {str(key): self.value(value) for key, value in values.items()}

    def value(self, value: object) -> JsonValue:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return self.mapping(value)
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            return [self.value(one) for one in value]
        return self.text(str(value))
