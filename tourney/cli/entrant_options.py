"""The options that set programs of a command line up, and its references to entrants."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import GameError, UsageError
from tourney.games.registry import find_game
from tourney.run.entrant_reference import ProgramSettings, ReferenceReader
from tourney.run.file_schema import EntrantLine
from tourney.schema import SandboxLevel


class NamedEntrants(NamedTuple):
    """The lines of entrants, as a tournament file would have them, and the options of their game."""

    lines: tuple[EntrantLine, ...]
    game_options: dict[str, str]


PROGRAMS: Final = "Bots and programs"
"""The group of the options of bots and of programs."""


class EntrantOptions(opt.CommandOptions):
    """The options of a game and of the programs that play it."""

    group = PROGRAMS

    options: dict[str, str] = opt.shared(opt.entrant_option)
    each: tuple[str, ...] = option(
        "--each KEY=VALUE",
        "Set all programs up, as fastchess does: option.NAME=VALUE, go.nodes=N, arg=WORD or protocol=NAME;"
        " repeatable. Options of `cup.toml#a` go before it.",
    )

    def read(
        self, game: str, references: Sequence[str], *, bots: str, sandbox: SandboxLevel
    ) -> NamedEntrants:
        """Read references to entrants. Raises UsageError and BotError."""
        try:
            names = {known.name for known in find_game(game).options}
        except GameError as error:
            raise UsageError(str(error)) from error
        others = {name: value for name, value in self.options.items() if name not in names}
        store = BotStore(Path(bots))
        settings = ProgramSettings.read(self.each, others)
        reader = ReferenceReader(store, partial(open_sandbox, sandbox), settings, current().say)
        lines = tuple(map(reader.read, references))
        if any(line.command for line in lines):
            return NamedEntrants(
                lines, {name: value for name, value in self.options.items() if name in names}
            )
        # Without a program, a name that the game lacks is a mistake, which the game reports.
        if setting := ProgramSettings.read(self.each, {}).named:
            raise UsageError(
                f"--each sets {setting} of programs, and {', '.join(references)} are bots whose bot.toml has"
                " their settings"
            )
        return NamedEntrants(lines, self.options)
