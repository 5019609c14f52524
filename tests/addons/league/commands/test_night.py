"""``tourney league night``: by real processes where a test is marked, otherwise without a match."""

import os
import signal
from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league, reopened
from tests.support.command import PROGRAM, invoke, popen, run
from tests.support.processes import wait_for
from tourney.addons.league.folder import League
from tourney.addons.league.nights import league_lock
from tourney.addons.league.tables import latest_table
from tourney.bots.catalogue.shipped import shipped_bots
from tourney.store.database import Database


def test_dry_run_says_what_would_happen(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    done = invoke("league", "night", "--dry-run", "--league", str(league.folder))
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "night 1 begins")


def test_busy_league_has_a_code_of_its_own(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    with league_lock(league):
        done = run("league", "night", "--matches", "2", "--league", str(league.folder))
    assert done.returncode == 6
    assert "is busy" in done.stderr


def test_day_is_not_night(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("22:00-07:00", "00:00-00:01"))
    done = invoke("league", "night", "--league", str(league.folder))
    if "nothing to do" not in done.stderr:
        pytest.skip("this test runs in the first minute of the day")
    assert done.exit_code == 0
    assert reopened(league).ledger.nights == {}


def pebble(league: League, author: str, name: str, more: str = "") -> None:
    """Submit the shipped bot in shell, altered by a comment."""
    folder = league.folder.parent / f"{author}-{name}"
    folder.mkdir(exist_ok=True)
    script = (shipped_bots()["pebble"] / "bot.sh").read_text()
    (folder / "bot.sh").write_text(f"{script}# {author} {name}\n{more}")
    (folder / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["sh", "bot.sh"]\n'
    )
    done = invoke("league", "submit", str(folder), "--author", author, "--league", str(league.folder))
    assert done.exit_code == 0, done.stderr


@pytest.mark.kill
def test_real_nights_with_a_kill_and_bad_submissions(tmp_path: Path) -> None:
    """Three nights of real bots: one killed by SIGKILL, one with a broken and a hostile submission."""
    league = new_league(tmp_path)
    text = (
        (league.folder / "league.toml")
        .read_text()
        .replace("move-ms = 1000", "move-ms = 60000\nstartup-ms = 60000")
    )
    (league.folder / "league.toml").write_text(text)
    words = ("league", "night", "--workers", "2", "--league", str(league.folder))
    pebble(league, "ann", "drifter")
    pebble(league, "bob", "floater")
    process = popen([*PROGRAM, *words, "--matches", "40"], start_new_session=True)
    try:
        assert wait_for(lambda: _played(league) >= 4)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = _played(league)
    done = run(*words, "--matches", "16")
    assert done.returncode == 0, done.stderr
    assert "night 1 goes on" in done.stderr
    assert _played(league) >= kept
    bad = league.inbox / "bob" / "broken.ready"
    bad.mkdir()
    (bad / "bot.toml").write_text('name = "broken"\nversion = "1"\ncommand = ["sh", "-c", "exit 1"]\n')
    hostile = league.inbox / "bob" / "hostile.ready"
    hostile.mkdir()
    (hostile / "bot.toml").symlink_to("/etc/passwd")
    pebble(league, "ann", "drifter", "# better\n")
    assert run(*words, "--matches", "4").returncode == 0
    fates = {one.bot: (one.fate, one.reason) for one in reopened(league).ledger.submissions.values()}
    assert fates["broken"][0] == fates["hostile"][0] == "refused"
    assert "bot.toml" in fates["hostile"][1]
    assert run(*words, "--matches", "4").returncode == 0
    table = latest_table(reopened(league))
    assert table is not None
    assert {(row.name, row.version) for row in table.rows if row.place} == {
        ("ann/drifter", 2),
        ("bob/floater", 1),
    }
    assert invoke("verify", str(league.folder)).exit_code == 0
    assert [one.closed is not None for one in reopened(league).ledger.nights.values()] == [True] * 3


def _played(league: League) -> int:
    """The stored matches of the first night so far."""
    if not Path(league.database).exists():
        return 0
    try:
        with Database.open(league.database) as database:
            found = database.tournaments.find("night-0001-2")
            return 0 if found is None else database.schedules.progress(found.id).done
    except Exception:  # noqa: BLE001 - the file is being made
        return 0


def test_dry_run_and_status_print_names_of_any_kind(tmp_path: Path) -> None:
    """A terminal obeys control characters, and output that is not text cannot be printed at all."""
    league = new_league(tmp_path)
    for name in (b"\xff\x1b[2J.ready", "a\u2028b\u202e.ready".encode()):
        os.makedirs(os.path.join(os.fsencode(league.inbox), b"ann", name))  # noqa: PTH103, PTH118 - bytes
    done = run("league", "night", "--dry-run", "--league", str(league.folder))
    assert done.returncode == 0, done.stderr
    assert "ann/\ufffd\ufffd[2J is refused: 'x'" not in done.stdout
    assert "ann/\ufffd\ufffd[2J is taken in" in done.stdout
    assert "ann/a\ufffdb\ufffd is taken in" in done.stdout
    done = run("league", "night", "--matches", "2", "--league", str(league.folder))
    assert done.returncode == 0, done.stderr
    for text in (
        done.stderr,
        league.log.read_text(),
        invoke("league", "status", "--league", str(league.folder)).stdout,
    ):
        assert text.count("cannot name a bot") == 2
        assert all(line.isprintable() for line in text.split("\n"))
