"""Searches set-ups of Nine-Tile Cyvasse for the bot ``castellan``, by games between ``mcts`` searches.

    python -m scripts.search_set_ups [FILE]      (default: engines/castellan/set-ups.txt)

It draws set-ups as ``mcts`` lays them out and lets them play, half of the games from each seat, against other
draws. The better half plays on with twice the games, until a few are left. Each of these is then changed, one
swap, move or tile at a time: a change stays if the changed set-up does better in the same games, and again
in as many new ones, because the best of many results in few games is mostly luck.

The result depends on the options alone, which bound the number of games. FILE is written at the end.
With ``--judge N`` the set-ups of FILE play N games each against new draws, as do four times as many draws
for a quarter of the games.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts
from tourney.files import write_file
from tourney.games.base import OVER, AnyState
from tourney.games.cyvasse.board import NAMES, NUMBER, STEPS, turned
from tourney.games.registry import find_game
from tourney.seeds import RandBelow, stream

GAME: Final = find_game("cyvasse")
SET_UPS: Final = Path(__file__).parents[1] / "engines" / "castellan" / "set-ups.txt"
EARLY: Final = 20
"""The turns of both sides within which a lost King counts as lost early."""
TILES: Final = slice(1, 9)
PIECES: Final = slice(9, STEPS)

SetUp = tuple[str, ...]
"""White's actions of a set-up."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a set-up did in its games: its points, and the turns after which it lost its King."""

    points: float
    lost: tuple[int, ...]

    @property
    def worth(self) -> float:
        """The points; a late loss counts a little more than an early one."""
        return self.points + sum(min(turns, 100) for turns in self.lost) / 400


@dataclass(frozen=True, slots=True)
class Search:
    """The options: the seed, and the playouts a turn of both sides."""

    seed: int
    nodes: int

    def draw(self, label: str, number: int) -> SetUp:
        """A set-up as ``mcts`` lays it out for White."""
        state: AnyState = GAME.new()
        pick = stream(self.seed, label, number)
        actions = []
        for _ in range(STEPS):
            action = self._chosen(state, pick)
            actions.append(GAME.action_string(action))
            state = state.play(action)
        return tuple(actions)

    def _chosen(self, state: AnyState, pick: RandBelow) -> int:
        return int(Mcts(heuristics_of(GAME.name), pick).run(state, Budget(self.nodes)).action)

    def trial(self, set_up: SetUp, opponents: Sequence[SetUp], games: range) -> Trial:
        """Play some games with a set-up: a game's number says the opponent, the seat and the bots' seeds."""
        points = 0.0
        lost = []
        for number in games:
            seat = 1 + number % 2
            opponent = opponents[number // 2 % len(opponents)]
            sides = (set_up, opponent) if seat == 1 else (opponent, set_up)
            ranks, turns = self.game(*sides, stream(self.seed, "game", number))
            points += 1.0 if ranks[seat - 1] < ranks[2 - seat] else 0.5 if ranks == (1, 1) else 0.0
            lost += [turns] if ranks[seat - 1] == 2 else []
        return Trial(points, tuple(lost))

    def game(self, white: SetUp, black: SetUp, pick: RandBelow) -> tuple[tuple[int, ...], int]:
        """Play from two set-ups; return the ranks, and the turns after the set-up."""
        state: AnyState = GAME.new()
        for action in (*white, *map(for_black, black)):
            state = state.play(GAME.read_action(state, action))
        while state.actor != OVER:
            state = state.play(self._chosen(state, pick))
        ranks = state.ranks()
        assert ranks is not None  # noqa: S101 - the game is over
        return ranks, int(state.position().split(" ")[-1])


def for_black(action: str) -> str:
    """White's action of a set-up on Black's side, which is the same turned by half a circle."""
    kind, place = action.split("-")
    return action if kind == "tile" else f"{kind}-{NAMES[turned(NUMBER[place])]}"


def changed(set_up: SetUp, pick: RandBelow) -> SetUp | None:
    """A set-up with one random change, or None if the change gives none that is legal.

    Two pieces change places, a piece moves to another square, or two tiles change places or one turns.
    """
    actions = list(set_up)
    kind = pick(8)
    if kind == 0:
        _change_tiles(actions, pick)
    else:
        k = PIECES.start + pick(STEPS - PIECES.start)
        other = PIECES.start + pick(STEPS - PIECES.start)
        if kind < 5:
            actions[k], actions[other] = actions[other], actions[k]
        else:
            free = sorted({f"put-{name}" for name in NUMBER if name[0] in "abcd"} - set(actions))
            actions[k] = free[pick(len(free))]
    state: AnyState = GAME.new()
    for action in actions:
        if action not in map(GAME.action_string, state.legal_actions()):
            return None
        state = state.play(GAME.read_action(state, action))
    return tuple(actions) if tuple(actions) != set_up else None


def _change_tiles(actions: list[str], pick: RandBelow) -> None:
    first = TILES.start + pick(8)
    second = TILES.start + pick(8)
    if first == second:
        actions[first] = actions[first].rstrip("t") if actions[first].endswith("t") else f"{actions[first]}t"
    else:
        actions[first], actions[second] = (actions[place].rstrip("t") for place in (second, first))


def halved(options: Search, drawn: Sequence[SetUp], best: int, opponents: Sequence[SetUp]) -> list[SetUp]:
    """The best of the draws, by rounds in which the better half plays on with twice the games."""
    left = list(drawn)
    games = 4
    while len(left) > best:
        worth = {set_up: options.trial(set_up, opponents, range(games)).worth for set_up in left}
        left.sort(key=lambda set_up: -worth[set_up])
        left = left[: max(best, len(left) // 2)]
        games *= 2
        sys.stderr.write(f"{len(left)} set-ups are left; the best has {worth[left[0]]:.1f} of {games // 2}\n")
    return left


def improved(
    options: Search, set_up: SetUp, steps: int, games: int, opponents: Sequence[SetUp], label: int
) -> SetUp:
    """A set-up after a number of attempts to change it for the better."""
    pick = stream(options.seed, "change", label)
    usual = range(games)
    trial = options.trial(set_up, opponents, usual)
    for step in range(steps):
        candidate = changed(set_up, pick)
        if candidate is None:
            continue
        after = options.trial(candidate, opponents, usual)
        if after.worth <= trial.worth:
            continue
        fresh = range((step + 1) * games, (step + 2) * games)
        again = options.trial(candidate, opponents, fresh)
        if again.worth <= options.trial(set_up, opponents, fresh).worth:
            continue
        trial, set_up = after, candidate
        sys.stderr.write(f"{label}: step {step}: {trial.points:g} and {again.points:g} points of {games}\n")
    return set_up


def judge(options: Search, set_ups: Sequence[SetUp], games: int) -> str:
    """What some set-ups did against draws that no search has used, as a line."""
    opponents = [options.draw("check", number) for number in range(16)]
    trials = [options.trial(set_up, opponents, range(games)) for set_up in set_ups]
    lost = [turns for trial in trials for turns in trial.lost]
    early = sum(turns <= EARLY for turns in lost)
    points = sum(trial.points for trial in trials)
    return (
        f"{points:g} points of {games * len(trials)}, {early} lost within {EARLY} turns of both sides,"
        f" the first after {min(lost, default=0)}"
    )


@click.command(help=__doc__)
@click.argument("file", type=click.Path(path_type=Path), default=SET_UPS)
@click.option("--seed", default=20261128, show_default=True)
@click.option("--draws", default=48, show_default=True, help="Set-ups to begin with.")
@click.option("--best", default=3, show_default=True, help="Set-ups to change, and to write.")
@click.option("--steps", default=40, show_default=True, help="Changes tried of each.")
@click.option("--games", default=24, show_default=True, help="Games to try a change.")
@click.option("--opponents", default=16, show_default=True, help="Set-ups to play against.")
@click.option("--nodes", default=5, show_default=True, help="Playouts a turn.")
@click.option("--judge", "judged", type=click.IntRange(1), help="Judge FILE by these games of each set-up.")
def main(
    file: Path,
    seed: int,
    draws: int,
    best: int,
    steps: int,
    games: int,
    opponents: int,
    nodes: int,
    judged: int | None,
) -> None:
    """Search, and write the file, or judge it."""
    options = Search(seed, nodes)
    if judged is not None:
        lines = file.read_text(encoding="ascii").splitlines()
        searched = [tuple(line.split(" ")) for line in lines if not line.startswith("#")]
        drawn = [options.draw("new", number) for number in range(4 * len(searched))]
        click.echo(f"searched: {judge(options, searched, judged)}")
        click.echo(f"drawn:    {judge(options, drawn, judged // 4)}")
        return
    against = [options.draw("opponent", number) for number in range(opponents)]
    left = halved(options, [options.draw("draw", number) for number in range(draws)], best, against)
    command = (
        f"python -m scripts.search_set_ups --seed={seed} --draws={draws} --best={best} --steps={steps}"
        f" --games={games} --opponents={opponents} --nodes={nodes}"
    )
    lines = [
        "# Set-ups for White, one a line; Black's are the same, turned by half a circle.",
        f"# {command}",
    ]
    lines += [
        " ".join(improved(options, set_up, steps, games, against, label)) for label, set_up in enumerate(left)
    ]
    write_file(file, "".join(f"{line}\n" for line in lines).encode("ascii"))


if __name__ == "__main__":
    main()
