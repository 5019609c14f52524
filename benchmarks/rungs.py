"""Rungs of a game's ladder play against themselves: lengths, the first seat's share, and how games end.

    python -m benchmarks.rungs [--games 40] [--seats 2] [--option KEY=VALUE] [--seed 20261128] GAME [RUNG ...]

All seats of a game are the same program with the same arguments, so what the first seat scores beyond its
even share is worth of the seat and not of the bot. The shipped programs are called in this process, which
costs a fraction of a tournament; they get what the referee sends, so hidden actions stay hidden. As in the
ladder, games without dice and hidden actions begin with four random actions.

RUNG is a rung of the ladder (default: all in Python), or ``BOT-NODES`` such as ``alphabeta-30``.

The games of one seed are the same on every machine. The table has the number of games, their actions (dice
are not counted), the points of the first seat with a 95 % interval (1 for rank 1 alone, shared among the
seats that have it), the games whose best rank is shared, and the reasons. For The Seven Sages it has the
rounds too: those that end without a score, and the median actions of those with one.
"""

import runpy
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import click

from benchmarks.common import described, head, row, run
from tourney.bot import Match, Turn
from tourney.bots.catalogue.shipped import Rung, ladder_of, shipped_bots
from tourney.games import CHANCE, OVER, derive, find_game, stream
from tourney.games.base import AnyGame, AnyState
from tourney.games.tree import choose as choose_randomly
from tourney.protocol import HIDDEN, Go, NewGame

SEED = 20261128
OPENING_PLIES = 4


def _program(bot: str) -> Path:
    """The program of a shipped bot in Python."""
    return shipped_bots()[bot] / "bot.py"


class Player:
    """A shipped bot's functions, taken from its program."""

    def __init__(self, rung: Rung) -> None:
        parts: dict[str, Any] = {}

        def take(choose: Callable[[Any, Turn], Any], **options: Any) -> None:
            parts.update(options, choose=choose)

        with mock.patch("tourney.bot.run", take), mock.patch.object(sys, "argv", ["bot.py", *rung.args]):
            runpy.run_path(str(_program(rung.bot)))
        self.choose: Callable[[Any, Turn], Any] = parts["choose"]
        self.sees: str = parts.get("sees", "state")
        self.start: Callable[[Match], None] = parts.get("start") or (lambda _: None)


@dataclass(slots=True)
class Tally:
    """The counts of a rung's games."""

    lengths: list[int] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    shared: int = 0
    scored: list[int] = field(default_factory=list)
    """The actions of rounds of The Seven Sages that end with a score."""
    unscored: int = 0

    def take(self, actions: int, state: AnyState) -> None:
        """Count a finished game."""
        ranks = state.ranks() or ()
        self.lengths.append(actions)
        self.reasons[state.reason()] += 1
        best = ranks.count(1)
        self.first.append(1 / best if ranks[0] == 1 else 0.0)
        self.shared += best > 1

    def take_round(self, before: str, after: str, over: bool = False) -> None:
        """Count a round of The Seven Sages if an action ended it."""
        *_, points, number, ply, _ = before.split(" ")[:8]
        *_, new_points, new_number, _, _ = after.split(" ")[:8]
        if new_points != points:
            self.scored.append(int(ply) + 1)
        elif new_number != number or over:
            self.unscored += 1


def play(
    game: AnyGame, player: Player, seats: int, options: Mapping[str, str], seed: int, tally: Tally
) -> None:
    """Play a game of a bot against itself, and count it."""
    state: AnyState = game.new(seats, options)
    draw = stream(seed, "dice")
    matches = [
        Match(NewGame(game.name, seats, seat, derive(seed, "bot", seat), options=options))
        for seat in range(1, seats + 1)
    ]
    for match in matches:
        player.start(match)
    concealed: list[list[tuple[int, str]]] = [[] for _ in matches]
    opening = 0 if game.has_chance or game.has_hidden_actions else OPENING_PLIES
    actions = 0
    while state.actor != OVER:
        actor = state.actor
        if actor == CHANCE or actions < opening:
            action = choose_randomly(state, draw)
        else:
            observation = state.observation(actor) if game.has_hidden_actions else None
            turn = Turn(matches[actor - 1], Go(), observation, None, lambda _: None)
            action = game.read_action(state, str(player.choose(getattr(turn, player.sees), turn)))
        text = game.action_string(action)
        after = state.play(action)
        for seat, match in enumerate(matches, 1):
            shown = state.visible(action, seat)
            match.add(0 if actor == CHANCE else actor, text if shown else HIDDEN)
            if not shown:
                concealed[seat - 1].append((actor, text))
        if after.revealed():
            for match, hidden in zip(matches, concealed, strict=True):
                for owner, kept in hidden:
                    match.reveal(owner, kept)
                hidden.clear()
        if game.name == "seven-sages":
            tally.take_round(state.position(), after.position(), after.actor == OVER)
        state = after
        actions += actor != CHANCE
    tally.take(actions, state)


def cells(tally: Tally) -> list[str]:
    """The cells of a row, without its name."""
    games = len(tally.lengths)
    share = sum(tally.first) / games
    spread = sum((points - share) ** 2 for points in tally.first) / max(games - 1, 1)
    ends = ", ".join(f"`{reason}` {count}" for reason, count in tally.reasons.most_common())
    found = [
        f"{games}",
        f"{min(tally.lengths)} / {median(tally.lengths):.0f} / {max(tally.lengths)}",
        f"{100 * share:.0f} % ± {196 * sqrt(spread / games):.0f}",
        f"{tally.shared}",
        ends,
    ]
    rounds = len(tally.scored) + tally.unscored
    if rounds:
        found += [f"{rounds}", f"{100 * tally.unscored / rounds:.0f} %"]
        found += [f"{median(tally.scored):.0f}" if tally.scored else "-"]
    return found


def named(game: str, seats: int, names: Sequence[str]) -> list[Rung]:
    """The rungs of these names. Raises UsageError."""
    ladder = {rung.name: rung for rung in ladder_of(game, seats) if _program(rung.bot).is_file()}
    rungs = []
    for name in names or ladder:
        bot, _, nodes = name.rpartition("-")
        is_python = bot in shipped_bots() and _program(bot).is_file()
        if name not in ladder and not (is_python and nodes.isdigit()):
            raise click.UsageError(
                f"{name} is not a rung of {game} in Python, and not BOT-NODES; rungs: {', '.join(ladder)}"
            )
        rungs.append(ladder.get(name) or Rung(name, bot, (f"--nodes={nodes}",)))
    return rungs


@click.command(help=described(__doc__))
@click.argument("game")
@click.argument("rungs", nargs=-1, metavar="[RUNG]...")
@click.option("--games", type=click.IntRange(1), default=40, show_default=True, help="Games of each rung.")
@click.option("--seats", type=click.IntRange(2), help="Seats (default: the game's minimum).")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--seed", default=SEED, show_default=True)
def main(
    game: str, rungs: tuple[str, ...], games: int, seats: int | None, options: tuple[str, ...], seed: int
) -> None:
    """Play and print a table."""
    rules = find_game(game)
    count, settings = rules.settings(seats, dict(option.split("=", 1) for option in options))
    extra = ["rounds", "without a score", "actions of a scored round"] if game == "seven-sages" else []
    head("rung", "games", "actions: least / median / most", "first seat", "shared", "ends", *extra)
    for rung in named(game, count, rungs):
        player = Player(rung)
        tally = Tally()
        for number in range(games):
            play(rules, player, count, settings, derive(seed, game, rung.name, number), tally)
        row(f"`{rung.name}`", *cells(tally))


if __name__ == "__main__":
    run(main)
