"""The SQLite version bundled with this Python, and the oldest one supported."""

from __future__ import annotations

import sqlite3

OLDEST = (3, 35, 0)
"""The first version with RETURNING."""


def sqlite_version() -> str:
    return sqlite3.sqlite_version


def is_new_enough() -> bool:
    return sqlite3.sqlite_version_info >= OLDEST
