"""The errors that Tourney raises: for operators, one sentence each, caught only at the CLI's edge.

What a bot does wrong is no exception: it is data in a record. The tree::

    TourneyError                exit code
    ├── InputError              2   wrong use or bad input: the caller can mend it
    │   ├── UsageError              a command or an option that does not fit
    │   ├── GameError               a game that is not there, or a plugin that is broken
    │   │   ├── OptionError         seats or options the game does not have
    │   │   ├── PositionError       a position string that is malformed or impossible
    │   │   └── ActionError         an action string that is malformed or not legal here
    │   ├── BotError                a bot, a manifest or a store entry that cannot be used
    │   ├── TournamentError         a tournament file, or a tournament that cannot be made of it
    │   └── RecordError             a record that is not of the one form
    ├── CheckError              1   what was asked for does not hold: a digest differs, a check failed
    └── EnvironmentFailure      3   the machine failed: disk, database, lost worker, sandbox
        ├── StoreError              the database is damaged, too new, or cannot be used
        │   ├── StoreUnavailable        it cannot be written now, but may be later: disk full, locked
        │   └── StoreDamaged            a column holds what it may not: somebody altered it, or the disk did
        ├── SandboxError            the containment that was asked for cannot be had
        └── WorkerError             a worker process was lost for good

A message is one sentence that names the file, line or value, and what to do.
"""


class TourneyError(Exception):
    """Root of the tree; never raised itself."""

    exit_code = 2


class InputError(TourneyError):
    """Wrong use or bad input; the caller can mend it."""

    exit_code = 2


class UsageError(InputError):
    """A command or an option that does not fit."""


class GameError(InputError):
    """A game that is not there, or a plugin that is broken."""


class OptionError(GameError):
    """A number of seats or an option that the game does not have."""


class PositionError(GameError):
    """A position string that is malformed or impossible."""


class ActionError(GameError):
    """An action string that is malformed, or an action that is not legal here."""


class BotError(InputError):
    """A bot, a manifest or a store entry that cannot be used."""


class TournamentError(InputError):
    """A tournament file, or a tournament that cannot be made of it."""


class RecordError(InputError):
    """A match record that is not of the one form."""


class CheckError(TourneyError):
    """What was asked for does not hold."""

    exit_code = 1


class EnvironmentFailure(TourneyError):  # noqa: N818 - a failure of the machine, said as people say it
    """The machine failed, not the caller and not a bot."""

    exit_code = 3


class StoreError(EnvironmentFailure):
    """The database is damaged, too new, or cannot be used."""


class StoreUnavailable(StoreError):  # noqa: N818 - a state of the machine, said as people say it
    """The database cannot be written now, but may be later: the disk is full, or another program holds it."""


class StoreDamaged(StoreError):  # noqa: N818 - a state of the database, said as people say it
    """A column of the database holds what it may not: somebody altered it, or the disk did."""


class SandboxError(EnvironmentFailure):
    """The containment that was asked for cannot be had on this machine."""


class WorkerError(EnvironmentFailure):
    """A worker process was lost for good."""
