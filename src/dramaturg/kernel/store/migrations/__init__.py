"""Migrations of older databases, with Alembic; imported only when there is one.

The revisions are one linear history of one database, so they stay together here, although most create tables that
belong to a capability. What a table looks like today is declared in its owner's `tables.sql`.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool


def upgrade(connection: Connection) -> None:
    """Runs the missing revisions inside the transaction of `connection`."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def upgrade_sqlite(connection: sqlite3.Connection) -> None:
    """The same, over a sqlite3 connection that does not begin transactions by itself."""
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    event.listen(engine, "begin", lambda begun: begun.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as begun:
        upgrade(begun)
