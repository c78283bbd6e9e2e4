"""Leases of runs, the generation of whoever plays them, and requests to stop."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("lease_until", sa.DOUBLE_PRECISION(), server_default=sa.text("0"), nullable=False))
    op.add_column("runs", sa.Column("generation", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("runs", sa.Column("stop_asked", sa.Boolean(), server_default=sa.text("FALSE"), nullable=False))
    playing = sa.text("status = 'playing'")
    op.create_index("ix_runs_lease_until", "runs", ["lease_until"], sqlite_where=playing, postgresql_where=playing)
