"""Speed of the rules: random playouts of every game, next to those of python-chess in the same run.

    pip install -r requirements/bench.in
    python benchmarks/rules.py [--rounds 5] [--actions 20000] [GAME ...]

Two figures per game in the first table: actions played and legal actions listed, per second of CPU time, by
states. The second table has playouts, whole random games from the start, for the games with a core: by
states, by the core as plain Python, and by the compiled core if there is one (``make cores``). The third
table has values as a search asks for them: of all candidates of a position in one call.

Chance outcomes count as actions. Fixed seeds decide all games. Every round plays the same games,
python-chess's first, in one process. The figures are medians of the rounds, and the ratios are medians of
each round's ratio, so that a slow moment of the machine affects both. python-chess lists its moves and pushes
one, without a test for a draw, which the games of Tourney include.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median

# A script beside this one has the name of the package chess, which the rules of chess need.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from tourney.bot.heuristics import heuristics_of  # noqa: E402 - see above
from tourney.bot.search.state_scratch import StateScratch  # noqa: E402 - see above
from tourney.games import CHANCE, OVER, all_games, derive, find_game  # noqa: E402 - see above
from tourney.games.base import AnyGame, AnyState  # noqa: E402 - see above
from tourney.games.compiled import compiled_core, use_plain  # noqa: E402 - see above
from tourney.games.scratch import Scratch  # noqa: E402 - see above

CHESS = "python-chess"
SEED = 20261120
LONGEST_CHESS = 300
"""Plies after which a random game of chess is broken off; most have ended or petered out by then."""

LISTED, PLAYED = "listed", "played"
WANTED = {
    "sages-tafl": (LISTED, 1.5),
    "seven-sages": (LISTED, 1.5),
    "element": (LISTED, 1.0),
    "cyvasse": (LISTED, 1.0),
    "sage-stones": (PLAYED, 2.5),
}
"""The ratios to python-chess that the games are meant to reach."""

Count = tuple[int, int]
"""Actions played and legal actions listed."""

_MASK = (1 << 64) - 1


def random_stream(seed: int) -> Callable[[int], int]:
    """Return a fast random stream, the upper half of a linear congruential generator."""
    x = seed

    def randbelow(total: int) -> int:
        nonlocal x
        x = (x * 6364136223846793005 + 1442695040888963407) & _MASK
        return (x >> 32) * total >> 32

    return randbelow


def play_game(game: AnyGame, actions: int) -> Count:
    """Play random games, one after the other, until so many actions are played."""
    played = listed = number = 0
    while played < actions:
        randbelow = random_stream(derive(SEED, game.name, number))
        state = game.new(game.seat_counts[number % len(game.seat_counts)])
        while played < actions:
            legal = state.legal_actions()
            actor = state.actor
            if actor == OVER:
                break
            if actor == CHANCE:
                weights = state.chance_weights()
                rest = randbelow(sum(weights))
                choice = 0
                while rest >= weights[choice]:
                    rest -= weights[choice]
                    choice += 1
            else:
                choice = randbelow(len(legal))
            listed += len(legal)
            played += 1
            state = state.play(legal[choice])
        number += 1
    return played, listed


def play_chess(actions: int) -> Count:
    """Do the same with python-chess."""
    board_of = import_module("chess").Board
    played = listed = number = 0
    while played < actions:
        randbelow = random_stream(derive(SEED, "chess", number))
        board = board_of()
        for _ in range(LONGEST_CHESS):
            legal = list(board.legal_moves)
            if not legal or played >= actions:
                break
            listed += len(legal)
            played += 1
            board.push(legal[randbelow(len(legal))])
        number += 1
    return played, listed


def timed(play: Callable[[int], Count], actions: int) -> tuple[float, float]:
    """Return actions played and listed per second of CPU time."""
    start = time.process_time()
    played, listed = play(actions)
    spent = max(time.process_time() - start, 1e-9)
    return played / spent, listed / spent


def player_of(game: AnyGame) -> Callable[[int], Count]:
    """Return the player of a game's random games."""
    return lambda actions: play_game(game, actions)


def has_chess() -> bool:
    """Say whether python-chess is installed."""
    return find_spec("chess") is not None


def measure(games: list[AnyGame], rounds: int, actions: int) -> dict[str, list[tuple[float, float]]]:
    """Return each player's figures, round by round; the first are python-chess's, if it is there."""
    players: dict[str, Callable[[int], Count]] = {CHESS: play_chess} if has_chess() else {}
    players |= {game.name: player_of(game) for game in games}
    for play in players.values():
        play(min(actions, 500))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in players}
    for k in range(rounds):
        for name, play in players.items():
            sys.stderr.write(f"round {k + 1} of {rounds}: {name}\n")
            found[name].append(timed(play, actions))
    return found


STATES, PLAIN, COMPILED = "states", "plain", "compiled"
QUICKER = 20
"""So many times more actions are played in a compiled core, whose time would be too short to measure."""
LONGEST = 1 << 30


def has_core(game: AnyGame) -> bool:
    """Say whether a game has a core."""
    return game.scratch(game.new()) is not None


def forms_of(game: AnyGame) -> tuple[str, ...]:
    """Return the ways to play a game at random that are there."""
    compiled = compiled_core(game.name.replace("-", "_")) is not None
    return (STATES, PLAIN, COMPILED) if compiled else (STATES, PLAIN)


def play_out(game: AnyGame, form: str, actions: int) -> Count:
    """Play whole random games until so many actions are played; return the actions and the games."""
    if form == STATES:
        played = number = 0
        while played < actions:
            played += _play_states(game, number)
            number += 1
        return played, number
    use_plain(form == PLAIN)
    starts = [game.scratch(game.new(seats)) for seats in game.seat_counts]
    use_plain(None)
    played = number = 0
    while played < actions:
        start = starts[number % len(starts)]
        assert start is not None  # noqa: S101 - the game has a core
        played += start.copy().playout(derive(SEED, game.name, number), LONGEST)
        number += 1
    return played, number


def _play_states(game: AnyGame, number: int) -> int:
    """Play a random game by states; return its actions."""
    randbelow = random_stream(derive(SEED, game.name, number))
    state = game.new(game.seat_counts[number % len(game.seat_counts)])
    played = 0
    while state.actor != OVER:
        state = state.play(_random_action(state, randbelow))
        played += 1
    return played


def _random_action(state: AnyState, randbelow: Callable[[int], int]) -> object:
    """Return a random legal action, or an outcome by weight."""
    legal = state.legal_actions()
    if state.actor != CHANCE:
        return legal[randbelow(len(legal))]
    weights = state.chance_weights()
    rest = randbelow(sum(weights))
    for action, weight in zip(legal, weights, strict=True):
        rest -= weight
        if rest < 0:
            return action
    raise ValueError("the weights of the outcomes are not positive")


def measure_playouts(
    games: list[AnyGame], rounds: int, actions: int
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return actions and games per second by game and form, round by round; python-chess's first."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for k in range(rounds):
        if has_chess():
            found.setdefault((CHESS, STATES), []).append(timed(play_chess, actions))
        for game in games:
            sys.stderr.write(f"playouts, round {k + 1} of {rounds}: {game.name}\n")
            for form in forms_of(game):
                most = actions * (QUICKER if form == COMPILED else 1)
                figure = timed(partial(play_out, game, form), most)
                found.setdefault((game.name, form), []).append(figure)
    return found


def playout_table(found: dict[tuple[str, str], list[tuple[float, float]]]) -> list[str]:
    """Return the playouts as lines of a Markdown table."""
    lines = [
        "| game | rules | playouts/s | to states | actions/s | to states | to python-chess |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, form), figures in found.items():
        states, chess = found[name, STATES], found.get((CHESS, STATES))
        played, games = (median(figure[k] for figure in figures) for k in (0, 1))
        if name == CHESS:
            lines.append(f"| {name} | {form} |  |  | {played:,.0f} |  |  |")
            continue
        to_states = ["" if form == STATES else f"{ratio(figures, states, k):.1f}" for k in (1, 0)]
        to_chess = f"{ratio(figures, chess, 0):.1f}" if chess else ""
        cells = (name, form, f"{games:,.1f}", to_states[0], f"{played:,.0f}", to_states[1], to_chess)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


PLIES = 60
"""The positions that are valued come from this many actions of a random game."""


def positions_of(game: AnyGame) -> list[AnyState]:
    """Return the positions of a random game's beginning in which a seat acts."""
    randbelow = random_stream(derive(SEED, game.name, "values"))
    state = game.new()
    found = []
    for _ in range(PLIES):
        if state.actor == OVER:
            break
        if state.actor != CHANCE:
            found.append(state)
        state = state.play(_random_action(state, randbelow))
    return found


def value(game: AnyGame, form: str, most: int) -> Count:
    """Value the candidates of positions until so many are valued; return their number and the positions'."""
    states = positions_of(game)
    if form == STATES:
        heuristics = heuristics_of(game.name)
        scratches: list[Scratch | None] = [StateScratch(state, heuristics) for state in states]
    else:
        use_plain(form == PLAIN)
        scratches = [game.scratch(state) for state in states]
        use_plain(None)
    valued = number = 0
    while valued < most:
        scratch = scratches[number % len(scratches)]
        assert scratch is not None  # noqa: S101 - the game has a core
        valued += len(scratch.outlook(scratch.candidates()))
        number += 1
    return valued, number


def measure_values(
    games: list[AnyGame], rounds: int, most: int
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return values and positions per second by game and form, round by round."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for k in range(rounds):
        for game in games:
            sys.stderr.write(f"values, round {k + 1} of {rounds}: {game.name}\n")
            for form in forms_of(game):
                figure = timed(partial(value, game, form), most * (QUICKER if form == COMPILED else 1))
                found.setdefault((game.name, form), []).append(figure)
    return found


def value_table(found: dict[tuple[str, str], list[tuple[float, float]]]) -> list[str]:
    """Return the values as lines of a Markdown table."""
    lines = ["| game | rules | values/s | to states |", "|---|---|---|---|"]
    for (name, form), figures in found.items():
        to_states = "" if form == STATES else f"{ratio(figures, found[name, STATES], 0):.1f}"
        lines.append(f"| {name} | {form} | {median(figure[0] for figure in figures):,.0f} | {to_states} |")
    return lines


def ratio(mine: list[tuple[float, float]], theirs: list[tuple[float, float]], k: int) -> float:
    """Return the median of the rounds' ratios of a figure."""
    return median(one[k] / other[k] for one, other in zip(mine, theirs, strict=True))


def table(found: dict[str, list[tuple[float, float]]]) -> list[str]:
    """Return the figures as lines of a Markdown table."""
    chess = found.get(CHESS)
    lines = [
        "| game | actions/s | to python-chess | listed/s | to python-chess | wanted |",
        "|---|---|---|---|---|---|",
    ]
    for name, figures in found.items():
        ratios = ["", ""]
        if chess and name != CHESS:
            ratios = [f"{ratio(figures, chess, k):.2f}" for k in (0, 1)]
        played, listed = (f"{median(figure[k] for figure in figures):,.0f}" for k in (0, 1))
        wanted = " ".join(map(str, WANTED.get(name, ())))
        lines.append(f"| {name} | {played} | {ratios[0]} | {listed} | {ratios[1]} | {wanted} |")
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="*", help="a game's name; all games without")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the median is printed")
    parser.add_argument("--actions", type=int, default=20_000, help="actions that each plays in a round")
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.game] or list(all_games())
    if not has_chess():
        sys.stderr.write("python-chess is not installed, so there are no ratios: see requirements/bench.in\n")
    rounds, actions = max(arguments.rounds, 1), max(arguments.actions, 1)
    found = measure(games, rounds, actions)
    print(f"Python {sys.version.split()[0]}, {rounds} rounds of {actions:,} actions each\n")
    print("\n".join(table(found)))
    print("\nPlayouts\n")
    cores = [game for game in games if has_core(game)]
    print("\n".join(playout_table(measure_playouts(cores, rounds, actions))))
    print("\nValues\n")
    print("\n".join(value_table(measure_values(cores, rounds, actions))))


if __name__ == "__main__":
    main()
