"""The table of Debian's engines says who plays, and why one does not."""

import pytest

from scripts import try_engines
from scripts.try_engines import ENGINES, Engine, Trial, find_program, main, table

GOOD = Engine("good-package", ("good", "--x"), "xboard")
HIDDEN = Engine("hidden-package", ("hidden",))
OTHER = Engine("other-package", ("other",), unplayable="it plays shogi only")


def trials(contained: Trial, free: Trial) -> try_engines.Benches:
    return {"auto": lambda _: contained, "off": lambda _: free}


PLAYED = Trial(played=True, remark="2 of 2 points")
FAILED = Trial(played=False, remark="startup: no home")


def test_rows_say_who_plays_and_why_not() -> None:
    find = {"good": "/usr/games/good", "other": "/usr/games/other"}.get
    assert list(table((GOOD, HIDDEN), trials(FAILED, PLAYED), find)) == [
        ("good-package", "good --x", "xboard", "chess", "no", "plays", "startup: no home"),
        ("hidden-package", "hidden", "uci", "chess", "-", "-", "not installed"),
    ]
    (row,) = table((OTHER,), trials(FAILED, FAILED), find)
    assert row[4:] == ("no", "no", "it plays shogi only: startup: no home")
    (row,) = table((GOOD,), trials(PLAYED, PLAYED), find)
    assert row[4:] == ("plays", "plays", "2 of 2 points")


def test_each_engine_is_listed_once() -> None:
    keys = [(engine.command, engine.game) for engine in ENGINES]
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
@pytest.mark.skipif(find_program("stockfish") is None, reason="stockfish is not installed")
def test_installed_engine_plays_both_colors(capsys: pytest.CaptureFixture[str]) -> None:
    """Contained and not; any other program of the list would do."""
    assert main(["stockfish"]) == 0
    assert capsys.readouterr().out.count("| plays | plays | 2 of 2 points |") == 2
