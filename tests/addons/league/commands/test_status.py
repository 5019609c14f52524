"""``tourney league status``: the state of a league on one screen."""

from datetime import UTC, datetime
from pathlib import Path

from tests.addons.league.leagues import new_league, put
from tests.support.command import invoke
from tourney.addons.league.commands.status import league_status, status_text
from tourney.addons.league.folder import League, make_league
from tourney.addons.league.ledger import (
    Author,
    BotVersion,
    Division,
    Night,
    NightTournament,
    Season,
    Submission,
)

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
THEN = "2026-11-25T22:00:00+00:00"


def test_new_league_waits_for_its_first_night(tmp_path: Path) -> None:
    make_league(tmp_path / "stones", "sage-stones", NOW)
    status = league_status(League.open(tmp_path / "stones"), NOW)
    assert (status.nights, status.season, status.open_night, status.bots) == (0, None, None, ())
    assert status.next_night == "2026-11-26T22:00+00:00"
    assert "before the first season" in status_text(status)


def test_status_names_bots_and_news(tmp_path: Path) -> None:
    make_league(tmp_path / "stones", "sage-stones", NOW)
    league = League.open(tmp_path / "stones")
    league.ledger.add(
        Author("mason", THEN),
        Submission(1, "mason", "drifter", THEN, "drifter", "accepted", "a" * 64, 1),
        Submission(2, "mason", "other", THEN, "other", "refused", reason="there is no bot.toml"),
        BotVersion("mason", "drifter", 1, "a" * 64, 1),
        BotVersion("mason", "drifter", 2, "b" * 64, 1),
        Season(1, THEN, (Division(1, ()),)),
        Night(1, 1, THEN, tournaments=(NightTournament("night-0001-2", 2, 12),)),
    )
    status = league_status(League.open(league.folder), NOW)
    assert (status.open_night, status.matches, status.authors) == (1, 12, 1)
    assert [(one.bot, one.version, one.versions, one.division) for one in status.bots] == [
        ("drifter", 2, 2, 1)
    ]
    assert status.season_ends == "2027-01-06"
    text = status_text(status)
    assert "night 1 is open" in text
    assert "mason/other: refused: there is no bot.toml" in text


def test_bots_in_the_inbox_wait(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    put(league, "heron", "other")
    assert league_status(league, NOW).waiting == 2
    assert "2 submissions waiting" in status_text(league_status(league, NOW))


def test_status_of_a_new_league(tmp_path: Path) -> None:
    folder = str(tmp_path / "stones")
    invoke("league", "init", folder, "--game", "sage-stones")
    done = invoke("league", "status", "--league", folder)
    assert done.exit_code == 0
    assert "stones, a league of sage-stones" in done.stdout


def test_status_outside_a_league_says_what_to_do(tmp_path: Path) -> None:
    done = invoke("league", "status", "--league", str(tmp_path))
    assert done.exit_code == 2
    assert "tourney league init NAME --game GAME" in done.stderr
