"""Analyses on match pages."""

from tests.support.sessions import Thrower, analyzed, record_of, searching
from tourney.check.record import record_notation
from tourney.report.display import SeatLabel
from tourney.report.pages.analysis_part import (
    analysis_part,
    better_lines,
    key_plies,
    with_signs,
)

SEATS = (SeatLabel(1, "Black", "#000000"), SeatLabel(2, "Red", "#ff0000"))


def test_part_has_marks_accuracies_and_plot_of_the_first_seat() -> None:
    thrower = Thrower(20, 0.4)
    record = record_of("sages-tafl", [thrower, searching(1)], 1)
    analysis = analyzed(record, lambda: searching(50))
    notation = record_notation(record)
    written = notation.texts
    part = analysis_part(analysis, record, notation, SEATS)
    assert part is not None
    assert thrower.ply is not None
    (blunder,) = [one for one in part["marked"] if one["mark"] == "blunder" and one["seat"] is SEATS[0]]
    assert blunder["ply"] == thrower.ply + 1
    assert blunder["action"] == f"{thrower.ply + 1}. {written[thrower.ply]}??"
    assert blunder["better"].split(" ")[0] == blunder["moves"][0] != written[thrower.ply]
    assert part["seats"][0]["marks"][0] == 1
    assert part["seats"][0]["accuracy"].endswith(" %")
    assert [plot.title for plot in part["plots"]] == ["Black's chance to win, %"]
    assert part["reproducible"]
    assert all(seat == 1 and 0 <= chance <= 100 for _, seat, chance in part["chances"])
    assert [ply for ply, _, _ in part["chances"]] == [turn.ply for turn in analysis.points]
    assert len(dict(better_lines(analysis))[thrower.ply]) >= len(blunder["moves"])
    assert thrower.ply + 1 in key_plies(analysis, record, 8)
    assert len(key_plies(analysis, record, 2)) == 2
    assert with_signs(written, analysis)[thrower.ply] == f"{written[thrower.ply]}??"
    assert with_signs(written, None) == written


def test_faults_and_resignations_are_key_positions_without_an_analysis() -> None:
    record = record_of("sages-tafl", [Thrower(20, 0.4), searching(1)], 3)
    assert record.outcome.reason == "resign"
    assert key_plies(None, record, 8) == (record.outcome.resigned[0][1],)
