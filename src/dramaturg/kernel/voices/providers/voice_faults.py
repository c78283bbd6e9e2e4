"""What a hosted engine's refusal means for a line, decided once for all of them.

The kinds are those of the model providers; the message names the engine, the voice, the server's own words and
the way out. Keys never get into it.
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
from dramaturg.kernel.models.providers.faults import Source, refusal, words_of

# ElevenLabs' words for a plan's limit of requests at once: the old one, and the one it is being renamed to.
CONCURRENCY_REFUSALS = frozenset({"too_many_concurrent_requests", "concurrent_limit_exceeded"})
_OUT_OF_CREDIT = frozenset({"quota_exceeded", "insufficient_quota", "insufficient_credits", "payment_required"})
_TOO_LONG = frozenset({"max_character_limit_exceeded", "text_too_long"})
_OTHER_ENGINE = 'or let an engine of this machine speak: `engine = "auto"` under [voices]'


def voice_refusal(source: Source, status: int, body: bytes, headers: Mapping[str, str], now: float) -> VoiceError:
    """The error for an HTTP answer that is not a success. `fault` in its context is the server's own word."""
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
    return VoiceRejected(f"{head} The request was not accepted; asking again will not help.", **context)


def voice_unreachable(source: Source, why: BaseException) -> VoiceUnavailable:
    """The error for a server that was not reached, or that hung up."""
    said = source.quote(str(why)) or type(why).__name__
    return VoiceUnavailable(
        f"{source.name}: no speech from {source.base_url} ({said}). Is it running, and is the network up?",
        engine=source.provider,
        model=source.model,
    )


def voice_timeout(source: Source, seconds: float) -> VoiceTimeout:
    """The error for a line that did not come in time."""
    return VoiceTimeout(
        f"{source.name}: no sound within {seconds:g} seconds. Raise `timeout` under [voices] if it needs longer.",
        engine=source.provider,
        model=source.model,
        seconds=seconds,
    )


def voice_unreadable(source: Source, what: str, body: bytes = b"") -> VoiceUnreadable:
    """The error for a success that is not the speech asked for; `what` says what it is instead."""
    said = source.quote(body[:2000].decode("utf-8", "replace")) if body else ""
    return VoiceUnreadable(
        f"{source.name}: what came back from {source.base_url} is {what}" + (f" ({said})." if said else ".") + " "
        "Check `base_url` and `model` under [voices].",
        engine=source.provider,
        model=source.model,
    )


def is_concurrency_refusal(error: VoiceUnavailable) -> bool:
    """Whether the plan bears no further request at once, which no waiting of ours will change."""
    return error.context.get("fault") in CONCURRENCY_REFUSALS


def word_of(body: bytes) -> str:
    """The server's one word for what is wrong, such as `quota_exceeded`; empty where it has none."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    for shell in ("detail", "error"):
        if isinstance(found, dict) and isinstance(found.get(shell), dict):
            found = found[shell]
    if not isinstance(found, dict):
        return ""
    return next((found[key] for key in ("status", "code", "type") if isinstance(found.get(key), str)), "")


def _explained(body: bytes) -> str:
    """The server's words, led by its own word for it; of a validation error, which field it means."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return words_of(body)
    rows = found.get("detail") if isinstance(found, dict) else None
    if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
        return "; ".join(f"{_place(row.get('loc'))}{row.get('msg', 'not valid')}" for row in rows[:3])
    words, word = words_of(body), word_of(body)
    return f"{word}: {words}" if word and word not in words else words


def _place(loc: object) -> str:
    parts = [str(part) for part in loc if part != "body"] if isinstance(loc, list) else []
    return f"{'.'.join(parts)}: " if parts else ""


def _rejection(source: Source, status: int, word: str, kind: type[Exception]) -> str:
    """The way out of what will not pass by itself; empty for what may."""
    if word in _OUT_OF_CREDIT:
        return f"The account's credit is used up: wait for its renewal, raise the plan, {_OTHER_ENGINE}."
    if word in _TOO_LONG:
        return "The line is longer than the account may ask for at once: shorten it."
    if word == "voice_not_found":
        return (
            "There is no such voice in this account. `dramaturg voices` lists those there are; "
            "put an id from there under [voices.cast]."
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
            f"Either '{source.model}' or the voice is not known there, or {source.base_url} is the wrong address. "
            "See `model`, `base_url` and `cast` under [voices]."
        )
    return ""


def _busy(word: str) -> str:
    if word in CONCURRENCY_REFUSALS:
        return (
            "The plan bears fewer lines at once: lower `concurrency` under [voices], "
            "or stop what else speaks with this key."
        )
    return "It may pass; try again a little later."
