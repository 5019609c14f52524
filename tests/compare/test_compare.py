"""Comparisons: the same verdict with any executor, also after a stop."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.comparisons import Play, asking
from tests.coordination import RecordingListener
from tests.executors import BackwardsExecutor, FuturesExecutor
from tests.tournaments import played, refused
from tourney.compare.compare import ComparisonRequest, compare_bots
from tourney.compare.format import ComparisonFormat, StoppingRule, judge, planned_for
from tourney.compare.request import Answer
from tourney.compare.result import decision_text
from tourney.errors import TournamentError, UsageError
from tourney.ratings.sprt import Sprt
from tourney.run.config.tournament_file import EntrantLine
from tourney.run.monitoring.summary import End
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.schedule.format import History, Pairings, Participant, Setup, file_formats, find_format
from tourney.seeds import derive
from tourney.store.repository import Repository

RULE = StoppingRule(Sprt(0, 100), batch=4)


def strong(percent: int) -> Play:
    """Let ``greedy`` win this percentage of games, by their seeds; mirrored games differ."""

    def play(task: MatchTask) -> WorkerReply:
        first = task.spec.seats[0].name == "greedy"
        won = derive(task.spec.seed, "test", int(first)) % 100 < percent
        return WorkerReply(task.number, played(task.spec, (1, 2) if won == first else (2, 1)))

    return play


ask = asking(
    compare_bots,
    ComparisonRequest,
    a=EntrantLine("greedy"),
    b=EntrantLine("random"),
    game="sages-tafl",
    rule=RULE,
)


def test_stronger_bot_is_accepted(tmp_path: Path) -> None:
    heard = RecordingListener()
    compared = ask(tmp_path, strong(75), heard=heard)
    result = compared.result
    assert (result["decision"], result["ended"]) == ("H1", True)
    assert result["a"] == "greedy"
    assert result["llr"] >= result["upper"]
    assert result["low"] < result["elo"] < result["high"]
    assert result["pairs"] == sum(result["pentanomial"])
    assert result["pairs"] % 4 == 0
    assert compared.summary is not None
    assert compared.summary.end is End.FINISHED
    assert decision_text(result) == "greedy is better than random: the results fit +100 Elo, not +0 Elo"
    live = [line for line in heard.messages if "LLR" in line]
    assert [line.split()[0] for line in live] == [str(4 * k) for k in range(1, result["pairs"] // 4 + 1)]
    assert f"LLR {result['llr']:+.2f}" in live[-1]


def test_weaker_bot_is_rejected(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(45)).result
    assert result["decision"] == "H0"
    assert "greedy is not better than random" in decision_text(result)


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
    assert len([line for line in heard.messages if "LLR" in line]) == one["pairs"] // 4


def test_comparison_continues_where_it_stopped(tmp_path: Path) -> None:
    """Stopped again and again after a few matches: the same verdict, and each batch reported once."""
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    whole = ask(tmp_path / "whole", strong(70)).result
    lines: list[str] = []
    stops = 0
    while True:
        heard, left = RecordingListener(), [7]

        def play(task: MatchTask, left: list[int] = left) -> WorkerReply:
            left[0] -= 1
            return strong(70)(task) if left[0] >= 0 else WorkerReply(task.number)

        part = ask(tmp_path / "parts", play, heard=heard)
        lines += [line for line in heard.messages if "LLR" in line]
        if part.result["ended"]:
            break
        stops += 1
        assert stops < 100
        assert "undecided so far" in decision_text(part.result)
    assert stops > 3
    assert part.result == whole
    assert len(lines) == whole["pairs"] // 4


def test_ended_comparison_is_not_played_again(tmp_path: Path) -> None:
    first = ask(tmp_path, strong(75))
    again = ask(tmp_path, lambda task: pytest.fail("nothing is to be played"))
    assert again == Answer(first.result, None)
    with Repository.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournament(first.result["comparison"])
        assert repository.verdict(tournament.id) == first.result
        assert tournament.complete
    # Another request is another comparison.
    for changes in ({"rule": StoppingRule(Sprt(0, 90), 4)}, {"opening_plies": 2}, {"seed": 8}):
        other = ask(tmp_path, strong(75), **changes)
        assert other.summary is not None
        assert other.result["comparison"] != first.result["comparison"]


def test_named_comparison_refuses_another_request(tmp_path: Path) -> None:
    first = ask(tmp_path, strong(75), name="mine")
    assert first.result["comparison"] == "mine"
    assert ask(tmp_path, strong(75), name="mine").result == first.result
    with refused(TournamentError, 'tourney compare: elo1 was "100.0"', 'and is "90.0" now'):
        ask(tmp_path, strong(75), name="mine", rule=StoppingRule(Sprt(0, 90), 4))


def test_bot_against_itself_gets_a_second_name(tmp_path: Path) -> None:
    result = ask(
        tmp_path, strong(50), b=EntrantLine("greedy", args=("--x",)), rule=StoppingRule(Sprt(0, 200), 2)
    ).result
    assert (result["a"], result["b"]) == ("greedy", "greedy-2")


def test_comparison_ends_after_the_most_pairs(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(55), rule=StoppingRule(Sprt(0, 5), 4, max_pairs=10)).result
    assert (result["decision"], result["ended"], result["pairs"]) == (None, True, 12)
    assert "undecided after 12 pairs" in decision_text(result)


def test_batch_of_void_pairs_ends_the_comparison(tmp_path: Path) -> None:
    """Otherwise it would never end."""

    def play(task: MatchTask) -> WorkerReply:
        return WorkerReply(task.number, played(task.spec, (1, 1), ((1, "startup", 0), (2, "startup", 0))))

    heard = RecordingListener()
    result = ask(tmp_path, play, heard=heard).result
    assert (result["decision"], result["ended"], result["pairs"], result["lost_pairs"]) == (None, True, 0, 4)
    assert result["elo"] is None
    assert "no pair of greedy and random counts" in decision_text(result)
    assert [line for line in heard.messages if "LLR" in line] == [
        "no pair counts so far, LLR -0.00 (-2.94 .. +2.94)"
    ]


def test_faults_count_as_losses(tmp_path: Path) -> None:
    def play(task: MatchTask) -> WorkerReply:
        seat = [entrant.name for entrant in task.spec.seats].index("random")
        ranks = (2, 1) if seat == 0 else (1, 2)
        return WorkerReply(task.number, played(task.spec, ranks, ((seat + 1, "crash", 3),)))

    result = ask(tmp_path, play).result
    assert result["decision"] == "H1"
    assert (result["faults_a"], result["faults_b"]) == (0, 2 * result["pairs"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "go"}, "there is no game"),
        ({"options": {"x": "1"}}, "no option x"),
        ({"opening_plies": 100_000}, "no game of sages-tafl is that long"),
        ({"b": EntrantLine("greedy", name="greedy")}, "both bots are called greedy"),
    ],
)
def test_invalid_requests_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with refused(UsageError, message):
        ask(tmp_path, strong(50), **changes)
    assert not (tmp_path / "t.db").exists()


def setup_of(players: int = 2, seats: int = 2) -> Setup:
    return Setup(tuple(Participant(k) for k in range(players)), seats, 1, repeats=4, extra=RULE.extra())


def test_stopping_rule_round_trips_through_settings() -> None:
    for terms in (RULE, WIDTH, StoppingRule(Sprt(-5.5, 12.25, 0.01, 0.2), 7, 99)):
        assert StoppingRule.of(terms.extra()) == terms


def test_comparison_needs_two_entrants() -> None:
    ComparisonFormat().check(setup_of())
    for setup in (setup_of(3), setup_of(2, 3)):
        with pytest.raises(TournamentError, match="between two bots"):
            ComparisonFormat().check(setup)


def test_no_tournament_file_can_name_the_format() -> None:
    assert isinstance(find_format("compare"), ComparisonFormat)
    assert find_format("compare") not in file_formats()


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
        history = History(history.rows + paired.rows, history.results + results)
    assert paired == Pairings((), complete=True)
    assert judge(RULE, [[4] * 4] * (round_ - 1)).decision == "H1"
    assert judge(RULE, [[4] * 4] * (round_ - 2)).decision is None


WIDTH = StoppingRule(Sprt(), batch=4, width=60)


def test_comparison_ends_at_a_width(tmp_path: Path) -> None:
    result = ask(tmp_path, strong(55), rule=WIDTH).result
    assert result["ended"]
    assert result["decision"] is None
    assert result["intervals"] == "95 % at every look"
    half = max(result["high"] - result["elo"], result["elo"] - result["low"])
    assert half <= 60.1
    assert f"after {result['pairs']} pairs" in decision_text(result)
    assert result["pairs"] < 2 * planned_for(60)


def test_width_continues_to_the_same_result(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "part").mkdir()
    whole = ask(tmp_path / "whole", strong(55), rule=WIDTH).result
    left = [50]

    def play(task: MatchTask) -> WorkerReply:
        left[0] -= 1
        return strong(55)(task) if left[0] >= 0 else WorkerReply(task.number)

    part = ask(tmp_path / "part", play, rule=WIDTH).result
    assert "run the same command again" in decision_text(part)
    assert ask(tmp_path / "part", strong(55), rule=WIDTH).result == whole


def test_only_a_planned_end_has_fixed_intervals(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    at_limit = ask(tmp_path / "a", strong(55), rule=StoppingRule(Sprt(0, 5), 4, max_pairs=10)).result
    decided = ask(tmp_path / "b", strong(75)).result
    assert at_limit["intervals"] == "fixed 95 %"
    assert decided["intervals"] == "95 % at every look"
