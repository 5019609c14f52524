"""The hosts that played a tournament's matches, and those that get no more of them."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import sqlalchemy as sa

from tourney.match.result import machine_of
from tourney.store.column_reading import ColumnError, Columns, read_text, unpack_measured
from tourney.store.damage import naming
from tourney.store.engine import Access
from tourney.store.models import MATCH, MEASURED, PLAYED, REFUSED_HOST, SCHEDULE
from tourney.store.rows import dictionaries_of, each, keep_row


class RefusedHost(NamedTuple):
    """A host that gets no match of a tournament, why, and its stored matches, which no longer count.

    ``host`` is the machine as the coordinator knows it: the last part of the host beside a record.
    """

    host: str
    why: str
    matches: tuple[int, ...] = ()


def refused_host_of(row: Columns) -> RefusedHost:
    """A host that gets no match, without its matches."""
    return RefusedHost(read_text(row, "host", least=1), read_text(row, "why"))


class StoredHosts:
    """Reads which host played what, and keeps the refused ones."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def of_matches(self, tournament: int) -> Iterator[tuple[int, str]]:
        """Yield number and host of the matches that have a record; "" where the host is unknown."""
        query = (
            sa.select(SCHEDULE.c.number, MEASURED.c.data)
            .select_from(PLAYED.outerjoin(MEASURED, MEASURED.c.match_id == SCHEDULE.c.id))
            .where(SCHEDULE.c.tournament_id == tournament, MATCH.c.digest != "")
            .order_by(SCHEDULE.c.number)
        )
        with self._access.read() as connection:
            dictionary = dictionaries_of(connection, tournament).data
            for number, blob in each(connection, query):
                host = ""
                if blob is not None:
                    with suppress(ColumnError):
                        host = unpack_measured("data", blob, dictionary).host
                yield number, host

    def refused(self, tournament: int) -> tuple[RefusedHost, ...]:
        """The hosts that get no match of a tournament, by name, with their matches that are stored."""
        query = sa.select(REFUSED_HOST).where(REFUSED_HOST.c.tournament_id == tournament)
        found: dict[str, RefusedHost] = {}
        with self._access.read() as connection:
            for row in connection.execute(query.order_by(REFUSED_HOST.c.host)).mappings():
                with naming(connection, REFUSED_HOST, row):
                    found[row["host"]] = refused_host_of(row)
        matches: dict[str, list[int]] = {host: [] for host in found}
        for number, host in self.of_matches(tournament) if found else ():
            if (machine := machine_of(host)) in matches:
                matches[machine].append(number)
        return tuple(one._replace(matches=tuple(matches[host])) for host, one in found.items())

    def refuse(self, tournament: int, host: str, why: str) -> None:
        """Give a host no more matches of a tournament."""
        with self._access.write() as connection:
            keep_row(connection, REFUSED_HOST, {"tournament_id": tournament, "host": host}, why=why)

    def accept(self, tournament: int, host: str) -> None:
        """Let a refused host play again."""
        mine = (REFUSED_HOST.c.tournament_id == tournament) & (REFUSED_HOST.c.host == host)
        with self._access.write() as connection:
            connection.execute(sa.delete(REFUSED_HOST).where(mine))
