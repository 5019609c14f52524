"""Placements on a ladder: the same rating with any executor, also after a stop."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec import structs

from tests.addons.lab.comparisons import Play, asking
from tests.schedule import test_ranking_rule
from tests.support.coordination import RecordingListener
from tests.support.executors import BackwardsExecutor, FuturesExecutor, in_parts
from tests.support.schedules import setup
from tests.support.tournaments import played, refused
from tourney.addons.lab import ladder
from tourney.addons.lab.anchored import Placement
from tourney.addons.lab.asking import Answer, BotQuestion
from tourney.addons.lab.ladder import LadderFormat, LadderRule, ladder_limits
from tourney.addons.lab.results import FirstFault, LadderResult
from tourney.bots.catalogue.shipped import Rating, Rung
from tourney.bots.catalogue.store import BotStore
from tourney.errors import BotError, TournamentError, UsageError
from tourney.match.record import FaultKind
from tourney.run.engine.readiness import BotBuilds
from tourney.run.file_schema import EntrantLine
from tourney.run.summary import End
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.schedule.adaptive import expected
from tourney.schedule.format import Participant, Setup, find_format, working_formats
from tourney.schedule.ranking_rule import RankingRule
from tourney.seeds import derive
from tourney.store.database import Database
from tourney.store.values import StoredEntrant

LADDER = tuple(
    Rung(name, bot, args, Rating(elo, elo - 20, elo + 20))
    for name, bot, args, elo in (
        ("random", "random", (), -400.0),
        ("greedy", "greedy", (), -150.0),
        ("mcts-10", "mcts", ("--nodes=10",), 50.0),
        ("mcts-30", "mcts", ("--nodes=30",), 250.0),
        ("mcts-90", "mcts", ("--nodes=90",), 400.0),
    )
)
ELO = {rung.name: rung.rating.elo for rung in LADDER if rung.rating}


@pytest.fixture(autouse=True)
def _ladder() -> Iterator[None]:
    """Let every game have the same ladder."""
    with patch.object(ladder, "ladder_of", lambda _game, _seats: LADDER):
        yield


def as_strong_as(elo: float) -> Play:
    """Let ``pebble`` win as often as this rating says, by the matches' seeds; others finish in seat order."""

    def play(task: MatchTask) -> WorkerReply:
        seats = [seat.name for seat in task.spec.seats]
        mine = seats.index("pebble")
        ahead = {
            name: derive(task.spec.seed, "test", mine, name.replace("-", "")) / 2**64
            < expected(100 * (elo - ELO[name]))
            for name in seats
            if name != "pebble"
        }
        order = sorted(range(len(seats)), key=lambda k: 1 if k == mine else 2 if ahead[seats[k]] else 0)
        ranks = tuple(order.index(k) + 1 for k in range(len(seats)))
        return WorkerReply(task.number, played(task.spec, ranks))

    return play


def question(bot: EntrantLine, width: int = 50, games: int = 400, **more: Any) -> BotQuestion[LadderResult]:
    values = {"seats": None, "max_faults": 8, "limits": ladder_limits(), **more}
    return BotQuestion(LadderRule(width=width, games=games), (bot,), **values)


ask = asking(question, bot=EntrantLine("pebble"), game="sages-tafl")


def test_rating_is_found_to_the_width(tmp_path: Path) -> None:
    heard = RecordingListener()
    placed = ask(tmp_path, as_strong_as(150), heard)
    result = placed.result
    assert placed.summary is not None
    assert placed.summary.end is End.FINISHED
    assert (result.ended, result.ending) == (True, "width")
    assert result.low < 150 < result.high
    assert result.high - result.low <= 100.1
    assert (result.rank, result.next) == (3, "mcts-30")
    assert result.games == sum(rung.games for rung in result.rungs)
    lines = [line for line in heard.messages if "games: rating" in line]
    assert len(lines) == result.games // 8
    assert lines[-1].startswith(f"{result.games} games: rating {result.rating:+.1f}")
    assert "fixed 95 %" in lines[-1]
    assert all(any(word in line for word in ("95 % at every look", "not known")) for line in lines[:-1])
    assert result.intervals == "fixed 95 %"


def test_vague_rating_is_not_shown_in_words() -> None:
    rule = LadderRule((0, 10_000), width=50)
    words: list[str] = []
    for deviation in (200_000, 3_000):
        state = ladder.LadderState(((1, (0, 1)),), rule, Placement(1_660, deviation), None, 8)
        words += state.lines(["me", "random", "mcts"])
    assert words[0] == "8 games: rating not known to 1000 Elo yet, now against random"
    assert words[1].startswith("8 games: rating +16.6 ± ")


def test_games_are_played_near_the_rating(tmp_path: Path) -> None:
    rungs = {rung.name: rung.games for rung in ask(tmp_path, as_strong_as(150)).result.rungs}
    assert min(rungs["mcts-10"], rungs["mcts-30"]) > 10 * max(rungs["random"], rungs["mcts-90"], 1)


def test_sentences_say_rank_rating_and_next(tmp_path: Path) -> None:
    result = ask(tmp_path, as_strong_as(150)).result
    assert result.place_sentence().startswith("pebble: rank 3 of 6 on the ladder of sages-tafl")
    assert result.ending_sentence() == f"{result.games} games: the interval is at most ±50 Elo"
    assert result.next_sentence().startswith(
        "Next to beat: mcts-30 (+250.0), against which it scores about 3"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [BackwardsExecutor, lambda play: FuturesExecutor(lambda: ThreadPoolExecutor(4), play, workers=4)],
    ids=["backwards", "threads"],
)
def test_completion_order_changes_no_placement(tmp_path: Path, make: Callable[[Play], MatchExecutor]) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one = ask(tmp_path / "one", as_strong_as(0)).result
    assert ask(tmp_path / "other", as_strong_as(0), executor=make(as_strong_as(0))).result == one


@pytest.mark.slow
def test_placement_continues_where_it_stopped(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    whole = ask(tmp_path / "whole", as_strong_as(-100), width=80).result
    heard = RecordingListener()
    parts = in_parts(
        lambda play: ask(tmp_path / "parts", play, heard, width=80).result, as_strong_as(-100), 13
    )
    *stopped, last = parts
    assert all("run the same command again" in part.ending_sentence() for part in stopped)
    assert len(stopped) > 2
    assert last == whole
    assert len([line for line in heard.messages if "games: rating" in line]) == whole.games // 8


def test_ended_placement_is_not_played_again(tmp_path: Path) -> None:
    first = ask(tmp_path, as_strong_as(150), width=100)
    again = ask(tmp_path, lambda task: pytest.fail("nothing is to be played"), width=100)
    assert again == Answer(first.result, None)
    assert ask(tmp_path, as_strong_as(150), width=90).result.tournament != first.result.tournament


def test_same_bot_by_another_path_goes_on(tmp_path: Path) -> None:
    first = ask(tmp_path, as_strong_as(150), width=100)
    digest = _entrants(tmp_path, first)[0].entrant.digest
    again = ask(tmp_path, as_strong_as(150), width=100, bot=EntrantLine(digest[:16]))
    assert again == Answer(first.result, None)


def _entrants(folder: Path, placed: Answer[LadderResult]) -> Any:
    with Database.open(str(folder / "t.db")) as repository:
        return repository.tournaments.entrants(repository.tournaments.get(placed.result.tournament).id)


@pytest.mark.parametrize(("elo", "ending", "rank"), [(2000, "above", 1), (-2000, "below", 6)])
def test_bot_outside_the_ladder_ends_the_placement(tmp_path: Path, elo: int, ending: str, rank: int) -> None:
    result = ask(tmp_path, as_strong_as(elo)).result
    assert (result.ending, result.rank, result.best_rank, result.worst_rank) == (
        *(ending, rank),
        *(rank, rank),
    )
    assert result.games < 200
    assert ending in result.ending_sentence()


def test_limit_of_games_ends_the_placement(tmp_path: Path) -> None:
    result = ask(tmp_path, as_strong_as(0), games=30).result
    assert (result.ending, result.games) == ("games", 32)
    assert result.low is not None
    assert result.high is not None
    assert result.ending_sentence() == (
        "32 games: the limit of --games is reached, and the interval is"
        f" ±{(result.high - result.low) / 2:.1f} Elo where --width asks for ±50 Elo; set one of them higher"
    )


def test_lost_games_come_shortest_first(tmp_path: Path) -> None:
    lost = ask(tmp_path, as_strong_as(0), games=30).result.lost
    assert lost
    assert [game.actions for game in lost] == sorted(game.actions for game in lost)
    assert {game.rank for game in lost} == {2}


def test_table_of_four_is_placed(tmp_path: Path) -> None:
    result = ask(tmp_path, as_strong_as(50), game="sage-stones", seats=4, games=200).result
    assert result.seats == 4
    assert result.low < 50 < result.high
    assert sum(rung.games for rung in result.rungs) == 3 * result.games


def faulty(name: str, kind: FaultKind) -> Play:
    """Let an entrant be at fault in every match."""

    def play(task: MatchTask) -> WorkerReply:
        names = [seat.name for seat in task.spec.seats]
        if name not in names:
            return as_strong_as(0)(task)
        seat = names.index(name) + 1
        ranks = (2, 1) if seat == 1 else (1, 2)
        return WorkerReply(task.number, played(task.spec, ranks, ((seat, kind, 0),)))

    return play


def test_faults_stop_the_placement(tmp_path: Path) -> None:
    placed = ask(tmp_path, faulty("pebble", "crash"))
    assert placed.summary is not None
    assert placed.summary.end is End.FAULTS
    assert placed.result.faults["crash"] >= 8
    assert placed.result.first_fault == FirstFault(match=1, seat=1, kind="crash")


def test_bot_that_never_starts_is_out(tmp_path: Path) -> None:
    result = ask(tmp_path, faulty("pebble", "startup"), max_faults=1000).result
    assert (result.ended, result.ending) == (True, "out")
    assert result.games < 50


def test_games_with_a_faulty_rung_do_not_count(tmp_path: Path) -> None:
    result = ask(tmp_path, faulty("random", "timeout"), games=30, max_faults=1000).result
    assert result.not_counted > 0
    assert next(rung for rung in result.rungs if rung.name == "random").games == 0
    assert (result.faults, result.first_fault) == ({}, None)


def test_bot_named_as_a_rung_gets_another_name(tmp_path: Path) -> None:
    with patch.dict(ELO, {"greedy-new": 0.0}):
        play = faulty("greedy-new", "crash")
        assert ask(tmp_path, play, bot=EntrantLine("greedy")).result.bot == "greedy-new"


def test_bot_in_place_of_a_rung_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "greedy"
    bot.mkdir()
    (bot / "bot.toml").write_text(
        'name = "greedy"\nversion = "9"\ngames = ["sages-tafl"]\ncommand = ["python3", "bot.py"]\n'
    )
    (bot / "bot.py").write_text("print('mine')\n")
    BotStore(tmp_path / "bots").add(bot, replace_shipped=True)
    with refused(BotError, "greedy", "another bot"):
        ask(tmp_path, as_strong_as(0))


def test_game_without_a_ladder_is_refused(tmp_path: Path) -> None:
    with patch.object(ladder, "ladder_of", lambda _game, _seats: ()), refused(UsageError, "has no ladder"):
        ask(tmp_path, as_strong_as(0))
    unrated = (*LADDER[:1], structs.replace(LADDER[1], rating=None))
    with patch.object(ladder, "ladder_of", lambda *_: unrated), refused(UsageError, "no ratings of greedy"):
        ask(tmp_path, as_strong_as(0))
    with refused(UsageError, "3"):
        ask(tmp_path, as_strong_as(0), seats=3)


def test_rung_that_cannot_be_built_is_left_out(tmp_path: Path) -> None:
    """So a machine without a C compiler places bots on the other rungs, and says which one is missing."""

    def find_broken(_builds: BotBuilds, entrants: Iterable[StoredEntrant]) -> dict[int, BotError]:
        return {
            entrant.number: BotError("cc is missing") for entrant in entrants if entrant.name == "mcts-90"
        }

    heard = RecordingListener()
    with patch.object(BotBuilds, "find_broken", find_broken):
        result = ask(tmp_path, as_strong_as(150), heard, width=100).result
    assert [rung.name for rung in result.rungs] == ["mcts-30", "mcts-10", "greedy", "random"]
    assert result.ending == "width"
    assert "mcts-90 is left out: cc is missing" in heard.messages


def test_no_file_names_the_format() -> None:
    assert isinstance(find_format("ladder"), LadderFormat)
    assert "ladder" not in [format_.name for format_ in working_formats()[0]]


@pytest.mark.parametrize(
    "extra",
    [
        (),
        (("anchors", "1,x"), ("games", 4), ("width", 50)),
        (("anchors", "1,2,3"), ("games", 4), ("width", 50)),
        (("anchors", "1,2"), ("games", 4), ("width", 0)),
    ],
)
def test_damaged_settings_are_refused(extra: tuple[tuple[str, int | str], ...]) -> None:
    setup = Setup(tuple(Participant(k) for k in range(3)), 2, 1, extra=extra)
    with pytest.raises(TournamentError):
        LadderFormat().check(setup)


def test_batch_takes_turns_between_both_neighbours() -> None:
    rule = LadderRule((0, 20_000, 40_000))
    assert rule.groups(2, (1, 2, 3), Placement(11_000, 1)) == [(2,), (1,), (2,), (1,)]
    assert rule.groups(2, (1, 2, 3), Placement(90_000, 1)) == [(3,)] * 4
    assert rule.groups(3, (1, 2, 3), Placement(90_000, 1)) == [(3, 2)]
    assert rule.groups(2, (1, 3), None) == [(1,)] * 4


def test_ratings_of_a_ladder_that_rank_keep_their_meaning() -> None:
    """As ``tests/schedule/test_ranking_rule.py`` holds for the formats of the core."""
    plan = replace(setup(4), extra=LadderRule((-20_000, 0, 15_000), 50, 400).extra())
    rule = RankingRule("rating", ("rating", "sigma"))
    history = test_ranking_rule.played(plan, [[(0, 3), (0, 2)], [(0, 1)]])
    assert test_ranking_rule.columns(LadderFormat(), plan, history, rule) == {
        "rank": "1 4 3 2",
        "points": "5 1 0 0",
        "rating": "6553/25 -200 0 150",
        "sigma": "2533/10 - - -",
    }
