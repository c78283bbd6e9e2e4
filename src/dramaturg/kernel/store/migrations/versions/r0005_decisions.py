"""What writers have settled about their books, with its past."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "decisions",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("category", sa.String(16), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("decided_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("retired_at", sa.DOUBLE_PRECISION(), nullable=True),
        sa.Column("taken_back", sa.Boolean(), nullable=False),
        sa.Column("is_promoted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("book", "id", name="pk_decisions"),
    )
    op.create_index("ix_decisions_key", "decisions", ["book", "key"])
