"""The register of runs, and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("updated_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("parent_id", sa.String(40), nullable=True),
        sa.Column("forked_at", sa.Integer(), nullable=True),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("adoptions", sa.Integer(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_created_at", "runs", ["created_at"])
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("type", sa.String(80), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_events"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_events_run_id_runs", ondelete="CASCADE"),
    )
