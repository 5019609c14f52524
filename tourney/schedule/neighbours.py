"""Pairings of a league's night: authors stay apart, and neighbours of the ranking meet every night.

Entrants of a league are called AUTHOR.BOT.VERSION. Half of the pairings of ``adaptive`` go to pairs of
neighbours until each of them had one, so that no difference in the ranking rests on old games; the other half
go where games tell most, which are those of new versions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from tourney.schedule.format import FormatKey, Setup

LEAGUE: Final = FormatKey(
    "league",
    "flag",
    help="For entrants called AUTHOR.BOT.VERSION: those of one author never meet, and half of the pairings go"
    " to neighbours in the earlier ratings, until each two of them have met.",
)
AUTHOR_SHARE: Final = FormatKey(
    "author-share",
    "integer",
    100,
    10_000,
    help="Most places at tables that an author's bots get, in percent of an even share; new versions, which"
    " would play most, count together.",
)

Pair = tuple[int, int]


def authors_of(setup: Setup) -> tuple[str, ...]:
    """The author of each participant by number; without the key, and in the house, each has its own."""
    authors = (participant.name.partition(".")[0] for participant in setup.participants)
    league = setup.setting("league")
    if not league:
        return tuple(f"{author}.{number}" for number, author in enumerate(authors))
    from tourney.bots.catalogue.shipped import HOUSE  # noqa: PLC0415 - it loads the store of bots

    return tuple(author if author != HOUSE else f"{author}.{number}" for number, author in enumerate(authors))


def authors_ahead(setup: Setup, played: Mapping[int, int], present: Sequence[int], batch: int) -> set[str]:
    """The authors of whom one more pairing would be beyond ``author-share``.

    ``played`` counts the matches of each participant. The share is one of all places so far and of a
    ``batch`` of pairings more, as the first pairings cannot be even.
    """
    most = setup.setting("author-share")
    if most is None:
        return set()
    authors = authors_of(setup)
    places: Counter[str] = Counter()
    for number, count_ in played.items():
        places[authors[number]] += count_
    here = {authors[number] for number in present}
    all_places = sum(places.values()) + batch * setup.games * setup.seats
    return {
        author for author in here if (places[author] + setup.games) * 100 * len(here) > int(most) * all_places
    }


def neighbour_pairs(setup: Setup) -> tuple[Pair, ...]:
    """Each rated participant with the next lower one of another author; two of the house do not count.

    The list begins at a place that the seed chooses: a short night does not always leave out the same pairs.
    """
    if not setup.setting("league"):
        return ()
    from tourney.bots.catalogue.shipped import HOUSE  # noqa: PLC0415 - as above

    authors = authors_of(setup)
    rated = [participant for participant in setup.participants if participant.rating is not None]
    rated.sort(key=lambda participant: (-(participant.rating or 0), participant.number))
    order = [participant.number for participant in rated]
    pairs = []
    for place, number in enumerate(order):
        below = (neighbour for neighbour in order[place + 1 :] if authors[neighbour] != authors[number])
        neighbour = next(below, None)
        if neighbour is not None and not all(authors[n].startswith(f"{HOUSE}.") for n in (number, neighbour)):
            pairs.append((number, neighbour))
    begin = setup.seed % len(pairs) if pairs else 0
    return (*pairs[begin:], *pairs[:begin])


def neighbours(setup: Setup, present: Sequence[int], paired: int) -> Iterator[Pair | None]:
    """Yield, for each pairing after the first ``paired`` ones, neighbours that are due, or None."""
    pairs = neighbour_pairs(setup)
    for number in count(paired):
        due = pairs[number // 2] if number % 2 and number // 2 < len(pairs) else None
        yield due if due is None or set(due) <= set(present) else None
