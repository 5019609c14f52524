"""Putting a bot into the inbox in one step."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, reopened
from tests.support.folders import write_bot
from tourney.addons.league.admission import take_in
from tourney.addons.league.intake import submit
from tourney.bots.catalogue.submission import digest_of_bot
from tourney.errors import BotError, UsageError


@pytest.mark.usefixtures("admitted")
def test_submitted_bot_keeps_its_digest(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    bot = write_bot(tmp_path, "drifter", games='["sage-stones"]')
    path = submit(league, bot, "mason", None, None)
    assert path == league.inbox / "mason" / "drifter.zip.ready"
    take_in(league, 1, NOW, lambda _: None)
    assert [one.digest for one in league.ledger.versions] == [digest_of_bot(bot)]


def test_unfit_bots_are_refused_at_once(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    with pytest.raises(UsageError, match="plays sages-tafl, and this league plays sage-stones"):
        submit(league, write_bot(tmp_path, "a", games='["sages-tafl"]'), "mason", None, None)
    with pytest.raises(UsageError, match="cannot name an author"):
        submit(league, write_bot(tmp_path, "b"), "Mason", None, None)
    with pytest.raises(UsageError, match="house is the name of the league's own bots"):
        submit(league, write_bot(tmp_path, "d", games='["sage-stones"]'), "house", None, None)
    (tmp_path / "c").mkdir()
    with pytest.raises(BotError, match=r"there is no bot\.toml"):
        submit(league, tmp_path / "c", "mason", None, None)
    assert list(league.inbox.iterdir()) == []


@pytest.mark.usefixtures("admitted")
@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_signed_bot_of_a_keyed_author_is_accepted(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, timeout=60)
    (league.folder / "authors.toml").write_text(
        f'[mason]\nkeys = ["{key.with_suffix(".pub").read_text().strip()}"]\n'
    )
    league = reopened(league)
    submit(league, write_bot(tmp_path, "drifter", games='["sage-stones"]'), "mason", None, key)
    take_in(league, 1, NOW, lambda _: None)
    assert [one.fate for one in league.ledger.submissions.values()] == ["accepted"]
