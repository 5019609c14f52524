"""``tourney bots remove``: removal, its refusals, and the way back."""

from pathlib import Path

from tests.cli.bots.commands import bots, done, listed, refused
from tests.support.folders import write_bot
from tourney.match.spec import Entrant
from tourney.store.database import Database
from tourney.store.values import CHOSEN, Plan, RunSettings, StoredEntrant


def test_removed_bot_can_be_restored(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    result = bots("remove", "mybot")
    assert result.exit_code == 0
    assert f"tourney bots remove --undo {digest[:12]}" in result.stderr
    assert listed() == []
    assert refused("show", "mybot").startswith("error: there is no bot 'mybot'")
    assert done("remove", "--undo", digest[:12]) == f"mybot@1.0 {digest}\n"
    assert [row["digest"] for row in listed()] == [digest]


def test_removed_bot_leaves_no_builds(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    root = Path("tourney-bots")
    kept = [root / kind / host / digest for kind in ("builds", "modules") for host in ("here", "there")]
    other = root / "modules" / "here" / ("0" * 64)
    for place in (*kept, other):
        (place / "files").mkdir(parents=True)
        (place / "files" / "code").write_bytes(b"code")
        place.chmod(0o555)
    assert bots("remove", "mybot").exit_code == 0
    assert [place for place in kept if place.exists()] == []
    assert (other / "files" / "code").exists()


def test_bot_in_a_tournament_is_removed_only_by_force(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    plan = Plan("cup", "sages-tafl", "1", (), "round-robin", seats=2, games_per_pairing=2)
    entrants = [
        StoredEntrant(k, Entrant(f"e{k}", "mybot", "1.0", (), digest if k else "0" * 64)) for k in (0, 1)
    ]
    with Database.open(str(tmp_path / "cup.db"), create=True) as repository:
        repository.tournaments.add(
            plan,
            seed=7,
            origin=CHOSEN,
            run=RunSettings(),
            entrants=entrants,
            created="2026-01-01T00:00:00+00:00",
        )
    assert bots("remove", "mybot", "--db", str(tmp_path / "other.db")).exit_code == 0
    done("remove", "--undo", digest)
    said = refused("remove", "mybot", "--db", str(tmp_path / "cup.db"))
    assert "tournament cup uses this bot (entrant e1)" in said
    assert [row["digest"] for row in listed()] == [digest]
    done("remove", "mybot", "--db", str(tmp_path / "cup.db"), "--force")
    assert listed() == []


def test_damaged_entry_can_be_removed(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    files = tmp_path / "tourney-bots" / "entries" / digest / "files"
    (files / "bot.py").chmod(0o644)
    (files / "bot.py").write_text("changed")
    assert "is damaged: the content of bot.py has changed" in refused("show", "mybot")
    done("remove", "mybot")
    assert listed() == []
