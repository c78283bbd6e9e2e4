"""How errors of hosted engines are mapped to ours, once for all engines.

The classification is that of the model providers; the message names the engine, the model, the server's own words and
what to do. It never contains a key.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from dramaturg.kernel.errors import (
    KeyRejected,
    ModelNotFound,
    ModelOverloaded,
    ModelUnavailable,
    VoiceError,
    VoiceRejected,
    VoiceTimeout,
    VoiceUnavailable,
    VoiceUnreadable,
)
from dramaturg.kernel.models.providers.faults import Source, begun, refusal, words_in, words_of

# ElevenLabs' codes for a plan's concurrency limit: the old one, and its successor.
CONCURRENCY_REFUSALS = frozenset({"too_many_concurrent_requests", "concurrent_limit_exceeded"})
_OUT_OF_CREDIT = frozenset({"quota_exceeded", "insufficient_quota", "insufficient_credits", "payment_required"})
_TOO_LONG = frozenset({"max_character_limit_exceeded", "text_too_long"})
LONGEST_WORD = 100
"""How much of an error code is kept, in characters."""
DEEPEST_PLACE = 10
"""How many steps of the way to a wrong field are named."""
_OTHER_ENGINE = 'or use a local engine: `engine = "auto"` under [voices]'


def voice_refusal(source: Source, status: int, body: bytes, headers: Mapping[str, str], now: float) -> VoiceError:
    """The error for an unsuccessful HTTP response. `fault` in its context is the server's error code."""
    meant = refusal(source, status, body, headers, now)
    word = word_of(body)
    said = source.quote(_explained(body))
    head = f"{source.name}: the server answered {status}" + (f" ({said})." if said else ".")
    context = {"engine": source.provider, "model": source.model, "status": status, "fault": word}
    if word not in CONCURRENCY_REFUSALS and (way_out := _rejection(source, status, word, type(meant))):
        return VoiceRejected(f"{head} {way_out}", **context)
    if word in CONCURRENCY_REFUSALS or isinstance(meant, ModelUnavailable):
        wait = meant.retry_after if isinstance(meant, ModelOverloaded) else None
        return VoiceUnavailable(f"{head} {_busy(word)}", retry_after=wait, **context)
    return VoiceRejected(f"{head} The request was rejected; retrying will not help.", **context)


def voice_unreachable(source: Source, why: BaseException) -> VoiceUnavailable:
    """The error for a server that could not be reached, or that closed the connection."""
    said = source.quote(str(why)) or type(why).__name__
    return VoiceUnavailable(
        f"{source.name}: no speech from {source.base_url} ({said}). Is it running, and is the network up?",
        engine=source.provider,
        model=source.model,
    )


def voice_timeout(source: Source, seconds: float) -> VoiceTimeout:
    """The error for a line that was not received in time."""
    return VoiceTimeout(
        f"{source.name}: no sound within {seconds:g} seconds. Raise `timeout` under [voices] if it needs longer.",
        engine=source.provider,
        model=source.model,
        seconds=seconds,
    )


def voice_unreadable(source: Source, what: str, body: bytes = b"") -> VoiceUnreadable:
    """The error for a successful response that is not usable speech; `what` says what it is instead."""
    said = source.quote(begun(body)) if body else ""
    return VoiceUnreadable(
        f"{source.name}: what came back from {source.base_url} is {what}" + (f" ({said})." if said else ".") + " "
        "Check `base_url` and `model` under [voices].",
        engine=source.provider,
        model=source.model,
    )


def is_concurrency_refusal(error: VoiceUnavailable) -> bool:
    """Whether the server refused because the plan allows no further concurrent request."""
    return error.context.get("fault") in CONCURRENCY_REFUSALS


def word_of(body: bytes) -> str:
    """The server's error code, such as `quota_exceeded`; empty if it has none."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    for shell in ("detail", "error"):
        if isinstance(found, dict) and isinstance(found.get(shell), dict):
            found = found[shell]
    if not isinstance(found, dict):
        return ""
    named = (words_in(found[key]) for key in ("status", "code", "type") if isinstance(found.get(key), str))
    return next(named, "")[:LONGEST_WORD]


def _explained(body: bytes) -> str:
    """The server's message, preceded by its error code; for a validation error, with the field it is about."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return words_of(body)
    rows = found.get("detail") if isinstance(found, dict) else None
    if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
        return "; ".join(f"{_place(row.get('loc'))}{words_in(row.get('msg')) or 'not valid'}" for row in rows[:3])
    words, word = words_of(body), word_of(body)
    return f"{word}: {words}" if word and word not in words else words


def _place(loc: object) -> str:
    steps = loc[:DEEPEST_PLACE] if isinstance(loc, list) else []
    parts = [words_in(step) or str(step) for step in steps if isinstance(step, str | int) and step != "body"]
    return f"{'.'.join(parts)}: " if parts else ""


def _rejection(source: Source, status: int, word: str, kind: type[Exception]) -> str:
    """What to do about a permanent error; empty for a transient one."""
    if word in _OUT_OF_CREDIT:
        return f"The account's credit is used up: wait for its renewal, raise the plan, {_OTHER_ENGINE}."
    if word in _TOO_LONG:
        return "The line is longer than the account may request: shorten it."
    if word == "voice_not_found":
        return (
            "There is no such voice in this account. `dramaturg voices` lists those it has; "
            "put one of their ids under [voices.cast]."
        )
    if kind is KeyRejected:
        names = " or ".join(source.key_env)
        return (
            f"Check {names} and the account's credit, {_OTHER_ENGINE}."
            if names
            else "If the server wants a key, name its variable with `key_env` under [voices]."
        )
    if 300 <= status < 400:
        return "The server has moved: set `base_url` under [voices] to where it is now."
    if kind is ModelNotFound:
        return (
            f"Either '{source.model}' or the voice is unknown there, or {source.base_url} is the wrong address. "
            "See `model`, `base_url` and `cast` under [voices]."
        )
    return ""


def _busy(word: str) -> str:
    if word in CONCURRENCY_REFUSALS:
        return (
            "The plan allows fewer concurrent lines: lower `concurrency` under [voices], "
            "or stop other clients that use this key."
        )
    return "This may be temporary; try again later."
