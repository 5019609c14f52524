"""The demo: two small round-robins of the bots that ship, as files to continue from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError, EnvironmentFailure
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.tournament_run import open_tournament
from tourney.store.database import Database, upgrade_database

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

[limits]
ponder = "freeze"
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

[limits]
ponder = "freeze"
"""

_FOURTH = 'bot = "mason"'
_INSTEAD = 'bot = "random"\nname = "random-again"'


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """The demo's folder, database, bot store and tournament files."""

    folder: Path
    database: Path
    bots: Path
    tournaments: tuple[Path, ...]


def prepare_demo(folder: Path, say: Callable[[str], None]) -> DemoFiles:
    """Write the demo's tournament files into a new or existing folder; existing files stay.

    Raises EnvironmentFailure if the folder cannot be written.
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
        places = {"database": files.database, "bots": files.bots}
        if not tafl.exists():
            tafl.write_text(_TAFL.format(path=tafl, **places), encoding="utf-8")
        if not stones.exists():
            fourth = _FOURTH if _builds("mason", BotStore(files.bots.absolute()), say) else _INSTEAD
            stones.write_text(_STONES.format(path=stones, fourth=fourth, **places), encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(
            f"the demo cannot be written to {folder}: {error.strerror}; choose another folder with --out"
        ) from error
    return files


def upgrade_demo(files: DemoFiles, say: Callable[[str], None]) -> None:
    """Upgrade a database that an older Tourney's demo made, and say so.

    Raises StoreError for a damaged database, and for that of a newer Tourney.
    """
    if files.database.exists():
        before, after = upgrade_database(str(files.database))
        if before != after:
            say(f"the demo's database {files.database} is an older one: upgraded from {before} to {after}")


def begin_demo(files: DemoFiles, tournament: TournamentFile) -> None:
    """Start a tournament of the demo unless it has started.

    This suppresses the warning about a chosen seed, which the demo has on purpose.
    """
    store = BotStore(files.bots.absolute())
    with open_tournament(tournament, str(files.database), store, lambda _text: None):
        pass


def failed_starts(files: DemoFiles, names: Sequence[str]) -> str:
    """The bots that failed at start-up, and how often; "" if none did."""
    failed = []
    with Database.open(str(files.database)) as repository:
        for name in names:
            tournament = repository.tournaments.get(name).id
            bots = {entrant.number: entrant.name for entrant in repository.tournaments.entrants(tournament)}
            failed += [
                f"{bots[number]} {count} times in {name}"
                for number, kind, count in repository.totals.faults(tournament)
                if kind == "startup"
            ]
    return ", ".join(failed)


def _builds(name: str, store: BotStore, say: Callable[[str], None]) -> bool:
    """Say whether a bot that ships can be built here: the one in C needs a compiler."""
    try:
        runnable_folder(store, resolve_bot(name, store), open_sandbox("auto"))
    except BotError as error:
        say(f"{name} is left out: {str(error).splitlines()[0]}")
        return False
    return True
