"""The tournament files on the formats page are played to their end, with the stated number of matches."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import blocks, every_block, page
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import answer, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.results.standings import compute_standings
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.summary import End
from tourney.run.tournament_file import read_tournament_file
from tourney.schedule.format import working_formats

PAGE = page("explanation/formats.md")
FILES = blocks(PAGE, "toml")


def test_every_format_and_every_key_of_its_own_has_an_example() -> None:
    assert {kind for kind, _ in every_block(PAGE)} == {"toml", "text"}
    named = "\n".join(FILES)
    for format_ in working_formats()[0]:
        assert f'format = "{format_.name}"' in named
        for key in format_.keys:
            assert re.search(rf"^{key.name} = ", named, re.MULTILINE), key.name
    assert re.search(r"^rounds = ", named, re.MULTILINE)


@pytest.mark.parametrize("text", FILES, ids=lambda text: text.split('"')[1])
def test_a_file_of_the_page_is_played_to_its_end(tmp_path: Path, text: str) -> None:
    count, more = re.findall(r"^# (\d+) matches( or more)?$", text, re.MULTILINE)[0]
    file = read_tournament_file(write_file(tmp_path, f"{text}\n[run]\nsandbox = 'off'\n"))
    bots = BotStore(tmp_path / "bots")
    with open_tournament(file, str(tmp_path / "t.db"), bots, lambda _: None) as (repository, tournament, _):
        pool = FuturesExecutor(Immediate, answer, 1)
        assert Coordinator(repository, tournament.id, pool, tmp_path).run().end is End.FINISHED
        rows = tuple(repository.schedules.rows(tournament.id))
        assert len(rows) >= int(count) if more else len(rows) == int(count)
        assert len(compute_standings(repository, tournament.id)) == len(
            repository.tournaments.entrants(tournament.id)
        )


def test_the_page_names_every_tie_break() -> None:
    """As in the tables of the standings, with blanks for hyphens, but for the pods' means."""
    words = PAGE.lower().replace("-", " ")
    for format_ in working_formats()[0]:
        for seats in (2, 4):
            for name in format_.tie_breaks(seats):
                shown = {"opponents-mean": "mean of the opponents' points"}.get(name, name)
                assert shown.replace("-", " ") in words, name
