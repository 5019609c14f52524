"""The games against second implementations: every string of every position must be equal.

The oracles in ``tests/games/oracles`` share no code with the games. Players choose at random, or prefer
captures and points. Strings are also changed at random; both sides must refuse or accept them alike.
``TOURNEY_DIFFERENTIAL_GAMES`` raises the number of games; the default is small to keep the suite quick.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

import pytest

from tests.games import made_positions
from tests.games.oracles import cyvasse, element, sage_stones, sages_tafl, seven_sages
from tourney.errors import PositionError
from tourney.games import CHANCE, OVER, RandBelow, find_game, stream
from tourney.games.base import AnyGame, AnyState

GAMES = int(os.environ.get("TOURNEY_DIFFERENTIAL_GAMES", "2"))
MUTATIONS = 3
MADE = 30 * GAMES


class Oracle(Protocol):
    """The interface of every second implementation."""

    def actor(self) -> str: ...
    def legal(self) -> list[str]: ...
    def weights(self) -> list[tuple[str, int]]: ...
    def play(self, text: str) -> None: ...
    def ranks(self) -> str: ...
    def position(self) -> str: ...
    def observe(self, seat: int, /) -> str: ...


class Setting:
    """One way to play a game: seats, options, and functions that make and parse the oracle."""

    def __init__(
        self,
        game: str,
        make: Callable[[], Oracle],
        read: Callable[[str], Oracle],
        made: Callable[[RandBelow], str],
        seats: int = 2,
        options: dict[str, str] | None = None,
    ) -> None:
        self.game, self.make, self.read, self.made = game, make, read, made
        self.seats, self.options = seats, options or {}

    def __str__(self) -> str:
        return "-".join([self.game, str(self.seats), *self.options.values()])


def stones(seats: int, count: int, play_on: bool, each: int | None = None) -> Setting:
    options = {"stones": str(count), "play-on": "yes" if play_on else "no"}
    return Setting(
        "sage-stones",
        lambda: sage_stones.Oracle(seats, count, play_on, each),
        lambda text: sage_stones.Oracle.read(text, seats, count, play_on, each),
        lambda draw: made_positions.sage_stones(seats, count, play_on, draw, each == 1),
        seats,
        options if each is None else {**options, "colours": str(each)},
    )


def sages(actions: int) -> Setting:
    return Setting(
        "seven-sages",
        lambda: seven_sages.Oracle(actions),
        lambda text: seven_sages.Oracle.read(text, actions),
        lambda draw: made_positions.seven_sages(draw, actions),
        options={"round-actions": str(actions)},
    )


def elements(seats: int) -> Setting:
    return Setting(
        "element",
        lambda: element.Oracle(seats),
        lambda text: element.Oracle.read(text, seats),
        lambda draw: made_positions.element(seats, draw),
        seats,
    )


SETTINGS = [
    Setting("sages-tafl", sages_tafl.Oracle, sages_tafl.Oracle.read, made_positions.sages_tafl),
    Setting("seven-sages", seven_sages.Oracle, seven_sages.Oracle.read, made_positions.seven_sages),
    sages(60),
    sages(100),
    Setting("cyvasse", cyvasse.Oracle, cyvasse.Oracle.read, made_positions.cyvasse),
    stones(2, 10, False),
    stones(2, 10, False, 1),
    stones(2, 15, False, 1),
    stones(3, 5, False),
    stones(4, 10, False),
    stones(3, 15, True),
    stones(4, 4, True),
    elements(2),
    elements(3),
    elements(4),
]


def actor_text(state: AnyState) -> str:
    return {CHANCE: "chance", OVER: "over"}.get(state.actor, str(state.actor))


def compare(game: AnyGame, state: AnyState, oracle: Oracle, legal: list[str], path: str) -> None:
    """Check that the rules console and the oracle give equal answers."""
    assert state.position() == oracle.position(), path
    assert actor_text(state) == oracle.actor(), path
    assert [game.action_string(action) for action in state.legal_actions()] == legal, path
    assert (" ".join(map(str, state.ranks() or ())) or "-") == oracle.ranks(), path
    for seat in range(1, state.seats + 1):
        assert state.observation(seat) == oracle.observe(seat), path
    if state.actor == CHANCE:
        weights = list(zip(legal, state.chance_weights(), strict=True))
        assert weights == oracle.weights(), path


def choose(legal: list[str], draw: RandBelow, eager: bool) -> str:
    """Choose an action at random; an eager player prefers to score, capture or end the turn."""
    if eager:
        loud = [
            a for a in legal if ">" in a or "x" in a or a.endswith("-off") or a.startswith(("flow", "jump"))
        ]
        if loud and draw(4):
            return loud[draw(len(loud))]
        if "end" in legal and draw(2):
            return "end"
    return legal[draw(len(legal))]


def mutated(text: str, draw: RandBelow) -> str:
    """Change a string a little: a character, a pair of characters, a number, or a length."""
    fields = text.split(" ")
    at = draw(len(fields))
    field = fields[at]
    kind = draw(6)
    where = draw(len(field))
    if kind == 0:
        field = field[:where] + text[draw(len(text))] + field[where + 1 :]
    elif kind == 1:
        other = draw(len(field))
        letters = list(field)
        letters[where], letters[other] = letters[other], letters[where]
        field = "".join(letters)
    elif kind == 2:
        field = field[:where] + field[where + 1 :]
    elif kind == 3:
        field = field[:where] + field[where] + field[where:]
    else:
        numbers = [k for k, word in enumerate(fields) if word.isdigit()]
        if numbers:
            at = numbers[draw(len(numbers))]
            values = [
                "0",
                "1",
                "2",
                "3",
                "99",
                "100",
                "101",
                "119",
                "120",
                "199",
                "200",
                "399",
                "400",
                "500",
                "501",
            ]
            field = values[draw(len(values))]
    fields[at] = field
    return " ".join(fields)


def check_string(game: AnyGame, setting: Setting, text: str) -> bool:
    """Check that both sides parse a string alike or both refuse it; return whether it was accepted."""
    count, options = game.settings(setting.seats, setting.options)
    oracle: Oracle | None
    try:
        oracle = setting.read(text)
    except ValueError:
        oracle = None
    state, refusal = None, ""
    try:
        state = game.parse_position(text, count, options)
    except PositionError as error:
        refusal = str(error)
    if state is None:
        assert oracle is None, f"refused ({refusal}), but the page does not: {text}"
        assert "\n" not in refusal
        return False
    assert oracle is not None, f"accepted, but the page refuses it: {text}"
    compare(game, state, oracle, oracle.legal(), text)
    return True


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_games_and_strings_match_oracle(setting: Setting) -> None:
    """Both implementations give the same answers for whole games and for changed strings."""
    game = find_game(setting.game)
    accepted = refused = plies = 0
    for number in range(GAMES):
        draw = stream(20261120, setting.game, setting.seats, number)
        state: AnyState = game.new(setting.seats, setting.options)
        oracle = setting.make()
        limit = 160 if GAMES <= 2 else 100_000
        for _ in range(limit):
            legal = oracle.legal()
            compare(game, state, oracle, legal, f"{setting} game {number}")
            for _ in range(MUTATIONS if draw(8) == 0 else 0):
                if check_string(game, setting, mutated(state.position(), draw)):
                    accepted += 1
                else:
                    refused += 1
            check_string(game, setting, state.position()) if draw(8) == 0 and not over_by_history(
                state
            ) else None
            if state.actor == OVER:
                break
            text = choose(legal, draw, eager=number % 2 == 1)
            state = state.play(game.read_action(state, text))
            oracle.play(text)
            plies += 1
    assert plies > 20 * GAMES
    assert refused > 0


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_made_up_positions_match_oracle(setting: Setting) -> None:
    """The positions are rare in play; each action from a few of them is tried."""
    game = find_game(setting.game)
    draw = stream(20261121, setting.game, setting.seats, *setting.options.values())
    accepted = 0
    for _ in range(MADE):
        text = setting.made(draw)
        if not check_string(game, setting, text):
            continue
        accepted += 1
        check_string(game, setting, mutated(text, draw))
        legal = setting.read(text).legal()
        # All rolls of a few: one of ten may be the only one that wipes the board of Sage Stones.
        few = legal if len(legal) <= 10 else [choose(legal, draw, eager=True) for _ in range(3)]
        for action in few:
            oracle, state = (
                setting.read(text),
                game.parse_position(text, *game.settings(setting.seats, setting.options)),
            )
            oracle.play(action)
            state = state.play(game.read_action(state, action))
            compare(game, state, oracle, oracle.legal(), f"{text} after {action}")
    assert accepted > MADE // 10


def wipes(setting: Setting) -> int:
    """The rolls that wipe the board in the made positions that the differential test plays."""
    game = find_game(setting.game)
    draw = stream(20261121, setting.game, setting.seats, *setting.options.values())
    count = 0
    for _ in range(MADE):
        text = setting.made(draw)
        board, *_ = text.split(" ")
        try:
            state = game.parse_position(text, *game.settings(setting.seats, setting.options))
        except PositionError:
            continue
        if state.actor == CHANCE and set(board) > {".", "/"}:
            after = [state.play(action).position().split(" ")[0] for action in state.legal_actions()]
            count += sum(set(cleared) == {".", "/"} for cleared in after)
    return count


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.game == "sage-stones"], ids=str)
def test_made_positions_wipe_the_board_if_stones_suffice(setting: Setting) -> None:
    """Two full columns take 18 stones, and each colour keeps one in hand."""
    colours = 2 if "colours" in setting.options else 3 if setting.seats == 3 else 4
    suffice = colours * (int(setting.options["stones"]) - 1) >= 18
    assert (wipes(setting) > 2) == suffice


def over_by_history(state: AnyState) -> bool:
    """Whether the game's history ended it, so that its parsed string continues."""
    return state.actor == OVER and state.reason() in ("repetition", "passes")
