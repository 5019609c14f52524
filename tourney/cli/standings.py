"""``tourney standings``: the standings of a tournament."""

from typing import Literal

from tourney.cli import options as opt
from tourney.cli.luck import compute_luck_shown
from tourney.cli.output import OutputFormat, current
from tourney.interface.readers import open_database
from tourney.results.columns import Column
from tourney.results.luck import shows_luck
from tourney.results.standings import (
    Ranking,
    Standing,
    ranking_columns,
    ranking_sentences,
    standing_row,
    standings_columns,
)
from tourney.schedule.format import FORMATS
from tourney.schema import Document, Part
from tourney.store.database import Database
from tourney.store.values import Tournament


class StandingsLine(Part, frozen=True, kw_only=True):
    """An entrant.

    `awarded` are the points of byes among its `points`; `mean` is its points per match, byes apart;
    `luck` those that the dice gave, and `mean_without_luck` the difference, null where luck is not known.
    `tie_breaks` has the format's own values by name; null where one does not apply.
    """

    rank: int
    name: str
    points: float
    awarded: float
    games: int
    mean: float | None
    luck: float | None
    mean_without_luck: float | None
    wins: int
    draws: int
    losses: int
    faults: int
    kinds: dict[str, int]
    tie_breaks: dict[str, float | None]


class StandingsDocument(Document, frozen=True, kw_only=True):
    """The standings of a tournament, best first.

    `ranked_by` names what ranks first and then breaks ties: keys of a line, or of its `tie_breaks`.
    `finished` is false while matches are to be played or rounds to be paired.
    """

    format: Literal["tourney-standings/1"] = "tourney-standings/1"
    tournament: str
    finished: bool
    ranked_by: tuple[str, ...]
    standings: tuple[StandingsLine, ...]


_EXACT = Column("exact")
"""Renders the numbers of JSON as any column does."""


@opt.command("standings")
@opt.tournament_argument
@opt.db_option
@opt.formats_option(StandingsDocument)
def command(tournament: str | None, db: str) -> None:
    """Print the standings of TOURNAMENT (default: the newest).

    With two seats, a win is 1 point and a draw 1/2. With k seats, a match scores (k - place) / (k - 1), and
    tied seats share the mean of their places. A win is a first place alone, a draw a shared first place. The
    value that ranks first is the column after the name; the rule and its tie-breaks are below the table, on
    standard error. docs/explanation/formats.md explains the rankings.
    """
    with open_database(db) as opened:
        compute_luck_shown(opened.database, opened.tournament(tournament).stored)
        with opened.snapshot() as database:
            reader = database.tournament(tournament)
            warn_unknown_format(reader.stored)
            lines = reader.standing_lines()
            interim = reader.interim()
            name_default(tournament, reader.stored, database.database)
    output = current()
    ranking = Ranking.of(reader.stored.plan)
    luck = shows_luck(reader.stored)
    columns = standings_columns(ranking, luck=luck)
    output.document(
        StandingsDocument(
            tournament=reader.name,
            finished=not interim,
            ranked_by=tuple(column.key for column in ranking_columns(ranking)),
            standings=tuple(map(standing_line, lines)),
        )
    )
    output.table(map(standing_row, lines), columns)
    for sentence in ranking_sentences(ranking, luck=luck) if output.people else ():
        output.say(sentence)
    if interim and output.format is not OutputFormat.JSON:
        output.say(interim)


def standing_line(line: Standing) -> StandingsLine:
    """A line of the standings for JSON: exact fractions become floats."""
    return StandingsLine.of(
        line,
        points=_EXACT.exact(line.points),
        **{key: _EXACT.exact(getattr(line, key)) for key in ("awarded", "mean", "luck", "mean_without_luck")},
        faults=line.fault_count,
        kinds=dict(line.faults),
        tie_breaks={key: _EXACT.exact(value) for key, value in line.tie_breaks},
    )


def name_default(asked: str | None, chosen: Tournament, database: Database) -> None:
    """Name the tournament that a command took by default, if there are others."""
    if asked is None and len(database.tournaments.all()) > 1:
        current().say(f"tournament: {chosen.name}")


def warn_unknown_format(tournament: Tournament) -> None:
    """Print a warning if the tournament's format is not installed, so that points rank its standings."""
    format_ = tournament.plan.format
    if not FORMATS.knows(format_):
        current().warn(
            f"the format {format_} of {tournament.name} is not installed: the standings are ranked by points"
        )
