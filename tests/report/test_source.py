"""Bots' standard error, the host's name and errors of the machine are published only when asked for."""

from dataclasses import replace

import pytest
from msgspec import structs

from tests.report import world
from tests.support.sites import site
from tourney.match.result import LogLine
from tourney.report.output.layout import Options
from tourney.report.pages.match_lines import MatchDetail
from tourney.report.source import BROKEN, ReportSource, load, published
from tourney.store.database import Database
from tourney.store.values import MatchResult

SECRETS = ("my-computer", "key=hunter2", "/home/someone", "cc: no input files")
"""The host's name, a line on standard error, an error of the machine, and the output of a build."""


@pytest.fixture
def source(repository: Database) -> ReportSource:
    """A tournament that holds all secrets; match 3 is void by the machine, match 4 by a benched bot."""
    tournament = world.begin(repository, "abc")
    entrants = repository.tournaments.entrants(tournament.id)
    world.play_all(repository, tournament, host=SECRETS[0], most=2)
    for number, note, entrant in ((3, f"no space in {SECRETS[2]}", None), (4, "benched: a failed", 0)):
        repository.matches.add(tournament.id, [MatchResult(number, None, note, entrant)])
    loaded = load(repository, tournament)

    def detail(number: int) -> MatchDetail:
        found = loaded.detail(number)
        return (
            replace(found, log=(*found.log, LogLine(0, 1, "stderr", SECRETS[1]))) if found.record else found
        )

    broken = (replace(entrants[0], broken=f"its build failed: {SECRETS[3]}"), *entrants[1:])
    return replace(loaded, detail=detail, entrants=broken)


def test_logs_host_and_errors_are_published_only_on_request(source: ReportSource) -> None:
    for logs in (False, True):
        everything = "".join(f.content.decode(errors="replace") for f in site(source, Options(logs=logs)))
        assert [secret in everything for secret in SECRETS] == [logs] * len(SECRETS)


def test_scores_times_and_notes_of_the_referee_stay(source: ReportSource) -> None:
    kept, whole = published(source, logs=False), published(source, logs=True)
    assert whole is source
    assert {line.kind for line in kept.detail(1).log} == {"info", "note"}
    assert [line for line in source.detail(1).log if line.kind != "stderr"] == list(kept.detail(1).log)
    assert source.detail(1).measured.host == "my-computer"
    assert kept.detail(1).measured == structs.replace(source.detail(1).measured, host="")
    assert kept.labels[0].broken == BROKEN
    assert [m.result.note for m in kept.matches] == ["", "", "", "benched: a failed"]
    assert tuple(kept.results) == tuple(source.results)
