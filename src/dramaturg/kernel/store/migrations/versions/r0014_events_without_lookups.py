"""On Postgres the entries of a log are deleted with their run by a trigger, and looked up no more one by one."""

from alembic import op

from dramaturg.kernel.store.schema import CASCADE_ON_POSTGRES

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for sql in CASCADE_ON_POSTGRES:
            op.execute(sql)
