"""Consolidation of a book: batches of facts, the conflicts they met, and the texts that were read."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (("graph_entities", "withdrawn"), ("graph_facts", "set_aside")):
        op.add_column(table, sa.Column(column, sa.Boolean(), server_default=sa.text("FALSE"), nullable=False))
    op.create_table(
        "graph_batches",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run", sa.String(80), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("merged_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("undone_at", sa.DOUBLE_PRECISION(), nullable=True),
        sa.PrimaryKeyConstraint("book", "id", name="pk_graph_batches"),
    )
    op.create_table(
        "graph_conflicts",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(24), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("old_fact", sa.Integer(), nullable=False),
        sa.Column("new_fact", sa.Integer(), nullable=False),
        sa.Column("further", sa.Text(), nullable=False),
        sa.Column("found_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("resolution", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(24), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("resolved_at", sa.DOUBLE_PRECISION(), nullable=True),
        sa.PrimaryKeyConstraint("book", "id", name="pk_graph_conflicts"),
    )
    op.create_table(
        "consolidated_texts",
        sa.Column("book", sa.String(120), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("book", "path", name="pk_consolidated_texts"),
    )
