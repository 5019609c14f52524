"""The core works without any one add-on, and without all: in copies of the checkout."""

from pathlib import Path

import pytest

from scripts import try_without_addons
from scripts.try_without_addons import (
    ALL,
    TESTS,
    TESTS_OF_CORE,
    copy_without,
    failures_without,
    main,
    wrong_help,
)
from tests.support.addons import PRESENT


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PRESENT, ALL])
def test_core_works_without(name: str) -> None:
    assert failures_without(name, TESTS_OF_CORE if name == ALL else TESTS) == []


@pytest.mark.slow
@pytest.mark.addon("lab")
def test_help_that_still_lists_a_deleted_command_is_found(tmp_path: Path) -> None:
    """The copy is made without nothing, and judged as if the lab had been deleted."""
    copy_without((), tmp_path / "copy")
    assert [text.partition(":")[0] for text in wrong_help(tmp_path / "copy", ["lab"])] == [
        "tourney --help",
        "tourney bots --help",
    ]


def test_failures_are_printed_and_end_in_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def failures(name: str, arguments: list[str]) -> list[str]:
        asked.append((name, *arguments))
        return ["it broke"] if name == ALL else []

    monkeypatch.setattr(try_without_addons, "failures_without", failures)
    assert main([ALL, "--", "-k", "swiss"]) == 1
    assert capsys.readouterr().out == "without all: it broke\n"
    assert main([]) == 1
    assert asked == [
        (ALL, "-k", "swiss"),
        *((name, *TESTS) for name in PRESENT),
        (ALL, *TESTS_OF_CORE),
    ]


def test_unknown_addon_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rogue"]) == 2
    assert capsys.readouterr().err.startswith("there is no add-on rogue; the add-ons are: ")
