"""Removes secrets from text that is shown, sent or stored, in every spelling in which they would still be secrets."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "***"
SHORTEST_SECRET = 8
"""A shorter value is not a secret, and hiding it would garble ordinary words."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.I)
# Up to the last @: a password that should have been encoded, and was not, is a secret too.
_PASSWORD = re.compile(r"://[^/\s:@]{0,200}:(\S{1,1000})@")

_BACKSLASH = r"\\{1,4}"

_END_OF_USER = re.compile(r"[\s/:@]")
_SPACE = re.compile(r"\s")
_OPTION = re.compile(r"(?P<name>[?&;][\w.-]*+=)[^&;\s'\"]*+")
_SECRET_OPTION = re.compile(r"pass|pwd|secret|token|key|sig|credential|auth", re.I)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets: in clear, and encoded for a URL, for HTML, for JSON, as base64 or as hex."""
    for secret in secrets:
        text = _spelled(secret).sub(HIDDEN, text)
    return text


def without_secrets(text: str) -> str:
    """A text, such as an address or an error that quotes one, without user names, passwords and keys in addresses."""
    return _OPTION.sub(_hidden_option, "".join(_without_users(text)))


def beginning_without_secrets(text: str, secrets: Iterable[str], most: int) -> str:
    """Of at most `most` characters of a text what is left without these secrets and without those in addresses.

    Nothing behind them is looked at, so a secret that they cut in two is left out with what stands around it.
    """
    known = tuple(secrets)
    if len(text) <= most:
        return without_secrets(redacted(text, known))
    # The added @ ends an address that is cut within the password, as its own would.
    begun = without_secrets(f"{redacted(text[:most], known)}@")
    return begun[: -1 - max((len(one) for secret in known for one in _spellings(secret)), default=0)]


def _hidden_option(found: re.Match[str]) -> str:
    return f"{found['name']}{HIDDEN}" if _SECRET_OPTION.search(found["name"]) else found[0]


def _without_users(text: str) -> Iterator[str]:
    """The pieces of the text without whoever stands before the @ of an address.

    With a password, that is everything up to the last @ before a space: some programs accept an unescaped `@` or `/`
    in it. Each part of the text is looked at once.
    """
    done, begins, word_ends, last = 0, text.find("://"), 0, -1
    while begins >= 0:
        begins += len("://")
        if begins >= word_ends:
            space = _SPACE.search(text, begins)
            word_ends = space.start() if space else len(text)
            last = text.rfind("@", begins, word_ends)
        mark = _END_OF_USER.search(text, begins, word_ends) if last >= begins else None
        if mark and mark[0] in "@:":
            ends = last if mark[0] == ":" else mark.start()
            if ends >= mark.start():
                yield text[done:begins]
                yield HIDDEN
                begins = done = ends
        begins = text.find("://", begins)
    yield text[done:]


def secrets_in(env: Mapping[str, str], *names: str) -> tuple[str, ...]:
    """The values of these variables and of all whose name says that they are secret, and the passwords in URLs."""
    found: dict[str, None] = {}
    for name, value in env.items():
        if name in names or _SECRET_NAME.search(name):
            found[value.strip()] = None
        for password in _PASSWORD.findall(value):
            found |= {password: None, unquote(password): None}
    return tuple(secret for secret in found if len(secret) >= SHORTEST_SECRET)


def passwords_of_proxies(env: Mapping[str, str]) -> tuple[str, ...]:
    """The passwords in `HTTPS_PROXY` and its like."""
    return secrets_in({name: value for name, value in env.items() if name.lower().endswith("_proxy")})


@lru_cache(maxsize=256)
def _spelled(secret: str) -> re.Pattern[str]:
    spellings = sorted({*_spellings(secret)} - {""}, key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, spellings), _sign_by_sign(secret)]), re.I)


def _sign_by_sign(secret: str) -> str:
    """A pattern for the secret with any of its signs written as in an address or in JSON, or broken into lines."""
    return r"\s{0,2}".join(
        f"(?:{re.escape(sign)}|%{ord(sign):02x}|{_BACKSLASH}u{ord(sign):04x})" if ord(sign) < 0x80 else re.escape(sign)
        for sign in secret
    )


def _spellings(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "replace")
    yield secret
    yield quote(secret, safe="", errors="replace")
    yield quote(secret, errors="replace")
    yield quote_plus(secret, errors="replace")
    yield html.escape(secret)
    yield json.dumps(secret)[1:-1]
    yield raw.hex()
    if len(raw) >= SHORTEST_SECRET:
        yield from _in_base64(raw)


def _in_base64(raw: bytes) -> Iterator[str]:
    """The part that stays the same whatever stands before and after it, as a name does in `Basic` credentials."""
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            encoded = encode(b"\0" * before + raw).decode()
            begin, end = -(-before * 4 // 3), (before + len(raw)) * 4 // 3
            yield encoded[begin:end]
