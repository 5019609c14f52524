"""The errors that Tourney raises: for operators, one sentence each, caught only at the CLI's edge.

A bot's misbehaviour is not an exception: it is data in a record. The tree::

    TourneyError                exit code
    ├── InputError              2   wrong use or bad input, which the caller can correct
    │   ├── UsageError              a command or an option that does not fit
    │   ├── BusyError           6   another process does this work now
    │   ├── GameError               an unknown game, or a broken plugin
    │   │   ├── OptionError         seats or options the game does not have
    │   │   ├── PositionError       a position string that is malformed or impossible
    │   │   └── ActionError         an action string that is malformed or not legal here
    │   ├── BotError                a bot, a manifest or a store entry that cannot be used
    │   ├── UnsafeFileError         a file that cannot be read for the owner of its folder
    │   ├── TournamentError         a tournament file, or a tournament, that cannot be played
    │   └── RecordError             a record that is not of the form
    ├── CheckError              1   a check failed: a digest differs, a record breaks the rules
    │   └── UnpromisedError     5   a replay differs, but the record did not promise to reproduce
    └── EnvironmentFailure      3   the machine failed: disk, database, lost worker, sandbox
        ├── StoreError              the database is damaged, too new, or cannot be used
        │   ├── StoreUnavailable        it cannot be written now, but may be later: disk full, locked
        │   └── StoreDamaged            a page or a column is damaged: someone or the disk altered it
        ├── TablesError             tables of endings are missing or damaged on this machine
        ├── SandboxError            the machine cannot give the sandbox that was requested
        ├── OverloadError           a bot waited too long for a processor: the match has no result
        ├── OutOfMemoryError        a bot was ended because memory was full: the match has no result
        └── WorkerError             a worker process was lost for good

A message is one sentence that names the file, line or value, and what to do.
"""

from importlib import import_module
from types import ModuleType


class TourneyError(Exception):
    """Root of the tree; never raised itself.

    ``bot``, ``file`` and ``key`` say what the error is about, where a program may want to know; else "".
    """

    exit_code = 2

    def __init__(self, message: object = "", *, bot: str = "", file: object = "", key: str = "") -> None:
        super().__init__(message)
        self.bot = bot
        self.file = str(file)
        self.key = key


class InputError(TourneyError):
    """Wrong use or bad input, which the caller can correct."""

    exit_code = 2


class UsageError(InputError):
    """A command or an option that does not fit."""


class BusyError(InputError):
    """Another process does this work now, so that this one has nothing to do."""

    exit_code = 6


class GameError(InputError):
    """An unknown game, or a broken plugin."""


class OptionError(GameError):
    """A number of seats or an option that the game does not have."""


class PositionError(GameError):
    """A position string that is malformed or impossible."""


class ActionError(GameError):
    """An action string that is malformed, or an action that is not legal here."""


class BotError(InputError):
    """A bot, a manifest or a store entry that cannot be used; ``bot`` names it, and begins the sentence."""

    def __init__(self, message: object, bot: object = "", *, file: object = "", key: str = "") -> None:
        super().__init__(message, bot=str(bot), file=file, key=key)

    def __str__(self) -> str:
        return f"{self.bot}: {self.args[0]}" if self.bot else str(self.args[0])


class UnsafeFileError(InputError):
    """A file or folder that cannot be touched for the account whose folder it lies in: a link, a device."""


class TournamentError(InputError):
    """A tournament file, or a tournament, that cannot be played."""


class RecordError(InputError):
    """A match record that is not of the form."""


class CheckError(TourneyError):
    """A check failed."""

    exit_code = 1


class UnpromisedError(CheckError):
    """A replay differs, but the record did not promise to reproduce."""

    exit_code = 5


class EnvironmentFailure(TourneyError):  # noqa: N818 - a failure of the machine, in people's words
    """The machine failed, not the caller and not a bot."""

    exit_code = 3


class StoreError(EnvironmentFailure):
    """The database is damaged, too new, or cannot be used."""


class StoreUnavailable(StoreError):  # noqa: N818 - a state of the machine, in people's words
    """The database cannot be written now, but may be later: the disk is full, or another program holds it."""


class StoreDamaged(StoreError):  # noqa: N818 - a state of the database, in people's words
    """A page or a column of the database is damaged: someone or the disk altered it."""


class TablesError(EnvironmentFailure):
    """Tables of endings are missing or damaged on this machine."""


class SandboxError(EnvironmentFailure):
    """The machine cannot give the sandbox that was requested."""


class OverloadError(EnvironmentFailure):
    """A bot waited so long for a processor that its match has no result; ``bot`` names it."""


class OutOfMemoryError(EnvironmentFailure):
    """A bot was ended because the machine's memory was full, so its match has no result.

    ``bot`` names the bot that used the most, "" if that is unknown; ``proven``: more than its limit.
    """

    def __init__(self, message: object, *, bot: str, proven: bool = False) -> None:
        super().__init__(message, bot=bot)
        self.proven = proven


class WorkerError(EnvironmentFailure):
    """A worker process was lost for good."""


def import_extra(
    module: str, error: type[TourneyError], needs: str, extra: str, package: str | None = None
) -> ModuleType:
    """Import a package that an extra brings; ``package`` is its name if the module has another one.

    Raises ``error`` if it is missing: ``needs`` begins the sentence, as in "the executor dask needs".
    """
    try:
        return import_module(module)
    except ImportError as missing:
        what = f"{needs} the package {package or module}"
        raise error(f"{what}: install it by pip install 'tourney[{extra}]'") from missing
