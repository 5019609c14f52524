"""Bots of the SDK inside of the test's process, and analyses by them."""

from collections import deque
from collections.abc import Callable, Sequence

from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts, report
from tourney.bot.session import RESIGN, Choose, Session
from tourney.bot.turn import Turn
from tourney.bots.channel.interface import Channel, Event
from tourney.games.base import AnyState
from tourney.games.core_base import WIN
from tourney.games.registry import find_game
from tourney.match.analysis import Analyser, Analysis, analysis_of, guide_of
from tourney.match.guided_channel import GuidedChannel
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Record
from tourney.match.spec import Entrant, Limits, MatchSpec

BOT = Entrant("reference", "reference", "1", (), "7" * 64)


class SessionChannel(Channel):
    """A bot's function as a channel: the SDK answers the referee's lines at once."""

    def __init__(self, choose: Choose) -> None:
        self._said: deque[str] = deque()
        self._session = Session(choose, self._write, hidden=True)

    def _write(self, data: bytes) -> None:
        self._said.extend(data.decode().splitlines())

    def send(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            self._session.receive(line)

    def wait(self, deadline: int) -> Event:
        return Event("line", self._said.popleft()) if self._said else Event("timeout")


def searching(nodes: int) -> Choose:
    """A bot that searches this number of nodes, and reports what it finds."""

    def choose(state: AnyState, turn: Turn) -> object:
        search = Mcts(heuristics_of(turn.match.game_name), turn.draw)
        found = search.run(state, Budget(nodes), None if turn.exact else turn.sample)
        report(turn, found)
        return found.action

    return choose


def analyzed(record: Record, choose: Callable[[], Choose], nodes: int = 1) -> Analysis:
    """The analysis of a record by a bot inside of this process."""
    analyser = Analyser(BOT, Limits(nodes=nodes))
    guide = guide_of(record)
    players = [Player(GuidedChannel(SessionChannel(choose()), guide)) for _ in record.seats]
    played = play_match(analyser.spec(record), find_game(record.game), players)
    return analysis_of(record, played, analyser)


def record_of(
    game: str, bots: Sequence[Choose], seed: int, options: tuple[tuple[str, str], ...] = ()
) -> Record:
    """The record of a match of these bots."""
    seats = tuple(Entrant(f"bot-{k}", "bot", "1", (), "5" * 64) for k in range(len(bots)))
    spec = MatchSpec(game, options, seats, seed, Limits(nodes=1))
    return play_match(spec, find_game(game), [Player(SessionChannel(bot)) for bot in bots]).record


class Thrower:
    """A bot that searches, throws its game at the first turn that it sees as won, and resigns soon after.

    ``won`` is the value, of 1, from which a turn is; ``ply`` is where it threw the game, once it did.
    """

    def __init__(self, nodes: int, won: float) -> None:
        self._nodes, self._won = nodes, int(won * WIN)
        self._left = 2
        self.ply: int | None = None

    def __call__(self, state: AnyState, turn: Turn) -> object:
        if self.ply is not None:
            self._left -= 1
            if self._left < 0:
                return RESIGN
        search = Mcts(heuristics_of(turn.match.game_name), turn.draw)
        found = search.run(state, Budget(self._nodes), None if turn.exact else turn.sample)
        if self.ply is None and turn.exact and found.value >= self._won:
            outlook, actions = turn.game.outlook(state), state.legal_actions()
            worst = min(range(len(actions)), key=lambda k: outlook[k][turn.seat - 1])
            if actions[worst] != found.action:
                self.ply = len(turn.match.history)
                return actions[worst]
        return found.action
