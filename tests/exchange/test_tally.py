"""Games counted by kind and group."""

from tests.exchange.files import groups
from tourney.exchange.foreign_game import ForeignGame
from tourney.exchange.tally import Tally, without_rare


def tally(*games: ForeignGame) -> Tally:
    found = Tally()
    for game in games:
        found.add(game)
    return found


def won(first: str, second: str, pair: str = "", *, mirrored: bool = False) -> ForeignGame:
    return ForeignGame((first, second), (1, 2), pair, mirrored)


def test_order_of_games_changes_no_group() -> None:
    games = [won("a", "b", "x"), won("c", "a"), won("b", "a", "x"), won("c", "a"), won("a", "c", "x")]
    expected = [([("a", "b", "12"), ("b", "a", "12")], 1), ([("a", "c", "12")], 1), ([("c", "a", "12")], 2)]
    assert groups(tally(*games)) == groups(tally(*games[::-1])) == expected


def test_mirrored_label_joins_games_two_by_two() -> None:
    games = [won("a", "b", "x", mirrored=True), won("b", "a", "x", mirrored=True)] * 2
    assert groups(tally(*games)) == [([("a", "b", "12"), ("b", "a", "12")], 2)]
    odd = tally(*games, games[0])
    assert groups(odd) == [([("a", "b", "12")], 1), ([("a", "b", "12"), ("b", "a", "12")], 2)]


def test_tally_gives_groups_in_order_of_their_first_games() -> None:
    games = [won("a", "b", "x"), won("c", "d"), won("b", "a", "x")]
    rows = [(group, place, kind.players) for group, place, kind in tally(*games).rows()]
    assert rows == [(1, 1, (0, 1)), (1, 2, (1, 0)), (2, 1, (2, 3))]


def test_leaving_out_rare_players_is_repeated() -> None:
    """Without d, c has one game left, and is rare too."""
    games = [won("a", "b"), won("b", "a"), won("a", "c"), won("c", "d")]
    kept, gone = without_rare(tally(*games), 2)
    assert (kept.games, gone, kept.players) == (2, 2, ("a", "b"))
    assert kept.games_of() == {"a": 2, "b": 2}


def test_fault_belongs_to_its_seat() -> None:
    lost = ForeignGame(("a", "b"), (2, 1), reason="time-forfeit", faults=("timeout", None))
    ((kind, times),) = tally(lost, lost).kinds()
    assert (kind.faults, kind.reason, times) == (("timeout", None), "time-forfeit", 2)


def test_games_with_the_same_moves_are_one_cluster() -> None:
    """Pairs that share a game with another pair are joined; equal moves of other players are not."""
    repeated = [won("a", "b", "x")._replace(play=7), won("b", "a", "x")._replace(play=8)]
    later = [won("a", "b", "y")._replace(play=7), won("b", "a", "y")._replace(play=9)]
    other = won("a", "c")._replace(play=7)
    found = tally(*repeated, *later, other)
    pair = [("a", "b", "12"), ("a", "b", "12"), ("b", "a", "12"), ("b", "a", "12")]
    assert groups(found, joined=True) == [(pair, 1), ([("a", "c", "12")], 1)]
    assert (found.games, found.distinct) == (5, 4)
    assert sum(times for _, times in found.groups(joined=False)) == 3
