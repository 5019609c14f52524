"""From the entrants' lines of a tournament file to entrants: bots fetched into the store, names given."""

import json
from collections.abc import Sequence

from tourney.bots.catalogue.resolve import resolve_bot
from tourney.bots.catalogue.store import BotStore
from tourney.errors import BotError, TournamentError
from tourney.match.spec import Entrant
from tourney.run.config.tournament_file import NAME, EntrantLine, TournamentFile
from tourney.store.values import StoredEntrant


def line_text(line: EntrantLine) -> str:
    """Return an entrant's line as it is stored, to be compared with a later file's."""
    return json.dumps({"bot": line.bot, "name": line.name, "args": list(line.args)}, separators=(",", ":"))


def enter(
    file: TournamentFile,
    lines: Sequence[EntrantLine],
    store: BotStore,
    *,
    before: Sequence[StoredEntrant] = (),
    joined: int = 1,
) -> tuple[StoredEntrant, ...]:
    """Return the entrants of some lines, numbered on from those entered before; their bots lie in the store.

    Raises TournamentError that names the file: for a bot that is not there or does not play the game, and for
    two entrants of one name.
    """
    taken = {entrant.name for entrant in before}
    entered: list[StoredEntrant] = []
    for line in lines:
        try:
            bot = resolve_bot(line.bot, store, file.folder)
        except BotError as error:
            raise TournamentError(f"{file.path}: {error}") from error
        manifest = bot.manifest
        if not manifest.plays(file.plan.game):
            raise TournamentError(
                f"{file.path}: the bot {manifest.name} does not play {file.plan.game};"
                f" it plays {', '.join(manifest.games)}"
            )
        name = manifest.name if line.name is None else line.name
        if NAME.fullmatch(name) is None:
            raise TournamentError(f"{file.path}: {name!r} is no name for an entrant ({NAME.pattern})")
        if name in taken:
            raise TournamentError(
                f"{file.path}: two entrants are called {name};"
                " give one a name of its own, by [[entrant]] with bot and name"
            )
        taken.add(name)
        entered.append(
            StoredEntrant(
                number=len(before) + len(entered),
                entrant=Entrant(name, manifest.name, manifest.version, line.args, bot.digest),
                title=manifest.title,
                author=manifest.author,
                joined=joined,
                line=line_text(line),
            )
        )
    return tuple(entered)
