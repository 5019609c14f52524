"""Tables of ratings, for ``tourney ratings`` and ``tourney rate``: for people, CSV and JSON documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from tourney.cli.output import Output, OutputFormat
from tourney.cli.rating_documents import (
    CycleLine,
    Cycles,
    EloLine,
    EvaluationLine,
    Fit,
    LeftOut,
    MeasuresDocument,
    MeasuresLine,
    PairLine,
    PairsDocument,
    PoolDocument,
    RatingsDocument,
    SeatLine,
    VersionLine,
    VersionsDocument,
)
from tourney.errors import UsageError
from tourney.ratings.batch import Batch
from tourney.ratings.method import RatingLine
from tourney.ratings.sequential import EVERY_LOOK
from tourney.results.columns import (
    CYCLES,
    ELO,
    EVALUATIONS,
    PAIRS,
    POOL,
    VERSIONS,
    VERSIONS_SHOWN,
    Column,
    elo_shown,
    rating_columns,
    rendered,
)
from tourney.results.ratings import (
    Names,
    Rows,
    batch_rows,
    cycle_rows,
    evaluation_rows,
    pair_rows,
    pool_rows,
    rating_rows,
)
from tourney.results.versions import VersionPool, version_rows
from tourney.schema import Document, Part

F = TypeVar("F", bound=Callable[..., Any])
P = TypeVar("P", bound=Part)

forfeits_option = click.option(
    "--forfeits",
    type=click.Choice(["loss", "void"]),
    default="loss",
    show_default=True,
    help="Whether a game lost by a fault (time, illegal move, crash) counts as a loss or not at all.",
)
"""``--forfeits loss|void``; the command gets ``forfeits``."""

anchor_option = click.option(
    "--anchor",
    "levels",
    multiple=True,
    metavar="NAME=ELO",
    callback=lambda _ctx, _param, values: anchors_of(values),
    help="Give a player this Elo; all others follow. Repeatable: then the mean of the anchors is fixed.",
)
"""``--anchor NAME=ELO``; the command gets ``levels``: Elo by name."""


def method_option(names: Sequence[str]) -> Callable[[F], F]:
    """Add ``--method`` with these names of methods; the command gets ``method``."""
    return click.option(
        "--method",
        type=click.Choice(list(names)),
        default="batch",
        show_default=True,
        help="Rating method: one fit to all games (batch), or game by game in their order (trueskill).",
    )


def refuse_for(method: str, given: Iterable[str]) -> None:
    """Raise UsageError for options that were given and belong to a ``method`` that was not chosen."""
    for option in given:
        raise UsageError(f"{option} is for --method {method}")


def anchors_of(texts: Sequence[str]) -> dict[str, float]:
    """The Elo of anchors by name. A name may hold ``=``; what follows the last one is the number."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, level = text.rpartition("=")
        try:
            elo = float(level)
        except ValueError:
            elo = float("nan")
        if not equals or not name or not abs(elo) <= 1e6:  # NaN compares false
            raise UsageError(f"--anchor {text!r} does not have the form NAME=ELO")
        if name in found:
            raise UsageError(f"--anchor names {name!r} twice")
        found[name] = elo
    return found


def anchors_text(levels: Mapping[str, float]) -> str:
    """The sentence that names the anchors."""
    return f"Elo is relative to {', '.join(f'{name} = {elo:g}' for name, elo in levels.items())}."


TRUESKILL_MEASURES: tuple[str, ...] = ("mu", "sigma", "exposed")
"""The measures of a TrueSkill rating."""


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A table: rows and columns for people or CSV, and what makes its JSON document from the notes.

    ``below`` are further tables, which people alone see; one without rows is left out.
    """

    rows: Rows
    columns: Sequence[Column]
    document: Callable[[tuple[str, ...]], Document]
    below: tuple[tuple[Rows, Sequence[Column]], ...] = ()

    def write(self, output: Output, format_: OutputFormat, notes: Sequence[str]) -> None:
        """Print the table, and say the ``notes``."""
        if format_ is OutputFormat.JSON:
            output.document(self.document(tuple(notes)))
        else:
            rows = rendered(self.rows, self.columns, people=format_ is OutputFormat.TABLE)
            output.table(rows, self.columns, format_)
        for rows, columns in self.below if format_ is OutputFormat.TABLE else ():
            if rows:
                output.write("")
                output.table(rendered(rows, columns, people=True), columns)
        for sentence in notes:
            output.say(sentence)


@dataclass(frozen=True, slots=True)
class RatedBots:
    """The names and faults of rated bots by number, and their ``tournament`` (None: results of files)."""

    names: Names
    faults: Mapping[int, int]
    tournament: str | None = None


@dataclass(frozen=True, slots=True)
class BatchTables:
    """The tables of a batch rating."""

    batch: Batch
    bots: RatedBots

    def table(self, show: str, *, people: bool) -> RatingTable:
        """The table of its ``pairs``, of its ``pool``, or of the bots (any other word)."""
        batch, names = self.batch, self.bots.names
        if show == "pairs":
            return RatingTable(pair_rows(batch, names), PAIRS, self._pairs)
        if show == "pool":
            return RatingTable(pool_rows(batch, names), POOL, self._pool)
        below = ((evaluation_rows(batch, names), EVALUATIONS), (cycle_rows(batch, names), CYCLES))
        columns = elo_shown(batch.intervals, batch.model) if people else ELO
        return RatingTable(batch_rows(batch, names, self.bots.faults), columns, self._ratings, below)

    def _ratings(self, notes: tuple[str, ...]) -> RatingsDocument:
        return RatingsDocument(
            tournament=self.bots.tournament,
            model=self.batch.model,
            intervals=self.batch.intervals,
            fit=self._fit(),
            ratings=lines_of(EloLine, batch_rows(self.batch, self.bots.names, self.bots.faults)),
            cycles=self._cycles(),
            notes=notes,
        )

    def _pairs(self, notes: tuple[str, ...]) -> PairsDocument:
        pairs = lines_of(PairLine, pair_rows(self.batch, self.bots.names))
        return PairsDocument(tournament=self.bots.tournament, pairs=pairs, notes=notes)

    def _pool(self, notes: tuple[str, ...]) -> PoolDocument:
        pool, names = self.batch.pool, self.bots.names
        return PoolDocument.of(
            pool,
            tournament=self.bots.tournament,
            groups=pool.clusters,
            intervals=self.batch.intervals,
            seats=tuple(map(SeatLine.of, pool.seats)),
            fit=self._fit(),
            parts=tuple(tuple(names[entrant] for entrant in part) for part in pool.parts),
            p_best={names[line.entrant]: line.p_best for line in self.batch.ratings},
            notes=notes,
        )

    def _fit(self) -> Fit:
        return Fit.of(self.batch.pool.goodness)

    def _cycles(self) -> Cycles | None:
        found, names = self.batch.cycles, self.bots.names
        if found is None:
            return None
        cycles = tuple(
            CycleLine.of(cycle, bots=tuple(names[one] for one in cycle.entrants)) for cycle in found.cycles
        )
        evaluations = lines_of(EvaluationLine, evaluation_rows(self.batch, names))
        return Cycles(deviation=found.deviation, cycles=cycles, evaluations=evaluations)


def measures_table(
    lines: Iterable[RatingLine], method: str, measures: Sequence[str], bots: RatedBots
) -> RatingTable:
    """The table of another method, which names its own ``measures``."""
    rows = rating_rows(lines, measures, bots.names, bots.faults)
    columns = rating_columns(method, measures)

    def document(notes: tuple[str, ...]) -> MeasuresDocument:
        exact = rendered(rows, columns, people=False)
        ratings = [{**row, "measures": {key: row[key] for key in measures}} for row in exact]
        return MeasuresDocument(
            tournament=bots.tournament, method=method, ratings=lines_of(MeasuresLine, ratings), notes=notes
        )

    return RatingTable(rows, columns, document)


def versions_table(pool: VersionPool, batch: Batch, *, people: bool) -> RatingTable:
    """The table of all versions of bots."""
    rows = version_rows(pool, batch)

    def document(notes: tuple[str, ...]) -> VersionsDocument:
        return VersionsDocument(
            game=pool.reference.game,
            reference=pool.reference.name,
            tournaments=tuple(one.name for one in pool.tournaments),
            left_out=tuple(LeftOut(tournament=name, why=why) for name, why in pool.left_out),
            intervals=EVERY_LOOK,
            versions=lines_of(VersionLine, rows),
            notes=notes,
        )

    return RatingTable(rows, VERSIONS_SHOWN if people else VERSIONS, document)


def lines_of(kind: type[P], rows: Rows) -> tuple[P, ...]:
    """The rows of a table as parts of a document, each with the keys of its kind."""
    return tuple(map(kind.of, rows))


def number(option: str, text: str) -> float:
    """The number of an option. Raises UsageError."""
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{option} {text} is not a number") from error
