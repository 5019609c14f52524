"""The database's history, as Alembic revisions; it works from a wheel, without an ini file.

``REVISIONS`` names all of them, oldest first, so that a database's age is known without loading Alembic.
"""

REVISIONS: tuple[str, ...] = ("0001", "0002", "0003", "0004")
HEAD = REVISIONS[-1]
