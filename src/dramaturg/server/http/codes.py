"""The codes with which only the server answers; all others are those of the error tree."""

from __future__ import annotations

from collections.abc import Mapping

SERVER_CODES: Mapping[str, tuple[int, str]] = {
    "BAD_REQUEST": (400, "Not a request that HTTP allows, or a body that nothing can be made of."),
    "UNAUTHORIZED": (401, "The server's token is missing or wrong."),
    "LOGIN_REFUSED": (401, "A login to the studio with anything but the server's token."),
    "SEAT_TOKEN_INVALID": (401, "The token of a seat is missing, for another seat, or void."),
    "PLAYER_TOKEN_REQUIRED": (401, "Players are invited here, and no player's token was sent."),
    "PLAYER_TOKEN_EXPIRED": (401, "A player's token that has expired. A new session gives a new one."),
    "PLAYER_TOKEN_REVOKED": (401, "A player's token that was revoked, or is not known here."),
    "FORBIDDEN": (403, "A host name or a page of another site that this server does not answer."),
    "METHOD_NOT_ALLOWED": (405, "The address takes other methods."),
    "REQUEST_TIMEOUT": (408, "The request took too long to arrive."),
    "CONTENT_TOO_LARGE": (413, "The request is too large."),
    "TOO_MANY_REQUESTS": (429, "Too many requests, or too much used; `retry_after` is in seconds."),
    "HEADERS_TOO_LARGE": (431, "The address and headers of the request are too large."),
    "INTERNAL": (500, "A fault in dramaturg itself. Everything played so far is saved."),
    "SEATS_TAKEN": (
        503,
        "Every seat for players is taken; `ticket` keeps the `place` in the queue, `retry_after` is in seconds.",
    ),
    "SHUTTING_DOWN": (503, "The server shuts down; `retry_after` is in seconds."),
    "TOO_MANY_CONNECTIONS": (503, "There are too many connections from this address, or in all."),
}
"""Each with its status, and what it means."""
