"""``tourney debug``: an author's program on a seat of a recorded match, in the foreground."""

import shlex
import signal
import sys
from pathlib import Path
from typing import Literal

import click

from tourney.addons.lab.debugging import DebugMatch, Difference, OwnProgram
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import CheckError
from tourney.interface.found_match import find_match
from tourney.match.result import PlayedMatch
from tourney.match.runner import StoreLauncher
from tourney.run.private_paths import private_paths
from tourney.schema import Document, SandboxLevel
from tourney.texts import counted


class DebugDocument(Document, frozen=True, kw_only=True):
    """How a match with an author's program differs from its record.

    `first` is the first action, from 1, that differs, with the recorded action and the new one ("" for none);
    null if none does. `differences` is the number of actions that the program chose otherwise.
    """

    format: Literal["tourney-debug/1"] = "tourney-debug/1"
    match: str
    actions: int
    first: int | None
    was: str | None
    now: str | None
    differences: int
    reason: str


class _DebugRequest(opt.CommandOptions):
    seat: int = option("--seat N", "Seat of your program.", required=True)
    bot: Path = option(
        "--bot PATH",
        "Your program, or its folder with bot.toml.",
        required=True,
        type=click.Path(exists=True, path_type=Path),
    )
    until: int | None = option(
        "--until ACTION",
        "Number of the first action that is played live; before it, the record decides. [default: none is]",
    )
    words: tuple[str, ...] = opt.shared(opt.args_option("program"))
    under: str = option("--under WORDS", "Start it under a program, as 'gdbserver :2000'.", default="")
    wait: bool = option("--wait", "Wait for Enter after the start, so that a debugger can attach.")
    clock: bool = option("--clock", "Enforce the recorded limits on time.")
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)
    format_: object = opt.formats(DebugDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)


@opt.command("debug", _DebugRequest)
@click.argument("match")
def command(match: str, options: _DebugRequest) -> None:
    """Run your program on a seat of MATCH, in the foreground and without a sandbox.

    MATCH is a number (12 or autumn-cup/12) or a file with one record. The program gets the lines of that
    match: it is asked on each of its turns, and the recorded actions are played. From --until ACTION on its
    own actions are played, against the bots of the record. Prints the first action that differs and exits
    with code 1 if one does.

    No time is limited, so you may stop in a debugger. Standard error is the terminal; breakpoint() of Python
    opens pdb there. --under starts the program under a debugger or profiler.
    """
    stored_match = find_match(match, options.db).published()
    store = BotStore(Path(options.bots).absolute())
    if options.until is not None:
        for number, seat in enumerate(stored_match.record.seats, start=1):
            if number != options.seat:
                store.provide(seat.digest)
    program = OwnProgram(options.bot, options.words, tuple(shlex.split(options.under)))
    sandbox = open_sandbox(options.sandbox, private_paths(options.db, store.root))
    launch = StoreLauncher(store, sandbox)
    debugged = DebugMatch(stored_match.record, options.seat, program, options.until, launch, options.clock)
    # Ctrl-C is for the debugger. A handler, not SIG_IGN, which the program would inherit.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        played = debugged.play(lambda pid: _started(pid, wait=options.wait))
    finally:
        signal.signal(signal.SIGINT, before)
    _show(stored_match.label, played, tuple(debugged.differences(played)), options)


def _show(
    label: str, played: PlayedMatch, differences: tuple[Difference, ...], options: _DebugRequest
) -> None:
    output = current()
    first = differences[0] if differences else None
    output.document(
        DebugDocument(
            match=label,
            actions=played.count,
            first=first and first.action,
            was=first and first.was,
            now=first and first.now,
            differences=len(differences),
            reason=played.outcome.reason,
        )
    )
    for faulty, kind, ply in played.outcome.faults:
        why = "".join(played.lines(faulty, "note")[-1:])
        output.say(f"seat {faulty} failed after {counted(ply, 'action')}: {why or kind}")
    if first is not None:
        more = len(differences) - 1
        raise CheckError(_words(first) + (f"; {counted(more, 'more action')} differ" if more else ""))
    output.text(f"{options.bot} chooses every action of seat {options.seat} in {label}")


def _words(difference: Difference) -> str:
    if not difference.was or not difference.now:
        entry = (
            "the match went on by " + difference.now
            if difference.now
            else f"the match was over before {difference.was}"
        )
        return f"action {difference.action}: {entry}"
    return f"action {difference.action}: the record has {difference.was}, now it is {difference.now}"


def _started(pid: int, *, wait: bool) -> None:
    if wait:
        current().say(f"the program is process {pid}: attach to it, then press Enter")
        sys.stdin.readline()
