"""Whole nights, on matches that are really played in this process."""

import json
import shutil
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, put, reopened, run
from tests.support.addons import PRESENT
from tests.support.command import invoke
from tests.support.tournaments import refused
from tourney.addons.league import night_play, nights
from tourney.addons.league.nights import league_lock, preview
from tourney.addons.league.seasons import close_season, season_files
from tourney.addons.league.tables import latest_table
from tourney.errors import BusyError, InputError

pytestmark = pytest.mark.usefixtures("admitted")


def test_three_nights_take_play_rate_and_publish(tmp_path: Path) -> None:
    """Submissions between nights, an empty night, a copied folder, and a chain of seasons that verifies."""
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    put(league, "bob", "floater")
    assert run(league, 0).matches == 8
    put(league, "ann", "drifter", "better")
    assert run(league, 1, matches=12).matches == 12
    close_season(reopened(league), NOW)
    shutil.copytree(league.folder, tmp_path / "moved")
    league = reopened(league)
    assert run(league, 2).matches == 8
    league = reopened(league)
    table = latest_table(league)
    assert table is not None
    assert {row.name for row in table.rows if row.place} == {"ann/drifter", "bob/floater"}
    assert [row.elo for row in table.rows if row.name == "house/random"] == [0.0]
    assert sum(row.games for row in table.rows) == 2 * 28
    assert (league.outbox / "ann" / "night-0003.txt").read_text().count("ann/drifter 2: rating") == 1
    assert "first rating" in (league.outbox / "ann" / "night-0002.txt").read_text()
    if "course" in PRESENT:
        feedback = league.outbox / "ann" / "night-0003-2-drifter.2"
        assert "<h1>ann.drifter.2 in night-0003-2</h1>" in (feedback / "index.html").read_text()
        assert feedback.stat().st_mode & 0o077 == 0
    assert (league.site / "index.html").exists()
    close_season(league, NOW)
    (_, first), (_, second) = season_files(reopened(league))
    assert (first.previous, second.previous) == (None, first.root)
    done = invoke("verify", str(league.folder))
    assert done.exit_code == 0, done.stdout + done.stderr
    assert f"season 2 of stones: root {second.root}" in done.stdout
    path = league.records / "seasons" / "1.json"
    path.write_text(path.read_text().replace("bob/floater", "eve/floater"))
    broken = invoke("verify", str(league.folder))
    assert broken.exit_code == 1
    assert "season 1 ended with the root" in broken.stdout


def test_interrupted_night_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash while it plays, and one while it closes, leave a night that the next call finishes."""
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    with monkeypatch.context() as patch:
        patch.setattr(night_play, "run_tournament", _crash)
        with pytest.raises(KeyboardInterrupt):
            run(league)
    assert [one.label for one in reopened(league).ledger.versions][:1] == ["ann/drifter 1"]
    with monkeypatch.context() as patch:
        patch.setattr(nights, "publish", _crash)
        with pytest.raises(KeyboardInterrupt):
            run(league)
    said: list[str] = []
    assert run(league, said=said).matches == 8
    assert said[0] == "night 1 goes on"
    night = reopened(league).ledger.night
    assert night is not None
    assert (night.number, night.announced, night.matches) == (1, True, 8)
    assert run(league, 1).number == 2


def _crash(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_second_night_at_once_says_so(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    with league_lock(league), pytest.raises(BusyError, match="is busy") as caught:
        run(league)
    assert caught.value.exit_code == 6


def test_season_ends_after_its_weeks(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    run(league)
    run(league, 42)
    seasons = reopened(league).ledger.seasons
    assert [one.closed is not None for one in seasons.values()] == [True, False]


def test_authors_hear_by_the_command(tmp_path: Path) -> None:
    league = new_league(tmp_path, 'notify = ["./tell"]')
    script = league.folder / "tell"
    script.write_text(
        f'#!/bin/sh\necho "$TOURNEY_AUTHOR $TOURNEY_NIGHT" >> {league.folder}/news\ncat >/dev/null\n'
    )
    script.chmod(0o755)
    put(league, "ann", "drifter")
    run(league)
    assert (league.folder / "news").read_text() == "ann 1\n"


def test_old_seasons_are_archived_beyond_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path, "keep-records = 1")
    put(league, "ann", "drifter")
    run(league)
    close_season(reopened(league), NOW)
    monkeypatch.setattr(nights, "size_of", lambda _: 2 << 20)
    run(league, 1)
    assert [path.stem.split(".")[0] for path in (league.records / "archives" / "season-1").iterdir()] == [
        "night-0001-2"
    ]
    assert run(league, 2).matches == 8
    assert invoke("verify", str(league.folder)).exit_code == 0


def test_backups_of_the_last_nights_are_kept(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for number in range(4):
        run(league, number)
    kept = sorted(path.name for path in (league.records / "backups").iterdir())
    assert kept == ["0003", "0004"]


def test_preview_writes_nothing(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    before = league.ledger.path.read_bytes()
    assert "ann/drifter is taken in" in list(preview(league, NOW))
    assert league.ledger.path.read_bytes() == before


def test_log_has_a_line_for_each_event(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    run(league)
    lines = (league.folder / "league.log").read_text().splitlines()
    assert any("night 1 of season 1 begins" in line for line in lines)
    assert (
        json.loads((league.folder / "records" / "ledger.jsonl").read_text().splitlines()[0])["name"]
        == "stones"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('inbox = "inbox"', 'inbox = "inbax"', 'inbox is "inbax", but there is no such folder'),
        ("", 'notify = ["./no-mail"]\n', 'notify names the program "./no-mail", which cannot be run'),
        ("sage-stones", "seven-sages", 'game is "seven-sages", but this league has played "sage-stones"'),
    ],
)
def test_wrong_league_file_is_refused_before_a_night_begins(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    run(league)
    file = league.folder / "league.toml"
    text = file.read_text()
    file.write_text(text.replace(old, new) if old else new + text)
    with refused(InputError, f"{file}: {said}"):
        run(league, 1)
    with refused(InputError, said):
        list(preview(reopened(league), NOW))
    assert list(reopened(league).ledger.nights) == [1]
