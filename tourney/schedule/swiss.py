"""Swiss: in every round entrants of similar scores meet, and no two meet twice.

Pairs of two seats are matched (``tourney.schedule.swiss_pairing``). With more seats the entrants are ranked
by score and cut into tables (pods). Then two entrants change places wherever that reduces the sum over all
pairs at a table::

    (W * meetings)**2 + (difference of their scores)**2

``meetings`` counts how often the two sat together before, and W is the score of a win of every match of a
round: a repeated meeting costs as much as a whole round's win between the two. It ends when no exchange
between tables that stand near each other helps. No random number is involved.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product, takewhile
from typing import ClassVar, Final

from msgspec import structs

from tourney.errors import TournamentError
from tourney.schedule.format import (
    SEEDING,
    Format,
    History,
    Pairings,
    RoundsKey,
    Setup,
    rows_of_rounds,
)
from tourney.schedule.player_history import BYES, PairingCard, PlayerHistory, present_in
from tourney.schedule.ranking_rule import RankingRule
from tourney.schedule.row import limit_rows, refuse_few, refuse_late, units_of_win
from tourney.schedule.swiss_pairing import pair_round
from tourney.schedule.tie_breaks import Encounter, EntrantScores
from tourney.seeds import derive

NEAR: Final = 3  # entrants change places between tables at most this far apart in the order of scores


def _fide_encounters(past: PlayerHistory) -> dict[int, list[Encounter]]:
    """The encounters for two seats, by FIDE Handbook C.07 (as of 1 March 2026), art. 16.

    - In an opponent's score (16.3) a bye counts as its award; a round missed before the last one attended
      counts 0, a round missed after it as draws.
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
    encounters: dict[int, list[Encounter]] = {}
    for number, entries in past.entries.items():
        own_score = Fraction(min(score[number], draws * past.rounds), win)
        encounters[number] = []
        for entry in entries:
            points = Fraction(entry.score, win)
            if entry.games:
                theirs = Fraction(seen[entry.opponents[0]], win)
                encounters[number].append(Encounter(entry.opponents[0], theirs, points))
            elif entry.kind != "table" or entry.voids:
                encounters[number].append(Encounter(None, own_score, points, entry.kind == "absent"))
    return encounters


def _pod_encounters(past: PlayerHistory) -> dict[int, list[Encounter]]:
    """The encounters of rounds that were played: each opponent at a table, by its points."""
    win = units_of_win(past.setup.seats, past.setup.score)
    points = {number: Fraction(past.score(number), win) for number in past.entries}
    return {
        number: [
            Encounter(opponent, points[opponent], Fraction(entry.units, win))
            for entry in entries
            if entry.games
            for opponent in entry.opponents
        ]
        for number, entries in past.entries.items()
    }


UNPLAYED: Final[Mapping[str, Callable[[PlayerHistory], dict[int, list[Encounter]]]]] = {
    "fide-c07-2026": _fide_encounters,
    "left-out": _pod_encounters,
}
"""How tie-breaks count rounds without an opponent, by the name that plans store."""


class Swiss(Format):
    """A round at a time: for two seats by matching, for more by tables of near scores.

    Entrants may join and withdraw between rounds. A new one starts with no points; a missed round scores
    nothing, a bye what ``tourney.schedule.player_history.award`` returns.
    """

    name = "swiss"
    pairs_by_score = True
    one_pairing_a_round = True
    takes_entrants = True
    takes_withdrawals = True
    ranks = True
    takes_score = True
    awards_byes = True
    keys = (SEEDING,)
    rule_names: ClassVar[Mapping[str, Collection[str]]] = {"bye": BYES, "unplayed": UNPLAYED}

    def rounds_key(self, seats: int) -> RoundsKey:  # noqa: ARG002 - the same for all
        """Require ``rounds``."""
        return "required"

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for fewer entrants than seats, or more rounds than opponents or byes."""
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
        fewer = "fewer entrants, rounds or games per pairing"
        limit_rows(f"a swiss of {count} entrants", self.planned_matches(setup), fewer)
        refuse_late(setup, rounds)

    def planned_matches(self, setup: Setup) -> int:
        """The number of matches of all rounds."""
        return (setup.rounds or 0) * (len(setup.participants) // setup.seats) * setup.games

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The next round."""
        last = setup.rounds or 0
        if history.rounds >= last:
            return Pairings((), complete=True)
        past = PlayerHistory.of(setup, history, self.rule_in(setup).bye)
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

    def new_rule(self, seats: int) -> RankingRule:
        """With byes, and rounds without an opponent."""
        bye, unplayed = ("win", "fide-c07-2026") if seats == 2 else ("half", "left-out")
        return structs.replace(super().new_rule(seats), bye=bye, unplayed=unplayed)

    def rule_by_wins(self, seats: int) -> RankingRule:
        """With a bye that scores the mean of a table, as at least as many bots lose as win."""
        return structs.replace(super().rule_by_wins(seats), bye="share")

    def scores(self, setup: Setup, history: History) -> EntrantScores:
        """Points with byes, and the opponents' points as the rule counts them."""
        rule = self.rule_in(setup)
        past = PlayerHistory.of(setup, history, rule.bye)
        win = units_of_win(setup.seats, setup.score)
        by = {number: list(entries) for number, entries in past.entries.items()}
        return EntrantScores(
            points={n: Fraction(past.score(n), win) for n in by},
            wins={n: sum(entry.wins for entry in entries) for n, entries in by.items()},
            encounters=UNPLAYED[rule.unplayed or ""](past),
            most=Fraction(setup.games),
            awarded={n: Fraction(sum(e.awarded for e in entries), win) for n, entries in by.items()},
            seconds={n: sum(entry.seconds for entry in entries) for n, entries in by.items()},
        )


def pair_two(past: PlayerHistory, present: Sequence[int], seed: int) -> list[tuple[int, ...]]:
    """The pairs of a round in the order of the tables, each in the order of its first seats."""
    cards = past.cards(present)
    # The index after the last card stands for the bye.
    tables = [(cards[a], cards[b]) for a, b in pair_round(cards, seed) if b < len(cards)]
    tables.sort(key=lambda pair: (-pair[0].score, -pair[1].score, pair[0].rank))
    pairs: list[tuple[int, ...]] = []
    for table, (a, b) in enumerate(tables):
        # First the one that has been first least, then the one that was second last; else they alternate.
        first = (a.balance, a.last, table % 2) < (b.balance, b.last, 1 - table % 2)
        pairs.append((a.number, b.number) if first else (b.number, a.number))
    return pairs


def pair_pods(past: PlayerHistory, present: Sequence[int]) -> list[tuple[int, ...]]:
    """The tables of the next round, best scores first."""
    setup = past.setup
    cards = past.cards(present)
    byes = choose_byes(cards, setup.seats)
    playing = [card for card in cards if card not in byes]
    tables = seat_cards(playing, setup.seats, setup.games * units_of_win(setup.seats, setup.score))
    return [_order_pod(table, past) for table in tables]


def choose_byes(cards: Sequence[PairingCard], seats: int) -> tuple[PairingCard, ...]:
    """The entrants that get a bye: first those with the fewest, then the longest without, then by score."""
    order = sorted(cards, key=lambda card: (len(card.byes), card.byes[-1:], card.score, -card.rank))
    return tuple(order[: len(cards) % seats])


def seat_cards(cards: Sequence[PairingCard], seats: int, worth: int) -> list[tuple[int, ...]]:
    """The tables, best scores first, each by score, then by rank; ``worth`` is W.

    The number of cards must be divisible by ``seats``.
    """
    order = sorted(cards, key=lambda card: (-card.score, card.rank))
    tables = [list(order[start : start + seats]) for start in range(0, len(order), seats)]
    changed = set(range(len(tables)))
    while changed:
        examined = changed
        changed = set()
        for upper in range(len(tables)):
            for lower in range(upper + 1, min(len(tables), upper + 1 + NEAR)):
                if (upper in examined or lower in examined) and _improve(tables[upper], tables[lower], worth):
                    changed |= {upper, lower}
    for table in tables:
        table.sort(key=lambda card: (-card.score, card.rank))
    tables.sort(key=lambda table: ([-card.score for card in table], table[0].rank))
    return [tuple(card.number for card in table) for table in tables]


def _improve(first: list[PairingCard], second: list[PairingCard], worth: int) -> bool:
    """Exchange entrants of two tables as long as that reduces their cost; return whether any moved."""
    improved = False
    while True:
        for (i, a), (j, b) in product(enumerate(first), enumerate(second)):
            ours = first[:i] + first[i + 1 :]
            theirs = second[:j] + second[j + 1 :]
            before = _pod_cost(a, ours, worth) + _pod_cost(b, theirs, worth)
            if _pod_cost(b, ours, worth) + _pod_cost(a, theirs, worth) < before:
                first[i] = b
                second[j] = a
                improved = True
                break
        else:
            return improved


def _pod_cost(card: PairingCard, others: Sequence[PairingCard], worth: int) -> int:
    """The cost of an entrant's pairs with the others of a table."""
    return sum(
        (worth * card.met.get(opponent.number, 0)) ** 2 + (card.score - opponent.score) ** 2
        for opponent in others
    )


def _order_pod(table: Sequence[int], past: PlayerHistory) -> tuple[int, ...]:
    """Order the entrants so that each takes a place it has had least: the sum of squares decides."""
    counts = {
        number: Counter(entry.place for entry in past.entries[number] if entry.kind == "table")
        for number in table
    }
    orders = permutations(table)
    return min(orders, key=lambda order: sum(2 * counts[n][place] + 1 for place, n in enumerate(order)))
