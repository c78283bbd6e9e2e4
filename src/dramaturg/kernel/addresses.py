"""Network addresses that people write: whether one is this machine's, where it leads, and how it is shown."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

_AUTHORITY = re.compile(r"\s*(?:[A-Za-z][\w+.-]*:)?[/\\]*([^/?#]*)")
# What every parser of addresses reads the same way.
_PLAIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?(?:/[\w.~/-]*)?"
)
PORTS = {"http": 80, "https": 443}
"""The schemes of HTTP, and the port of an address that names none."""


def has_credentials(address: str) -> bool:
    """Whether an address has a user name or a password before its host. True for one that cannot be read.

    Such an address must never be quoted.
    """
    authority = _AUTHORITY.match(address)
    if authority is not None and "@" in authority[1]:
        return True
    try:
        return "@" in urlsplit(address.strip()).netloc
    except ValueError:
        return True


def origin_of(address: str) -> str | None:
    """Scheme, host and port of a plain HTTP address; None for one that programs may read differently."""
    found = _PLAIN.fullmatch(address.strip())
    if found is None:
        return None
    scheme, host = found["scheme"], found["host"].lower().removesuffix(".")
    return f"{scheme}://{host}:{int(found['port'] or PORTS[scheme])}"


def is_on_this_machine(address: str) -> bool:
    """Whether a plain HTTP address can only lead to this machine."""
    origin = origin_of(address)
    return origin is not None and is_loopback(origin.partition("://")[2].rpartition(":")[0].strip("[]"))


def is_loopback(host: str) -> bool:
    """Whether a host can only be this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
