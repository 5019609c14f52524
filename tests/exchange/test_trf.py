"""Results of TRF, as managers of Swiss tournaments write it."""

from pathlib import Path

import pytest

from tests.exchange.files import damaged, groups, read
from tourney.exchange.reading import form_of


def line(number: int, name: str, *rounds: str) -> str:
    head = f"001 {number:4} m    {name:33}{'':4} ITA {'':11} {'':10} {'':4} {'':4}"
    return f"{head:91}" + "  ".join(rounds) + "\n"


CUP = (
    "012 Open\n062 3\nXXR 3\n"
    + line(1, "Bianchi, Pietro", "   2 w 1", "   3 b =", "0000 - H")
    + line(2, "M\u00fcller", "   1 b 0", "0000 - U", "   3 - +")
    + line(3, "Verdi", "0000 - Z", "   1 w =", "   2 - -")
)
GAMES = [
    ([("Bianchi, Pietro", "M\u00fcller", "12")], 1),
    ([("M\u00fcller", "Verdi", "12")], 1),
    ([("Verdi", "Bianchi, Pietro", "11")], 1),
]


@pytest.mark.parametrize(
    "data",
    [
        CUP.encode(),
        b"\xef\xbb\xbf" + CUP.replace("\n", "\r\n").encode(),
        CUP.replace("\n", "\r").encode(),
        CUP.replace(" w ", " W ").encode(),
    ],
)
def test_each_game_is_read_once_by_round(data: bytes, tmp_path: Path) -> None:
    assert form_of(data) == "trf"
    tally, problems = read(tmp_path, data)
    assert (groups(tally), damaged(problems)) == (GAMES, [])
    faults = [kind.faults for kind, _ in tally.kinds() if any(kind.faults)]
    assert faults == [(None, "startup")]


def test_players_of_one_name_differ_by_number(tmp_path: Path) -> None:
    tally, problems = read(tmp_path, CUP.replace("Verdi  ", "M\u00fcller "))
    assert set(tally.players) == {"Bianchi, Pietro", "M\u00fcller (2)", "M\u00fcller (3)"}
    assert (tally.games, damaged(problems), problems.damaged) == (3, [("namesake", 5), ("namesake", 6)], 0)


def test_latin_names_are_read_with_a_warning(tmp_path: Path) -> None:
    tally, problems = read(tmp_path, CUP.encode("latin-1"))
    assert (groups(tally), damaged(problems)) == (GAMES, [("latin", 5)])


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("   1 b 0", "   1 b 1", "contradiction"),
        ("   1 b 0", "   3 b 0", "contradiction"),
        ("   1 b 0", "9999 b 0", "contradiction"),
        ("   1 b 0", "   x b 0", "line"),
        ("001    2", "001    1", "line"),
        ("   3 - +", "   3 - -", "void"),
        ("Verdi  ", "M\u00fcller ", "namesake"),
        ("M\u00fcller    ", "M\u00fcller\t", "line"),
    ],
)
def test_lines_that_contradict_are_named(old: str, new: str, kind: str, tmp_path: Path) -> None:
    _, problems = read(tmp_path, CUP.replace(old, new))
    assert kind in {name for name, _ in damaged(problems)}
