"""Speed of the rules: every game as the referee, reports and searches use it, beside python-chess.

    pip install -r requirements/bench.in
    python benchmarks/rules.py [--rounds 5] [--actions 20000] [--only TABLE,...] [GAME ...]

Four tables, in figures per second of CPU time; chance outcomes count as actions.

- *random*: random games by states: actions played, and legal actions listed. python-chess lists its moves and
  pushes one, without a test for a draw, which the games of Tourney include.
- *referee*: the same games as the referee and ``verify`` follow them: a seat's action parsed, tested and
  played, chance's outcome taken by a number, named and played. Then as reports do: by their strings, with the
  position after each action, and what seats see where that differs. Then the strings of the legal actions.
- *playouts*: whole random games in a core.
- *values*: values of all candidates of a position, in one call of a core.

A game with a core has a row for its compiled form (if there is one: ``make cores``) and one for plain Python.
Fixed seeds decide all games. Every round plays the same games in one process; figures are medians of the
rounds, and ratios are medians of each round's ratio, so that a slow moment of the machine affects both.

The table *referee* also works in a tree of another version, by its own interpreter, so that two trees can be
measured in turn: ``cd TREE && .venv/bin/python PATH/benchmarks/rules.py --only referee``.
"""

import argparse
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

# A script beside this one has the name of the package chess, which the rules of chess need.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from tourney.games import CHANCE, OVER, all_games, derive, find_game  # noqa: E402 - see above
from tourney.games.base import AnyGame, AnyState  # noqa: E402 - see above
from tourney.games.compiled import compiled_core, use_plain  # noqa: E402 - see above
from tourney.games.tree import choose, playout  # noqa: E402 - see above

CHESS = "python-chess"
SEED = 20261120
LONGEST_CHESS = 300
"""Plies after which a random game of chess is broken off; most have ended or petered out by then."""
PLAIN, COMPILED = "plain", "compiled"
QUICKER = 20
"""Times as many actions are played in a compiled core, whose time would be too short to measure."""
LONGEST = 1 << 30

Row = tuple[str, str]
"""A game's name, and the form of its core or ""."""
Figures = dict[Row, list[tuple[float, ...]]]
"""Figures per second, by row and round."""

_MASK = (1 << 64) - 1


def random_stream(seed: int) -> Callable[[int], int]:
    """A fast random stream, the upper half of a linear congruential generator."""
    x = seed

    def randbelow(total: int) -> int:
        nonlocal x
        x = (x * 6364136223846793005 + 1442695040888963407) & _MASK
        return (x >> 32) * total >> 32

    return randbelow


def starts(game: AnyGame) -> Iterator[tuple[AnyState, Callable[[int], int]]]:
    """Starts of random games with all numbers of seats in turn, each with its random stream."""
    number = 0
    while True:
        seats = game.seat_counts[number % len(game.seat_counts)]
        yield game.new(seats), random_stream(derive(SEED, game.name, number))
        number += 1


def per_second(run: Callable[[], tuple[int, ...]]) -> tuple[float, ...]:
    """What a function counts, per second of CPU time."""
    start = time.process_time()
    counts = run()
    spent = max(time.process_time() - start, 1e-9)
    return tuple(count / spent for count in counts)


# By states


def play_at_random(game: AnyGame, actions: int) -> tuple[int, int]:
    """Play random games; count actions played and legal actions listed."""
    played = listed = 0
    for state, randbelow in starts(game):
        while played < actions and state.actor != OVER:
            listed += len(state.legal_actions())
            played += 1
            state = state.play(choose(state, randbelow))  # noqa: PLW2901 - a state is never changed
        if played >= actions:
            break
    return played, listed


def play_chess(actions: int) -> tuple[int, int]:
    """The same with python-chess."""
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


Recorded = tuple[AnyState, list[tuple[int | None, str]]]
"""A game's start, and its actions: the number that gives chance's outcome, or None, and the string."""


def outcome_of(state: AnyState, u: int) -> Any:
    """Chance's outcome by a random integer of 64 bits, without a game's quick way."""
    sums = list(accumulate(state.chance_weights()))
    return state.legal_actions()[bisect_right(sums, u * sums[-1] >> 64)]


def record(game: AnyGame, actions: int) -> list[Recorded]:
    """Random games with some actions, as a record has them."""
    found: list[Recorded] = []
    played = 0
    for start, randbelow in starts(game):
        state, moves = start, list[tuple[int | None, str]]()
        while state.actor != OVER and played < actions:
            u = randbelow(1 << 32) << 32 | randbelow(1 << 32) if state.actor == CHANCE else None
            action = choose(state, randbelow) if u is None else outcome_of(state, u)
            moves.append((u, game.action_string(action)))
            state = state.play(action)
            played += 1
        found.append((start, moves))
        if played >= actions:
            break
    return found


def quick_ways(
    game: AnyGame,
) -> tuple[Callable[[AnyState, str], AnyState], Callable[[AnyState, int], tuple[str, AnyState]]]:
    """How the referee plays a string, and chance's outcome; trees of older versions did it step by step."""
    if hasattr(game, "play_text"):
        return game.play_text, game.play_outcome

    def play_text(state: AnyState, text: str) -> AnyState:
        action = game.parse_action(text)
        assert state.is_legal(action)  # noqa: S101 - it was recorded
        return state.play(action)

    def play_outcome(state: AnyState, u: int) -> tuple[str, AnyState]:
        action = outcome_of(state, u)
        return game.action_string(action), state.play(action)

    return play_text, play_outcome


def follow(game: AnyGame, games: list[Recorded]) -> tuple[int]:
    """Follow recorded games as the referee does; count the actions."""
    play_text, play_outcome = quick_ways(game)
    played = 0
    for start, moves in games:
        state = start
        for u, text in moves:
            if u is None:
                state = play_text(state, text)
            else:
                _, state = play_outcome(state, u)
            if state.actor == OVER:
                state.ranks()
        played += len(moves)
    return (played,)


def show(game: AnyGame, games: list[Recorded]) -> tuple[int]:
    """Follow recorded games with all that a report shows of each position; count the actions."""
    play_text, _ = quick_ways(game)
    played = 0
    for start, moves in games:
        state = start
        for _, text in moves:
            state = play_text(state, text)
            state.position()
            if not state.revealed():
                for seat in range(1, state.seats + 1):
                    state.observation(seat)
        played += len(moves)
    return (played,)


def name_actions(game: AnyGame, states: list[AnyState]) -> tuple[int]:
    """List the strings of the legal actions of states; count the states."""
    texts = getattr(game, "legal_texts", None) or (
        lambda state: tuple(map(game.action_string, state.legal_actions()))
    )
    for state in states:
        texts(state)
    return (len(states),)


# By cores


def play_out(game: AnyGame, actions: int) -> tuple[int, int]:
    """Play whole random games in a core; count the games and the actions."""
    cores = [game.scratch(game.new(seats)) for seats in game.seat_counts]
    played = number = 0
    while played < actions:
        start = cores[number % len(cores)]
        assert start is not None  # noqa: S101 - the game has a core
        played += start.copy().playout(derive(SEED, game.name, number), LONGEST)
        number += 1
    return number, played


PLIES = 60
"""The positions that are valued come from this many actions of a random game."""


def value(game: AnyGame, most: int) -> tuple[int]:
    """Value the candidates of positions; count the values."""
    randbelow = random_stream(derive(SEED, game.name, "values"))
    states = [state for state, _ in playout(game.new(), randbelow, PLIES) if state.actor > 0]
    cores = [game.scratch(state) for state in states]
    valued = number = 0
    while valued < most:
        core = cores[number % len(cores)]
        assert core is not None  # noqa: S101 - the game has a core
        valued += len(core.outlook(core.candidates()))
        number += 1
    return (valued,)


# Tables


def has_core(game: AnyGame) -> bool:
    """Whether a game has a core."""
    return game.scratch(game.new()) is not None


def forms_of(game: AnyGame) -> tuple[str, ...]:
    """The forms of a game's core; "" alone for a game without one."""
    if not has_core(game):
        return ("",)
    return (COMPILED, PLAIN) if compiled_core(game.name.replace("-", "_")) is not None else (PLAIN,)


def measure(
    games: list[AnyGame], rounds: int, run: Callable[[AnyGame, str], tuple[float, ...]], *, chess: int = 0
) -> Figures:
    """Figures of each game and form, round by round; python-chess's first, with some actions."""
    found: Figures = {}
    for k in range(rounds):
        if chess and find_spec("chess") is not None:
            found.setdefault((CHESS, ""), []).append(per_second(partial(play_chess, chess)))
        for game in games:
            sys.stderr.write(f"round {k + 1} of {rounds}: {game.name}\n")
            for form in forms_of(game):
                use_plain(form == PLAIN)
                found.setdefault((game.name, form), []).append(run(game, form))
                use_plain(None)
    return found


def by_referee(game: AnyGame, actions: int) -> tuple[float, ...]:
    """Figures of the table *referee* for a game."""
    games = record(game, actions)
    states = []
    for start, moves in games:
        state = start
        for _, text in moves:
            states.append(state)
            state = state.play(game.parse_action(text))
    follow(game, games[:1])
    return tuple(
        per_second(run)[0]
        for run in (
            partial(follow, game, games),
            partial(show, game, games),
            partial(name_actions, game, states),
        )
    )


def table(found: Figures, heads: tuple[str, ...]) -> str:
    """Medians as a Markdown table; the first figure also as a ratio to python-chess, if it is there."""
    chess = found.get((CHESS, ""))
    to_chess = ["to python-chess"] if chess else []
    lines = [["game", "rules", *heads, *to_chess], ["---"] * (2 + len(heads) + len(to_chess))]
    for (name, form), figures in found.items():
        cells = [name, form, *(f"{median(column):,.0f}" for column in zip(*figures, strict=True))]
        if chess:
            ratio = median(mine[0] / other[0] for mine, other in zip(figures, chess, strict=True))
            cells.append("" if name == CHESS else f"{ratio:.2f}")
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


TABLES = ("random", "referee", "playouts", "values")


def tables(games: list[AnyGame], rounds: int, actions: int, only: list[str]) -> Iterator[tuple[str, str]]:
    """Each table by its title."""
    cores = [game for game in games if has_core(game)]

    def quick(form: str) -> int:
        return actions * (QUICKER if form == COMPILED else 1)

    if "random" in only:
        found = measure(
            games, rounds, lambda game, _: per_second(partial(play_at_random, game, actions)), chess=actions
        )
        yield "Random games by states", table(found, ("actions/s", "listed/s"))
    if "referee" in only:
        found = measure(games, rounds, lambda game, _: by_referee(game, actions))
        yield (
            "As the referee and reports follow a game",
            table(found, ("followed/s", "shown/s", "legal texts/s")),
        )
    if "playouts" in only:
        found = measure(cores, rounds, lambda game, form: per_second(partial(play_out, game, quick(form))))
        yield "Playouts in cores", table(found, ("playouts/s", "actions/s"))
    if "values" in only:
        found = measure(cores, rounds, lambda game, form: per_second(partial(value, game, quick(form))))
        yield "Values in cores", table(found, ("values/s",))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="*", help="a game's name (default: all games)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the median is printed")
    parser.add_argument("--actions", type=int, default=20_000, help="actions in a round")
    parser.add_argument("--only", default=",".join(TABLES), help=f"tables to print, of {', '.join(TABLES)}")
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.game] or list(all_games())
    rounds, actions = max(arguments.rounds, 1), max(arguments.actions, 1)
    print(f"Python {sys.version.split()[0]}, {rounds} rounds of {actions:,} actions each")
    for title, text in tables(games, rounds, actions, arguments.only.split(",")):
        print(f"\n{title}\n\n{text}", flush=True)


if __name__ == "__main__":
    main()
