"""The tables of the first release: a database that needs a revision already has these."""

revision = "v1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing: a new database gets its tables from the models."""
