"""The first page stays small however many entrants and matches there are."""

from tests.report import world
from tests.report.pages.test_match_list import many
from tests.support.sites import rendered
from tourney.games.registry import find_game
from tourney.match.record import Outcome, make_record
from tourney.match.result import PlayedMatch
from tourney.report.output.layout import Options
from tourney.report.pages.match_files import match_work
from tourney.report.site import KINDS, renderer
from tourney.report.source import load
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult

ENTRANTS = 50
MATCHES = 10_000
LARGEST = 200_000
"""Bytes."""


def test_first_page_of_a_large_tournament_is_small(repository: Database) -> None:
    names = [f"a-bot-with-a-long-name-{k:02d}" for k in range(ENTRANTS)]
    tournament = world.begin(repository, names)
    entrants = repository.tournaments.entrants(tournament.id)
    rules = find_game(tournament.game).rules
    found = []
    plays: list[tuple[list[tuple[int, str]], Outcome]] = []
    for number, row in repository.schedules.pending(tournament.id):
        spec = spec_of(tournament, entrants, row)
        if len(plays) < 40:
            plays.append(world.at_random(spec))
        played = PlayedMatch(make_record(spec, rules, *plays[number % len(plays)]))
        found.append(MatchResult(number, played))
    repository.matches.add(tournament.id, found)
    source = many(load(repository, tournament), MATCHES)
    make = renderer(source, Options())
    [index] = [file for file in rendered(KINDS[0].files(make)) if file.path == "index.html"]
    assert all(name.encode() in index.content for name in names)
    assert len(index.content) < LARGEST


def test_first_page_of_32_bots_is_below_30_kilobytes(repository: Database) -> None:
    names = [f"bot-number-{k:02d}" for k in range(32)]
    tournament = world.begin(repository, names, format_="swiss", rounds=4)
    tournament = world.play_out(repository, tournament)
    make = renderer(load(repository, tournament), Options())
    [index] = [file for file in rendered(KINDS[0].files(make)) if file.path == "index.html"]
    assert b"Games worth seeing" in index.content
    assert len(index.content) < 30_000


def test_match_pages_of_sage_stones_are_below_20_kilobytes(repository: Database) -> None:
    """As they come from bots that print scores: two seats, ten stones of each colour."""
    tournament = world.begin(repository, ("alpha", "beta"), options=(), games=2)
    tournament = world.play_out(repository, tournament)
    work = match_work(renderer(load(repository, tournament), Options()))
    sizes = [len(next(work.render(job)).content) for job in work.jobs]
    assert sum(sizes) / len(sizes) < 20_000
