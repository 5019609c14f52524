"""The analysis of a match on its page: accuracies, marked actions with the better ones, and a plot."""

from collections.abc import Iterator, Sequence
from typing import Final

from tourney.games.notation import Notation
from tourney.match.analysis import Analysis, ValuedTurn, better_notation
from tourney.match.record import Record
from tourney.protocol import SURE_WIN
from tourney.report import display
from tourney.report.display import SeatLabel
from tourney.report.output.layout import Context
from tourney.report.pages.bot_info import MatchInfo, SeatInfo
from tourney.report.pages.match_script import MatchPlot, match_plots
from tourney.report.replays.replay import BoardReplay

MOST_MARKED: Final = 40
"""The marked actions in the list: those that lost most."""
MOST_LINE: Final = 8
"""The actions of a better line that are shown."""


def analysis_part(
    analysis: Analysis | None, record: Record, notation: Notation, seats: Sequence[SeatLabel]
) -> Context | None:
    """The context of an analysis on a match's page, or None without one.

    ``marked``: the marked actions by ply (from 1), with what each lost and the ``better`` line, also as
    ``moves``; ``left_out`` is the number of further ones. ``seats``: accuracy in words, and the numbers of
    blunders, mistakes and inaccuracies. ``chances``: (ply, seat, percent); with two seats they are all the
    first one's.
    """
    if analysis is None:
        return None
    marked = _listed(analysis)
    lines = [better_notation(record, turn, MOST_LINE) for turn in marked]
    two = len(seats) == 2
    chances = [
        (turn.ply, 1 if two else turn.seat, 100 * (turn.chance if two else turn.value) / SURE_WIN)
        for turn in analysis.points
    ]
    return {
        "analyser": display.label(analysis.analyser.label),
        "reproducible": analysis.analyser.reproducible,
        "seats": [_accuracy(analysis, seat) for seat in seats],
        "marked": [
            {
                "ply": turn.ply + 1,
                "seat": seats[turn.seat - 1],
                "action": display.action(notation.numbered(turn.ply, turn.sign)),
                "mark": turn.mark or "",
                "before": _percent(turn.value),
                "after": _percent(turn.value - (turn.loss or 0)),
                "better": display.action(line.line(turn.ply)),
                "moves": tuple(map(display.action, line.texts[turn.ply :])),
            }
            for turn, line in zip(marked, lines, strict=True)
        ],
        "left_out": len(analysis.marked) - len(marked),
        "plots": tuple(_plots(analysis, chances, seats, len(record.actions))),
        "chances": chances,
    }


def analysis_data(analysis: Context, shown: BoardReplay) -> dict[str, object]:
    """The chances for the script, and ``better``: [action, number of the picture before it, line]."""
    lines = shown.line_at
    better = [
        (action["ply"], pictures.first, action["moves"][: pictures.actions])
        for action in analysis["marked"]
        if (pictures := lines.get(action["ply"] - 1)) is not None
    ]
    return {"chances": analysis["chances"], "better": better}


def _listed(analysis: Analysis) -> list[ValuedTurn]:
    by_loss = sorted(analysis.marked, key=lambda turn: (-(turn.loss or 0), turn.ply))
    return sorted(by_loss[:MOST_MARKED], key=lambda turn: turn.ply)


def better_lines(analysis: Analysis | None) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the better line at each action that is listed, by the ply before it."""
    for turn in _listed(analysis) if analysis is not None else ():
        yield turn.ply, turn.line[:MOST_LINE]


def with_signs(written: Sequence[str], analysis: Analysis | None) -> Sequence[str]:
    """The actions with the signs of their marks behind them, as annotators write: ``Qxe5??``."""
    signs = {turn.ply: turn.sign for turn in analysis.marked} if analysis is not None else {}
    return [text + signs.get(ply, "") for ply, text in enumerate(written)] if signs else written


def key_plies(analysis: Analysis | None, record: Record | None, most: int) -> tuple[int, ...]:
    """The positions (as numbers of actions) after the decisive actions: largest losses, then faults."""
    if record is None:
        return ()
    turns = analysis.marked if analysis is not None else ()
    plies = [turn.ply + 1 for turn in sorted(turns, key=lambda turn: (-(turn.loss or 0), turn.ply))]
    plies += [count for _, _, count in record.outcome.faults]
    plies += [count for _, count in record.outcome.resigned]
    # A fault may come after the last action, where no picture shows more than the end.
    chosen = [ply for ply in dict.fromkeys(plies) if 0 < ply <= len(record.actions)]
    return tuple(sorted(chosen[:most]))


def _accuracy(analysis: Analysis, seat: SeatLabel) -> dict[str, object]:
    percent = analysis.accuracy(seat.number)
    marks = analysis.marks_of(seat.number)
    shown = display.MISSING if percent is None else f"{percent:.1f} %"
    counts = [marks[mark] for mark in ("blunder", "mistake", "inaccuracy")]
    return {"seat": seat, "accuracy": shown, "marks": counts}


def _plots(
    analysis: Analysis, chances: Sequence[tuple[int, int, float]], seats: Sequence[SeatLabel], last: int
) -> Iterator[MatchPlot]:
    """The chances of the first seat of two, or of each seat, in percent."""
    columns: dict[int, dict[int, float]] = {}
    for ply, seat, chance in chances:
        columns.setdefault(seat, {})[ply] = chance
    info = {seat: SeatInfo(tuple(of), {"chance": tuple(of.values())}) for seat, of in columns.items()}
    title = f"{seats[0].name}'s chance to win, %" if len(seats) == 2 else "Chances to win, %"
    for plot in match_plots(MatchInfo(info), {}, {}, {}, seats, last, labels=""):
        note = f"by {display.label(analysis.analyser.label)}"
        yield plot._replace(name="analysis", title=title, note=note, open=True)


def _percent(value: int) -> str:
    return f"{100 * value / SURE_WIN:.0f} %"
