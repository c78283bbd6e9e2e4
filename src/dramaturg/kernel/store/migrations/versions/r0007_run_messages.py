"""What people send to a run while it is played."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_messages",
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("topic", sa.String(80), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("message_key", sa.String(200), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_run_messages"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_messages_run_id_runs", ondelete="CASCADE"),
    )
    op.create_index("ix_run_messages_run_id_message_key", "run_messages", ["run_id", "message_key"], unique=True)
