"""The SDK against the real referee in this process: both hold the same state."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tourney.games
from tests.support.toys import Odds, Race, Toe
from tourney.bot import Session, Turn
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.referee import Referee
from tourney.match.spec import Entrant, MatchSpec, Opening
from tourney.protocol import Greeting, decode_bot

TOYS: dict[str, AnyGame] = {"toe": Toe(), "race": Race(), "odds": Odds()}
WORD = Entrant("bot", "bot", "1", (), "0" * 64)


def referee_of(game: AnyGame, seats: int, seed: int, plies: int) -> Referee:
    return Referee(MatchSpec(game.name, (), (WORD,) * seats, seed, opening=Opening(plies)), game)


class Table:
    """A match between sessions; the test compares each view with the referee's."""

    def __init__(self, game: AnyGame, seats: int, seed: int, plies: int, **options: Any) -> None:
        self.referee = referee_of(game, seats, seed, plies)
        self.answers: list[str] = []
        self.ends: list[tuple[int, ...]] = []
        self.exact = 0
        self.sessions = [
            Session(self._choose, self._receive, end=lambda _m, ranks, _r: self.ends.append(ranks), **options)
            for _ in range(seats)
        ]

    def _receive(self, data: bytes) -> None:
        self.answers.extend(data.decode().splitlines())

    def _send(self, seat: int, data: bytes) -> str:
        for line in data.decode().splitlines():
            self.sessions[seat - 1].receive(line)
        return self.answers.pop() if self.answers else ""

    def _choose(self, seen: Any, turn: Turn) -> object:
        state = self.referee.state
        assert turn.seat == state.actor
        assert turn.observation == state.observation(turn.seat)
        assert turn.legal == tuple(map(turn.game.action_string, state.legal_actions()))
        if turn.exact:
            self.exact += 1
            assert turn.state.position() == state.position()
        assert turn.state.observation(turn.seat) == turn.observation
        return turn.pick(turn.legal)

    def play(self, most: int) -> None:
        referee = self.referee
        for seat, _ in enumerate(self.sessions, start=1):
            greeting = decode_bot(self._send(seat, b"tourney 1\n"))
            assert isinstance(greeting, Greeting)
            referee.want(seat, position=greeting.position, legal=greeting.legal)
            assert self._send(seat, referee.game_line(seat)) == "ready"
        referee.begin()
        while referee.turn and len(referee.actions) < most:
            answer = self._send(referee.turn, referee.request(referee.turn) + b"go\n")
            assert referee.act(answer.removeprefix("move ")) == ""
        for seat, _ in enumerate(self.sessions, start=1):
            self._send(seat, referee.take(seat))


@pytest.fixture(autouse=True)
def toys_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tourney.games, "find_game", lambda name: TOYS.get(name) or find_game(name))


@settings(deadline=None)
@given(
    name=st.sampled_from(sorted(TOYS)),
    seed=st.integers(0, 2**64 - 1),
    plies=st.integers(0, 2),
    more=st.booleans(),
    sees=st.sampled_from(["state", "observation"]),
)
def test_session_follows_a_toy_game(name: str, seed: int, plies: int, more: bool, sees: str) -> None:
    game = TOYS[name]
    seats = game.seat_counts[-1 if more else 0]
    table = Table(game, seats, seed, 0 if game.has_hidden_actions else plies, sees=sees, hidden=True)
    table.play(most=100)
    assert table.referee.outcome is not None
    assert table.ends == [table.referee.outcome.ranks] * seats
    assert table.exact > 0


@pytest.mark.parametrize("name", ["cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages"])
@pytest.mark.parametrize("fewest", [True, False])
def test_session_follows_a_shipped_game(name: str, fewest: bool) -> None:
    """Including Cyvasse's hidden set-up, the dice of Sage Stones and the bag of Element."""
    game = find_game(name)
    table = Table(game, game.seat_counts[0 if fewest else -1], 7, 0, hidden=True)
    table.play(most=120)
    assert len(table.referee.actions) >= 40
    assert table.exact > 20
