"""Maps provider failures to our errors, once for all adapters.

Each becomes the error that says who can fix it, with a message that names the provider, the model, the status and
the provider's own explanation. Keys never appear in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import orjson

from dramaturg.kernel.errors import (
    KeyRejected,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreadable,
)
from dramaturg.kernel.redaction import beginning_without_secrets
from dramaturg.kernel.text.shortened import shortened

LONGEST_QUOTE = 300
LONGEST_BODY = 4000
"""How much of what a provider said is looked at, in characters: more than is quoted, and all that patterns see."""
DEEPEST_ERROR = 6
"""How deep inside an error its explanation is looked for."""

# Inside a stream that started successfully, providers report errors by name; these are the matching statuses.
STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 402,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}

_NO_CREDIT = re.compile(
    r"insufficient[ _](quota|balance|credit|funds)|credit balance|exceeded your current quota|billing", re.I
)
_NO_SUCH_MODEL = re.compile(
    r"model.{0,80}(not found|not exist|unknown|invalid|not a valid|deprecated|retired|decommissioned)"
    r"|(invalid|unknown|no such|not a valid) model|model_not_found",
    re.I | re.S,
)
_SECRET = re.compile(r"\b(?:sk|xai|AIza|gsk|pk|key)[-_A-Za-z0-9]{8,}")
_TAG = re.compile(r"<[^<>]*>")
_STATUS = re.compile(r"[45][0-9]{2}")


@dataclass(frozen=True, slots=True)
class Source:
    """The model behind a request, for error messages; `secret` and `others` are removed from anything quoted."""

    provider: str
    model: str
    base_url: str
    key_env: tuple[str, ...] = ()
    secret: str | None = field(default=None, repr=False)
    others: tuple[str, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    def quote(self, words: str) -> str:
        """A provider's text, safe to print: one line, short, without keys."""
        known = (*((self.secret,) if self.secret else ()), *self.others)
        words = " ".join(beginning_without_secrets(words, known, LONGEST_BODY).split())
        return shortened(_SECRET.sub("***", words), LONGEST_QUOTE)


def refusal(source: Source, status: int, body: bytes, headers: Mapping[str, str], now: float) -> ModelError:
    """The error for an unsuccessful HTTP response."""
    return fault(source, status, words_of(body), retry_after(headers, now))


def fault(source: Source, status: int, words: str, wait: float | None = None) -> ModelError:
    """The error for a status and the provider's explanation."""
    said = source.quote(words)
    head = f"{source.name}: {source.provider} answered {status}" + (f" ({said})." if said else ".")
    kind = _kind(status, words[:LONGEST_BODY], wait)
    message = f"{head} {_way_out(kind, source, status)}"
    context = {"provider": source.provider, "model": source.model, "status": status}
    if issubclass(kind, ModelOverloaded):
        return kind(message, retry_after=wait, **context)
    return kind(message, **context)


def unreached(source: Source, why: BaseException) -> ModelUnavailable:
    """The error for a server that could not be reached or closed the connection."""
    said = source.quote(str(why)) or type(why).__name__
    return ModelUnavailable(
        f"{source.name}: no connection to {source.base_url} ({said}). Is it running, and is the network up?",
        provider=source.provider,
        model=source.model,
    )


def unusable(source: Source, why: BaseException) -> ModelUnreadable:
    """The error for a response that exceeds a limit or is packed in a way that cannot be undone."""
    return ModelUnreadable(
        f"{source.name}: the response from {source.base_url} cannot be used ({source.quote(str(why))}), and its "
        f"rest was not read. Check `base_url` under [providers.{source.provider}].",
        provider=source.provider,
        model=source.model,
    )


def cut_short(source: Source) -> ModelUnavailable:
    """The error for a stream that ended before the answer did."""
    return ModelUnavailable(
        f"{source.name}: {source.provider} closed the stream before the answer was complete. "
        "Trying again usually helps.",
        provider=source.provider,
        model=source.model,
    )


def garbled(source: Source, body: bytes) -> ModelUnreadable:
    """The error for a successful response whose body does not follow the protocol."""
    said = source.quote(begun(body))
    return ModelUnreadable(
        f"{source.name}: the response from {source.base_url} is not a model's answer ({said or 'it is empty'}). "
        f"Check `base_url` and `protocol` under [providers.{source.provider}].",
        provider=source.provider,
        model=source.model,
    )


def begun(body: bytes) -> str:
    """The beginning of a body as text: one character more than is looked at, so that it is known to be cut."""
    return body[: 4 * (LONGEST_BODY + 1)].decode("utf-8", "replace")[: LONGEST_BODY + 1]


def words_of(body: bytes) -> str:
    """The beginning of the provider's explanation, from whichever error format it uses."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _words_of_page(begun(body))
    return words_in(found) or begun(body)


def _words_of_page(page: str) -> str:
    """The text of a page without its tags, and without the last word if that may be cut."""
    words = _TAG.sub(" ", page[:LONGEST_BODY])
    if len(page) > LONGEST_BODY:
        *whole, _last = words.rsplit(maxsplit=1) or [""]
        return whole[0].strip() if whole else page
    return words.strip()


def words_in(found: object, depth: int = 0) -> str:
    """The explanation inside a decoded error, prefixed by its type or code if there is one.

    Each of its texts is cut one character after what is looked at.
    """
    if isinstance(found, str):
        return found[: LONGEST_BODY + 1]
    if depth > DEEPEST_ERROR:
        return ""
    if isinstance(found, list):
        return "; ".join(filter(None, (words_in(one, depth + 1) for one in found[:3])))
    if not isinstance(found, dict):
        return ""
    for key in ("error", "message", "msg", "detail"):
        words = words_in(found.get(key), depth + 1)
        if words:
            label = next((words_in(found[k]) for k in ("code", "type") if isinstance(found.get(k), str)), "")
            return f"{label}: {words}" if label and label not in words and label != "error" else words
    return ""


def status_in(error: object) -> int:
    """The status that an error inside a successful response stands for; 500 if it does not say."""
    if not isinstance(error, dict):
        return 500
    for key in ("code", "status", "type"):
        value = error.get(key)
        if isinstance(value, int) and 400 <= value <= 599:
            return value
        if isinstance(value, str):
            if value in STATUS_OF:
                return STATUS_OF[value]
            if _STATUS.fullmatch(value):
                return int(value)
    return 500


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, from `retry-after-ms` or either form of `Retry-After`; None if neither is set."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _kind(status: int, words: str, wait: float | None) -> type[ModelError]:
    if status in (401, 402, 403) or (status in (400, 429) and _NO_CREDIT.search(words)):
        return KeyRejected
    if status in (404, 410) or (status in (400, 422) and _NO_SUCH_MODEL.search(words)):
        return ModelNotFound
    if status in (429, 529) or (status == 503 and wait is not None):
        return ModelOverloaded
    if status in (408, 504):
        return ModelTimeout
    return ModelUnavailable if status >= 500 or status == 409 else ModelRejected


def _way_out(kind: type[ModelError], source: Source, status: int) -> str:
    if kind is KeyRejected:
        names = " or ".join(source.key_env) or f"the key of {source.provider}"
        return f"Check {names} and the account's credit."
    if kind is ModelNotFound:
        return (
            f"'{source.model}' is mistyped or retired, or {source.base_url} is the wrong address; "
            "`dramaturg models` lists the known models."
        )
    if issubclass(kind, ModelUnavailable):
        return "This may be temporary; `models.retries` sets how often to try again."
    if status == 413:
        return "The request is too large: shorten the prompt or the window of the transcript."
    return "The request was rejected; trying again will not help."
