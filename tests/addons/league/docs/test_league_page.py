"""The guide to leagues works as printed."""

import re
import shlex
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW
from tests.docs.pages import blocks, page
from tests.support.command import run
from tourney.addons.league.file import (
    LeagueTable,
    QuotaTable,
    SeasonTable,
    read_authors_file,
    read_league_file,
)
from tourney.addons.league.folder import cron_files, make_league

PAGE = page("how-to/league.md")
GUIDE, SYSTEMD, _ = blocks(PAGE, "sh")


def test_files_on_the_page_are_read(tmp_path: Path) -> None:
    league, authors = blocks(PAGE, "toml")
    (tmp_path / "league.toml").write_text(league)
    (tmp_path / "authors.toml").write_text(authors)
    assert read_league_file(tmp_path / "league.toml").seats == (2, 4)
    assert list(read_authors_file(tmp_path / "authors.toml")) == ["mason"]


def test_every_key_is_on_the_page() -> None:
    for table in (LeagueTable, SeasonTable, QuotaTable):
        for name in table.__struct_encode_fields__:
            assert re.search(rf"^(\[{name}\]|{name} = )|`\[?{name}\]?`", PAGE, re.MULTILINE), name


def test_timer_on_the_page_is_the_shipped_one(tmp_path: Path) -> None:
    (block,) = blocks(PAGE, "ini")
    assert block in cron_files(tmp_path / "stones", "22:00")["stones-night.timer"]
    path = make_league(tmp_path / "stones", "sage-stones", NOW)
    units = [name for name in (path.parent / "cron").iterdir() if name.name.startswith("stones-night.")]
    assert len(units) == 2
    assert "stones-night.timer" in SYSTEMD


@pytest.mark.slow
def test_guide_leads_from_init_to_a_site(tmp_path: Path) -> None:
    folder = tmp_path
    for line in GUIDE.splitlines():
        program, *words = shlex.split(line)
        if program == "cd":
            folder /= words[0]
            continue
        words = [word.replace("60s", "5s") for word in words]
        done = run(*words, cwd=folder)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    site = (folder / "site" / "index.html").read_text()
    assert "ann/drifter" in site
    assert "bob/floater" in site
