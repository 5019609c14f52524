"""Who starts the bots of a match: the seam for matches whose bots are not processes of this one.

The runner starts bots as processes itself. A game or a charge of time that is played in another way names a
launcher, which plays whole matches: ``outside`` gives the bots' commands to a referee of another author, and
the add-on ``fuel`` runs modules in virtual time.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from tourney.bots.catalogue.command import BotCommand
from tourney.bots.protocols import BotProtocol
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.errors import UsageError
from tourney.games.base import AnyGame
from tourney.match.player import Player
from tourney.match.result import Measurements, PlayedMatch
from tourney.match.spec import Entrant, MatchSpec
from tourney.plugins import Registry

PROCESSES = ""
"""The name for bots that the runner itself starts as processes."""

Description = Callable[[Sequence[Player]], Measurements]
"""The host and the sandbox of a match, for its record's measurements."""


class BotSource(Protocol):
    """Gives a launcher the bots: those of a store, with the sandbox that contains them."""

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox of the bots."""

    def prepared(self, entrant: Entrant, meter: str | None = None) -> tuple[BotProtocol, BotCommand]:
        """The protocol and the command of an entrant's bot, which is built and checked once.

        With ``meter`` its module is compiled so that it counts fuel. Raises BotError and SandboxError.
        """


class MatchLauncher(ABC):
    """Plays the matches of one kind. A runner makes one at its first match of the kind, and closes it.

    At most ``kept`` processes may wait for later matches while one is played: they hold memory.
    """

    name: ClassVar[str]
    """As a game's ``launcher``, or as that of ``Limits``, names it."""

    def __init__(self, bots: BotSource, kept: int) -> None:
        self.bots = bots
        self.kept = kept

    @abstractmethod
    def play(self, spec: MatchSpec, game: AnyGame, describe: Description) -> PlayedMatch:
        """Play a match; then no bot of it is left. Raises as ``tourney.match.play.play_match`` does."""

    @abstractmethod
    def close(self) -> None:
        """End all that is kept for later matches."""


LAUNCHERS: Registry[MatchLauncher] = Registry("launcher", "launchers", MatchLauncher, UsageError)


def launcher_of(spec: MatchSpec, game: AnyGame) -> str:
    """The name of the launcher of a match, or ``PROCESSES``."""
    return game.launcher or spec.limits.launcher
