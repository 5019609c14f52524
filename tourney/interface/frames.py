"""The frames that only the Python interface has: matches by seats, the crosstable, rounds, and analyses."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tourney.errors import GameError
from tourney.games.registry import find_game
from tourney.protocol import SURE_WIN
from tourney.results.columns import PLACE, Column, Row, count_column, data_frame, number_column
from tourney.results.positions import each_part
from tourney.results.rounds import rankings
from tourney.results.standings import load_setup
from tourney.results.tables import entrant_names
from tourney.schedule.format import ranking_format
from tourney.store.column_reading import unpack_parts
from tourney.store.database import Database
from tourney.store.values import Tournament

if TYPE_CHECKING:
    import pandas as pd

MATCH_ENDS = (
    Column("winner", help="Name of the only first; missing for a draw and a void match"),
    Column("reason", help="Why the match ended"),
    Column("void", help="Whether the match counts for nothing", dtype="boolean"),
    Column("actions", help="Number of actions", dtype="Int64"),
    Column("date", help="Start of the match", dtype="datetime64[ns, UTC]"),
    number_column("duration_s", "Duration of the match", unit="seconds"),
    Column("reproducible", help="Whether replaying it must give the same record", dtype="boolean"),
    Column("digest", help="Digest of the record"),
)
"""The columns of matches after those of the seats."""

HISTORY_COLUMNS = (
    count_column("round", "Round, from 1"),
    Column("name", help="Name of the entrant"),
    count_column("rank", "1 + the number of better bots after the round", order="lower"),
    number_column("points", "Sum of the match scores after the round, with byes", unit="points"),
    number_column("mu", "Mean of the bot's skill by TrueSkill after the round"),
    number_column("sigma", "Standard deviation of the skill"),
)

ANALYSIS_COLUMNS = (
    count_column("match", "Number of the match in the schedule, from 1"),
    count_column("ply", "Number of the action in the match, from 1"),
    count_column("seat", "Seat, from 1"),
    Column("entrant", help="Name of the entrant"),
    Column("action", help="The action that was played"),
    number_column("win", "Chance of the seat to win before the action, from 0 to 1"),
    number_column("loss", "Chance to win that the action lost; missing where it is unknown"),
    Column("mark", help="`inaccuracy`, `mistake` or `blunder`; else missing"),
    Column("best", help="The action of the reference bot"),
    Column("analyser", help="The reference bot and its limit"),
)


def seat_columns(tournament: Tournament) -> tuple[str, ...]:
    """A game's names for its seats as columns, such as ``white`` and ``black``; else ``seat_1``."""
    try:
        names: Sequence[str] = find_game(tournament.game).seat_names
    except GameError:
        names = ()
    numbers = range(1, tournament.seats + 1)
    words = [re.sub(r"\W+", "_", name.lower()) for name in names[: tournament.seats]]
    if len(set(words)) < tournament.seats:
        return tuple(f"seat_{number}" for number in numbers)
    return tuple(words)


def match_frame(database: Database, tournament: Tournament) -> "pd.DataFrame":
    """A row for each match, with or without a result; a column for each seat's name, and one for its rank."""
    seats = seat_columns(tournament)
    columns = (
        *PLACE,
        *(Column(seat, help=f"Name of the entrant at the seat {seat}") for seat in seats),
        *(Column(f"{seat}_rank", help=f"Rank of the seat {seat}", dtype="Int64") for seat in seats),
        *MATCH_ENDS,
    )
    return data_frame(columns, _match_rows(database, tournament, seats))


def _match_rows(database: Database, tournament: Tournament, seats: Sequence[str]) -> Iterator[Row]:
    names = entrant_names(database, tournament)
    places = [column.key for column in PLACE]
    matches = database.matches.all(tournament.id)
    for match, parts in each_part(matches, partial(database.records.parts, tournament.id)):
        row: dict[str, object] = dict(zip(places, (match.number, *match.key), strict=True))
        row |= {seat: names[number] for seat, number in zip(seats, match.seats, strict=True)}
        end = match.result
        if end is not None:
            # Only the measurements are unpacked: the record of a long match takes milliseconds.
            _, _, measured = unpack_parts(parts._replace(record=None, log=None), tournament.seats)
            first = [seat for seat, rank in zip(match.seats, end.ranks, strict=True) if rank == 1]
            row |= {f"{seat}_rank": rank for seat, rank in zip(seats, end.ranks, strict=True)}
            row |= {
                "winner": names[first[0]] if len(first) == 1 and not end.void else None,
                "reason": end.reason,
                "void": end.void,
                "actions": end.actions,
                "date": measured.started or None,
                "duration_s": None if measured.wall_ms is None else measured.wall_ms / 1000,
                "reproducible": end.reproducible,
                "digest": end.digest,
            }
        yield row


def crosstable(pairs: "pd.DataFrame", order: Sequence[str]) -> "pd.DataFrame":
    """The points of each entrant against each other one; rows and columns in an ``order`` of names."""
    points = pairs.pivot_table(index="entrant", columns="opponent", values="points", aggfunc="sum")
    return points.reindex(index=list(order), columns=list(order)).astype("float64")


def history_frame(database: Database, tournament: Tournament) -> "pd.DataFrame":
    """A row for each round and entrant: rank, points and TrueSkill after the round."""
    from tourney.ratings.trueskill import history  # noqa: PLC0415 - slow to import, and only this needs it

    names = entrant_names(database, tournament)
    setup = load_setup(database, tournament.id)
    format_ = ranking_format(tournament.plan.format)
    rows = [row for _, row in database.schedules.rows(tournament.id)]
    results = list(database.matches.results(tournament.id))
    skills = dict(history(results, names))

    def lines() -> Iterator[Mapping[str, object]]:
        after = iter(rankings(format_, setup, rows, results))
        next(after)  # before the first round
        pool = None
        for number, ranking in zip(dict.fromkeys(row.round for row in rows), after, strict=True):
            pool = skills.get(number, pool)
            for entrant, line in ranking.items():
                skill = None if pool is None else pool.skills.get(entrant)
                yield {
                    "round": number,
                    "name": names[entrant],
                    "rank": line.rank,
                    "points": line.points,
                    "mu": None if skill is None else skill.mu,
                    "sigma": None if skill is None else skill.sigma,
                }

    return data_frame(HISTORY_COLUMNS, lines())


def analysis_frame(database: Database, tournament: Tournament) -> "pd.DataFrame":
    """A row for each valued action of each analysis of a tournament's matches."""

    def lines() -> Iterator[Mapping[str, object]]:
        for number, analysis in database.analyses.all(tournament.id):
            record = database.records.get(tournament.id, number)
            for turn in analysis.points:
                yield {
                    "match": number,
                    "ply": turn.ply + 1,
                    "seat": turn.seat,
                    "entrant": record.seats[turn.seat - 1].name,
                    "action": record.actions[turn.ply][1],
                    "win": turn.value / SURE_WIN,
                    "loss": None if turn.loss is None else turn.loss / SURE_WIN,
                    "mark": turn.mark,
                    "best": turn.best,
                    "analyser": analysis.analyser.label,
                }

    return data_frame(ANALYSIS_COLUMNS, lines())
