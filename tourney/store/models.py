"""SQLModel classes of the tables, for programs that want rows as objects.

Tourney's own commands read and write the tables themselves (``tourney.store.tables``), so this module, and
with it SQLModel, is loaded only where somebody asks for it. A class is made of its table, which stays the one
definition of the columns.
"""

import types
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from tourney.errors import UsageError
from tourney.store.tables import METADATA


@cache
def row_class(name: str) -> type[SQLModel]:
    """The class of a table's rows, by the table's name: ``session.exec(select(row_class("match")))``.

    Rows are for reading. A program that writes by them goes around every check and the lock of a run, and
    ``tourney verify`` finds it. Raises UsageError for a name that no table has.
    """
    if name not in METADATA.tables:
        raise UsageError(f"there is no table {name!r}; choose one of {', '.join(sorted(METADATA.tables))}")
    table = METADATA.tables[name]
    members: dict[str, object] = {
        "__table__": table,
        "__module__": __name__,
        "__doc__": f"A row of the table ``{name}``.",
        "__annotations__": {column.name: _type_of(column) for column in table.c},
    }
    members.update((column.name, Field(sa_column=column)) for column in table.c)
    title = "".join(word.capitalize() for word in name.split("_"))
    bases = (SQLModel,)
    made: type[SQLModel] = types.new_class(title, bases, {"table": True}, lambda names: names.update(members))
    return made


def _type_of(column: "sa.Column[Any]") -> object:
    type_ = column.type.python_type
    return type_ | None if column.nullable else type_
