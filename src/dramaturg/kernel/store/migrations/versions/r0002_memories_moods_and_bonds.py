"""What characters keep from scene to scene."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "memories",
        sa.Column("id", sa.String(40), nullable=False),
        *_trace(),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("importance", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("edited", sa.Boolean(), nullable=False),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_memories"),
    )
    op.create_index("ix_memories_character", "memories", ["character"])
    op.create_table(
        "moods",
        *_trace(),
        sa.Column("valence", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("arousal", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("character", "moment", name="pk_moods"),
    )
    op.create_table(
        "bonds",
        *_trace(),
        sa.Column("toward", sa.Text(), nullable=False),
        sa.Column("trust", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("affection", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("tension", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("character", "toward", "moment", name="pk_bonds"),
    )


def _trace() -> list[sa.Column[object]]:
    return [
        sa.Column("character", sa.Text(), nullable=False),
        sa.Column("scene", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("moment", sa.String(40), nullable=False),
    ]
