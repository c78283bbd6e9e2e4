"""Limits that processes share: levels of buckets, leases of places, and what was spent on a day."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


Columns = dict[str, sa.types.TypeEngine[Any]]
NAME: sa.types.TypeEngine[Any] = sa.String(200)
NUMBER: sa.types.TypeEngine[Any] = sa.DOUBLE_PRECISION()


def upgrade() -> None:
    levels: Columns = {"name": NAME, "level": NUMBER, "at": NUMBER, "paused_until": NUMBER}
    shares: Columns = {"name": NAME, "holder": NAME, "units": sa.Integer(), "wanted": sa.Integer(), "until": NUMBER}
    spent: Columns = {"name": NAME, "day": sa.String(10), "tokens": sa.BigInteger(), "usd": NUMBER}
    for table, columns, key in (
        ("limit_levels", levels, ("name",)),
        ("limit_shares", shares, ("name", "holder")),
        ("spent_days", spent, ("name", "day")),
    ):
        made = [sa.Column(name, kind, nullable=False) for name, kind in columns.items()]
        op.create_table(table, *made, sa.PrimaryKeyConstraint(*key, name=f"pk_{table}"))
