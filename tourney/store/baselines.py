"""Baselines: the bots that candidates are compared with, and what each beat to become one.

The promotions of a game and a name are a stack: the newest is the baseline, and taking it back makes the one
before it the baseline again.
"""

import sqlalchemy as sa
from msgspec import Struct

from tourney.errors import UsageError
from tourney.match.spec import Entrant
from tourney.schema import Arguments, Count, Digest, Label, LongText, Text
from tourney.store.column_reading import Columns, canonical, read_json
from tourney.store.engine import Subject
from tourney.store.rows import check_columns, read_values
from tourney.store.tables import BASELINE
from tourney.store.values import Elo


class Beaten(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that a promoted one beat: the lead, the ends of its interval (or None), the number of pairs."""

    name: Label
    version: Label
    digest: Digest
    elo: Elo
    low: Elo | None
    high: Elo | None
    pairs: Count


class Promotion(Struct, frozen=True, forbid_unknown_fields=True):
    """How a bot became a baseline: when (ISO 8601, UTC), in which gate ("": none), and whom it beat."""

    bot: Label
    version: Label
    args: Arguments
    promoted: Text
    gate: LongText = ""
    beaten: tuple[Beaten, ...] = ()


class Baseline(Struct, frozen=True):
    """A baseline of a game. ``number`` counts the promotions under its name from 1."""

    game: str
    name: str
    number: int
    digest: str
    promotion: Promotion

    @property
    def entrant(self) -> Entrant:
        """The bot as an entrant of its name."""
        promotion = self.promotion
        return Entrant(self.name, promotion.bot, promotion.version, promotion.args, self.digest)


def baseline_of(row: Columns) -> Baseline:
    """A row as a value. Raises ColumnError."""
    check_columns(BASELINE, row)
    promotion = read_json("data", row["data"], Promotion, "a promotion")
    return Baseline(row["game"], row["name"], row["number"], row["digest"], promotion)


class Baselines(Subject):
    """Reads and writes baselines."""

    def all(self, game: str | None = None, *, history: bool = False) -> tuple[Baseline, ...]:
        """The baselines of a game (None: of all) by game and name.

        With ``history`` also those that later promotions replaced, the oldest first.
        """
        query = sa.select(BASELINE).order_by(*BASELINE.primary_key)
        if game is not None:
            query = query.where(BASELINE.c.game == game)
        baselines = read_values(self._access, BASELINE, query, baseline_of)
        return (
            baselines
            if history
            else tuple({(baseline.game, baseline.name): baseline for baseline in baselines}.values())
        )

    def promote(self, game: str, name: str, digest: str, promotion: Promotion) -> Baseline:
        """Store a promotion; it replaces the baseline of that name."""
        mine = (BASELINE.c.game == game) & (BASELINE.c.name == name)
        with self._access.write() as connection:
            last = connection.execute(sa.select(sa.func.max(BASELINE.c.number)).where(mine)).scalar()
            number = (last or 0) + 1
            row = {"game": game, "name": name, "number": number, "digest": digest}
            connection.execute(sa.insert(BASELINE).values(**row, data=canonical(promotion)))
        return Baseline(game, name, number, digest, promotion)

    def demote(self, game: str, name: str) -> tuple[Baseline, Baseline | None]:
        """Take back the last promotion of a name; return it, and the baseline that it had replaced.

        Raises UsageError if there is none.
        """
        before = [baseline for baseline in self.all(game, history=True) if baseline.name == name]
        if not before:
            raise UsageError(f"{name} is not a baseline of {game}; see `tourney bots baselines`")
        last = before.pop()
        self._remove(BASELINE, game=game, name=name, number=last.number)
        return last, before[-1] if before else None
