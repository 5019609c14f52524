"""Play one match, or run a tournament file, from Python."""

import dataclasses
import secrets
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError, UsageError
from tourney.files import DEFAULT_BOTS, DEFAULT_DB
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.interface.found_match import FoundMatch, check_argument, whole_number
from tourney.match.match_memory import MatchMemory, refuse_unfit
from tourney.match.runner import MatchRunner, StoreLauncher, entrant_of
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits, MatchSpec
from tourney.run.listeners import Listener
from tourney.run.tournament_file import TournamentFile, read_tournament_file
from tourney.run.unattended import RunOptions, RunResult, run_unattended
from tourney.run.workers.executor import MatchExecutor
from tourney.run.workers.local import LocalExecutor
from tourney.schema import SandboxLevel
from tourney.seeds import U64
from tourney.spawning import default_processes


def play_match(
    game: str,
    bots: Sequence[str | Path],
    *,
    seed: int | None = None,
    options: Mapping[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    sandbox: SandboxLevel = "auto",
    store: str | Path = DEFAULT_BOTS,
) -> FoundMatch:
    """Play one match between bots, in seat order, and return it with its record.

    A bot is a name, a path, or a text with arguments, as ``"mybot --depth 3"``. Bots are copied into the bot
    store ``store``, as by ``tourney run``, so that the match can be replayed. ``seed`` (default: random)
    gives the dice and the bots' own seeds. ``options`` are the game's. What a bot does wrong is a fault in
    the record. Raises GameError, UsageError or BotError for a game or bot that is not there, UsageError for
    an argument of another kind, and SandboxError, also if the bots may use more memory than there is.
    """
    listed = isinstance(bots, Sequence) and all(isinstance(bot, (str, Path)) for bot in bots)
    check_argument("bots", bots, listed and not isinstance(bots, str), "a list of names and paths")
    if seed is not None:
        check_argument("seed", seed, whole_number(seed, 0, U64 - 1), "a number from 0 to 2**64 - 1")
    check_argument("limits", limits, isinstance(limits, Limits), "tourney.Limits(...)")
    check_argument("sandbox", sandbox, sandbox in get_args(SandboxLevel), '"strict", "auto" or "off"')
    rules = find_game(game)
    count, full = rules.settings(len(bots), options)
    bot_store = BotStore(Path(store))
    entrants = [_entrant(rules, bot, bot_store) for bot in bots]
    # Records and results name bots, so a bot against itself needs two names.
    if len({entrant.name for entrant in entrants}) < count:
        entrants = [
            replace(entrant, name=f"{entrant.name}-{seat}") for seat, entrant in enumerate(entrants, start=1)
        ]
    limits = limits.under(rules.laws)
    number = secrets.randbits(64) if seed is None else seed
    spec = MatchSpec(rules.name, tuple(full.items()), tuple(entrants), number, limits)
    modules = any(bot_store.is_module(entrant.digest) for entrant in entrants)
    # Before a process starts: the kernel would end a bot in the middle of the match.
    refuse_unfit(MatchMemory.of(limits, count, modules=modules))
    box = open_sandbox(sandbox, {"the bot store": bot_store.root})
    with MatchRunner(StoreLauncher(bot_store, box), sandbox=box) as runner:
        played = runner.play(spec)
    names = " against ".join(entrant.name for entrant in entrants)
    label = f"{rules.name}: {names}, seed {number}"
    return FoundMatch(label, played.record, tuple(played.log), played.measured)


def run_tournament(
    file: str | Path | TournamentFile,
    *,
    db: str | Path = DEFAULT_DB,
    bots: str | Path = DEFAULT_BOTS,
    workers: int | Callable[[], MatchExecutor] | None = None,
    options: RunOptions | None = None,
    listener: Listener | None = None,
    allow_weaker: bool = False,
) -> RunResult:
    """Start the tournament of a file, or go on where it stopped, as ``tourney run`` does.

    ``workers`` is the number of matches played at a time (default: one per processor; fewer if more do not
    fit into memory), or a function that makes the executor. ``options`` has deadline, log and reports;
    ``listener`` gets each result. Ctrl-C stops it if this is the main thread. A tournament goes on with less
    containment than it began with only with ``allow_weaker``, which is stored. Raises TournamentError for a
    file that cannot be played, UsageError if another process runs the tournament and for other values of
    ``workers``, SandboxError, StoreError and WorkerError.
    """
    if workers is not None and not callable(workers):
        check_argument("workers", workers, whole_number(workers, 1), "a number of matches from 1 on")
    tournament_file = file if isinstance(file, TournamentFile) else read_tournament_file(Path(file))
    make = workers if callable(workers) else partial(LocalExecutor, workers or default_processes())
    options = options or RunOptions()
    if allow_weaker:
        options = dataclasses.replace(options, play=dataclasses.replace(options.play, allow_weaker=True))
    return run_unattended(tournament_file, str(db), Path(bots), make, listener or Listener(), options)


def split_bot(words: str) -> tuple[str, list[str]]:
    """Split a bot with arguments, as a shell does. Raises UsageError."""
    try:
        reference, *args = shlex.split(words) or [""]
    except ValueError as error:
        raise UsageError(f"{words!r} is not a bot with arguments: {error}") from error
    if not reference:
        raise UsageError(f"{words!r} names no bot: give a name or a path, as `tourney bots list` prints them")
    return reference, args


def _entrant(game: AnyGame, bot: str | Path, store: BotStore) -> Entrant:
    reference, args = (str(bot), []) if isinstance(bot, Path) else split_bot(bot)
    stored_bot = resolve_bot(reference, store)
    if not stored_bot.manifest.plays(game.name):
        raise BotError(
            f"{stored_bot.label} does not play {game.name}; it plays {', '.join(stored_bot.manifest.games)}"
        )
    return entrant_of(stored_bot, stored_bot.manifest.name, args)
