"""Where an ensemble is asked: whose turn it is, and what the next request goes on from."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "kiosks",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("last_run", sa.String(40), nullable=True),
        sa.Column("last_ticket", sa.Integer(), nullable=False),
        sa.Column("tickets", sa.Integer(), nullable=False),
        sa.Column("resets", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_kiosks"),
    )
