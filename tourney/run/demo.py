"""The demo: two small round-robins of the bots that ship, as files that a person can go on from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tourney.bots.build import runnable_folder
from tourney.bots.build_job import run_in
from tourney.bots.resolve import resolve_bot
from tourney.bots.sandbox import open_sandbox
from tourney.bots.store import BotStore
from tourney.errors import BotError, EnvironmentFailure

SEED = 20261120

_TAFL = f"""\
# A small round-robin of Sages Tafl. To go on from here:
# tourney run {{path}} --db {{database}} --bots {{bots}}
name = "demo-tafl"
game = "sages-tafl"
seed = {SEED}            # chosen, so that this demo is the same everywhere
bots = ["random", "greedy", "pebble"]
games-per-pairing = 8
opening-plies = 2
"""

_STONES = f"""\
# A small round-robin of Sage Stones, four bots at a table. To go on from here:
# tourney run {{path}} --db {{database}} --bots {{bots}}
name = "demo-stones"
game = "sage-stones"
seats = 4
seed = {SEED}            # chosen, so that this demo is the same everywhere
bots = ["random", "greedy", "pebble"]
games-per-pairing = 24

[[entrant]]
{{fourth}}
"""

_FOURTH = 'bot = "mason"'
_INSTEAD = 'bot = "random"\nname = "random-again"'


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """What the demo consists of: its folder, database, bot store and tournament files."""

    folder: Path
    database: Path
    bots: Path
    tournaments: tuple[Path, ...]


def prepare_demo(folder: Path, say: Callable[[str], None]) -> DemoFiles:
    """Write the demo's tournament files into a folder, which is made; files that are there are kept.

    Raises EnvironmentFailure where the folder cannot be written.
    """
    files = DemoFiles(
        folder=folder,
        database=folder / "tourney.db",
        bots=folder / "tourney-bots",
        tournaments=(folder / "tafl.toml", folder / "stones.toml"),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tafl, stones = files.tournaments
        if not tafl.exists():
            tafl.write_text(
                _TAFL.format(path=tafl, database=files.database, bots=files.bots), encoding="utf-8"
            )
        if not stones.exists():
            fourth = _FOURTH if _builds("mason", BotStore(files.bots.absolute()), say) else _INSTEAD
            stones.write_text(
                _STONES.format(path=stones, database=files.database, bots=files.bots, fourth=fourth),
                encoding="utf-8",
            )
    except OSError as error:
        raise EnvironmentFailure(
            f"the demo cannot be written to {folder}: {error.strerror}; choose another folder with --out"
        ) from error
    return files


def _builds(name: str, store: BotStore, say: Callable[[str], None]) -> bool:
    """Say whether a bot that ships can be built here: the one in C wants a compiler."""
    try:
        runnable_folder(store, resolve_bot(name, store), run_in(open_sandbox("auto")))
    except BotError as error:
        say(f"{name} is left out: {str(error).splitlines()[0]}")
        return False
    return True
