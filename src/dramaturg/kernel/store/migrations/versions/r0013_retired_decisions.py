"""The decisions of a book that hold no more, found without a look at the others."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    retired = sa.text("retired_at IS NOT NULL")
    columns = ["book", "id"]
    op.create_index("ix_decisions_retired", "decisions", columns, sqlite_where=retired, postgresql_where=retired)
