"""Why a bot lost: causes, the action where a game fell, accuracies and worst actions."""

from pathlib import Path

from msgspec import structs

from tests.support import genuine
from tests.support.sessions import Thrower, analyzed, record_of, searching
from tourney.check.record import record_notation
from tourney.match.record import Outcome
from tourney.match.result import LogLine
from tourney.report.output.layout import Options
from tourney.report.pages import losses
from tourney.report.pages.losses import fall_of
from tourney.report.site import renderer
from tourney.report.source import load
from tourney.store.database import Database


def test_game_falls_where_the_analysis_says() -> None:
    thrower = Thrower(20, 0.4)
    record = record_of("sages-tafl", [thrower, searching(1)], 1)
    analysis = analyzed(record, lambda: searching(50))
    worst = max(
        (turn for turn in analysis.marked if turn.seat == 1), key=lambda turn: (turn.loss or 0, -turn.ply)
    )
    fall = fall_of(record, 1, (), analysis)
    assert fall.ply == worst.ply + 1
    assert fall.action == record_notation(record).numbered(worst.ply, worst.sign)
    assert fall.chances.endswith(" %")
    assert fall.by == "by reference"


def test_game_falls_where_the_bot_saw_it_or_at_its_last_action() -> None:
    record = record_of("sages-tafl", [searching(1), searching(1)], 1)
    log = [
        LogLine(0, 1, "info", "win=0.6"),
        LogLine(2, 1, "info", "win=0.55"),
        LogLine(4, 1, "info", "win=0.2"),
    ]
    fall = fall_of(record, 1, log, None)
    assert (fall.ply, fall.chances, fall.by) == (3, "55 % to 20 %", "as it saw it")
    last = max(ply for ply, (actor, _) in enumerate(record.actions) if actor == 2)
    assert fall_of(record, 2, log, None).ply == last + 1
    faulty = structs.replace(record, outcome=Outcome((2, 1), "fault", ((1, "crash", 5),)))
    assert fall_of(faulty, 1, log, None).ply == 5


def test_losses_of_each_bot_add_up_and_lead_to_positions(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as database:
        cup = genuine.begin(database, games=4)
        genuine.play_all(database, cup)
        make = renderer(load(database, cup), Options())
        by_bot = losses.lost_games(make)
        for line in make.source.standings:
            assert sum(cause.total for cause in by_bot.get(line.number, ())) == line.losses
        shown = [lost for causes in by_bot.values() for cause in causes for lost in cause.games]
    assert shown
    assert all(lost.href.endswith(f"#ply={lost.fall.ply}") and lost.opponents for lost in shown)


def test_analyses_give_accuracies_and_boards_of_worst_actions(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as database:
        cup = genuine.begin(database)
        genuine.play_all(database, cup)
        assert losses.accuracies(renderer(load(database, cup), Options())) == {}
        record = database.records.get(cup.id, 1)
        analysis = analyzed(record, lambda: searching(50))
        database.analyses.keep(cup.id, 1, analysis)
        make = renderer(load(database, cup), Options())
        seats = make.source.matches[0].seats
        accuracies = losses.accuracies(make)
        assert accuracies.keys() == set(seats)
        assert accuracies[seats[0]].percent == f"{analysis.accuracy(1):.1f}"
        marked = sum(turn.seat == 1 for turn in analysis.marked)
        part = losses.worst_part(make, seats[0])
        assert len(part["actions"] if part else ()) == min(marked, losses.MOST_WORST)
        files = {file.path for file in losses.files(make)}
    assert files == {"data/accuracy.csv", "data/accuracy.json"}
