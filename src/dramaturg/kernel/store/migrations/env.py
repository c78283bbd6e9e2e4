"""Run by Alembic: the missing revisions, over the connection it is given."""

from alembic import context

from dramaturg.kernel.store.schema import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
