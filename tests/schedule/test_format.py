"""Formats by name."""

from unittest.mock import patch

import pytest

from tests.support.command import installed
from tests.support.schedules import setup
from tourney.errors import TournamentError
from tourney.plugins import Addon
from tourney.schedule.format import FORMATS, History, Pairings, find_format, working_formats
from tourney.schedule.swiss import Swiss


def test_every_own_format_is_found_by_its_name() -> None:
    assert [format_.name for format_ in FORMATS.all()] == list(FORMATS.names()) == sorted(FORMATS.own)


def test_tournament_file_may_name_five_formats() -> None:
    names = [format_.name for format_ in working_formats()[0]]
    assert names == ["adaptive", "gauntlet", "knockout", "round-robin", "swiss"]


def test_unknown_format_is_refused_with_the_known_ones() -> None:
    assert type(find_format("swiss")) is Swiss
    with pytest.raises(TournamentError, match="no format 'sudden-death'; the formats are: adaptive, compare"):
        find_format("sudden-death")


class Late(Swiss):
    name = "late"


def test_plugin_adds_a_format_for_tournament_files() -> None:
    with installed(Addon(formats={"late": f"{__name__}:Late"})), patch.dict(FORMATS._loaded):
        assert "late" in [format_.name for format_ in working_formats()[0]]


def test_imported_schedule_is_complete() -> None:
    imported = find_format("import")
    imported.check(setup(1))
    assert imported.next_rounds(setup(2), History()) == Pairings((), complete=True)
