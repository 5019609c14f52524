"""``tourney play``: a person in the terminal against bots."""

import io
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from msgspec.structs import replace

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.cli import options as opt
from tourney.cli.bots.list import find_bot
from tourney.cli.completion import complete_game
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import BotError, UsageError
from tourney.files import check_writable, write_file
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.interface.playing import split_bot
from tourney.match.match_memory import MatchMemory, refuse_unfit
from tourney.match.referee import Referee
from tourney.match.runner import Launcher, StoreLauncher, entrant_of
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening
from tourney.play.person import PERSON
from tourney.play.person_match import PersonMatch, Seat
from tourney.play.terminal import ScreenTerminal, StreamTerminal, Terminal
from tourney.schema import SandboxLevel
from tourney.seeds import U64

DEFAULT_BOT = "random"


class _PlayOptions(opt.CommandOptions):
    seats: int | None = opt.shared(opt.seats_option)
    options: dict[str, str] = opt.shared(opt.game_option)
    seed: int | None = option(
        "--seed",
        "Seed of the dice and of the bots' own seeds. [default: random, and printed]",
        type=click.IntRange(0, U64 - 1),
    )
    move_ms: int = opt.shared(opt.move_ms_option("A bot's time for an action; yours is not limited."))
    memory_mb: int = opt.shared(opt.memory_option("Memory of each bot, in MiB."))
    opening_plies: int = option(
        "--opening-plies N",
        "Begin after N random actions, sampled from the seed.",
        type=click.IntRange(0, 200),
        default=0,
    )
    save: Path | None = option("--save FILE", "Write the record of the game to FILE, which must not exist.")
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)
    bots: str = opt.shared(opt.bots_option)


@opt.command("play", _PlayOptions)
@click.argument("game", shell_complete=complete_game)
@click.argument("bots_at", metavar="[SEAT=BOT]...", nargs=-1)
def command(game: str, bots_at: tuple[str, ...], options: _PlayOptions) -> None:
    """Play GAME against bots.

    SEAT=BOT gives a seat to a bot: a name or a path, with arguments if quoted (2='mybot --depth 3'). You play
    all other seats, and those of SEAT=person. Without SEAT=BOT you play seat 1 and `random` plays the others.
    Type help on your turn.

    The bots are contained as in any match, and you see what a bot on your seat would see. After an undo the
    bots start again and receive the actions that are left; the dice stay the same, as they come from the
    seed. --save writes an ordinary record (see tourney show and tourney verify) that names the bot `person`
    on your seats, so tourney rerun cannot replay it.
    """
    output = current()
    rules = find_game(game)
    count, full = rules.settings(options.seats, options.options)
    named = bots_by_seat(bots_at, count)
    seed = secrets.randbits(64) if options.seed is None else options.seed
    with ExitStack() as stack:
        if options.save is not None:  # no game is played for a file that cannot be written
            check_writable(options.save, new=True)
        box = open_sandbox(options.sandbox, {"the bot store": Path(options.bots)})
        players = list(_seats(rules, count, named, box, BotStore(Path(options.bots)), stack))
        entrants = tuple(seat.entrant for seat in players)
        opening = Opening(plies=options.opening_plies)
        limits = Limits(move_ms=options.move_ms, memory_mb=options.memory_mb).under(rules.laws)
        if bots := sum(seat.launch is not None for seat in players):
            refuse_unfit(MatchMemory.of(limits, bots))
        spec = MatchSpec(rules.name, tuple(full.items()), entrants, seed, limits, opening)
        Referee(spec, rules)  # raises for what cannot be played, before anything is shown
        if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
            terminal: Terminal = ScreenTerminal(color=output.color)
        else:  # the caller may have closed the input
            terminal = StreamTerminal(sys.stdin.buffer if sys.stdin else io.BytesIO(), sys.stdout)
        terminal.write(_head(rules, full, seed, players))
        played = PersonMatch(spec, rules, players, terminal, box).play()
        if options.save is not None and played is not None:
            write_file(options.save, played.record.encode() + b"\n")
            output.say(f"the record is in {options.save}")


def bots_by_seat(words: Sequence[str], count: int) -> dict[int, str]:
    """Parse ``SEAT=BOT`` words into bots by seat. Raises UsageError."""
    named: dict[int, str] = {}
    for word in words:
        seat, equals, bot = word.partition("=")
        if not (equals and bot.strip() and seat.isascii() and seat.isdecimal()):
            raise UsageError(f"{word!r} is not of the form SEAT=BOT, such as 2=random")
        # Python refuses to convert thousands of digits, with an error that names no option.
        number = int(seat[:9])
        if not 1 <= number <= count:
            raise UsageError(
                f"there is no seat {seat[:9]}: the game has {count} seats; --seats N sets another number"
            )
        if number in named:
            raise UsageError(f"seat {number} is named twice")
        named[number] = bot
    if not words:  # with any SEAT=BOT, the other seats are the person's
        named = dict.fromkeys(range(2, count + 1), DEFAULT_BOT)
    # SEAT=person is the default of a seat that is not named.
    named = {number: bot for number, bot in named.items() if bot != PERSON.name}
    if len(named) == count:
        raise UsageError("every seat has a bot: leave one to yourself, or use tourney run")
    return named


def _seats(
    game: AnyGame, count: int, named: Mapping[int, str], box: Sandbox, store: BotStore, stack: ExitStack
) -> Iterator[Seat]:
    """Yield the seats in order; if two entrants share a name, every name gets its seat's number."""
    seated = [
        _bot(game, named[number], box, store, stack) if number in named else (PERSON, None)
        for number in range(1, count + 1)
    ]
    distinct = len({entrant.name for entrant, _ in seated}) == count
    for number, (entrant, launch) in enumerate(seated, start=1):
        name = entrant.name if distinct else f"{entrant.name}-{number}"
        label = f"{number} {game.seat_names[number - 1]}" + (f", {entrant.bot}" if launch else "")
        yield Seat(label, replace(entrant, name=name), launch)


def _bot(
    game: AnyGame, words: str, box: Sandbox, store: BotStore, stack: ExitStack
) -> tuple[Entrant, Launcher | None]:
    reference, args = split_bot(words)
    where, bot, _ = find_bot(reference, store, stack)
    manifest = bot.manifest
    if not manifest.plays(game.name):
        raise BotError(f"{bot.label} does not play {game.name}; it plays {', '.join(manifest.games)}")
    return entrant_of(bot, manifest.name, args), StoreLauncher(where, box)


def _head(game: AnyGame, options: Mapping[str, str], seed: int, seats: Iterable[Seat]) -> str:
    settings = "".join(f", {key}={value}" for key, value in options.items())
    lines = [f"{game.title}{settings}, seed {seed}"]
    lines += [f"  {seat.label}" + ("" if seat.launch else ": you") for seat in seats]
    return "\n".join([*lines, "Type help for the commands.", ""])
