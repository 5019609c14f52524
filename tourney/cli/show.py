"""``tourney show``: find a match by number or file, and print it as text."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Literal

import click
import msgspec

from tourney.check.record import written_actions
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import Output, OutputFormat, current
from tourney.errors import GameError, RecordError, StoreDamaged, UsageError
from tourney.games.base import CHANCE
from tourney.interface.found_match import FoundMatch, MatchPosition, find_match
from tourney.match.record import MATCH_DOCUMENT, Outcome, Record
from tourney.match.result import LogLine, Measurements, fault_cause
from tourney.parsing import JsonObject
from tourney.schema import Document, Part
from tourney.texts import counted, printable

MAX_CAUSE: Final = 500
"""Characters of a line that tells the cause of a fault; --log has all."""


class LogEntry(Part, frozen=True, kw_only=True):
    """A line of the log. `ply` counts the actions before it; `seat` is 0 for the referee."""

    ply: int
    seat: int
    kind: str
    text: str


class Board(Part, frozen=True, kw_only=True):
    """The board after `ply` actions: its position string, and the lines of a drawing."""

    ply: int
    position: str
    lines: tuple[str, ...]


class MatchDocument(Document, frozen=True, kw_only=True):
    """A match. `record` is described in docs/reference/record.md.

    `measured` are times, host and protections, which lie outside the record's digest. `winners` are the seats
    of rank 1. `boards` are those that the options ask for, else the last one; empty if the game's rules are
    not installed. `digest_holds`: the record has not been altered. `damaged`: why log or measurements are
    missing.
    """

    format: Literal["tourney-match/1"] = MATCH_DOCUMENT
    label: str
    digest_holds: bool
    winners: tuple[int, ...]
    record: JsonObject
    measured: JsonObject
    log: tuple[LogEntry, ...]
    boards: tuple[Board, ...]
    damaged: tuple[str, ...]


class _ShowRequest(opt.CommandOptions):
    ply: int | None = option(
        "--ply N",
        "Show the board after N actions instead of the list of actions.",
        type=click.IntRange(min=0),
    )
    boards: bool = option("--board", "Show the board after every action instead of the list of actions.")
    logged: bool = option("--log", "Also show the log: the bots' info lines and standard error.")
    seat: int | None = option("--seat N", "With --log: only the lines of this seat, as its author may see.")
    as_json: bool = option("--json", "The same as --format json.")
    bare: bool = option(
        "--record",
        "Print the record alone, on one line: the form that `tourney verify`, `rerun`, `debug` and `import`"
        " take.",
    )
    format_: object = opt.formats(MatchDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        if self.boards and self.ply is not None:
            raise UsageError("--board shows the board after every action: leave out --ply")
        if self.seat is not None and not (self.logged or self.as_json or not current().people):
            raise UsageError("--seat chooses lines of the log: add --log")
        if self.bare:
            others = {"--ply": self.ply is not None, "--board": self.boards, "--log": self.logged}
            others |= {"--json": self.as_json, "--format json": not current().people}
            opt.refuse(others, "does not go with --record, which prints the record alone")

    def plies(self, match: FoundMatch) -> tuple[int, int]:
        """The first and last ply of the boards to show. Raises UsageError."""
        count = len(match.record.actions)
        if self.ply is None:
            return (0, count) if self.boards else (count, count)
        if self.ply > count:
            raise UsageError(
                f"{match.label} has {counted(count, 'action')}: --ply takes a number from 0 to {count}"
            )
        return self.ply, self.ply


@opt.command("show", _ShowRequest)
@click.argument("match")
def command(match: str, options: _ShowRequest) -> None:
    """Show a match: its settings, actions and final board.

    MATCH is a number (12 or autumn-cup/12) or a file with one record. Below a fault stand the referee's note
    on it and the bot's last line of standard error. JSON always has the record, the
    measurements and the log; --record prints the record alone, as `tourney export` does. To check the record,
    use `tourney verify`.
    """
    options.check()
    output = current()
    stored_match = find_match(match, options.db).published()
    holds = stored_match.record.content_digest() == stored_match.record.digest
    if not holds:
        output.warn(
            f"{stored_match.label}: the digest does not match the record; see `tourney verify {match}`"
        )
    # After the warning: a broken record is printed too, as its reader may want to look into it.
    if options.bare:
        sys.stdout.buffer.write(stored_match.record.encode() + b"\n")
        return
    if options.seat is not None:
        seats = len(stored_match.record.seats)
        if options.seat > seats:
            raise UsageError(f"there is no seat {options.seat}: {stored_match.label} has {seats}")
        lines = tuple(line for line in stored_match.log if line.seat == options.seat)
        stored_match = replace(stored_match, log=lines)
    plies = options.plies(stored_match)
    if options.as_json or not output.people:
        replace(output, format=OutputFormat.JSON).document(_document(stored_match, holds, plies, output))
    else:
        _print(stored_match, options, plies, output)
    if stored_match.damaged:
        raise StoreDamaged("; ".join(stored_match.damaged))


def _boards(
    match: FoundMatch, plies: tuple[int, int], output: Output, **how: bool
) -> Iterator[tuple[MatchPosition, str]]:
    """Yield the positions to show with their boards, or warn that the rules do not know them."""
    try:
        # The rules replay from the start in any case, but only the wanted boards are drawn.
        for shown in islice(match.positions(plies[1]), plies[0], None):
            yield shown, shown.board(**how).rstrip()
    except (GameError, RecordError) as error:
        output.warn(f"no board: {error}")


def _print(match: FoundMatch, options: _ShowRequest, plies: tuple[int, int], output: Output) -> None:
    lines = [match.label, *head_lines(match.record, match.measured, match.log)]
    listed = list(action_lines(match.record, match.measured.times_ms))
    if options.ply is None and not options.boards:
        lines += ["", *listed]
    if options.logged:
        lines += ["\nlog", *log_lines(match.log)]
    output.text(*lines)
    for shown, board in _boards(match, plies, output, color=output.color):
        at = shown.ply
        over = f"\n{end_text(match.record.outcome)}" if at == len(listed) else ""
        action = f":{listed[at - 1][5:]}" if options.boards and at else ""
        output.write(f"\nafter {counted(at, 'action')}{action}{over}\n{board}")


def _document(match: FoundMatch, holds: bool, plies: tuple[int, int], output: Output) -> MatchDocument:
    """The match with its boards, which are left out if the rules do not know them."""
    boards = []
    for shown, board in _boards(match, plies, output, mark=False):
        lines = tuple(line.rstrip() for line in board.splitlines())
        boards.append(Board(ply=shown.ply, position=shown.text, lines=lines))
    ranks = match.record.outcome.ranks
    return MatchDocument.of(
        match,
        digest_holds=holds,
        winners=tuple(seat for seat, rank in enumerate(ranks, 1) if rank == 1),
        record=msgspec.to_builtins(match.record, order="sorted"),
        measured=msgspec.to_builtins(match.measured),
        log=tuple(map(LogEntry.of, match.log)),
        boards=tuple(boards),
    )


def head_lines(record: Record, measured: Measurements, log: Sequence[LogLine] = ()) -> Iterator[str]:
    """Yield everything about a match except its actions, one line each; of its log the causes of faults."""
    options = ", ".join(f"{key}={value}" for key, value in record.options.items())
    yield f"game     {record.game}, rules {record.rules}{f', {options}' if options else ''}"
    yield f"seed     {record.seed}"
    opening = record.opening
    if opening.length:
        book = " ".join(opening.actions)
        yield f"opening  {book}" if book else f"opening  {opening.plies} plies drawn from the seed"
    yield "limits   " + ", ".join(f"{key}={text}" for key, text in record.limits.texts().items())
    for number, seat in enumerate(record.seats, start=1):
        args = " ".join(seat.args)
        bot = f"{seat.bot}@{seat.version}{f' {args}' if args else ''}, {seat.digest[:12]}"
        yield printable(f"seat {number}   {seat.name} ({bot})")
    outcome = record.outcome
    yield f"outcome  ranks {' '.join(map(str, outcome.ranks))}, {outcome.reason}"
    for number, kind, count in outcome.faults:
        yield f"fault    seat {number}: {kind} after {count} actions"
        for text in fault_cause(log, number, kind):
            yield printable(f"         {text[:MAX_CAUSE]}")
    for number, count in outcome.resigned:
        yield f"resigned seat {number} after {count} actions"
    if (ended := outcome.adjudication) is not None:
        scores = enumerate(ended.scores, start=1)
        by_seat = "".join(f", seat {seat} said {' '.join(texts)}" for seat, texts in scores if texts)
        yield f"ended    by {ended.rule}{by_seat}"
    yield f"digest   {record.digest}"
    yield from map(printable, _measured_lines(measured))


def action_lines(record: Record, times: Sequence[float | None]) -> Iterator[str]:
    """Yield the actions, numbered from 1, with the actor and the milliseconds taken.

    An action in its game's notation has its own string behind it, which the other commands take.
    """
    written = written_actions(record)
    for number, (actor, action) in enumerate(record.actions, start=1):
        took = times[number - 1] if number <= len(times) else None
        # Notations of games keep words together by no-break spaces; a terminal's user may copy the action.
        text = written[number - 1].replace("\N{NO-BREAK SPACE}", " ")
        shown = printable(action if text == action else f"{text:12} {action}")
        line = f"{number:5}  {_actor(actor):8} {shown}"
        yield line if took is None else f"{line:40} {took:.3f} ms"


def log_lines(log: Sequence[LogLine]) -> Iterator[str]:
    """Yield a log: per line the number of actions played so far, the seat and the kind."""
    for line in log:
        yield printable(
            f"{line.ply:5}  {_actor(line.seat) if line.seat else 'referee':8} {line.kind}: {line.text}"
        )


def end_text(outcome: Outcome) -> str:
    """The end of a match in words: over, and the winners."""
    ranks = outcome.ranks
    first = [str(seat) for seat, rank in enumerate(ranks, 1) if rank == 1]
    if len(first) == len(ranks) > 1:
        return f"over: a draw ({outcome.reason})"
    who = f"seat {first[0]} won" if len(first) == 1 else f"seats {' and '.join(first)} share the first place"
    return f"over: {who} ({outcome.reason})"


def _measured_lines(measured: Measurements) -> Iterator[str]:
    if measured.started:
        took = "?" if measured.wall_ms is None else measured.wall_ms
        yield f"played   {measured.started} on {measured.host or '?'}, {took} ms"
    for number, engine in enumerate(measured.engines, start=1):
        if engine:
            yield f"engine   seat {number}: {engine}"
    if (box := measured.sandbox) is not None:
        yield f"sandbox  {box.level or '?'} ({box.kind or '?'})"
    if measured.reproducible is False:
        yield f"note     not guaranteed to reproduce: {', '.join(measured.why_not)}"


def _actor(actor: int) -> str:
    return "chance" if actor == CHANCE else f"seat {actor}"
