"""Submissions are judged by their files, names, digests and trials."""

import zipfile
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, put, reopened
from tourney.addons.league import admission
from tourney.addons.league.admission import enter_house, take_in
from tourney.addons.league.folder import League
from tourney.addons.league.receipts import Diagnosis
from tourney.bots.catalogue.shipped import shipped_bots

pytestmark = pytest.mark.usefixtures("admitted")


def reasons(league: League, night: int = 1) -> list[str]:
    """Take in, and return the fate and reason of each submission by number."""
    take_in(league, night, NOW, lambda _: None)
    return [f"{one.fate} {one.reason}".strip() for _, one in sorted(league.ledger.submissions.items())]


def test_versions_count_up_and_supersede(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for night in (1, 2, 3):
        put(league, "mason", "drifter", str(night))
        take_in(league, night, NOW, lambda _: None)
    found = [(one.number, one.superseded, one.retired) for one in reopened(league).ledger.versions]
    assert found == [(1, 2, 5), (2, 3, 6), (3, None, None)]
    assert [one.number for one in league.ledger.alive(5)] == [2, 3]


def test_copies_are_refused(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    one = put(league, "mason", "drifter")
    take_in(league, 1, NOW, lambda _: None)
    put(league, "heron", "x").joinpath("bot.py").write_text("# mason drifter \n")
    (one.parent.parent / "heron" / "x.ready" / "bot.toml").write_text(
        'name = "drifter"\nversion = "1.0"\ncommand = ["python3", "bot.py"]\ngames = ["sage-stones"]\n'
    )
    shipped = league.inbox / "heron" / "y.ready"
    shipped.mkdir()
    for file in shipped_bots()["greedy"].iterdir():
        (shipped / file.name).write_bytes(file.read_bytes())
    assert reasons(league)[1:] == [
        "refused it is a copy of mason/drifter 1",
        "refused it is a copy of greedy, a bot that ships with Tourney",
    ]


def test_same_bot_again_is_its_version(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for _ in range(2):
        put(league, "mason", "drifter")
        take_in(league, 1, NOW, lambda _: None)
    assert [one.version for one in league.ledger.submissions.values()] == [1, 1]
    assert len(league.ledger.versions) == 1


def test_superseded_version_again_is_refused(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for text in ("one", "two", "one"):
        put(league, "mason", "drifter", text)
        take_in(league, 1, NOW, lambda _: None)
    (found,) = reasons(league)[2:]
    assert found.startswith("refused it is mason/drifter 1, which a newer version superseded: change it")


def test_names_and_games_are_checked(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    assert reasons(league) == ["accepted"]
    put(league, "heron", "dr1fter", name="other")
    put(league, "heron", "greedy", name="greedy")
    put(league, "heron", "Bad")
    found = reasons(league)[1:]
    assert "'Bad' cannot name a bot" in found[2]
    assert "looks like drifter" in found[0]
    assert "as a bot that ships with Tourney" in found[1]


def test_hostile_archive_is_one_sentence_in_the_receipt(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (league.inbox / "mason").mkdir()
    with zipfile.ZipFile(league.inbox / "mason" / "x.zip.ready", "w") as archive:
        archive.writestr("../../x", "")
    (reason,) = reasons(league)
    assert reason.startswith("refused ")
    assert "is not a plain path" in reason
    assert str(tmp_path) not in reason
    receipt = league.outbox / "mason" / "000001-x" / "receipt.txt"
    assert f"reason       {reason.removeprefix('refused ')}" in receipt.read_text()
    assert receipt.stat().st_mode & 0o077 == 0


def test_failed_trial_refuses_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    monkeypatch.setattr(
        admission, "diagnosis_of", lambda *_: Diagnosis("it crashes", ("FAIL x",), ("cc: no",))
    )
    assert reasons(league) == ["refused it crashes"]
    folder = league.outbox / "mason" / "000001-drifter"
    assert (folder / "check.txt").read_text() == "FAIL x\n"
    assert (folder / "build.log").read_text() == "cc: no\n"


def test_crash_before_the_verdict_is_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    with monkeypatch.context() as patch:
        patch.setattr(admission, "diagnosis_of", _crash)
        with pytest.raises(KeyboardInterrupt):
            take_in(league, 1, NOW, lambda _: None)
    league = reopened(league)
    assert reasons(league) == ["accepted"]
    assert list((league.records / "taken").iterdir()) == []


def _crash(*_: object) -> Diagnosis:
    raise KeyboardInterrupt


def test_quota_of_bots(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    text = (league.folder / "league.toml").read_text()
    (league.folder / "league.toml").write_text(text.replace("[quota]", "[quota]\nbots = 2"))
    league = reopened(league)
    for number in range(1, 4):
        put(league, "mason", f"bot-{number}")
    found = reasons(league)
    assert found[:2] == ["accepted", "accepted"]
    assert "mason has 2 bots, the most for an author" in found[2]


def test_house_enters_once(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    enter_house(league, 1)
    enter_house(league, 2)
    assert [one.label for one in league.ledger.versions] == ["house/greedy 1", "house/random 1"]


def test_unsigned_submission_of_a_keyed_author_is_refused(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (league.folder / "authors.toml").write_text('[mason]\nkeys = ["ssh-ed25519 AAAA mason"]\n')
    league = reopened(league)
    put(league, "mason", "drifter")
    assert reasons(league) == ["refused it is not signed: sign an archive of the bot's folder"]


def test_receipt_that_a_crash_left_unwritten_is_written(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    take_in(league, 1, NOW, lambda _: None)
    (receipt,) = league.outbox.rglob("receipt.txt")
    text = receipt.read_text()
    for damage in (receipt.unlink, lambda: receipt.write_text("")):
        damage()
        take_in(league, 1, NOW, lambda _: None)
        assert receipt.read_text() == text


def test_folder_of_any_name_gets_a_receipt(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for author in ("J\u00f6rg (2)", "J\u00f6rg-2", "anna b"):
        put(league, author, "drifter")
    said: list[str] = []
    take_in(league, 1, NOW, said.append)
    receipts = {path.parent.name.rpartition("-")[0]: path.read_text() for path in league.outbox.glob("_*/*")}
    assert sorted(path.name.rpartition("-")[0] for path in league.outbox.iterdir()) == [
        "_anna-b",
        "_jorg-2",
        "_jorg-2",
    ]
    text = receipts["_anna-b"]
    assert "folder       inbox/anna b\n" in text
    assert "reason       anna b cannot name an author: use small letters" in text
    assert "suggestion   rename the folder to anna-b\n" in text
    assert len(list(league.inbox.glob("*/drifter.ready"))) == 3
