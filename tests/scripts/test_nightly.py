"""The tests of a night: the script's parts, on a few seeds and on no mutant."""

import pytest

from scripts.nightly import MUTATED, main
from tests.support.command import ROOT


def test_simulation_prints_its_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulation", "--first", "3", "--seeds", "2"]) == 0
    assert capsys.readouterr().out.startswith("2 seeds, 0 wrong")


@pytest.mark.addon("chess")
def test_mutated_modules_and_their_tests_exist() -> None:
    for module, tests in MUTATED.items():
        assert (ROOT / module).is_file()
        assert all((ROOT / test).is_file() for test in tests.split())


def test_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["witchcraft"]) == 2
    assert "python -m scripts.nightly faults" in capsys.readouterr().err
