"""Every alteration of a database against every check, as the table of the documentation has it."""

from pathlib import Path

import pytest

from tests.support import tampering
from tests.support.tampering import (
    ALTERATIONS,
    BEGIN,
    CHECKS,
    END,
    PAGE,
    World,
    altered,
    build,
    outcomes,
    row,
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(tmp_path_factory.mktemp("sound"))


def rows() -> list[str]:
    return PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].splitlines()


def test_no_check_finds_anything_in_the_sound_database(sound: World) -> None:
    assert outcomes(sound) == dict.fromkeys(CHECKS, "no")


@pytest.mark.slow
@pytest.mark.parametrize("name", ALTERATIONS)
def test_each_check_finds_what_the_page_says(sound: World, tmp_path: Path, name: str) -> None:
    assert row(name, outcomes(altered(sound, tmp_path, name))) in rows()


def test_page_has_a_line_for_each_alteration() -> None:
    """A line more or less means that the page is outdated; run ``python -m tests.support.tampering``."""
    named = [line.split(" | ")[0].removeprefix("| ") for line in rows()[2:]]
    assert named == list(ALTERATIONS)
    assert len(named) > 41
    assert tampering.PAGE.exists()
