"""A match as text for a terminal: its head, its actions, and a board."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tourney.cli.edge import printable
from tourney.errors import GameError, RecordError
from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.games.registry import find_game
from tourney.games.text_diagram import text_diagram
from tourney.match.record import Record
from tourney.match.result import LogLine


def head_lines(record: Record, measured: Mapping[str, Any]) -> Iterator[str]:
    """Yield what there is to say of a match besides its actions, a line each."""
    options = ", ".join(f"{key}={value}" for key, value in record["options"].items())
    yield f"game     {record['game']}, rules {record['rules']}{f', {options}' if options else ''}"
    yield f"seed     {record['seed']}"
    opening = record["opening"]
    if opening != {"plies": 0}:
        book = " ".join(opening.get("actions", ()))
        yield f"opening  {book}" if book else f"opening  {opening['plies']} plies drawn from the seed"
    yield "limits   " + ", ".join(f"{key}={value}" for key, value in record["limits"].items())
    for number, seat in enumerate(record["seats"], start=1):
        args = " ".join(seat["args"])
        bot = f"{seat['bot']}@{seat['version']}{f' {args}' if args else ''}, {seat['digest'][:12]}"
        yield printable(f"seat {number}   {seat['entrant']} ({bot})")
    yield from _outcome_lines(record["outcome"])
    yield f"digest   {record['digest']}"
    yield from map(printable, _measured_lines(measured))


def action_lines(record: Record, times: Sequence[float | None]) -> Iterator[str]:
    """Yield the actions, numbered from 1, with who played them and how many milliseconds it took."""
    for number, (actor, action) in enumerate(record["actions"], start=1):
        took = times[number - 1] if number <= len(times) else None
        line = f"{number:5}  {_actor(actor):8} {action}"
        yield line if took is None else f"{line:40} {took:.3f} ms"


def log_lines(log: Sequence[LogLine]) -> Iterator[str]:
    """Yield a log, each line with the actions played so far, the seat and the kind of the line."""
    for line in log:
        yield printable(
            f"{line.ply:5}  {_actor(line.seat) if line.seat else 'referee':8} {line.kind}: {line.text}"
        )


def board_text(record: Record, ply: int, *, color: bool) -> str:
    """Return the board after so many actions. Raises GameError where the actions do not lead there."""
    game = find_game(record["game"])
    state = replay(game, record, ply)
    last = record["actions"][ply - 1][1] if ply else None
    return text_diagram(game.drawing(state.position(), last), color=color)


def replay(game: AnyGame, record: Record, ply: int) -> AnyState:
    """Return the position after so many actions of a record, dice as they are written there."""
    if game.rules != record["rules"]:
        raise GameError(
            f"version {record['rules']} of the rules of {game.name} is not here, only {game.rules}"
        )
    state = game.new(len(record["seats"]), record["options"])
    for number, (_, text) in enumerate(record["actions"][:ply], start=1):
        try:
            state = state.play(game.read_action(state, text))
        except GameError as error:
            raise RecordError(f"action {number} does not hold: {error}") from error
    return state


def _outcome_lines(outcome: Mapping[str, Any]) -> Iterator[str]:
    ranks = " ".join(map(str, outcome["ranks"]))
    yield f"outcome  ranks {ranks}, {outcome['reason']}"
    for seat, kind, count in outcome["faults"]:
        yield f"fault    seat {seat}: {kind} after {count} actions"
    for seat, count in outcome.get("resigned", ()):
        yield f"resigned seat {seat} after {count} actions"


def _measured_lines(measured: Mapping[str, Any]) -> Iterator[str]:
    if "started" in measured:
        host, took = measured.get("host", "?"), measured.get("wall-ms", "?")
        yield f"played   {measured['started']} on {host}, {took} ms"
    sandbox = measured.get("sandbox")
    if isinstance(sandbox, dict):
        yield f"sandbox  {sandbox.get('level', '?')} ({sandbox.get('kind', '?')})"
    if measured.get("reproducible") is False:
        yield f"note     not promised to come out the same again: {', '.join(measured.get('why-not', ()))}"


def _actor(actor: int) -> str:
    return "chance" if actor == CHANCE else f"seat {actor}"
