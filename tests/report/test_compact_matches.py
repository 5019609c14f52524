"""The matches of a report in columns are those of the database, whatever their numbers."""

from dataclasses import replace

from tests.report.conftest import Report
from tourney.match.evidence import NONE
from tourney.ratings.counts import Counts
from tourney.report.compact_matches import RECORDED, CompactMatches, FinishedMatch, LazySequence, place_of
from tourney.report.pages.match_lines import match_lines, picked
from tourney.schedule.row import MatchKey


def without_digest(match: FinishedMatch) -> FinishedMatch:
    digest = RECORDED if match.result.digest else ""
    return replace(match, result=replace(match.result, digest=digest))


def test_columns_give_back_every_match(report: Report) -> None:
    stored = tuple(report.source.read())
    kept = CompactMatches(stored[0].tournament, stored)
    assert tuple(kept) == tuple(map(without_digest, stored))
    assert tuple(kept[1:3]) == tuple(kept)[1:3]
    assert kept[-1] == tuple(kept)[-1]
    assert len({match.result.digest for match in stored}) > 2


def test_columns_hold_numbers_of_any_size(report: Report) -> None:
    first = next(report.source.read())
    late = replace(first, number=2**40, key=MatchKey(2**50, 1, 2**33, 1))
    later = replace(late, number=2**40 + 1, key=MatchKey(2**50, 1, 2**33, 2))
    kept = CompactMatches(first.tournament, [first, late, later])
    assert tuple(kept) == tuple(map(without_digest, [first, late, later]))
    assert place_of(kept, later.number) == 2


def test_columns_share_equal_results(report: Report) -> None:
    stored = tuple(report.source.read())
    plain = [replace(match, result=replace(match.result, evidence=NONE)) for match in stored]
    many = [replace(match, number=k) for k, match in enumerate(plain * 50, 1)]
    kept = CompactMatches(1, many)
    assert len(kept) == 50 * len(stored)
    assert len({id(match.result) for match in kept}) <= len(stored)


def test_view_makes_what_is_asked_for() -> None:
    made: list[int] = []

    def double(one: int) -> int:
        made.append(one)
        return 2 * one

    view = LazySequence(range(10), double, (3, 5, 8))
    assert (len(view), view[1], list(view[1:]), made) == (3, 10, [10, 16], [5, 5, 8])


def test_matches_with_faults_are_picked_first(report: Report) -> None:
    source = report.source
    faulty = [m.number for m in source.matches if any(m.result.faults)]
    others = [m.number for m in source.matches if m.number not in faulty]
    for most in range(len(source.matches) + 2):
        assert picked(source, most) == set([*faulty, *others][:most])
        worth = picked(source, most, worth=True)
        assert len(worth) == len(picked(source, most))
        assert worth <= set(faulty) or worth >= set(faulty)


def test_matches_worth_seeing_get_the_first_pages(report: Report) -> None:
    source = report.source
    faulty = [match.number for match in source.matches if any(match.result.faults)]
    sound = [m for m in source.matches if m.number not in faulty and not m.result.void]
    worth = picked(source, len(faulty) + 3, worth=True) - set(faulty)
    elo = source.elo
    decided = [match for match in sound if match.result.ranks.count(1) == 1]

    def gap(match: FinishedMatch) -> float:
        first = match.result.ranks.index(1)
        return elo[match.seats[1 - first]].elo - elo[match.seats[first]].elo

    assert max(decided, key=lambda match: (gap(match), match.result.actions)).number in worth
    assert max(sound, key=lambda match: (match.result.actions, match.number)).number in worth


def test_lines_are_made_again_for_each_reader(report: Report) -> None:
    lines = match_lines(report.source, (), measured=True)
    assert lines[0] is not lines[0]
    assert lines[0] == next(iter(lines))


def test_counts_in_order_equal_those_in_any_order(report: Report) -> None:
    source = report.source
    numbers = [entrant.number for entrant in source.entrants]
    for shared in (True, False):
        ordered = Counts.of_results(source.results, numbers, 2, shared_dice=shared)
        counts = Counts.of_results(tuple(source.results)[::-1], numbers, 2, shared_dice=shared)
        assert ordered.seating.tolist() == counts.seating.tolist()
        assert ordered.cluster.tolist() == counts.cluster.tolist()
        assert ordered.times.tolist() == counts.times.tolist()
