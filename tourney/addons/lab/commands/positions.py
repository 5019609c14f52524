"""``tourney positions``: what a bot met in its games, and where it loses."""

from typing import Literal

import click
from msgspec.structs import asdict

from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.results.columns import Row
from tourney.results.positions import PositionNode, ResultTally, explore, games_of, most_met
from tourney.schema import Document, Part
from tourney.store.database import Database
from tourney.store.values import Tournament


class PositionChoice(Part, frozen=True, kw_only=True):
    """An action in a position: its matches, the bot's points per match, and its mean time if it acted."""

    action: str
    matches: int
    score: float
    ms: float | None


class MetPosition(Part, frozen=True, kw_only=True):
    """A position: a way to it, whether the bot acts there, and what was played, most often first."""

    position: str
    line: tuple[str, ...]
    own: bool
    matches: int
    played: tuple[PositionChoice, ...]


class LossLine(Part, frozen=True, kw_only=True):
    """An answer to "where does it lose": matches, points lost in all, and points per match."""

    by: str
    value: str
    matches: int
    lost: float
    score: float


class PositionsDocument(Document, frozen=True, kw_only=True):
    """The positions that a bot met, most often first, and where it loses."""

    format: Literal["tourney-positions/1"] = "tourney-positions/1"
    tournament: str
    entrant: str
    matches: int
    positions: tuple[MetPosition, ...]
    losses: tuple[LossLine, ...]


class _PositionsRequest(opt.CommandOptions):
    bot: str = option("--bot NAME", "Entrant whose games are explored.", required=True)
    tournament: str | None = option("--tournament NAME", "Of this tournament. [default: the one begun last]")
    plies: int = option("--plies N", "Follow N actions of each game behind its set opening.", default=12)
    most: int = option("--most N", "Positions to show, those met most.", default=20)
    show: str = option(
        "--show WHAT",
        "What to print as a table: where it loses, or the positions.",
        type=click.Choice(["losses", "positions"]),
        default="losses",
    )
    format_: object = opt.formats(PositionsDocument)
    db: str = opt.shared(opt.db_option)


POSITIONS = ("line", "action", "by", "matches", "score", "ms")


@opt.command("positions", _PositionsRequest)
def command(options: _PositionsRequest) -> None:
    """Show where a bot loses, and what was played in the positions that it met.

    The losses are counted by opening, seat, length, opponent, reason of the end, time used, the third of the
    game in which the bot used most of its time and, for matches that `tourney analyze` has valued, the third
    in which it lost most. Positions are those of the rules, whatever the order of
    actions. JSON has both.
    """
    with Database.open(options.db) as opened, opened.snapshot() as database:
        tournament = database.tournaments.get(options.tournament)
        entrant = entrant_number(database, tournament, options.bot)
        if not tournament.recorded:
            raise UsageError(f"{tournament.name} has results without records, so its positions are not known")
        games = list(games_of(database, tournament, entrant))
    explored = explore(games, options.plies)
    losses = [
        _loss(by, value, tally)
        for by, answers in explored.losses.items()
        for value, tally in sorted(
            answers.items(), key=lambda item: (item[1].points - item[1].matches, item[0])
        )
    ]
    met = [_met(node) for node in most_met(explored, options.most)]
    output = current()
    output.document(
        PositionsDocument(
            tournament=tournament.name,
            entrant=options.bot,
            matches=len(games),
            positions=tuple(met),
            losses=tuple(losses),
        )
    )
    if options.show == "losses":
        output.table(losses, LossLine.__struct_fields__)
    else:
        output.table((row for node in met for row in _position_rows(node)), POSITIONS)


def entrant_number(database: Database, tournament: Tournament, name: str) -> int:
    """The number of an entrant in a tournament. Raises UsageError for a name that it does not have."""
    entrants = {entrant.name: entrant.number for entrant in database.tournaments.entrants(tournament.id)}
    if name not in entrants:
        raise UsageError(f"{tournament.name} has no entrant {name!r}; there are: {', '.join(entrants)}")
    return entrants[name]


def _loss(by: str, value: str, tally: ResultTally) -> LossLine:
    lost = float(tally.matches - tally.points)
    return LossLine(by=by, value=value, matches=tally.matches, lost=lost, score=round(tally.score, 3))


def _met(node: PositionNode) -> MetPosition:
    played = sorted(node.played.items(), key=lambda item: (-item[1].matches, item[0]))
    return MetPosition.of(
        node,
        played=tuple(
            PositionChoice(
                action=action, matches=tally.matches, score=round(tally.score, 3), ms=tally.mean_ms
            )
            for action, tally in played
        ),
    )


def _position_rows(node: MetPosition) -> list[Row]:
    return [
        {**asdict(answer), "line": " ".join(node.line) or "start", "by": "bot" if node.own else "other"}
        for answer in node.played
    ]
