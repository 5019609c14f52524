"""Swiss: in every round entrants of similar scores meet, and none meets another twice."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile

from tourney.errors import TournamentError
from tourney.schedule.format import (
    SEEDING,
    Format,
    History,
    Pairings,
    RoundsKey,
    Setup,
    refuse_few,
    refuse_late,
    rows_of_rounds,
)
from tourney.schedule.player_history import PlayerHistory, present_in
from tourney.schedule.row import limit_rows, units_of_win
from tourney.schedule.swiss_pairing import PairingCard, choose_floats, pair_round
from tourney.schedule.swiss_pods import pair_pods
from tourney.schedule.tie_breaks import Encounter, Scores
from tourney.seeds import derive


class Swiss(Format):
    """A round at a time: for two seats by matching, for more by tables of near scores.

    Entrants may join and withdraw between rounds. A new one starts with no points; a missed round scores
    nothing, a bye what ``tourney.schedule.player_history.award`` returns.
    """

    name = "swiss"
    takes_entrants = True
    takes_withdrawals = True
    ranks = True
    keys = (SEEDING,)

    def rounds_key(self, seats: int) -> RoundsKey:  # noqa: ARG002 - the same for all
        """Require ``rounds``."""
        return "required"

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for fewer entrants than seats, or more rounds than opponents or byes."""
        count = len(setup.participants)
        rounds = setup.rounds or 0
        refuse_few(setup, "a swiss")
        if rounds > count - 1 + count % 2 * (setup.seats == 2):
            raise TournamentError(
                f"rounds is {rounds}, but each of {count} entrants has {count - 1}"
                f" opponent{'s' * (count > 2)} only: take fewer rounds, more entrants, or a round-robin"
            )
        byes = count % setup.seats
        if rounds * byes > count:
            raise TournamentError(
                f"rounds is {rounds}, but with {byes} byes a round each of {count} entrants has had one after"
                f" {count // byes} rounds: take fewer rounds, or add entrants"
            )
        rows = rounds * (count // setup.seats) * setup.games
        limit_rows(f"a swiss of {count} entrants", rows, "fewer entrants, rounds or games per pairing")
        refuse_late(setup, rounds)

    def planned_matches(self, setup: Setup) -> int:
        """Return the number of matches of all rounds."""
        return (setup.rounds or 0) * (len(setup.participants) // setup.seats) * setup.games

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the next round."""
        last = setup.rounds or 0
        if history.rounds >= last:
            return Pairings((), complete=True)
        past = PlayerHistory.of(setup, history)
        round_ = history.rounds + 1
        present = present_in(round_, setup, past.left)
        if len(present) < setup.seats:
            return Pairings((), complete=True)
        if setup.seats == 2:
            tables = pair_two(past, present, derive(setup.seed, "swiss", round_))
        else:
            tables = pair_pods(past, present)
        return Pairings(rows_of_rounds(setup, round_, [tables]), complete=round_ == last)

    def tie_breaks(self, seats: int) -> tuple[str, ...]:
        """Name the tie-breaks: of FIDE C.07 for two seats."""
        if seats == 2:
            return ("buchholz-cut-1", "buchholz", "sonneborn-berger", "direct-encounter", "wins")
        return ("opponents-mean", "wins", "second-places")

    def scores(self, setup: Setup, history: History) -> Scores:
        """Return points with byes, and the opponents' points as FIDE counts them (two seats)."""
        past = PlayerHistory.of(setup, history)
        win = units_of_win(setup.seats)
        return Scores(
            points={n: Fraction(past.score(n), win) for n in past.entries},
            wins={n: sum(entry.wins for entry in entries) for n, entries in past.entries.items()},
            encounters=_fide_encounters(past) if setup.seats == 2 else _pod_encounters(past),
            most=Fraction(setup.games),
            awarded={
                n: Fraction(sum(entry.awarded for entry in entries), win)
                for n, entries in past.entries.items()
            },
            seconds={n: sum(entry.seconds for entry in entries) for n, entries in past.entries.items()},
        )


def _fide_encounters(past: PlayerHistory) -> dict[int, list[Encounter]]:
    """Return the encounters for two seats, by FIDE Handbook C.07, art. 16.

    - In an opponent's score (16.3) a bye counts as its award; rounds missed before the last one attended
      count as nothing, rounds missed after it as draws.
    - In an entrant's own sum (16.4) a round without an opponent counts as one against an opponent of its own
      score, though of no more than draws in all rounds would give; Cut-1 (16.5) leaves out the lowest of the
      missed rounds, if there are any.

    Matches decided by a fault count as played. A round still to be played, and not void, is left out.
    """
    win = units_of_win(2)
    draws = past.setup.games * win // 2  # units of a round in which all matches are drawn
    score = {number: past.score(number) for number in past.entries}
    seen = {
        n: score[n]
        + draws * sum(1 for _ in takewhile(lambda entry: entry.kind == "absent", reversed(entries)))
        for n, entries in past.entries.items()
    }
    found: dict[int, list[Encounter]] = {}
    for number, entries in past.entries.items():
        own = Fraction(min(score[number], draws * past.rounds), win)
        found[number] = []
        for entry in entries:
            points = Fraction(entry.score, win)
            if entry.games:
                theirs = Fraction(seen[entry.opponents[0]], win)
                found[number].append(Encounter(entry.opponents[0], theirs, points))
            elif entry.kind != "table" or entry.voids:
                found[number].append(Encounter(None, own, points, entry.kind == "absent"))
    return found


def _pod_encounters(past: PlayerHistory) -> dict[int, list[Encounter]]:
    """Return the encounters for more seats: each opponent of a table that was played, by its points."""
    win = units_of_win(past.setup.seats)
    points = {number: Fraction(past.score(number), win) for number in past.entries}
    return {
        number: [
            Encounter(other, points[other], Fraction(entry.units, win))
            for entry in entries
            if entry.games
            for other in entry.opponents
        ]
        for number, entries in past.entries.items()
    }


def pair_two(past: PlayerHistory, present: Sequence[int], seed: int) -> list[tuple[int, ...]]:
    """Return the pairs of a round in the order of the tables, each in the order of its first seats."""
    cards = pairing_cards(past, present)
    pairs = pair_round(cards, choose_floats(cards, seed), seed)
    # The bye's index follows the last.
    tables = [(cards[a], cards[b]) for a, b in pairs if b < len(cards)]
    tables.sort(key=lambda pair: (-pair[0].score, -pair[1].score, pair[0].rank))
    return [_order(a, b, table) for table, (a, b) in enumerate(tables)]


def pairing_cards(past: PlayerHistory, present: Sequence[int]) -> list[PairingCard]:
    """Return the cards of the entrants present, by score, then by rank."""
    scores = past.scores()
    ranks = {participant.number: rank for rank, participant in enumerate(past.setup.seeded())}
    found = []
    for number in present:
        entries = past.entries[number]
        floated = [0, 0]
        for back, round_ in enumerate((past.rounds, past.rounds - 1)):
            if round_ < 1:
                continue
            entry = entries[round_ - 1]
            if entry.kind == "bye":
                floated[back] = -1
            elif entry.kind == "table":
                mine, theirs = (scores[n][round_ - 1] for n in (number, entry.opponents[0]))
                floated[back] = (theirs > mine) - (theirs < mine)
        turns = [1 - 2 * entry.place for entry in entries if entry.kind == "table"]
        found.append(
            PairingCard(
                number=number,
                score=scores[number][-1],
                rank=ranks[number],
                met=frozenset(entry.opponents[0] for entry in entries if entry.kind == "table"),
                floated=(floated[0], floated[1]),
                balance=sum(turns),
                last=turns[-1] if turns else 0,
                bye=any(entry.kind == "bye" for entry in entries),
            )
        )
    return sorted(found, key=lambda card: (-card.score, card.rank))


def _order(a: PairingCard, b: PairingCard, table: int) -> tuple[int, int]:
    """Put first the entrant that has been first least, then the one that was second last; else alternate."""
    if (a.balance, a.last, table % 2) < (b.balance, b.last, 1 - table % 2):
        return a.number, b.number
    return b.number, a.number
