"""The search of set-ups: the same file from the same options, of set-ups that both seats may lay out."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from scripts.search_set_ups import GAME, SET_UPS, Search, SetUp, changed, for_black, main
from tourney.games.cyvasse.board import STEPS
from tourney.seeds import stream

SHIPPED = [tuple(line.split(" ")) for line in SET_UPS.read_text().splitlines() if not line.startswith("#")]
QUICK = ("--draws=3", "--best=2", "--steps=3", "--games=2", "--opponents=1", "--nodes=1")


def laid_out(white: SetUp, black: SetUp) -> str:
    """The position after two set-ups. Raises ActionError for an illegal action."""
    state = GAME.new()
    for action in (*white, *map(for_black, black)):
        state = state.play(GAME.read_action(state, action))
    return state.position()


def test_shipped_set_ups_can_be_laid_out_from_both_seats() -> None:
    assert len(set(SHIPPED)) == 3
    for set_up in SHIPPED:
        _, pieces, seat, phase, *_ = laid_out(set_up, set_up).split(" ")
        assert (seat, phase) == ("1", "play")
        # Black's side is White's turned by half a circle.
        assert pieces == pieces[::-1].swapcase()


def test_same_options_write_the_same_file(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        shown = CliRunner().invoke(main, [str(tmp_path / name), *QUICK])
        assert shown.exit_code == 0, shown.output
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    head, command, *set_ups = texts[0].splitlines()
    assert head.startswith("# ")
    assert command == "# python -m scripts.search_set_ups --seed=20261128 " + " ".join(QUICK)
    assert len({set_up for set_up in set_ups if len(set_up.split(" ")) == STEPS}) == 2


def test_change_gives_another_legal_set_up() -> None:
    set_up = Search(1, 1).draw("draw", 0)
    results = [changed(set_up, stream(seed, "test")) for seed in range(40)]
    legal = [after for after in results if after is not None]
    assert len(set(legal)) > 10
    assert set_up not in legal
    for after in legal:
        laid_out(after, set_up)


def test_result_says_who_lost_the_king_and_when() -> None:
    """The turns are those of the position in which the game ended; games by number are the same again."""
    search = Search(1, 1)
    mine, opponent = search.draw("draw", 0), search.draw("draw", 1)
    trial = search.trial(mine, [opponent], range(4))
    assert trial == search.trial(mine, [opponent], range(4))
    assert len(trial.lost) + trial.points == pytest.approx(4)
    assert all(0 < turns <= 400 for turns in trial.lost)
    assert trial.points <= trial.worth <= trial.points + len(trial.lost) / 4


def test_judged_file_is_compared_with_draws_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "set-ups.txt"
    path.write_text(f"# one\n{' '.join(SHIPPED[0])}\n")
    shown = CliRunner().invoke(main, [str(path), "--nodes=1", "--judge=4"])
    assert shown.exit_code == 0, shown.output
    searched, drawn = shown.output.splitlines()
    assert searched.startswith("searched: ")
    assert drawn.startswith("drawn: ")
    assert all(" points of 4, " in line for line in (searched, drawn))
    assert path.read_text().startswith("# one\n")
