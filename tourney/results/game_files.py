"""Files for other programs: games of chess as PGN, and tournaments as TRF(16).

PGN has the scores, times and clocks of engines in comments. ``Round`` is the round and the table, ``Pair``
the mirrored group, whose games ratings count as one cluster.

TRF(16) is FIDE's tournament report file (Handbook C.04, Annex 2, 2016), which pairing tools read. A line has
columns of fixed width and ends in a carriage return and a line feed. The format has one game a round, so
every match of a pairing becomes a round: the r-th pairing of g matches gives the rounds (r - 1) g + 1 to r g,
in the order of the matches. The first seat is white.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from tourney.errors import UsageError
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.outcomes.foreign_game import TERMINATIONS, result_text
from tourney.results.standings import Standing
from tourney.schedule.format import History, Setup
from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.tie_breaks import RankedEntrant
from tourney.store.commitment import disclosure
from tourney.store.database import Database
from tourney.store.values import Tournament, TournamentMatch

GAMES: Final = ("chess", "chess960")
"""The games that PGN is written of."""
_WIDTH: Final = 80
_SCORE = re.compile(r"score=(-?[0-9]{1,6}(?:\.[0-9]{1,3})?)(?: |\Z)", re.ASCII)
_MATE = re.compile(r"mate=(-?[0-9]{1,4})(?: |\Z)", re.ASCII)
_DEPTH = re.compile(r"depth=([0-9]{1,4})(?: |\Z)", re.ASCII)


def export_pgn(database: Database, tournament: Tournament) -> Iterator[bytes]:
    """Yield each match of a tournament that counts as a game of PGN, in schedule order.

    Raises UsageError for a tournament of another game, and GameError without the package ``chess``.
    """
    if tournament.game not in GAMES:
        raise UsageError(f"PGN is written of {' and '.join(GAMES)}, not of {tournament.game}")
    records = database.records.all(tournament.id)
    sealed = disclosure(database, tournament).sealed
    for match in database.matches.all(tournament.id):
        if match.result is None or not match.result.digest:
            continue
        _, record = next(records)
        if match.result.void or match.number in sealed:
            continue
        log = database.records.log(tournament.id, match.number)
        measured = database.records.measured(tournament.id, match.number)
        yield game_text(tournament, match, record, log, measured).encode("utf-8")


def game_text(
    tournament: Tournament,
    match: TournamentMatch,
    record: Record,
    log: Iterable[LogLine] = (),
    measured: Measurements = NOT_MEASURED,
) -> str:
    """A match as a game of PGN, with an empty line after it. Raises GameError."""
    from tourney.games.chess.starts import PgnMoves  # noqa: PLC0415 - needs an extra

    line = PgnMoves.of([text for _, text in record.actions], chess960=record.game == "chess960")
    comments = _comments(record, log, measured, line.skipped)
    result = result_text(record.outcome.ranks)
    tags = _tags(tournament, match, record, measured, line.fen, result)
    head = "".join(f'[{key} "{_quoted(value)}"]\n' for key, value in tags)
    words: list[str] = []
    for number, san in enumerate(line.sans):
        move = line.first + number
        if move % 2 == 0:
            words.append(f"{move // 2 + 1}.")
        elif number == 0 or comments[number - 1]:
            words.append(f"{move // 2 + 1}...")
        words.append(san)
        if comments[number]:
            words.append("{" + comments[number] + "}")
    return f"{head}\n{_wrapped([*words, result])}\n\n"


def _tags(
    tournament: Tournament,
    match: TournamentMatch,
    record: Record,
    measured: Measurements,
    fen: str,
    result: str,
) -> Iterator[tuple[str, str]]:
    key, limits, outcome, started = match.key, record.limits, record.outcome, measured.started
    date = started[:10].replace("-", ".") if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", started[:10]) else ""
    yield "Event", tournament.name
    yield "Site", "?"
    yield "Date", date or "????.??.??"
    yield "Round", f"{key.round}.{key.table}"
    yield "White", record.seats[0].name
    yield "Black", record.seats[1].name
    yield "Result", result
    yield "Pair", f"{key.round}.{key.table}.{key.repeat}"
    if record.game == "chess960":
        yield "Variant", "Chess960"
    if fen:
        yield "SetUp", "1"
        yield "FEN", fen
    if limits.clock_ms is not None:
        yield "TimeControl", f"{limits.clock_ms / 1000:g}+{(limits.increment_ms or 0) / 1000:g}"
    faults, reason, ended_by = outcome.faults, outcome.reason, outcome.adjudication
    ended = TERMINATIONS.get(faults[0][1], "normal") if faults else "normal"
    yield "Termination", "adjudication" if reason == "adjudication" else ended
    cause = faults[0][1] if faults else ended_by.rule if ended_by else ""
    yield "Reason", f"{reason}: {cause}" if cause else reason
    yield "PlyCount", str(sum(_is_move(action) for _, action in record.actions))


def _comments(record: Record, log: Iterable[LogLine], measured: Measurements, skipped: int) -> list[str]:
    """The comment of each move: ``+0.31/9 0.123s``, as the mover sees it, or ``book``."""
    said = {(entry.ply, entry.seat): entry.text for entry in log if entry.kind == "info"}
    times, clock, increment = measured.times_ms, record.limits.clock_ms, record.limits.increment_ms or 0
    clocks = None if clock is None else [float(clock)] * 2
    found = []
    for ply, (seat, _) in enumerate(record.actions[skipped:], start=skipped):
        elapsed = times[ply] if ply < len(times) else None
        parts = []
        if elapsed is not None:
            text = said.get((ply, seat), "")
            parts += _evaluation(text, white=seat == 1)
            if clocks is not None:
                clocks[seat - 1] += increment - elapsed
                parts.append(f"[%clk {_clock(clocks[seat - 1])}]")
            parts.append(f"{_score(text)} {elapsed / 1000:.3f}s".strip())
        elif times:
            parts.append("book")
        found.append(" ".join(parts))
    return found


def _score(text: str) -> str:
    score, mate, depth = _SCORE.search(text), _MATE.search(text), _DEPTH.search(text)
    if score is None:
        return ""
    shown = f"{float(score[1]):+.2f}"
    if mate is not None:
        shown = f"{'-' if mate[1].startswith('-') else '+'}M{mate[1].removeprefix('-')}"
    return f"{shown}/{depth[1]}" if depth else shown


def _evaluation(text: str, *, white: bool) -> list[str]:
    """``[%eval ...]``, as White sees it."""
    score, mate, depth = _SCORE.search(text), _MATE.search(text), _DEPTH.search(text)
    if score is None:
        return []
    sign = 1 if white else -1
    shown = f"{sign * float(score[1]):.2f}" if mate is None else f"#{sign * int(mate[1])}"
    return [f"[%eval {shown},{depth[1]}]" if depth else f"[%eval {shown}]"]


def _clock(milliseconds: float) -> str:
    tenths = max(0, int(milliseconds // 100))
    return f"{tenths // 36_000}:{tenths // 600 % 60:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"


def _is_move(action: str) -> bool:
    return not action.startswith(("=", "sp"))


def _quoted(value: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in value)
    return shown.replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(words: Iterable[str]) -> str:
    lines, line = [], ""
    for word in (part for text in words for part in text.split(" ")):
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


FORMATS = ("swiss", "round-robin")
"""The formats that give each entrant one pairing or a bye a round."""
MOST = 9999
"""The largest starting rank that fits into its four columns."""
END = "\r\n"


def trf(
    setup: Setup, history: History, standings: Iterable[RankedEntrant | Standing], name: str, format_: str
) -> str:
    """A tournament for two seats as TRF(16).

    ``standings`` give the points and ranks, ``name`` is the tournament's. Result codes: ``1``, ``=`` and
    ``0``; ``-`` for both in a void match, ``U`` for a bye, ``Z`` for a missed round; blank for a match
    without a result, as in pairing tools. Raise UsageError for a tournament that the format cannot hold.
    """
    if setup.seats != 2 or format_ not in FORMATS:
        raise UsageError(
            f"TRF is for a {' or '.join(FORMATS)} with 2 seats, not a {format_} with {setup.seats}"
        )
    if len(setup.participants) > MOST:
        raise UsageError(f"TRF takes at most {MOST} entrants, not {len(setup.participants)}")
    swiss = format_ == "swiss"
    rounds = (setup.rounds or history.rounds) * setup.games
    head = (
        f"012 {_plain(name)}",
        f"062 {len(setup.participants)}",
        "072 0",
        f"092 Individual: {'Swiss-System' if swiss else 'Round-Robin'}",
        f"XXR {rounds}",
    )
    cells = _cells(setup, history, "U" if swiss else "Z")
    return "".join(line + END for line in (*head, *_players(setup, standings, cells)))


def _players(
    setup: Setup, standings: Iterable[RankedEntrant | Standing], cells: Mapping[int, Sequence[str]]
) -> Iterator[str]:
    lines = {line.number: line for line in standings}
    for participant in setup.participants:
        line = lines[participant.number]
        # Between the columns of the name and the points stand rating, federation, number and birth date.
        yield (
            f"001 {participant.number + 1:4d} {'':4} {_plain(participant.name)[:33]:33} {'':31}"
            f" {_points(line.points):>4} {line.rank:4d}"
            + "".join(f"  {cell}" for cell in cells[participant.number])
        ).rstrip()


def _cells(setup: Setup, history: History, bye: str) -> dict[int, list[str]]:
    """Each entrant's cell for each match of each round: opponent, colour, result."""
    past = PlayerHistory.of(setup, history)
    found = {}
    for number, entries in past.entries.items():
        found[number] = [
            f"0000 - {bye if entry.kind == 'bye' else 'Z'}" for entry in entries for _ in range(setup.games)
        ]
    results = {result.row: result for result in history.results}
    place: dict[tuple[int, int], int] = {}
    for row in history.rows:
        at = (row.round - 1) * setup.games + place.get((row.round, row.table), 0)
        place[row.round, row.table] = at - (row.round - 1) * setup.games + 1
        result = results.get(row)
        codes = ("-", "-")
        if result is None:
            codes = (" ", " ")
        elif not result.void:
            one, two = result.ranks
            codes = ("=", "=") if one == two else ("1", "0") if one < two else ("0", "1")
        white, black = row.seats
        found[white][at] = f"{black + 1:4d} w {codes[0]}"
        found[black][at] = f"{white + 1:4d} b {codes[1]}"
    return found


def _points(points: Fraction) -> str:
    """Points with one decimal; with two seats they are half-points."""
    halves = points * 2
    if halves.denominator != 1 or halves >= 200:
        raise UsageError(f"TRF has no room for {points} points: it takes half-points up to 99.5")
    return f"{halves.numerator // 2}.{5 * (halves.numerator % 2)}"


def _plain(text: str) -> str:
    """A name in printable ASCII, because columns count bytes."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)
