"""Persistence: runs and their logs in a database, artifacts on disk.

Importing this package imports no database driver; calling `open_store` does.
"""

from dramaturg.kernel.store.artifacts import Artifacts
from dramaturg.kernel.store.port import Inbox, InboxMessage, Journal, Row, RunRecord, RunRegistry, Status, Store
from dramaturg.kernel.store.sql_store import open_store

__all__ = [
    "Artifacts",
    "Inbox",
    "InboxMessage",
    "Journal",
    "Row",
    "RunRecord",
    "RunRegistry",
    "Status",
    "Store",
    "open_store",
]
