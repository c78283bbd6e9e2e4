"""What can go wrong at a provider, by instruction."""

from __future__ import annotations

from dataclasses import dataclass

STATUSES = {
    "400": "invalid_request_error",
    "401": "authentication_error",
    "402": "billing_error",
    "403": "permission_error",
    "404": "not_found_error",
    "413": "request_too_large",
    "422": "invalid_request_error",
    "429": "rate_limit_error",
    "500": "api_error",
    "502": "api_error",
    "503": "api_error",
    "529": "overloaded_error",
}
# hang: no answer ever. cut: the connection is closed instead of an answer. cut-body, cut-stream: in the middle
# of one. garbage: 200 and no JSON. error-in-stream: 200, some text, then an error event. error-in-body: 200 and
# an error object. no-end: a stream that ends without saying so. drip: an answer of which one byte comes every
# `pause` seconds. endless: an answer that never stops.
NEVER_WHOLE = ("drip", "endless")
KINDS = (
    *STATUSES,
    *("hang", "cut", "cut-body", "cut-stream", "garbage", "error-in-stream", "error-in-body", "no-end"),
    *NEVER_WHOLE,
)


@dataclass(slots=True)
class Fault:
    """One instruction: fail `times` requests with `kind`, beginning `after` so many good ones."""

    kind: str
    times: int = 1
    after: int = 0
    message: str = "something is wrong here"
    error_type: str = ""
    retry_after: str = ""
    pause: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no such fault: {self.kind!r} (known: {', '.join(KINDS)})")

    def body(self) -> dict[str, object]:
        kind = self.error_type or STATUSES.get(self.kind, "api_error")
        return {"type": "error", "error": {"type": kind, "message": self.message}}
