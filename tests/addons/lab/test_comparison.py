"""Comparisons: the same verdict with any executor, also after a stop."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.addons.lab.comparisons import Play, asking
from tests.support.coordination import RecordingListener
from tests.support.even_pools import EVEN_RESULTS, even_ranks, not_finite
from tests.support.executors import BackwardsExecutor, FuturesExecutor, in_parts
from tests.support.tournaments import played, refused
from tourney.addons.lab.asking import BotQuestion
from tourney.addons.lab.comparison import ComparisonFormat, ComparisonRule
from tourney.addons.lab.results import ComparisonResult
from tourney.errors import BotError, TournamentError
from tourney.ratings.sequential import SequentialTest
from tourney.run.file_schema import EntrantLine
from tourney.run.summary import End
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.schedule.format import History, Pairings, Participant, Setup, find_format, working_formats
from tourney.seeds import derive

RULE = ComparisonRule(SequentialTest(0, 100), batch=4)
OLD = ComparisonRule(SequentialTest(0, 100, bets=1), batch=4)
SPRT = ComparisonRule(SequentialTest(0, 100, sprt=True), batch=4)


def strong(percent: int) -> Play:
    """Let ``greedy`` win this percentage of games, by their seeds; mirrored games differ."""

    def play(task: MatchTask) -> WorkerReply:
        first = task.spec.seats[0].name == "greedy"
        won = derive(task.spec.seed, "test", int(first)) % 100 < percent
        return WorkerReply(task.number, played(task.spec, (1, 2) if won == first else (2, 1)))

    return play


def question(a: EntrantLine, b: EntrantLine, **more: Any) -> BotQuestion[ComparisonResult]:
    return BotQuestion(bots=(a, b), **more)


ask = asking(
    question,
    a=EntrantLine("greedy"),
    b=EntrantLine("random"),
    game="sages-tafl",
    rule=RULE,
)


def test_stronger_bot_is_accepted(tmp_path: Path) -> None:
    heard = RecordingListener()
    compared = ask(tmp_path, strong(75), heard=heard)
    result = compared.result
    assert (result.decision, result.ended) == ("H1", True)
    assert result.a == "greedy"
    assert result.better >= result.better_needed
    assert 0 < result.low < result.elo < result.high
    assert result.pairs == sum(result.pentanomial)
    assert result.pairs % 4 == 0
    assert compared.summary is not None
    assert compared.summary.end is End.FINISHED
    assert result.sentence() == "greedy is better than random"
    live = [line for line in heard.messages if " of 3.00" in line]
    assert [line.split()[0] for line in live] == [str(4 * k) for k in range(1, result.pairs // 4 + 1)]
    assert f"better {result.better:.2f} of 3.00" in live[-1]


def test_sprt_ends_by_the_likelihood_ratio(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(75), rule=SPRT).result
    assert (result.decision, result.sprt, result.better_needed) == ("H1", True, 2.944)
    assert result.better == -result.worse
    said = result.evidence_sentence()
    assert said.startswith(
        f"LLR {result.better:.2f} (-2.94, 2.94) [0, 100], nElo {result.normalised_elo:+.1f}"
    )


def test_evidence_is_said_in_words(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(75)).result
    assert result.evidence_sentence().startswith(
        f"evidence {result.better:.2f} of 3.00 for H1: bets on it grew"
    )
    assert "20-fold in at most 5 % of comparisons" in result.evidence_sentence()


def test_stored_comparison_keeps_its_bets(tmp_path: Path) -> None:
    """The settings of one that an older version stored name version 1."""
    assert dict(OLD.extra())["bets"] == 1
    assert "sprt" not in dict(OLD.extra())
    old, new = (
        ask(tmp_path / name, strong(60), rule=rule).result for name, rule in (("a", OLD), ("b", RULE))
    )
    assert old.better != new.better


def test_weaker_bot_is_rejected(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(45)).result
    assert result.decision == "H0"
    assert result.high < 100
    assert result.sentence() == "greedy is less than 100 Elo better than random"


@pytest.mark.parametrize(
    "make",
    [BackwardsExecutor, lambda play: FuturesExecutor(lambda: ThreadPoolExecutor(4), play, workers=4)],
    ids=["backwards", "threads"],
)
def test_completion_order_changes_no_comparison(
    tmp_path: Path, make: Callable[[Play], MatchExecutor]
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    heard = RecordingListener()
    one = ask(tmp_path / "one", strong(70)).result
    assert ask(tmp_path / "other", strong(70), heard=heard, executor=make(strong(70))).result == one
    assert len([line for line in heard.messages if " of 3.00" in line]) == one.pairs // 4


def test_comparison_continues_where_it_stopped(tmp_path: Path) -> None:
    """Stopped again and again after a few matches: the same verdict, and each batch reported once."""
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    whole = ask(tmp_path / "whole", strong(70)).result
    heard = RecordingListener()
    *stopped, last = in_parts(lambda play: ask(tmp_path / "parts", play, heard=heard).result, strong(70), 7)
    assert all("undecided so far" in part.sentence() for part in stopped)
    assert len(stopped) > 3
    assert last == whole
    assert len([line for line in heard.messages if " of 3.00" in line]) == whole.pairs // 4


def test_comparison_ends_after_the_most_pairs(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(55), rule=ComparisonRule(SequentialTest(0, 5), 4, max_pairs=10)).result
    assert (result.decision, result.ended, result.pairs) == (None, True, 10)
    assert "undecided after 10 pairs" in result.sentence()


def test_batch_of_void_pairs_ends_the_comparison(tmp_path: Path) -> None:
    """Otherwise it would never end. One match has a result, or nothing would have started."""

    def play(task: MatchTask) -> WorkerReply:
        if task.number == 1:
            return WorkerReply(task.number, played(task.spec, (1, 1)))
        return WorkerReply(task.number, played(task.spec, (1, 1), ((1, "startup", 0), (2, "startup", 0))))

    heard = RecordingListener()
    result = ask(tmp_path, play, heard=heard).result
    assert (result.decision, result.ended, result.pairs, result.lost_pairs) == (None, True, 0, 4)
    assert result.elo is None
    assert "no pair of greedy and random counts" in result.sentence()
    assert [line for line in heard.messages if " of 3.00" in line] == [
        "no pair counts so far; better 0.00 of 3.00, worse 0.00 of 3.00"
    ]


@pytest.mark.parametrize("kind", [kind for kind in EVEN_RESULTS if kind != "all void"])
@pytest.mark.parametrize("width", [None, 50])
def test_equal_results_give_finite_numbers(tmp_path: Path, kind: str, width: int | None) -> None:
    def play(task: MatchTask) -> WorkerReply:
        names = sorted(seat.name for seat in task.spec.seats)
        numbers = [names.index(seat.name) for seat in task.spec.seats]
        return WorkerReply(task.number, played(task.spec, even_ranks(kind, numbers)))

    rule = ComparisonRule(SequentialTest(0, 100), batch=4, max_pairs=12, width=width)
    result = ask(tmp_path, play, rule=rule).result
    assert result.pairs in {4, 8, 12}
    assert list(not_finite(result)) == []
    assert "nan" not in result.sentence()


def test_comparison_in_which_nothing_starts_is_an_error(tmp_path: Path) -> None:
    def play(task: MatchTask) -> WorkerReply:
        return WorkerReply(task.number, played(task.spec, (1, 1), ((1, "startup", 0), (2, "startup", 0))))

    again = "remove this result by `tourney db remove greedy-v-random-"
    with refused(BotError, "no bot of greedy-v-random-", "starts", "greedy: it fails at start-up", again):
        ask(tmp_path, play)


def test_faults_count_as_losses(tmp_path: Path) -> None:
    def play(task: MatchTask) -> WorkerReply:
        seat = [entrant.name for entrant in task.spec.seats].index("random")
        ranks = (2, 1) if seat == 0 else (1, 2)
        return WorkerReply(task.number, played(task.spec, ranks, ((seat + 1, "crash", 2),)))

    result = ask(tmp_path, play).result
    assert result.decision == "H1"
    assert (result.faults_a, result.faults_b) == (0, 2 * result.pairs)


def setup_of(players: int = 2, seats: int = 2) -> Setup:
    return Setup(tuple(Participant(k) for k in range(players)), seats, 1, repeats=4, extra=RULE.extra())


def test_stopping_rule_round_trips_through_settings() -> None:
    for terms in (RULE, WIDTH, SPRT, ComparisonRule(SequentialTest(-5.5, 12.25, 0.01, 0.2), 7, 99), OLD):
        assert ComparisonRule.of(terms.extra()) == terms


def test_comparison_needs_two_entrants() -> None:
    ComparisonFormat().check(setup_of())
    for setup in (setup_of(3), setup_of(2, 3)):
        with pytest.raises(TournamentError, match="between two bots"):
            ComparisonFormat().check(setup)


def test_no_tournament_file_can_name_the_format() -> None:
    assert isinstance(find_format("compare"), ComparisonFormat)
    assert find_format("compare") not in working_formats()[0]


def test_batches_are_paired_until_the_test_decides() -> None:
    setup, history = setup_of(), History()
    for round_ in range(1, 30):
        paired = ComparisonFormat().next_rounds(setup, history)
        if paired.complete:
            break
        assert {row.round for row in paired.rows} == {round_}
        assert [(row.repeat, row.order) for row in paired.rows] == [
            (r, o) for r in range(1, 5) for o in (1, 2)
        ]
        results = tuple(row.result((1, 2) if row.seats[0] == 0 else (2, 1)) for row in paired.rows)
        history = History((*history.rows, *paired.rows), (*history.results, *results))
    assert paired == Pairings((), complete=True)
    assert RULE.judge(setup, history).decision == "H1"
    before = tuple(result for result in history.results if result.key.round < round_ - 1)
    assert RULE.judge(setup, History(history.rows, before)).decision is None


WIDTH = ComparisonRule.to_width(60, batch=4)


def test_comparison_ends_at_a_width(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(55), rule=WIDTH).result
    assert result.ended
    assert result.decision is None
    assert result.intervals == "95 % at every look"
    half = max(result.high - result.elo, result.elo - result.low)
    assert half <= 60.1
    assert f"after {result.pairs} pairs" in result.sentence()
    assert result.pairs < 256


def test_width_continues_to_the_same_result(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "part").mkdir()
    whole = ask(tmp_path / "whole", strong(55), rule=WIDTH).result
    left = [50]

    def play(task: MatchTask) -> WorkerReply:
        left[0] -= 1
        return strong(55)(task) if left[0] >= 0 else WorkerReply(task.number)

    part = ask(tmp_path / "part", play, rule=WIDTH).result
    assert "run the same command again" in part.sentence()
    assert ask(tmp_path / "part", strong(55), rule=WIDTH).result == whole


def test_winner_of_all_games_is_better_within_one_batch(tmp_path: Path) -> None:
    for default in (ComparisonRule(SequentialTest()), ComparisonRule(SequentialTest(0, 5))):
        folder = tmp_path / f"{default.test.elo1}"
        folder.mkdir()
        result = ask(folder, strong(100), rule=default).result
        assert (result.decision, result.pairs, result.high) == ("H1", 16, None)
        assert result.low > 0


def test_changed_strength_is_a_warning(tmp_path: Path) -> None:
    def worse(task: MatchTask) -> WorkerReply:
        return strong(100 if task.number <= 32 else 0)(task)

    for name, play, halves in (("steady", strong(60), None), ("changed", worse, (1.0, 0.0))):
        (tmp_path / name).mkdir()
        result = ask(tmp_path / name, play, rule=ComparisonRule.to_width(1, 4, 32)).result
        assert result.halves == halves
