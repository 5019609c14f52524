"""JSON documents on bots, games and the machine."""

from typing import Literal

from tourney.schema import Document, Part


class BotLine(Part, frozen=True, kw_only=True):
    """A bot; `games` is empty for a bot that plays any game."""

    name: str
    version: str
    title: str | None
    author: str | None
    games: tuple[str, ...]
    source: str
    digest: str


class BotsDocument(Document, frozen=True, kw_only=True):
    """The bots of the store and those that ship. `damaged` are sentences on entries that cannot be read."""

    format: Literal["tourney-bots/1"] = "tourney-bots/1"
    bots: tuple[BotLine, ...]
    damaged: tuple[str, ...]


class BotDocument(Document, frozen=True, kw_only=True):
    """A bot's manifest, files and build state; `games` is empty for a bot that plays any game.

    `built` is null without a build, else "yes", "not yet" or what is wrong.
    """

    format: Literal["tourney-bot/1"] = "tourney-bot/1"
    name: str
    version: str
    title: str | None
    author: str | None
    games: tuple[str, ...]
    command: tuple[str, ...]
    build: tuple[str, ...]
    built: str | None
    protocol: str
    source: str
    digest: str
    files: tuple[str, ...]
    folder: str


class StoredBotLine(Part, frozen=True, kw_only=True):
    """A bot that was added, removed or restored; a damaged one has no name."""

    name: str | None
    version: str | None
    digest: str


class StoredBotsDocument(Document, frozen=True, kw_only=True):
    """The bots that a command added to the store, removed from it or restored."""

    format: Literal["tourney-stored-bots/1"] = "tourney-stored-bots/1"
    bots: tuple[StoredBotLine, ...]


class TrialLine(Part, frozen=True, kw_only=True):
    """A trial. `ok` is null for advice, which fails no bot.

    `board` shows the position of an illegal action, `wire` the last lines between referee and bot (> to the
    bot, < from the bot), `stderr` the bot's last lines of standard error.
    """

    name: str
    ok: bool | None
    result: str
    advice: str | None
    board: tuple[str, ...]
    wire: tuple[str, ...]
    stderr: tuple[str, ...]


class BotCheckDocument(Document, frozen=True, kw_only=True):
    """Whether a bot passed its trials."""

    format: Literal["tourney-bot-check/1"] = "tourney-bot-check/1"
    bot: str
    passed: bool
    trials: tuple[TrialLine, ...]


class BotTestDocument(Document, frozen=True, kw_only=True):
    """Whether a bot says what a dialogue expects; `difference` is the first one."""

    format: Literal["tourney-bot-test/1"] = "tourney-bot-test/1"
    bot: str
    passed: bool
    lines: int
    difference: str | None
    stderr: tuple[str, ...]


class OptionLine(Part, frozen=True, kw_only=True):
    """An option of a game and its values."""

    name: str
    default: str
    values: tuple[str, ...]
    help: str


class GameLine(Part, frozen=True, kw_only=True):
    """A game: the numbers of seats, and whether it has chance and hidden actions."""

    name: str
    title: str
    seats: tuple[int, ...]
    chance: bool
    hidden: bool
    rules: str
    options: tuple[OptionLine, ...]


class GamesDocument(Document, frozen=True, kw_only=True):
    """The games. `families` name further games; `broken` are sentences on plugins that do not work."""

    format: Literal["tourney-games/1"] = "tourney-games/1"
    games: tuple[GameLine, ...]
    families: tuple[str, ...]
    broken: tuple[str, ...]


class ActionCount(Part, frozen=True, kw_only=True):
    """A first action, and the number of sequences that begin with it."""

    action: str
    count: int


class PerftDocument(Document, frozen=True, kw_only=True):
    """The number of action sequences of a length; `divided` is null without `--divide`."""

    format: Literal["tourney-perft/1"] = "tourney-perft/1"
    game: str
    depth: int
    count: int
    divided: tuple[ActionCount, ...] | None


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


class Protection(Part, frozen=True, kw_only=True):
    """A protection, its degree on this machine, what it means and what was tried."""

    protection: str
    degree: Literal["enforced", "partial", "absent"]
    means: str
    tried: str


class DoctorDocument(Document, frozen=True, kw_only=True):
    """The protections on this machine. `holds`: all that the level requires and the sandbox claims are there.

    `rules_for_search` says whether they are compiled.
    """

    format: Literal["tourney-doctor/1"] = "tourney-doctor/1"
    level: Literal["strict", "auto", "off"]
    sandbox: str
    holds: bool
    protections: tuple[Protection, ...]
    rules_for_search: str


class DatabaseCheckDocument(Document, frozen=True, kw_only=True):
    """Whether a database is sound; `problems` are sentences."""

    format: Literal["tourney-db-check/1"] = "tourney-db-check/1"
    database: str
    sound: bool
    problems: tuple[str, ...]
