"""The knowledge graph of a book: entities, facts, and the files they were read from."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "graph_entities",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("aliases", sa.Text(), nullable=False),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("book", "id", name="pk_graph_entities"),
    )
    op.create_table(
        "graph_facts",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Integer(), nullable=False),
        sa.Column("predicate", sa.String(120), nullable=False),
        sa.Column("object", sa.Integer(), nullable=True),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("modality", sa.String(16), nullable=False),
        sa.Column("holder", sa.Integer(), nullable=True),
        sa.Column("time_from", sa.Text(), nullable=False),
        sa.Column("time_to", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("paragraph", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("retired_at", sa.DOUBLE_PRECISION(), nullable=True),
        sa.PrimaryKeyConstraint("book", "id", name="pk_graph_facts"),
    )
    op.create_table(
        "graph_sources",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("book", "path", name="pk_graph_sources"),
    )
