"""Secrets that are like no other text, every way they can be written, and a search for them in everything there is."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import sqlite3
import zipfile
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote, quote_plus

import asyncpg

TAIL = "&/+=%~"
"""At the end of every canary: characters that each encoding writes in its own way."""
KEY, TOKEN, PLAYERS = f"cnry1key7Qw{TAIL}", "cnry2token8Er-stage-door", f"cnry3players9Ty{TAIL}"
DATABASE, PROXY = f"cnry4database1Ui{TAIL}", f"cnry5proxy2Op{TAIL}"
NAMES = {"API key": KEY, "server token": TOKEN, "players' secret": PLAYERS, "database password": DATABASE}
NAMES["proxy password"] = PROXY
SQLITE_MAGIC = b"SQLite format 3\0"


def spellings(secret: str) -> Iterator[bytes]:
    """A secret in clear and in every encoding in which it would still be one."""
    raw = secret.encode()
    yield raw
    yield quote(secret, safe="").encode()
    yield quote(secret).encode()
    yield quote_plus(secret).encode()
    yield html.escape(secret).encode()
    yield json.dumps(secret)[1:-1].encode()
    yield raw.hex().encode()
    for encode in (b64encode, urlsafe_b64encode):
        for shift in range(3):  # whatever stands before it
            yield encode(b"\0" * shift + raw)[(0, 2, 3)[shift] : -4]


@cache
def _spelled(secret: str) -> re.Pattern[bytes]:
    return re.compile(b"|".join(map(re.escape, {*spellings(secret)})))


@dataclass
class Search:
    """Collects what was found where."""

    secrets: dict[str, str]
    leaks: list[str] = field(default_factory=list)
    looked_at: int = 0

    def look(self, where: str, data: bytes | str) -> None:
        given = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        for content in (given, *unpacked(given)):
            self.looked_at += 1
            for name, secret in self.secrets.items():
                if found := _spelled(secret).search(content):
                    around = content[max(0, found.start() - 60) : found.start() + 40]
                    self.leaks.append(f"{name} in {where}: {around!r}")

    def look_at_files(self, folder: Path) -> None:
        """Every byte of every file, and every cell of every SQLite database."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                where = path.relative_to(folder).as_posix()
                self.look(where, data)
                self.look(f"the name of {where}", where)
                if data.startswith(SQLITE_MAGIC):
                    self.look_at_database(where, path)

    def look_at_database(self, where: str, path: Path) -> None:
        with sqlite3.connect(path) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                for row in connection.execute(f'SELECT * FROM "{table}"'):
                    for cell in row:
                        self.look(f"{where}, table {table}", cell if isinstance(cell, bytes | str) else str(cell))
        connection.close()

    async def look_at_postgres(self, url: str) -> None:
        connection = await asyncpg.connect(url)
        try:
            tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            assert tables
            for (table,) in tables:
                for row in await connection.fetch(f'SELECT * FROM "{table}"'):
                    for cell in row.values():
                        self.look(f"Postgres, table {table}", cell if isinstance(cell, bytes | str) else str(cell))
        finally:
            await connection.close()


def unpacked(data: bytes) -> Iterator[bytes]:
    """What compressed data holds."""
    if data[:2] == b"\x1f\x8b":
        yield gzip.decompress(data)
    if data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    if re.match(rb"\x78[\x01\x5e\x9c\xda]", data):
        try:
            yield zlib.decompress(data)
        except zlib.error:
            return
