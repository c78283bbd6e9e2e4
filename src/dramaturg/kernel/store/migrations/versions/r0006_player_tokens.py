"""Tokens of players, which expire and can be revoked, and what their turns have used."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "player_tokens",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("player_id", sa.Text(), nullable=False),
        sa.Column("issued_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("expires_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_player_tokens"),
    )
    op.create_index("ix_player_tokens_player_id", "player_tokens", ["player_id"])
    op.create_table(
        "player_spending",
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Text(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("hour", "player_id", name="pk_player_spending"),
    )
