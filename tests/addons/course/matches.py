"""Stored tournaments in which some bots fail, and each says something on standard error."""

from collections.abc import Collection
from pathlib import Path

from tests.support import genuine
from tourney.bots.channel.interface import Event
from tourney.check.named_seeds import RandomChannel
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import LogLine, PlayedMatch
from tourney.protocol import Go, decode_referee
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult, Tournament

FOURTH = 4


class FailingChannel(RandomChannel):
    """A random bot whose fourth action is not one of the game."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def send(self, data: bytes) -> None:
        """Count the turns."""
        super().send(data)
        self._asked += sum(isinstance(decode_referee(line), Go) for line in data.decode().splitlines())
        if self._asked == FOURTH:
            self._answers[-1] = Event("line", "move nonsense")


def play(
    database: Database,
    failing: Collection[str],
    names: Collection[str] = ("anna", "ben", "carl"),
    **how: object,
) -> Tournament:
    """Play a tournament; each seat's log has ``secret of NAME``."""
    tournament = genuine.begin(database, tuple(names), **how)  # type: ignore[arg-type]  # the values are of any kind
    entrants = database.tournaments.entrants(tournament.id)
    finished = []
    for number, row in database.schedules.pending(tournament.id):
        spec = spec_of(tournament, entrants, row)
        players = [
            Player(FailingChannel() if seat.name in failing else RandomChannel()) for seat in spec.seats
        ]
        match = play_match(spec, find_game(spec.game), players)
        secrets = (
            LogLine(1, seat, "stderr", f"secret of {entrant.name}")
            for seat, entrant in enumerate(spec.seats, start=1)
        )
        log = (*match.log, *secrets, LogLine(2, 0, "note", "the referee quotes a bot"))
        finished.append(MatchResult(number, PlayedMatch(match.record, log, match.measured)))
    database.matches.add(tournament.id, finished)
    return database.tournaments.by_id(tournament.id)


def cup(folder: Path, failing: Collection[str] = ("anna",), **how: object) -> str:
    """A new database with such a tournament, called cup."""
    path = str(folder / "tourney.db")
    with Database.open(path, create=True) as database:
        play(database, failing, **how)  # type: ignore[arg-type]  # as above
    return path
