"""``tourney check-game``: run the generic property suite on a game."""

from typing import Literal

import click

from tourney.cli import options as opt
from tourney.cli.completion import complete_game
from tourney.cli.output import counting, current
from tourney.errors import CheckError
from tourney.games.check.suite import PROPERTIES, CheckProgress, check_game, shrink, smallest
from tourney.games.registry import find_game
from tourney.schema import Document, Part
from tourney.seeds import U64


class FailedProperty(Part, frozen=True, kw_only=True):
    """A property that a game lacks, and the lines for `tourney rules` that show it."""

    property: str
    what: str
    lines: tuple[str, ...]


class GameCheckDocument(Document, frozen=True, kw_only=True):
    """Whether a game has the properties of every game; `states` were checked thoroughly."""

    format: Literal["tourney-game-check/1"] = "tourney-game-check/1"
    game: str
    passed: bool
    properties: tuple[str, ...]
    games: int
    actions: int
    states: int
    failed: tuple[FailedProperty, ...]


@opt.command("check-game")
@click.argument("name", shell_complete=complete_game)
@click.option(
    "--games", type=click.IntRange(min=1), default=20, show_default=True, help="Random games to play."
)
@click.option(
    "--seed", type=click.IntRange(0, U64 - 1), default=1, show_default=True, help="Seed of all randomness."
)
@opt.formats_option(GameCheckDocument, formats=opt.TEXT)
def command(name: str, games: int, seed: int) -> None:
    """Check that the game NAME has the properties of every game.

    Plays random games with every number of seats and every option value. Checks that strings parse back, that
    exactly the listed actions are accepted, that states are immutable, that results, weights and diagrams are
    well-formed, that hidden actions do not leak, and more. Prints each failed property with the shortest
    history found, as lines for tourney rules, and exits with 1.
    """
    game = find_game(name)
    out = current()
    last = CheckProgress(0, games, 0, 0)
    with counting(out, name, "random games") as step:

        def listen(progress: CheckProgress) -> None:
            nonlocal last
            last = progress
            step(progress.done, games)

        counterexamples = smallest(check_game(game, games, seed, listen))
        findings = [shrink(game, finding, seed) for finding in counterexamples]
    out.document(
        GameCheckDocument(
            game=name,
            passed=not findings,
            properties=tuple(PROPERTIES),
            games=last.done,
            actions=last.actions,
            states=last.thorough,
            failed=tuple(FailedProperty.of(finding, property=finding.name) for finding in findings),
        )
    )
    for finding in findings:
        out.text(f"{finding.name} fails: {finding.what}", *(f"    {line}" for line in finding.lines))
    if findings:
        raise CheckError(f"{name} fails {len(findings)} of {len(PROPERTIES)} properties")
    out.text(
        f"{name} has all {len(PROPERTIES)} properties:"
        f" {last.done} games, {last.actions} actions, {last.thorough} states checked thoroughly"
    )
