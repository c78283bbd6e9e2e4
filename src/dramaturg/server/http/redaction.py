"""What error messages must not reveal: where the project lies on this machine, and its secrets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.redaction import redacted, secrets_in, without_secrets
from dramaturg.kernel.settings import Settings
from dramaturg.server.http.bodies import ErrorDetail
from dramaturg.studio import Studio

_ABSOLUTE = re.compile(
    r"(?<![\w.~:/\\-])(?:[A-Za-z]:\\|/++(?!v1/))(?![,;:)]*(?:[\s'\"]|$))(?:[^\s'\"/\\]+[/\\])*([^\s'\"/\\,;:)]*)"
)
"""A path of this machine. Addresses of the server itself, below /v1/, are for clients to read, and a slash alone."""
DEEPEST_FACT = 30
"""How many levels of a value are repeated to whoever sent it."""
MOST_ENTRIES = 100
"""How many entries of each list and object are."""
LONGEST_FACT = 20_000
"""In bytes of JSON: what is longer in the context of an error is not repeated."""


class Redactor:
    """Removes absolute paths and secrets from text and JSON.

    Secrets are the values of secret environment variables, and what `learned` returns by then.
    """

    def __init__(self, settings: Settings, learned: Callable[[], Iterable[str]] = tuple) -> None:
        self._learned = learned
        roots = {str(settings.project.resolve()), str(settings.project)} - {"."}
        self._roots = [_whole(root) for root in sorted(roots, key=len, reverse=True)]
        names = (settings.server.token_env, settings.players.secret_env)
        providers = (provider.key_env for provider in settings.providers.values())
        self._secrets = secrets_in(settings.env, *filter(None, (*names, *providers)))

    def text(self, text: str) -> str:
        text = without_secrets(redacted(text, (*self._secrets, *self._learned())))
        for root in self._roots:
            text = root.sub(lambda found: "" if found["inside"] else "the project", text)
        return _ABSOLUTE.sub(r"\1", text)

    def facts(self, context: Mapping[str, object]) -> dict[str, JsonValue]:
        """The context of an error, without what would make an answer as large as the request was."""
        facts = self.mapping(context)
        return {key: fact if len(json.dumps(fact)) <= LONGEST_FACT else "…" for key, fact in facts.items()}

    def mapping(self, values: Mapping[str, object], depth: int = 0) -> dict[str, JsonValue]:
        return {str(key): self.value(one, depth + 1) for key, one in islice(values.items(), MOST_ENTRIES)}

    def value(self, value: object, depth: int = 0) -> JsonValue:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes):
            if depth > DEEPEST_FACT:
                return "…"
            return (
                self.mapping(value, depth)
                if isinstance(value, Mapping)
                else [self.value(one, depth + 1) for one in value[:MOST_ENTRIES]]
            )
        return self.text(str(value))


def _whole(root: str) -> re.Pattern[str]:
    """The path of the project as a whole, with what follows it inside; a bare name is only one if something does."""
    before = "" if Path(root).is_absolute() else r"(?<![\w.~/\\-])"
    alone = r"(?![\w-]|\.\w)" if len(Path(root).parts) > 1 else "(?!)"
    return re.compile(f"{before}{re.escape(root)}(?:(?P<inside>{re.escape(os.sep)})|{alone})")


def redactor_of(studio: Studio) -> Redactor:
    """What hides the secrets of an open studio, including keys that it was given since it started."""
    return Redactor(studio.settings, lambda: studio.gateway.given_keys)


def error_detail(studio: Studio, error: DramaturgError | None) -> ErrorDetail | None:
    """What ended a piece of work in the background, as a response states it."""
    if error is None:
        return None
    redactor = redactor_of(studio)
    return ErrorDetail(code=error.code, message=redactor.text(error.message), context=redactor.facts(error.context))
