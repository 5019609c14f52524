"""Helpers for tests of formats: results derived from a seed, and tournaments with them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tourney.results.until import next_rounds
from tourney.schedule.format import Format, History, Participant, Setup
from tourney.schedule.row import ResultRow, Row
from tourney.seeds import derive, uniform


def setup(
    count: int,
    seats: int = 2,
    *,
    rounds: int | None = None,
    repeats: int = 1,
    seed: int = 7,
    **extra: int | str,
) -> Setup:
    """Return a setup of entrants a0, a1, ...; settings of the format's own come as keywords, - for _."""
    participants = tuple(Participant(number, f"a{number}") for number in range(count))
    settings = tuple(sorted((key.replace("_", "-"), value) for key, value in extra.items()))
    return Setup(participants, seats, seed, repeats, rounds, settings)


def result(row: Row, truth: Sequence[int], draws: int = 20) -> ResultRow:
    """Return a result derived from the row's key: the stronger (in Elo) mostly wins; ``draws`` in percent."""
    key = (row.round, row.table, row.repeat, row.order, *row.seats)
    if len(row.seats) == 2 and uniform(derive(1, "draw", *key), 100) < draws:
        return row.result((1, 1))
    form = []
    for number in row.seats:
        # The sum of three uniform samples is bell-shaped, near enough for strength to matter.
        luck = sum(uniform(derive(1, "luck", *key, number, k), 400) for k in range(3))
        form.append(truth[number] + luck)
    ranks = tuple(1 + sum(other > mine for other in form) for mine in form)
    return row.result(ranks, (None,) * len(ranks))


def results(rows: Iterable[Row], truth: Sequence[int], draws: int = 20) -> tuple[ResultRow, ...]:
    """Return a result for each row."""
    return tuple(result(row, truth, draws) for row in rows)


def truth(count: int, seed: int = 3) -> list[int]:
    """Return strengths in Elo derived from a seed."""
    return [uniform(derive(seed, "truth", number), 800) for number in range(count)]


def play_round(format_: Format, setup: Setup, history: History, strengths: Sequence[int]) -> History:
    """Pair the next rounds as a run does; return the history with their results."""
    seen = history.rounds - format_.lag
    known = tuple(r for r in history.results if r.key.round <= seen)
    drawn = next_rounds(format_, setup, History(history.rows, known))
    return History((*history.rows, *drawn.rows), (*history.results, *results(drawn.rows, strengths)))


def play_out(format_: Format, setup: Setup, strengths: Sequence[int], limit: int = 200) -> list[History]:
    """Play a tournament to its end; return the history after each step, the first one empty."""
    found = [History()]
    for _ in range(limit):
        found.append(play_round(format_, setup, found[-1], strengths))
        if len(found[-1].rows) == len(found[-2].rows):
            return found[:-1]
    raise AssertionError(f"{format_.name} never ends")


def pairings(rows: Iterable[Row]) -> list[tuple[int, tuple[int, ...]]]:
    """Return round and entrants of each pairing, in their order."""
    return [(row.round, row.seats) for row in rows if row.repeat == row.order == 1]


def seat_counts(rows: Iterable[Row]) -> dict[int, list[int]]:
    """Return the count of each seat for each entrant."""
    counts: dict[int, list[int]] = {}
    for row in rows:
        for seat, number in enumerate(row.seats):
            counts.setdefault(number, [0] * len(row.seats))[seat] += 1
    return counts


def check_rows(rows: Sequence[Row], *, once_a_round: bool = True) -> None:
    """Check the properties of every format.

    Rows are in schedule order, rounds and tables have no gap, every entrant has each seat equally often, and
    none sits twice in a round.
    """
    assert list(rows) == sorted(rows)
    assert len({(r.round, r.table, r.repeat, r.order) for r in rows}) == len(rows)
    assert sorted({row.round for row in rows}) == list(range(1, 1 + max((r.round for r in rows), default=0)))
    for counts in seat_counts(rows).values():
        assert max(counts) == min(counts)
    at = Counter((round_, number) for round_, group in pairings(rows) for number in group)
    for round_ in {row.round for row in rows}:
        tables = {row.table for row in rows if row.round == round_}
        assert tables == set(range(1, 1 + len(tables)))
    for _, group in pairings(rows):
        assert len(set(group)) == len(group)
    if once_a_round:
        assert set(at.values()) <= {1}


def byes(history: History, count: int) -> Counter[int]:
    """Return the byes of each of ``count`` entrants that took part from start to end."""
    at: dict[int, set[int]] = {}
    for round_, group in pairings(history.rows):
        at.setdefault(round_, set()).update(group)
    return Counter(number for playing in at.values() for number in range(count) if number not in playing)
