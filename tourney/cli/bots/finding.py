"""From a word on the command line to a bot, without keeping in the store what is only looked at."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

from tourney.bots.catalogue.files import remove_tree
from tourney.bots.catalogue.resolve import look_up
from tourney.bots.catalogue.store import BotStore, StoredBot


def find_bot(reference: str, store: BotStore, stack: ExitStack) -> tuple[BotStore, StoredBot, Path]:
    """Return a bot, the store that it lies in, and where it comes from.

    What is in the given store is taken from there; a path's bot, or one that ships, is looked at in a
    temporary one, which ``stack`` removes. Raises BotError where there is none.
    """
    found = look_up(reference, store)
    if isinstance(found, StoredBot):
        return store, found, found.folder
    folder = Path(tempfile.mkdtemp(prefix="tourney-"))
    stack.callback(remove_tree, folder)
    temporary = BotStore(folder)
    return temporary, temporary.add(found), found
