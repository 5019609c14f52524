"""Files for other programs: games as PGN, if an add-on writes the game's, and tournaments as TRF(16).

TRF(16) is FIDE's tournament report file (Handbook C.04, Annex 2, 2016), which pairing tools read. It has one
game a round. If the score of each encounter of g matches is that of a win, a draw or a loss, it is a game of
one round, and points are those of encounters: so tools can compute tie-breaks that look at rounds. Otherwise
the r-th encounter gives the rounds (r - 1) g + 1 to r g, in the order of its matches. The first seat is
white.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from tourney.check.root import disclosure
from tourney.errors import UsageError
from tourney.exchange.game_writers import find_writer
from tourney.results.standings import Standing
from tourney.schedule.format import Format, History, Setup
from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.row import score_units
from tourney.schedule.tie_breaks import RankedEntrant
from tourney.store.database import Database
from tourney.store.values import Tournament


def export_pgn(database: Database, tournament: Tournament) -> Iterator[bytes]:
    """Yield each match of a tournament that counts as a game of PGN, in schedule order.

    Raises UsageError for a tournament of another game, and GameError without the package ``chess``.
    """
    write_game = find_writer(tournament.game)
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
        analysis = next(iter(database.analyses.of(tournament.id, match.number)), None)
        yield write_game(tournament.name, match.key, record, log, measured, analysis).encode("utf-8")


MOST = 9999
"""The largest starting rank that fits into its four columns."""
END = "\r\n"
_BYES = {"win": "U", "half": "H", None: "Z"}
"""The result codes of byes by what they score."""


def trf(
    setup: Setup, history: History, standings: Iterable[RankedEntrant | Standing], name: str, format_: Format
) -> str:
    """A tournament for two seats as TRF(16).

    ``standings`` give the points and ranks, ``name`` is the tournament's. Result codes: ``1``, ``=`` and
    ``0``; ``-`` for both in a void match, ``U`` for a bye (``H`` where it scores half, ``Z`` where it
    scores nothing), ``Z`` for a missed round; blank for a match
    without a result, as in pairing tools. Raise UsageError for a tournament that the format cannot hold.
    """
    if setup.seats != 2 or not format_.one_pairing_a_round:
        raise UsageError(
            f"TRF is for a swiss or round-robin with 2 seats, not a {format_.name} with {setup.seats}"
        )
    if len(setup.participants) > MOST:
        raise UsageError(f"TRF takes at most {MOST} entrants, not {len(setup.participants)}")
    swiss = format_.pairs_by_score
    codes = _encounter_codes(setup, history)
    games = setup.games if codes is None else 1
    rounds = (setup.rounds or history.rounds) * games
    head = (
        f"012 {_plain(name)}",
        f"062 {len(setup.participants)}",
        "072 0",
        f"092 Individual: {'Swiss-System' if swiss else 'Round-Robin'}",
        f"XXR {rounds}",
    )
    cells = _cells(setup, history, _BYES[format_.rule_in(setup).bye], codes)
    unit = setup.games // games
    return "".join(line + END for line in (*head, *_players(setup, standings, cells, unit)))


def _players(
    setup: Setup,
    standings: Iterable[RankedEntrant | Standing],
    cells: Mapping[int, Sequence[str]],
    unit: int,
) -> Iterator[str]:
    """Yield the players' lines; points are in units of ``unit`` points of matches."""
    lines = {line.number: line for line in standings}
    for participant in setup.participants:
        line = lines[participant.number]
        # Between the columns of the name and the points stand rating, federation, number and birth date.
        yield (
            f"001 {participant.number + 1:4d} {'':4} {_plain(participant.name)[:33]:33} {'':31}"
            f" {_points(Fraction(line.points) / unit):>4} {line.rank:4d}"
            + "".join(f"  {cell}" for cell in cells[participant.number])
        ).rstrip()


Codes = tuple[str, str]
"""The results of white and black."""


def _encounter_codes(setup: Setup, history: History) -> Mapping[tuple[int, int], Codes] | None:
    """The results of all encounters by round and table, or None unless a result code says each.

    That is a side's score of 0, of half of what all matches give, or of all of it. A void match gives
    nothing to either side, and an encounter of void matches alone is none.
    """
    units: dict[tuple[int, int], list[int]] = {}
    played = set()
    results = {result.row: result for result in history.results}
    first: dict[tuple[int, int], int] = {}
    for row in history.rows:
        result = results.get(row)
        if result is None:
            return None
        table = (row.round, row.table)
        white = first.setdefault(table, row.seats[0])
        sides = units.setdefault(table, [0, 0])
        if not result.void:
            played.add(table)
            for number, score in zip(row.seats, score_units(result.ranks), strict=True):
                sides[number != white] += score
    code_of = {0: "0", setup.games: "=", 2 * setup.games: "1"}
    codes = {table: ("-", "-") for table in units if table not in played}
    for table in played:
        white_units, black_units = units[table]
        if white_units not in code_of or black_units not in code_of:
            return None
        codes[table] = (code_of[white_units], code_of[black_units])
    return codes or None


def _cells(
    setup: Setup, history: History, bye: str, encounters: Mapping[tuple[int, int], Codes] | None
) -> dict[int, list[str]]:
    """Each entrant's cell for each round: opponent, colour, result."""
    games = setup.games if encounters is None else 1
    # Byes and missed rounds first; the games then take their places.
    past = PlayerHistory.of(setup, history, None)
    cells = {}
    for number, entries in past.entries.items():
        cells[number] = [
            f"0000 - {bye if entry.kind == 'bye' else 'Z'}" for entry in entries for _ in range(games)
        ]
    results = {result.row: result for result in history.results}
    place: dict[tuple[int, int], int] = {}
    for row in history.rows:
        table = (row.round, row.table)
        at = place.setdefault(table, 0)
        place[table] += 1
        if at >= games:
            continue
        result = results.get(row)
        codes = ("-", "-")
        if encounters is not None:
            codes = encounters[table]
        elif result is None:
            codes = (" ", " ")
        elif not result.void:
            one, two = result.ranks
            codes = ("=", "=") if one == two else ("1", "0") if one < two else ("0", "1")
        white, black = row.seats
        at += (row.round - 1) * games
        cells[white][at] = f"{black + 1:4d} w {codes[0]}"
        cells[black][at] = f"{white + 1:4d} b {codes[1]}"
    return cells


def _points(points: Fraction) -> str:
    """Points with one decimal; with two seats they are half-points."""
    halves = points * 2
    if halves.denominator != 1 or halves >= 200:
        raise UsageError(f"TRF has no room for {points} points: it takes half-points up to 99.5")
    return f"{halves.numerator // 2}.{5 * (halves.numerator % 2)}"


def _plain(text: str) -> str:
    """A name in printable ASCII, because columns count bytes."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)
