"""Run by Alembic: migrate over the connection that the store hands in, within its transaction."""

from alembic import context

from tourney.store.models import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
