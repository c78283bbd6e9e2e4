"""Which proxy the environment names for a URL: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case."""

from __future__ import annotations

import ipaddress
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from dramaturg.kernel.addresses import PORTS

IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class UnusableProxy(ValueError):
    """A variable of the environment names a proxy that cannot be used. Its value is never quoted."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """The address of a proxy without its credentials, which travel in a header of their own."""

    url: str
    authorization: str | None = field(default=None, repr=False)


class Proxies:
    """The proxies of one environment. A server on this machine is always reached directly."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._exceptions = [_Exception(entry) for entry in re.split(r"[,\s]+", self._value("no_proxy")) if entry]

    def for_url(self, url: str) -> Proxy | None:
        """Raises UnusableProxy."""
        try:
            parts = urlsplit(url)
            host, port = _host(parts.hostname or ""), parts.port or PORTS.get(parts.scheme, 0)
        except ValueError:
            return None  # not an address: the client will say so
        if _is_this_machine(host) or any(one.covers(host, port) for one in self._exceptions):
            return None
        for name in (f"{parts.scheme}_proxy", "all_proxy"):
            if value := self._value(name):
                return _proxy(name.upper(), value)
        return None

    def _value(self, name: str) -> str:
        return (self._env.get(name) or self._env.get(name.upper()) or "").strip()


class _Exception:
    """One entry of `NO_PROXY`: `*`, a domain and all below it, an address or a network, perhaps with a port."""

    def __init__(self, entry: str) -> None:
        self._any = entry == "*"
        self._port: int | None = None
        self._network = _network(entry)
        name = entry
        if self._network is None and (ported := re.fullmatch(r"(.*):(\d{1,5})", entry)):
            name, self._port = ported[1], int(ported[2])
            self._network = _network(name)
        self._domain = _host(name.removeprefix("*").lstrip("."))

    def covers(self, host: str, port: int) -> bool:
        if self._port is not None and self._port != port:
            return False
        if self._any:
            return True
        if self._network is not None:
            address = _address(host)
            return address is not None and address in self._network
        return bool(self._domain) and (host == self._domain or host.endswith(f".{self._domain}"))


def _proxy(variable: str, value: str) -> Proxy:
    address = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(address)
        usable, port = bool(parts.hostname), parts.port
    except ValueError:
        usable = False
    if not usable:
        raise UnusableProxy(
            f"{variable} is not the address of a proxy; it must look like http://proxy.example.org:3128"
        )
    if parts.scheme not in PORTS:
        raise UnusableProxy(
            f"{variable} names a proxy of the kind '{parts.scheme}', which is not supported; name an HTTP proxy, "
            "or except the server with NO_PROXY"
        )
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return Proxy(f"{parts.scheme}://{host}" + (f":{port}" if port else ""), _authorization(parts))


def _authorization(parts: SplitResult) -> str | None:
    if parts.username is None and parts.password is None:
        return None
    credentials = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return f"Basic {b64encode(credentials.encode()).decode()}"


def _host(name: str) -> str:
    """A name as it is compared: lower-case, ASCII, without the dot at the end or an IPv6 zone."""
    plain = name.strip("[]").partition("%")[0].rstrip(".").lower()
    try:
        return plain.encode("idna").decode() if not plain.isascii() else plain
    except UnicodeError:
        return plain


def _address(host: str) -> IPAddress | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _network(entry: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    name, slash, size = entry.partition("/")
    plain = name.strip("[]")
    try:
        if ":" in plain and (address := _address(plain)) and address.version == 4:  # an IPv4 network written as IPv6
            plain, size = str(address), str(int(size) - 96) if slash else ""
        return ipaddress.ip_network(f"{plain}{slash}{size}", strict=False)
    except ValueError:
        return None


def _is_this_machine(host: str) -> bool:
    address = _address(host)
    return address.is_loopback if address else host == "localhost" or host.endswith(".localhost")
