"""Tunings: the same way with any workers, after stops and from the store; what they pass to bots, and say."""

from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.addons.lab.comparisons import asking
from tests.support.coordination import RecordingListener
from tests.support.executors import BackwardsExecutor, in_parts
from tests.support.tournaments import played
from tourney.addons.lab.asking import BotQuestion
from tourney.addons.lab.results import TuneResult
from tourney.addons.lab.tuning import TuneFormat, TuneRule
from tourney.addons.lab.tuning_methods import SearchTerms
from tourney.bots.catalogue.manifest import Parameter
from tourney.check.schedule import StoredSchedule, check_schedule
from tourney.check.tournament import TournamentVerifier
from tourney.errors import TournamentError
from tourney.match.record import FaultKind
from tourney.ratings.sequential import expected_score
from tourney.run.engine.recorder import RowArguments
from tourney.run.file_schema import EntrantLine
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.format import History, Participant, Setup, find_format
from tourney.seeds import U64, derive
from tourney.spawning import Pool
from tourney.store.database import Database

TERMS = SearchTerms(
    ("exposed", "best"),
    (
        Parameter(value=60, low=-100, high=100, step=20),
        Parameter(value=0, low=-100, high=100, step=20),
    ),
    pairs=60,
    batch=6,
    draws=5,
    rate=Decimal("0.05"),
)
RULE = TuneRule(TERMS, "spsa")


def values_of(args: tuple[str, ...]) -> dict[str, int]:
    return {name: int(value) for name, _, value in (arg.partition("=") for arg in args)}


def worth(args: tuple[str, ...]) -> float:
    """The Elo of arguments: best are -40 and 50."""
    found = values_of(args)
    return -0.05 * ((found["exposed"] + 40) ** 2 + (found["best"] - 50) ** 2)


def play(task: MatchTask) -> WorkerReply:
    first, other = (worth(seat.args) for seat in task.spec.seats)
    won = derive(task.spec.seed, "test", task.spec.seats[0].name == "tinker") / U64 < expected_score(
        first - other
    )
    return WorkerReply(task.number, played(task.spec, (1, 2) if won else (2, 1)))


def question(rule: TuneRule, **more: Any) -> BotQuestion[TuneResult]:
    return BotQuestion(rule, (EntrantLine("tinker"), EntrantLine("tinker")), **more)


ask = asking(question, rule=RULE, game="sage-stones")


def nothing(task: MatchTask) -> WorkerReply:
    pytest.fail(f"match {task.number} is not to be played")


def test_values_move_to_the_best_ones(tmp_path: Path) -> None:
    """The result has the way and its gain; progress says the values; asking again plays nothing."""
    heard = RecordingListener()
    result = ask(tmp_path, play, heard).result
    assert (result.ended, result.void, result.pairs) == (True, False, 60)
    exposed, best = result.parameters
    assert (exposed.start, best.start) == ("60", "0")
    assert int(exposed.value) < 20
    assert int(best.value) > 10
    assert [point.pairs for point in result.points] == list(range(0, 61, 6))
    assert result.points[-1].values == (exposed.value, best.value)
    assert result.points[-1].low < result.points[-1].gain < result.points[-1].high
    assert result.points[-1].gain > 0
    assert sum(line.startswith("6 of 60 pairs: exposed=") for line in heard.messages) == 1
    assert ask(tmp_path, nothing).result == result


@pytest.mark.slow
def test_completion_order_and_stops_change_nothing(tmp_path: Path) -> None:
    for name in ("straight", "backwards", "parts"):
        (tmp_path / name).mkdir()
    straight = ask(tmp_path / "straight", play).result
    assert ask(tmp_path / "backwards", play, executor=BackwardsExecutor(play)).result == straight
    *stopped, last = in_parts(lambda some: ask(tmp_path / "parts", some).result, play, 17)
    assert len(stopped) > 3
    assert last == straight
    roots = []
    for name in ("straight", "backwards", "parts"):
        with Database.open(str(tmp_path / name / "t.db")) as database:
            roots.append(database.tournaments.get(straight.tuning).root)
    assert roots[0] is not None
    assert len(set(roots)) == 1


def test_records_have_the_values_and_verify_with_them(tmp_path: Path) -> None:
    """Each record names what its seats played with; the schedule and the values follow from the results."""
    result = ask(tmp_path, play).result
    with Database.open(str(tmp_path / "t.db")) as database:
        tournament = database.tournaments.get(result.tuning)
        assert [one.entrant.args for one in database.tournaments.entrants(tournament.id)] == [(), ()]
        record = database.records.stored_match(tournament.id, 1).record()
        first, mirrored = (
            [seat.args for seat in database.records.stored_match(tournament.id, number).record().spec.seats]
            for number in (1, 2)
        )
        assert first == mirrored[::-1]
        assert first[0] != first[1]
        assert sum(values_of(first[0]).values()) + sum(values_of(first[1]).values()) in range(110, 131)
        assert record.spec.seats[0].name in {"tinker", "tinker-b"}
        verifier = TournamentVerifier(database, tournament)
        found = [verifier.match(number) for number in range(1, 121, 7)]
        assert [finding for findings in found for finding in findings if "args" in str(finding)] == []
        assert [one for findings in found for one in findings if "seat" in str(one)] == []
        assert check_schedule(StoredSchedule.of(database, tournament)).findings == ()


def test_another_way_of_the_values_is_found(tmp_path: Path) -> None:
    """Records that have other values than the rule and the results give do not verify."""
    result = ask(tmp_path, play).result
    with Database.open(str(tmp_path / "t.db")) as database:
        tournament = database.tournaments.get(result.tuning)
        extra = replace(RULE, terms=replace(TERMS, rate=Decimal("0.9"))).extra()
        other = replace(tournament, plan=structs.replace(tournament.plan, extra=extra))
        verifier = TournamentVerifier(database, other)
        assert any("on its seat" in str(one) for number in (30, 60, 90) for one in verifier.match(number))


def test_faults_are_lost_games_and_named(tmp_path: Path) -> None:
    """A bot that crashes with values above 70 loses those games; the tuning goes on and says so."""

    def crash(task: MatchTask) -> WorkerReply:
        kind: FaultKind = "crash"
        for seat, one in enumerate(task.spec.seats):
            if values_of(one.args)["exposed"] > 70:
                ranks = (2, 1) if seat == 0 else (1, 2)
                return WorkerReply(task.number, played(task.spec, ranks, ((seat + 1, kind, 2),)))
        return play(task)

    result = ask(tmp_path, crash).result
    assert result.ended
    assert result.faults["crash"] > 0
    assert result.first_fault is not None
    assert result.first_fault.kind == "crash"
    assert int(result.parameters[0].value) < 60


def test_void_batch_ends_the_tuning(tmp_path: Path) -> None:
    """From the third batch on no bot starts, as may be with some values; what was played before stays."""

    def void(task: MatchTask) -> WorkerReply:
        if task.number <= 24:
            return play(task)
        return WorkerReply(task.number, played(task.spec, (1, 1), ((1, "startup", 0), (2, "startup", 0))))

    result = ask(tmp_path, void).result
    assert (result.ended, result.void, result.pairs, result.lost_pairs) == (True, True, 12, 6)
    assert result.faults["startup"] > 0


def setup(rule: TuneRule = RULE, entrants: int = 2) -> Setup:
    return Setup(tuple(Participant(n, f"b{n}") for n in range(entrants)), 2, 7, extra=rule.extra())


def test_stored_rule_reads_back() -> None:
    for rule in (RULE, replace(RULE, luck=True, method="random", version="1.2")):
        assert TuneRule.of(rule.extra()) == rule
    assert isinstance(find_format("tune"), TuneFormat)


def test_impossible_tunings_are_refused() -> None:
    with pytest.raises(TournamentError, match="a bot against itself"):
        TuneFormat().check(setup(entrants=3))
    with pytest.raises(TournamentError, match="needs parameters"):
        TuneFormat().check(setup(replace(RULE, terms=replace(TERMS, names=(), parameters=()))))
    with pytest.raises(TournamentError, match="settings of the tuning cannot be read"):
        TuneFormat().check(replace(setup(), extra=(("rule", "{"),)))


def test_other_version_of_optuna_is_refused() -> None:
    """Its samplers may draw other values, so the tuning would not be the one that was begun."""
    pytest.importorskip("optuna")
    other = replace(RULE, method="tpe", version="0.1")
    with pytest.raises(TournamentError, match=r"run pip install optuna==0\.1"):
        other.judge(setup(other), History())


def test_last_batch_has_the_pairs_that_are_left() -> None:
    rows = TuneFormat().next_rounds(setup(replace(RULE, terms=replace(TERMS, pairs=4))), History()).rows
    assert [(row.round, row.table, row.order) for row in rows] == [
        (1, t, o) for t in range(1, 5) for o in (1, 2)
    ]


def test_charts_show_steps_and_gain(tmp_path: Path) -> None:
    result = ask(tmp_path, play).result
    with Database.open(str(tmp_path / "t.db")) as database:
        tournament = database.tournaments.get(result.tuning)
        rows = tuple(row for _, row in database.schedules.rows(tournament.id))
        history = History(rows, tuple(database.matches.results(tournament.id)))
    values, gain = TuneFormat().charts(setup(), history)
    assert [name for name, _ in values.lines] == ["exposed", "best"]
    last = values.lines[0][1][-1]
    assert (last[0], last[1]) == (60, (int(result.parameters[0].value) - 60) / 20)
    assert gain.band
    assert round(gain.lines[0][1][-1][1], 1) == result.points[-1].gain


def test_pool_verifies_a_tuning(tmp_path: Path) -> None:
    """Made-up records break the rules, but not by their seats."""
    result = ask(tmp_path, play, rule=replace(RULE, terms=replace(TERMS, pairs=6))).result
    with Database.open(str(tmp_path / "t.db")) as database, closing(Pool(1, "verifies", 1)) as pool:
        verifier = TournamentVerifier(database, database.tournaments.get(result.tuning))
        found = [str(one) for _, findings in verifier.matches(pool) for one in findings or ()]
    assert [text for text in found if "seat" in text] == []


def test_rows_have_the_arguments_of_their_records(tmp_path: Path) -> None:
    """In schedule order, and for a row far down asked for at once."""
    result = ask(tmp_path, play).result
    with Database.open(str(tmp_path / "t.db")) as database:
        tournament = database.tournaments.get(result.tuning)
        rows = [(number, row) for number, row in database.schedules.rows(tournament.id)]
        known = RowArguments(database, tournament)
        assert known.given
        for number, row in (*rows[::9], rows[3]):
            record = database.records.stored_match(tournament.id, number).record()
            given = known.of(row)
            assert [tuple(given[entrant]) for entrant in row.seats] == [s.args for s in record.spec.seats]
            assert RowArguments(database, tournament).of(row) == given
    assert TERMS.names[0] in given[0][0]
