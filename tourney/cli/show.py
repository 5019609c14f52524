"""``tourney show``: find a match by number or file, and print it as text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from tourney.cli.documents.matches import MatchDocument
from tourney.cli.edge import printable
from tourney.cli.options import TEXT, db_option, formats_option, output_options
from tourney.cli.output import Format, Output, current
from tourney.errors import GameError, RecordError, StoreDamaged, UsageError
from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.games.registry import find_game
from tourney.games.text_diagram import text_diagram
from tourney.match.record import Record, check_shape, digest_of, read_record
from tourney.match.result import LogLine
from tourney.match.spec import limit_text

T = TypeVar("T")

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """A match to show: its name for people, its record, and the log and measurements stored with it.

    ``damaged``: why the log or the measurements are missing, one sentence each.
    """

    label: str
    record: Record
    log: tuple[LogLine, ...] = ()
    measured: dict[str, Any] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


def find_match(words: str, db: str) -> FoundMatch:
    """Return a match by ``NUMBER``, ``TOURNAMENT/NUMBER`` or record file.

    A bare number always means a match in the database; for a file of that name, write ``./12``. Checks the
    record's shape, not its digest. Raises UsageError if there is no such match, RecordError if the file holds
    no record, and StoreError.
    """
    if is_file(words) or not names_match(words):
        if not is_file(words):
            raise UsageError(
                f"{words!r} is not a match: give its number (12 or autumn-cup/12) or a record file"
            )
        value = read_record(Path(words))
        try:
            return FoundMatch(words, check_shape(value))
        except RecordError as error:
            raise RecordError(f"{words} is not a record: {error}") from error
    from tourney.store.repository import Repository  # noqa: PLC0415 - slow to import; a file does not need it

    with Repository.open(db) as opened, opened.snapshot() as repository:
        match = repository.find_match(words)
        names = {tournament.id: tournament.name for tournament in repository.tournaments()}
        record = repository.record(match.tournament, match.number)
        label = f"match {match.number} of {names[match.tournament]}"
        damaged: list[str] = []

        def part(read: Callable[[int, int], T]) -> T | None:
            try:
                return read(match.tournament, match.number)
            except StoreDamaged as error:
                damaged.append(str(error))
                return None

        log, measured = part(repository.log) or (), part(repository.measured) or {}
        return FoundMatch(label, record, log, measured, tuple(damaged))


def is_file(words: str) -> bool:
    """Return whether words name a record file; a bare number never does."""
    return _NUMBER.fullmatch(words) is None and Path(words).is_file()


def names_match(words: str) -> bool:
    """Return whether words have the form of a match in a database: ``12`` or ``TOURNAMENT/12``."""
    _, slash, number = words.rpartition("/")
    return bool(slash or words == number) and _NUMBER.fullmatch(number) is not None


@click.command("show")
@click.argument("match")
@click.option(
    "--ply",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show the board after N actions instead of the list of actions.",
)
@click.option(
    "--board",
    "boards",
    is_flag=True,
    help="Show the board after every action instead of the list of actions.",
)
@click.option(
    "--log", "logged", is_flag=True, help="Also show the log: the bots' info lines and standard error."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@formats_option(MatchDocument, formats=TEXT)
@db_option
@output_options
def command(
    match: str, ply: int | None, boards: bool, logged: bool, as_json: bool, format_: Format, db: str
) -> None:
    """Show a match: its settings, actions and final board.

    MATCH is a number (12 or autumn-cup/12) or a file with one record. JSON always has the record, the
    measurements and the log. To check the record, use `tourney verify`.
    """
    if boards and ply is not None:
        raise UsageError("--board shows the board after every action: leave out --ply")
    output = current()
    found = find_match(match, db)
    holds = digest_of(found.record) == found.record["digest"]
    if not holds:
        output.warn(f"{found.label}: the digest does not match the record; see `tourney verify {match}`")
    count = len(found.record["actions"])
    if ply is not None and ply > count:
        raise UsageError(f"{found.label} has {_actions(count)}: --ply takes a number from 0 to {count}")
    first, last = (0, count) if boards else (count, count) if ply is None else (ply, ply)
    if as_json or format_ is Format.JSON:
        output.document(MatchDocument, digest_holds=holds, **_data(found, first, last, output))
        _refuse_damaged(found)
        return
    output.write(found.label)
    for line in head_lines(found.record, found.measured):
        output.write(line)
    listed = list(action_lines(found.record, found.measured.get("times-ms", ())))
    if ply is None and not boards:
        output.write("")
        for line in listed:
            output.write(line)
    if logged:
        output.write("\nlog")
        for line in log_lines(found.log):
            output.write(line)
    try:
        for at, board in enumerate(board_texts(found.record, first, last, color=output.color), start=first):
            over = f"\n{end_text(found.record['outcome'])}" if at == count else ""
            action = f":{listed[at - 1][5:]}" if boards and at else ""
            output.write(f"\nafter {_actions(at)}{action}{over}\n{board.rstrip()}")
    except (GameError, RecordError) as error:
        output.warn(f"no board: {error}")
    _refuse_damaged(found)


def _refuse_damaged(found: FoundMatch) -> None:
    """Raise StoreDamaged for the missing parts, after the rest has been shown."""
    if found.damaged:
        raise StoreDamaged("; ".join(found.damaged))


def _data(found: FoundMatch, first: int, last: int, output: Output) -> dict[str, object]:
    """Return the values of a ``MatchDocument`` but ``digest_holds``, with these boards if they are known."""
    record = found.record
    boards: list[dict[str, object]] = []
    try:
        game = find_game(record["game"])
        for ply, state in enumerate(replay(game, record, last)):
            if ply >= first:
                drawn = text_diagram(game.diagram(state.position(), None), color=False)
                lines = [line.rstrip() for line in drawn.rstrip().splitlines()]
                boards.append({"ply": ply, "position": state.position(), "lines": lines})
    except (GameError, RecordError) as error:
        output.warn(f"no board: {error}")
    return {
        "label": found.label,
        "winners": [seat for seat, rank in enumerate(record["outcome"]["ranks"], 1) if rank == 1],
        "record": record,
        "measured": found.measured,
        "log": [
            {"ply": line.ply, "seat": line.seat, "kind": line.kind, "text": line.text} for line in found.log
        ],
        "boards": boards,
        "damaged": found.damaged,
    }


def head_lines(record: Record, measured: Mapping[str, Any]) -> Iterator[str]:
    """Yield everything about a match except its actions and log, one line each."""
    options = ", ".join(f"{key}={value}" for key, value in record["options"].items())
    yield f"game     {record['game']}, rules {record['rules']}{f', {options}' if options else ''}"
    yield f"seed     {record['seed']}"
    opening = record["opening"]
    if opening != {"plies": 0}:
        book = " ".join(opening.get("actions", ()))
        yield f"opening  {book}" if book else f"opening  {opening['plies']} plies drawn from the seed"
    yield "limits   " + ", ".join(f"{key}={limit_text(value)}" for key, value in record["limits"].items())
    for number, seat in enumerate(record["seats"], start=1):
        args = " ".join(seat["args"])
        bot = f"{seat['bot']}@{seat['version']}{f' {args}' if args else ''}, {seat['digest'][:12]}"
        yield printable(f"seat {number}   {seat['entrant']} ({bot})")
    yield from _outcome_lines(record["outcome"])
    yield f"digest   {record['digest']}"
    yield from map(printable, _measured_lines(measured))


def action_lines(record: Record, times: Sequence[float | None]) -> Iterator[str]:
    """Yield the actions, numbered from 1, with the actor and the milliseconds taken."""
    for number, (actor, action) in enumerate(record["actions"], start=1):
        took = times[number - 1] if number <= len(times) else None
        line = f"{number:5}  {_actor(actor):8} {action}"
        yield line if took is None else f"{line:40} {took:.3f} ms"


def log_lines(log: Sequence[LogLine]) -> Iterator[str]:
    """Yield a log: per line the number of actions played so far, the seat and the kind."""
    for line in log:
        yield printable(
            f"{line.ply:5}  {_actor(line.seat) if line.seat else 'referee':8} {line.kind}: {line.text}"
        )


def board_texts(record: Record, first: int, last: int, *, color: bool) -> Iterator[str]:
    """Yield the board after ``first`` to ``last`` actions.

    Raises GameError, or RecordError for an illegal action.
    """
    game = find_game(record["game"])
    for ply, state in enumerate(replay(game, record, last)):
        if ply >= first:
            action = record["actions"][ply - 1][1] if ply else None
            yield text_diagram(game.diagram(state.position(), action), color=color)


def replay(game: AnyGame, record: Record, ply: int) -> Iterator[AnyState]:
    """Yield the states up to ``ply`` actions of a record, with the dice that the record has."""
    if game.rules != record["rules"]:
        raise GameError(f"rules version {record['rules']} of {game.name} is not installed, only {game.rules}")
    state = game.new(len(record["seats"]), record["options"])
    yield state
    for number, (_, text) in enumerate(record["actions"][:ply], start=1):
        try:
            state = state.play(game.read_action(state, text))
        except GameError as error:
            raise RecordError(f"action {number} is not legal: {error}") from error
        yield state


def end_text(outcome: Mapping[str, Any]) -> str:
    """Return how a match ended: that it is over, and who won."""
    ranks = outcome["ranks"]
    first = [str(seat) for seat, rank in enumerate(ranks, 1) if rank == 1]
    if len(first) == len(ranks) > 1:
        return f"over: a draw ({outcome['reason']})"
    who = f"seat {first[0]} won" if len(first) == 1 else f"seats {' and '.join(first)} share the first place"
    return f"over: {who} ({outcome['reason']})"


def _actions(count: int) -> str:
    return f"{count:,} action{'' if count == 1 else 's'}"


def _outcome_lines(outcome: Mapping[str, Any]) -> Iterator[str]:
    ranks = " ".join(map(str, outcome["ranks"]))
    yield f"outcome  ranks {ranks}, {outcome['reason']}"
    for seat, kind, count in outcome["faults"]:
        yield f"fault    seat {seat}: {kind} after {count} actions"
    for seat, count in outcome.get("resigned", ()):
        yield f"resigned seat {seat} after {count} actions"
    if "adjudication" in outcome:
        ended = outcome["adjudication"]
        scores = enumerate(ended.get("scores", ()), start=1)
        said = "".join(f", seat {seat} said {' '.join(texts)}" for seat, texts in scores if texts)
        yield f"ended    by {ended['rule']}{said}"


def _measured_lines(measured: Mapping[str, Any]) -> Iterator[str]:
    if "started" in measured:
        host, took = measured.get("host", "?"), measured.get("wall-ms", "?")
        yield f"played   {measured['started']} on {host}, {took} ms"
    sandbox = measured.get("sandbox")
    if isinstance(sandbox, dict):
        yield f"sandbox  {sandbox.get('level', '?')} ({sandbox.get('kind', '?')})"
    if measured.get("reproducible") is False:
        yield f"note     not guaranteed to reproduce: {', '.join(measured.get('why-not', ()))}"


def _actor(actor: int) -> str:
    return "chance" if actor == CHANCE else f"seat {actor}"
