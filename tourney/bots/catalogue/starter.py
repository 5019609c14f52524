"""Writes the folder of a new bot."""

import shutil
import tempfile
from pathlib import Path

from tourney.bots.catalogue.files import naming
from tourney.bots.catalogue.shipped import refuse_shipped_name
from tourney.errors import BotError
from tourney.games.registry import find_game
from tourney.schema import NAME

LANGUAGES = ("python", "c", "shell")
DEFAULT_GAME = "sages-tafl"

_STARTERS = Path(__file__).parent / "starters"
_SUFFIX = ".in"


def new_bot(folder: Path, language: str, game: str = DEFAULT_GAME) -> tuple[Path, ...]:
    """Write a bot that plays a game into a new folder, whose name is the bot's; return its files, sorted.

    Raises BotError for a name that no bot can have or that a shipped bot has, and for a folder that exists;
    GameError for an unknown game.
    """
    name = folder.name
    if NAME.fullmatch(name) is None:
        raise BotError(f"{name!r} is no name for a bot; a name matches {NAME.pattern}")
    with naming(folder):
        refuse_shipped_name(name)
    if folder.exists() or folder.is_symlink():
        raise BotError(f"{folder} exists already; choose another name")
    if not folder.parent.is_dir():
        raise BotError(f"there is no folder {folder.parent} for {name}; make it first")
    words = {
        "@NAME@": name,
        "@GAME@": find_game(game).name,
        "@HIDDEN@": ", hidden=True" if find_game(game).has_hidden_actions else "",
    }
    # Written under another name and renamed, so that a failure leaves no half of a bot.
    temporary = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    try:
        temporary.chmod(0o755)
        for source in sorted((_STARTERS / language).glob(f"*{_SUFFIX}")):
            text = source.read_text("utf-8")
            for mark, word in words.items():
                text = text.replace(mark, word)
            (temporary / source.name.removesuffix(_SUFFIX)).write_text(text, "utf-8")
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return tuple(sorted(folder.iterdir()))
